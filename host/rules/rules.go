// Package rules decides by the user's rules whether a tool call is allowed, denied, or asks.
// A rule has conditions and an action. A call is split into its parts: each command of its shell text, each file it names. It
// is allowed only if rules allow every part, and denied if one denies any. The package starts no goroutines and reads only
// symbolic links.
package rules

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nvim-acp/nvim-acp/host/input"
)

// Rule is one rule of the user's. Empty fields match everything.
type Rule struct {
	Kind    string `msgpack:"kind" json:"kind,omitempty"`       // of the tool: "read", "edit", "execute", …
	Tool    string `msgpack:"tool" json:"tool,omitempty"`       // its programmatic name
	Path    string `msgpack:"path" json:"path,omitempty"`       // glob with **, relative to the session's folder
	Command string `msgpack:"command" json:"command,omitempty"` // the first words of a command, each a glob: "git diff"
	Agent   string `msgpack:"agent" json:"agent,omitempty"`
	Cwd     string `msgpack:"cwd" json:"cwd,omitempty"` // the session's folder, a glob
	Action  string `msgpack:"action" json:"action"`     // "allow", "ask" or "deny"
	From    string `msgpack:"from" json:"-"`            // its origin, for the user: "configuration", "session", "project"
}

// Request is a tool call that asks for permission.
type Request struct {
	Kind, Tool, Agent, Cwd string
	Base                   string   // the folder of who makes the call; "" is Cwd
	Paths                  []string // relative ones are below Base
	Globs                  []Glob   // what it looks for files with
	Edits                  []string // those that it has changes of, whatever its kind and whatever else it does
	Command                string   // shell text, "" if it runs none
	Dir                    string   // its working folder; "" is Base
	Odd                    string   // why it is not sure what the call says
	Unknown                []string // what else it says, and rules do not know

	// Found returns the files that rules must name and that a text may find in some folders, real paths all, and whether they are all
	// that it may find; nil: it finds none.
	Found func(g Glob, folders []string) (paths []string, all bool)

	// Guard says why a file, by its real path, is one that a rule must name: it may hold secrets, or something runs it. "" if it need not;
	// nil: no file is.
	Guard func(real string) string
}

// Glob is a text by which a call looks for files.
type Glob = input.Glob

// Verdict is the decision of the rules, and the reason in words.
type Verdict struct {
	Action string // "allow", "ask" or "deny"
	Rule   *Rule  // that decided; nil if none did
	Why    string
}

// part is one action of a call: a command or a file.
type part struct {
	kind    string
	command []word
	path    string
	what    string // in words
	at      span   // its place in the command; empty if it is not from there
	risks   []int  // words of the command by which its program runs or writes something else
	free    bool   // no rule needs to allow it
	guard   string // why a rule must name the file; "" if it need not
	folder  string // the one that the command runs in; "" is the session's
	opaque  bool   // it may run what is not read
	to      string // the one that the command leads to; "" is none, or the session's
}

// risk says why a rule must name more of its words than its first.
func (p part) risk() string {
	if slices.Contains(p.risks, len(p.command)) {
		return p.what + " may read from its input what to do, which no rule can name"
	}
	what := p.what
	if text := p.command[p.risks[0]].text; text != "" {
		what = text + " in " + what
	}
	return what + " can run or write something else, and no rule names it"
}

// span is a part of a command, in bytes.
type span struct{ from, to int }

// Judge decides a call. A part that cannot be parsed asks.
func Judge(list []Rule, r Request) Verdict {
	parts, problem := r.parts()
	verdict := Verdict{Action: "allow"}
	if odd := r.odd(); odd != "" {
		verdict = Verdict{Action: "ask", Why: odd}
	}

	own := resolve(r.Cwd, ".")
	for _, p := range parts {
		rule, sure := first(list, r, own, p)
		switch {
		case !sure:
			why := "unclear whether the rule " + rule.Conditions() + " applies to " + p.what
			verdict = worse(verdict, Verdict{Action: "ask", Why: why})
		case p.free && (rule == nil || rule.Action == "allow"):
		case rule == nil && p.command == nil && len(r.Unknown) > 0:
			why := fmt.Sprintf("its input has %q, which rules do not know, and no rule names its tool", r.Unknown[0])
			verdict = worse(verdict, Verdict{Action: "ask", Why: why})
		case rule == nil && p.guard != "":
			verdict = worse(verdict, Verdict{Action: "ask", Why: p.what + ": " + p.guard + ", and no rule names it"})
		case rule == nil && p.folder != "":
			why := p.what + " runs in another folder, " + p.folder + ", and no rule names it with cd " + p.folder + " && before it"
			verdict = worse(verdict, Verdict{Action: "ask", Why: why})
		case rule == nil && len(p.risks) > 0:
			verdict = worse(verdict, Verdict{Action: "ask", Why: p.risk()})
		case rule == nil && p.opaque:
			verdict = worse(verdict, Verdict{Action: "ask", Why: p.what + " may run what is not read, and no rule names its program"})
		case rule == nil:
			verdict = worse(verdict, Verdict{Action: "ask", Why: "no rule matches " + p.what})
		case rule.Action == "allow":
			if verdict.Rule == nil && verdict.Action == "allow" {
				verdict.Rule, verdict.Why = rule, rule.answers(p.what)
			}
		default:
			verdict = worse(verdict, Verdict{Action: rule.Action, Rule: rule, Why: rule.answers(p.what)})
		}
	}

	if len(parts) == 0 && problem == "" {
		problem = "it does nothing that a rule can match"
	}
	if problem != "" {
		verdict = worse(verdict, Verdict{Action: "ask", Why: problem})
	}

	return verdict
}

// odd says why it is not sure what a call does, whatever its command is, "" if it is.
func (r Request) odd() string {
	switch {
	case r.Odd != "":
	case expands(r.Base):
		return "it is made in a folder that some agents take for another, " + r.Base
	case r.Command != "" && len(r.Unknown) > 0:
		return fmt.Sprintf("its input has %q beside the command, which rules do not know", r.Unknown[0])
	}
	return r.Odd
}

// Doubtful returns the parts of a call's command, from and to in bytes, that deserve attention: those that cannot be judged,
// and, if the rules allow some of its commands, those that they do not allow.
func Doubtful(list []Rule, r Request) [][2]int {
	parts, _, vague := r.analyse()
	var open []span
	allowed, own := false, resolve(r.Cwd, ".")
	for _, p := range parts {
		rule, sure := first(list, r, own, p)
		switch {
		case sure && rule != nil && rule.Action == "allow":
			allowed = true
		case sure && rule == nil && p.free:
		case p.at != span{}:
			open = append(open, p.at)
		}
	}

	if allowed {
		vague = append(vague, open...)
	}

	var out [][2]int
	for _, s := range vague {
		out = append(out, [2]int{s.from, s.to})
	}

	return out
}

// worse returns the stricter of two verdicts, the first of equals.
func worse(a, b Verdict) Verdict {
	rank := map[string]int{"allow": 0, "ask": 1, "deny": 2}
	if rank[b.Action] > rank[a.Action] {
		return b
	}
	return a
}

// first returns the first rule that matches a part in a folder, by its real path, nil if none does, and whether that is certain.
func first(list []Rule, r Request, own string, p part) (rule *Rule, sure bool) {
	hidden := false // one of the rules before may be for what the part runs
	for i := range list {
		rule := &list[i]
		if matches, sure := rule.matches(r, own, p); matches || !sure {
			if sure && hidden && rule.Action == "allow" && rule.broad() {
				continue
			}
			return rule, sure
		}
		if rule.Command != "" && rule.Action != "allow" && p.command != nil && !p.free && rule.concerns(r) {
			hidden = hidden || p.opaque || p.mentions(rule)
		}
	}
	return nil, true
}

// broad reports whether a rule is for commands without the name of their program.
func (rule *Rule) broad() bool {
	_, words := moving(fields(rule.Command))
	return len(words) == 0 || strings.ContainsAny(words[0], "*?[{")
}

// concerns reports whether a rule is for calls like one, whatever that does.
func (rule *Rule) concerns(r Request) bool {
	return matchWord(rule.Tool, r.Tool) && matchWord(rule.Agent, r.Agent) && matchPath(rule.Cwd, "/", r.Cwd)
}

func (rule *Rule) matches(r Request, own string, p part) (matches, sure bool) {
	switch rule.Action {
	case "allow", "ask", "deny":
	default:
		return false, true
	}

	if !matchWord(rule.Kind, p.kind) || !rule.concerns(r) || !rule.matchPath(own, p) {
		return false, true
	}
	if rule.Action == "allow" && (!rule.names(p) || len(r.Unknown) > 0 && rule.reads()) {
		return false, true
	}
	if rule.Action == "allow" && p.guard != "" && !rule.namesFile(p.path) {
		return false, true
	}

	return rule.matchCommand(p)
}

// namesFile reports whether a rule has the name of a file, without patterns, or is one for everything.
func (rule *Rule) namesFile(path string) bool {
	name := filepath.Base(rule.Path)
	return rule.Path != "" && name == filepath.Base(path) && !strings.ContainsAny(name, `*?[{\\`) ||
		rule.Path == "" && rule.Kind == "" && rule.Tool == ""
}

// reads reports whether the input of a call decides if the rule is for it, or should: one for a tool, and one for everything, are
// for any.
func (rule *Rule) reads() bool {
	return rule.Path != "" || rule.Command != "" || rule.Tool == "" && rule.Kind != ""
}

// names reports whether a rule for a command names each word by which its program runs or writes something. A rule for all
// commands need not.
func (rule *Rule) names(p part) bool {
	if len(p.risks) == 0 {
		return true
	}
	_, words := moving(fields(rule.Command))
	return len(words) == 0 || !slices.ContainsFunc(p.risks, func(i int) bool {
		return i >= len(words) || strings.ContainsAny(words[i][:1], "*?[{")
	})
}

func matchWord(want, got string) bool { return want == "" || want == got }

// matchPath matches a path against a pattern; a relative one matches below base.
func matchPath(pattern, base, path string) bool {
	if pattern == "" {
		return true
	}
	if !filepath.IsAbs(pattern) {
		rel, err := filepath.Rel(base, path)
		if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
			return false
		}
		path = rel
	}
	ok, err := doublestar.Match(pattern, path)
	return err == nil && ok
}

func (rule *Rule) matchPath(cwd string, p part) bool {
	if rule.Path == "" {
		return p.path == "" || rule.Command == "" // a rule for a command does not match files
	}
	return p.path != "" && matchPath(rule.Path, cwd, p.path)
}

// matchCommand matches the words of a rule against the first words of a command. A word with expansions may become any word,
// several, or none.
func (rule *Rule) matchCommand(p part) (matches, sure bool) {
	if rule.Command == "" {
		return p.command == nil || rule.Path == "", true // a rule for files does not match commands
	}

	folder, words := moving(fields(rule.Command))
	switch there := p.folder != "" && matchField(folder, p.folder); {
	case folder == "" && rule.Action == "allow" && p.folder != "":
		return false, true // it is one for the session's folder
	case folder != "" && rule.Action == "allow" && p.to != "" && p.to != lost && matchField(folder, p.to):
		return true, true // it names the way
	case folder != "" && !there:
		return false, true
	}

	if matches, sure = begins(words, p.command); matches || rule.Action == "allow" || len(words) == 0 || len(p.command) == 0 {
		return matches, sure
	}
	matches, certain := spelled(p.command).has(words)
	return matches, matches || certain && sure
}

// begins reports whether a command begins with words, and whether that is certain.
func begins(words []string, command []word) (matches, sure bool) {
	for i, w := range words {
		if i >= len(command) {
			return false, true
		}
		if !command[i].fixed {
			return false, false
		}
		if !matchField(w, command[i].text) {
			return false, true
		}
	}

	return true, true
}

// String returns the rule with what it does.
func (rule *Rule) String() string {
	return rule.Action + ": " + strings.Join(rule.conditions(" "), ", ")
}

// answers says what the rule decides of something: "denied by rule: command = rm (rm -rf x)".
func (rule *Rule) answers(what string) string {
	done := map[string]string{"allow": "allowed", "ask": "asked", "deny": "denied"}[rule.Action]
	return fmt.Sprintf("%s by rule: %s (%s)", done, rule.Conditions(), what)
}

// Conditions returns what the rule is for, as the user has written it: kind = edit, path = **/*.lock.
func (rule *Rule) Conditions() string { return strings.Join(rule.conditions(" = "), ", ") }

func (rule *Rule) conditions(is string) []string {
	var fields []string
	for _, f := range [][2]string{
		{"kind", rule.Kind}, {"tool", rule.Tool}, {"path", rule.Path}, {"command", rule.Command}, {"agent", rule.Agent}, {"cwd", rule.Cwd},
	} {
		if f[1] != "" {
			fields = append(fields, f[0]+is+f[1])
		}
	}
	if len(fields) == 0 {
		fields = []string{"everything"}
	}
	return fields
}
