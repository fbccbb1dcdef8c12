// Package skillsets makes of the skills of a folder what an agent is told, lists them, and keeps which are always active.
package skillsets

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/elsewhere"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/skills"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

const luaSkills = `require("nvim-acp.host").skills(...)`

// Sets are the skills of all folders. They are safe for concurrent use.
type Sets struct {
	host feature.Host

	files sync.Mutex // held while a file is changed

	mu        sync.Mutex      // guards mentioned
	mentioned map[string]bool // folders of skills that the user was told of, by their hashes
}

// New returns the skills.
func New(h feature.Host) *Sets { return &Sets{host: h, mentioned: map[string]bool{}} }

type args struct {
	N     int         `msgpack:"n"`
	Cwd   string      `msgpack:"cwd"`
	Why   string      `msgpack:"why"` // for Lua
	Agent agents.Spec `msgpack:"agent"`
	Name  string      `msgpack:"name"` // of the one to be changed …
	Path  string      `msgpack:"path"`
	On    bool        `msgpack:"on"` // … to active, or not
}

// Verbs are what a user can say, by their names.
func (k *Sets) Verbs() map[string]any { return map[string]any{"skills": k.list, "skill": k.set} }

// Set is what there is of skills for a folder and an agent.
type Set struct {
	folders []skills.Folder
	trust   map[string]string // hashes by folder
	active  []string          // paths
	off     string            // why nothing is sent: "", "disabled", or "agent" if that reads skills itself
	budget  int
	message skills.Message // nothing if off
}

// read reads the skills, for an agent that runs in a place, nil: here. It waits for the disk.
func (k *Sets) read(cwd string, spec agents.Spec, all bool, place *elsewhere.Place) Set {
	set := k.host.Settings().Skills
	got := Set{budget: int(set.Budget)}
	switch {
	case set.Enabled != nil && !*set.Enabled:
		got.off = "disabled"
		return got
	case set.Enabled == nil && spec.Quirk("reads_skills"):
		got.off = "agent"
		if !all {
			return got
		}
	}

	home, _ := os.UserHomeDir() // without one there are no skills of the user
	got.folders = skills.Find(cwd, home, set.Folders)
	got.trust, got.active = k.trusted(), k.active(cwd)
	if got.off == "" {
		list, here := slices.Clone(got.effective()), map[string]skills.Skill{}
		for i, s := range list {
			list[i].Path = place.There(s.Path)
			here[list[i].Path] = s
		}
		got.message = skills.Compose(list, func(s skills.Skill) bool { return got.isActive(here[s.Path]) }, got.budget)
	}

	return got
}

func (g Set) effective() []skills.Skill   { return skills.Effective(g.folders, g.trusts) }
func (g Set) trusts(f skills.Folder) bool { return f.Hash != "" && g.trust[f.Path] == f.Hash }
func (g Set) isActive(s skills.Skill) bool {
	return slices.Contains(g.active, s.Path)
}

// trusted are the hashes of what the user trusts, by path. Lua keeps that file.
func (k *Sets) trusted() map[string]string {
	path := filepath.Join(k.host.Settings().StateDir, "trust.json")
	var list map[string]string
	data, err := regular.ReadFile(path)
	if err != nil || json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

// skillBook is the form of the file that says which skills are always active in a folder.
type skillBook struct {
	Cwd    string   `json:"cwd"`
	Active []string `json:"active"` // paths
}

func (k *Sets) active(cwd string) []string {
	var book skillBook
	data, err := regular.ReadFile(k.host.Settings().FolderFile("skills", cwd))
	if err != nil || json.Unmarshal(data, &book) != nil {
		return nil
	}
	return book.Active
}

// set makes a skill always active in a folder, or not any more.
func (k *Sets) set(a args) {
	caught.Go(func() { // ends when the file is written
		k.files.Lock()
		defer k.files.Unlock()
		active := slices.DeleteFunc(k.active(a.Cwd), func(path string) bool { return path == a.Path })
		if a.On {
			active = append(active, a.Path)
		}
		if err := regular.ReplaceJSON(k.host.Settings().FolderFile("skills", a.Cwd), skillBook{a.Cwd, active}); err != nil {
			k.host.Say("error", "skill: "+plain.Reason(err))
			return
		}
		what := map[bool]string{true: "is sent whole", false: "is only listed"}[a.On]
		k.host.Say("info", fmt.Sprintf("%s %s from the next prompt on", a.Name, what))
	})
}

// For is what an agent of a session is to be told of skills. It reads files.
func (k *Sets) For(s feature.Session, a *agents.Agent) Set {
	return k.read(s.Cwd(), a.Spec, false, a.Place())
}

// ForPrompt is what a prompt says of the skills.
func (g Set) ForPrompt() session.Skills {
	text := g.message.Text
	if text == "" {
		return session.Skills{Summary: "skills named earlier no longer apply"}
	}
	sum := sha256.Sum256([]byte(text))
	out := session.Skills{Hash: hex.EncodeToString(sum[:8]), Summary: "sent " + g.summary()}
	if left := g.message.Left; len(left) > 0 {
		out.Left = "skills.budget leaves out: " + plain.OneLine(strings.Join(left, ", "))
	}
	return out
}

// Block is what the agent is sent of the skills.
func (g Set) Block(can acp.PromptCapabilities) acp.ContentBlock {
	text := g.message.Text
	if text == "" {
		text = skills.Nothing
	}
	if can.EmbeddedContext {
		return &acp.EmbeddedResource{Resource: &acp.TextResourceContents{
			URI: skills.URI, Text: text, MimeType: "text/markdown",
		}}
	}
	return acp.Text(text)
}

// summary says in a line what is sent, and how large it is.
func (g Set) summary() string {
	m := g.message
	what := "1 skill"
	if m.Index != 1 {
		what = fmt.Sprintf("%d skills", m.Index)
	}
	if m.Whole > 0 {
		what += fmt.Sprintf(", %d of them whole", m.Whole)
	}
	return fmt.Sprintf("%s, %s of %s KiB", what, kib(len(m.Text)), kib(g.budget))
}

func kib(n int) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1024), ".0") }

// Mention tells the user once of skills in the project that are not trusted, as they are.
func (k *Sets) Mention(set Set) {
	if set.off != "" {
		return
	}
	for _, f := range set.folders {
		if !f.Project || set.trusts(f) || len(f.Skills) == 0 {
			continue
		}
		k.mu.Lock()
		told := k.mentioned[f.Path+f.Hash]
		k.mentioned[f.Path+f.Hash] = true
		k.mu.Unlock()
		if !told {
			k.host.Say("info", "this project's skills need your trust: :AcpTrust")
		}
	}
}

// The skills of a folder as Lua is told of them.
type (
	shownSkills struct {
		Cwd     string             `msgpack:"cwd"`
		Agent   string             `msgpack:"agent"` // its title
		Off     string             `msgpack:"off"`
		Summary string             `msgpack:"summary"`
		Text    string             `msgpack:"text"` // that goes along
		Left    []string           `msgpack:"left"`
		Folders []shownSkillFolder `msgpack:"folders"`
	}
	shownSkillFolder struct {
		Path    string       `msgpack:"path"`
		Project bool         `msgpack:"project"`
		Trusted bool         `msgpack:"trusted"`
		Hash    string       `msgpack:"hash"`
		Problem string       `msgpack:"problem"`
		Skills  []shownSkill `msgpack:"skills"`
	}
	shownSkill struct {
		Name        string `msgpack:"name"`
		Description string `msgpack:"description"`
		Path        string `msgpack:"path"`
		Active      bool   `msgpack:"active"`
		Hidden      bool   `msgpack:"hidden"` // another of that name is used
		Problem     string `msgpack:"problem"`
		Size        int    `msgpack:"size"` // bytes of the text
	}
)

// list has the skills of a folder shown.
func (k *Sets) list(a args) {
	caught.Go(func() { // ends when Neovim answers or goes away
		set := k.read(a.Cwd, a.Agent, true, nil)
		shown := shownSkills{
			Cwd: a.Cwd, Agent: a.Agent.Title, Off: set.off, Summary: set.summary(), Text: set.message.Text,
			Left: append([]string{}, set.message.Left...), Folders: []shownSkillFolder{},
		}
		used := set.effective()
		for _, f := range set.folders {
			trusted := !f.Project || set.trusts(f)
			to := shownSkillFolder{
				Path: f.Path, Project: f.Project, Trusted: trusted, Hash: f.Hash, Problem: f.Problem, Skills: []shownSkill{},
			}
			for _, s := range f.Skills {
				isUsed := slices.ContainsFunc(used, func(o skills.Skill) bool { return o.Path == s.Path })
				to.Skills = append(to.Skills, shownSkill{
					Name: plain.OneLine(s.Name), Description: plain.OneLine(s.Description), Path: s.Path, Active: set.isActive(s),
					Hidden: trusted && s.Problem == "" && !isUsed, Problem: plain.OneLine(s.Problem), Size: len(s.Text),
				})
			}
			shown.Folders = append(shown.Folders, to)
		}

		_ = k.host.ExecLua(luaSkills, nil, a.Why, shown)
	})
}
