package policy

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// ruled is a session in a folder, of which the project has rules.
type ruled struct {
	talk
	state *session.State
	spec  agents.Spec
}

func (r ruled) Cwd() string                     { return r.folder }
func (r ruled) Spec() agents.Spec               { return r.spec }
func (r ruled) Spawn(do func())                 { do() }
func (r ruled) Do(step func(st *session.State)) { step(r.state) }

// sayingHost is a host that notes what it says.
type sayingHost struct {
	host
	said *[]string
}

func (h sayingHost) Say(_, text string) { *h.said = append(*h.said, text) }

// The project's denials come before the rules of a session, those before the ones that are kept for its folder, for all of its sessions and
// no other folder's, and those before the configuration. A rule is made and removed where the user says, and nowhere else (behaviours 67, 148).
func TestRulesInForce(t *testing.T) {
	set := &settings.Settings{StateDir: t.TempDir(), Rules: []rules.Rule{{Command: "ls", Action: "allow"}}}
	var said []string
	p := New(sayingHost{host{settings: set}, &said})
	begin := func(folder string) ruled {
		r := ruled{talk: talk{folder: folder}, state: session.New(session.Config{
			ID: "s", NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{}) },
		})}
		r.spec.Rules = []rules.Rule{{Command: "cat", Action: "allow"}, {Command: "rm", Action: "deny"}}
		return r
	}
	one, two, away := begin("/one"), begin("/one"), begin("/away")
	has := func(s ruled, want string) {
		t.Helper()
		list, err := p.inForce(s)
		var got []string
		for _, r := range list {
			got = append(got, r.Command+":"+r.From)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("got  %s, %v\nwant %s", strings.Join(got, " "), err, want)
		}
	}
	const before, behind = "rm:.nvim-acp.json", " ls: cat:.nvim-acp.json"
	enact := func(s ruled, scope, command string) {
		t.Helper()
		if err := p.enact(s, rules.Offer{{Command: command, Action: "allow"}}, scope); err != nil {
			t.Fatal(err)
		}
	}
	text := func(command string) string {
		return strings.Trim((&rules.Rule{Command: command, Action: "allow"}).String(), "«»")
	}
	remove := func(s ruled, scope, command string) { p.remove(s, ruleArgs{Scope: scope, Text: text(command)}) }
	lasting := func(s ruled) bool {
		p.Look(s)
		return feature.Ask(s, func(st *session.State) bool { return st.Requests().Ruled() })
	}

	has(one, before+behind)
	enact(one, "session", "make")
	enact(one, "session", "go")
	enact(one, "project", "make")
	enact(two, "project", "vet")
	has(one, before+" make:session go:session make:project vet:project"+behind)
	has(two, before+" make:project vet:project"+behind)
	has(away, before+behind)
	if !lasting(one) || !lasting(two) || lasting(away) {
		t.Error("which sessions may have rules is not known")
	}

	remove(one, "session", "make")
	has(one, before+" go:session make:project vet:project"+behind)
	remove(one, "project", "go") // there is none
	remove(one, "session", "ls")
	has(one, before+" go:session make:project vet:project"+behind)
	remove(two, "project", "make")
	remove(away, "project", "vet")
	has(one, before+" go:session vet:project"+behind)
	has(two, before+" vet:project"+behind)
	if len(said) != 0 {
		t.Errorf("said %q", said)
	}
}
