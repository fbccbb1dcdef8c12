package permission

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// told is what an agent says of a call: fields that it leaves out, sends empty, or sends.
func told(r *rand.Rand, id string) *acp.ToolCallUpdate {
	u := &acp.ToolCallUpdate{ToolCallID: id}
	switch r.IntN(6) {
	case 0:
		u.RawInput = acp.Raw(`{}`)
	case 1:
		u.RawInput = acp.Raw(`null`)
	case 2:
		u.RawInput = acp.Raw([]string{`{"command": ""}`, `{"command": [], "timeout": 3}`, `{"command": null}`}[r.IntN(3)])
	case 3:
		u.RawInput, _ = json.Marshal(map[string]string{"command": []string{"ls", "rm x", "make"}[r.IntN(3)]}) // it can be marshalled
	case 4:
		u.RawInput = acp.Raw(`{"description": "Tidy up"}`)
	}
	switch r.IntN(5) {
	case 0:
		u.Content = acp.Some([]acp.ToolCallContent{})
	case 1:
		u.Content = acp.Null[[]acp.ToolCallContent]()
	case 2:
		u.Content = acp.Some([]acp.ToolCallContent{&acp.Diff{Path: "/a", NewText: string(rune('a' + r.IntN(3)))}})
	case 3:
		u.Content = acp.Some([]acp.ToolCallContent{&acp.Content{Content: acp.Text("A small change")}})
	}
	return u
}

// What a request says of its call is what it asks about, whatever updates and requests with the same id say before and after; what it
// does not say, or sends empty, is what updates have said (behaviours 661, 663, 1550).
func TestSubjects(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		q, log := Requests{Session: "s"}, transcript.New(transcript.Options{})
		type asked struct {
			command, diff string
			content       bool
		}
		var want []asked
		command, diff := "", "" // as updates have them
		for range 12 {
			u := told(r, "c")
			if r.IntN(3) > 0 {
				log.Apply(u)
				q.CallChanged(u, log)
				if u.RawInput != nil {
					command = commandIn(u.RawInput)
				}
				if u.Content.Set && !u.Content.Null {
					diff = diffIn(u.Content.Value)
				}
				continue
			}
			own := Carried(u)
			if len(want) == 0 { // later ones begin with what updates say, not with what the first has said
				before := log.Calls().Permission("", own)
				q.Add(New{Call: "c", Own: own, Before: before})
			} else {
				q.Add(New{Call: "c", Own: own, Before: log.Calls().Permission("", own)})
			}
			made := asked{commandIn(own.RawInput), diffIn(own.Content.Value), own.Content.Set}
			if strings.Contains(string(own.RawInput), "description") { // it lacks a command
				made.command = command
			}
			if another := command != "" && made.command != "" && command != made.command; own.Content.Set && made.diff == "" && !another {
				made.diff = diff
			}
			want = append(want, made)
		}
		for i, r := range q.list {
			snap := q.snapshot(r)
			rule, _ := snap.RuleRequest("a", "/")
			lines := strings.Split(rule.Command, "\n")
			wantCommand, wantDiff := want[i].command, want[i].diff
			if wantCommand == "" {
				wantCommand = command
			}
			if !want[i].content {
				wantDiff = diff
			}
			if lines[0] != wantCommand && wantCommand != "" || diffIn(snap.call.Content) != wantDiff {
				t.Fatalf("seed %d: request %d is about %q, %q; want %q, %q", seed, i, lines[0], diffIn(snap.call.Content), wantCommand, wantDiff)
			}
			if snap.Contradicted() != (does(r.about.late, "") != does(r.about.call, "")) {
				t.Fatalf("seed %d: request %d: contradicted is %t", seed, i, snap.Contradicted())
			}
			if snap.Contradicted() && commandIn(r.about.late.RawInput) != "" && !slices.Contains(lines, commandIn(r.about.late.RawInput)) {
				t.Fatalf("seed %d: rules are asked about %q only", seed, lines)
			}
		}
	}
}

func commandIn(raw acp.Raw) string {
	var input struct{ Command string }
	_ = json.Unmarshal(raw, &input) // other shapes have none
	return input.Command
}

func diffIn(list []acp.ToolCallContent) string {
	for _, c := range list {
		if d, ok := c.(*acp.Diff); ok {
			return d.NewText
		}
	}
	return ""
}

// A call that changes while rules judge it is not allowed as what it was (behaviour 661).
func TestJudgedAsItWas(t *testing.T) {
	q, log := Requests{Session: "s"}, transcript.New(transcript.Options{})
	update := func(command string) *acp.ToolCallUpdate {
		raw, _ := json.Marshal(map[string]string{"command": command}) // it can be marshalled
		return &acp.ToolCallUpdate{ToolCallID: "c", Kind: acp.ToolKindExecute, RawInput: raw}
	}
	ticket := q.Add(New{
		Call: "c", Own: update("ls"), Before: log.Calls().Permission("", update("ls")),
		Options: []acp.PermissionOption{{OptionID: "yes", Kind: acp.AllowOnce}},
	})
	judged, _ := q.Snapshot(ticket.ID)
	q.CallChanged(update("rm -rf src"), log)
	if q.Decide(ticket.ID, judged.Version, rules.Verdict{Action: "allow"}, nil, log) || len(q.Shown()) != 1 {
		t.Errorf("a rule has answered, and %d requests are shown", len(q.Shown()))
	}
	now, _ := q.Snapshot(ticket.ID)
	if !now.Contradicted() {
		t.Error("what the agent says now is not told from what it has asked")
	}
}
