package host

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// inForce are the rules for a session: its own, those kept for its folder, those of the configuration. What the project's own
// file denies comes before all of them, what else it says after. It reads a file.
func (s *Session) inForce() []rules.Rule {
	s.mu.Lock()
	denied, others := s.projectRules()
	list := append(denied, s.rules...)
	s.mu.Unlock()
	kept, err := s.host.keptRules(s.cwd)
	if err != nil {
		s.host.say("error", "rules of this folder: "+err.Error())
	}
	list = append(list, kept...)
	return append(append(list, s.host.settings().Rules...), others...)
}

// projectRules are those of the project's file: what it denies, and what it allows or has asked.
func (s *Session) projectRules() (denied, others []rules.Rule) {
	for _, r := range s.spec().Rules {
		r.From = ".nvim-acp.json"
		if r.Action == "deny" {
			denied = append(denied, r)
		} else {
			others = append(others, r)
		}
	}
	return denied, others
}

// ruled reports whether any rule could be in force. s.mu is held.
func (s *Session) ruled() bool {
	return len(s.rules) > 0 || s.lasting || len(s.spec().Rules) > 0 || len(s.host.settings().Rules) > 0
}

// ruleFile is where the rules for good of a folder are kept.
func (h *Host) ruleFile(cwd string) string { return h.keptFile("rules", cwd) }

// keptFile is where something of a folder is kept.
func (h *Host) keptFile(what, cwd string) string {
	sum := sha256.Sum256([]byte(cwd))
	return filepath.Join(h.settings().StateDir, what, hex.EncodeToString(sum[:8])+".json")
}

// ruleBook is the form of that file.
type ruleBook struct {
	Cwd   string       `json:"cwd"`
	Rules []rules.Rule `json:"rules"`
}

func (h *Host) keptRules(cwd string) ([]rules.Rule, error) {
	data, err := os.ReadFile(h.ruleFile(cwd))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var book ruleBook
	if err := json.Unmarshal(data, &book); err != nil {
		return nil, fmt.Errorf("%s: %w", h.ruleFile(cwd), err)
	}
	for i := range book.Rules {
		book.Rules[i].From = "project"
	}
	return book.Rules, nil
}

// keepRules writes the rules for good of a folder, whole and at once.
func (h *Host) keepRules(cwd string, list []rules.Rule) error {
	return keep(h.ruleFile(cwd), ruleBook{Cwd: cwd, Rules: list})
}

// keep writes a file of ours, whole and at once, for nobody else to read.
func keep(path string, value any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "kept-*") // 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return os.Rename(temp.Name(), path)
}

// judged asks the rules about a pending ask, and answers it if they do. It reads files.
func (s *Session) judged(a *ask) {
	s.mu.Lock()
	r, ok := s.ruleRequest(a)
	version := a.version
	s.mu.Unlock()
	verdict := rules.Verdict{Action: "ask"}
	var list []rules.Rule
	if ok {
		if list = s.inForce(); len(list) > 0 {
			verdict = rules.Judge(list, r)
		}
	}
	s.change(func() {
		a.rules = list
		if !slices.Contains(s.asks, a) {
			return
		}
		if a.version != version { // it is another request by now: the user decides
			verdict = rules.Verdict{Action: "ask", Why: "the request changed while the rules were asked"}
		}
		if i := once(a.options, verdict.Action); i >= 0 {
			a.chosen = transcript.OneLine(a.options[i].Name)
			s.drop(a, verdict.Action == "deny")
			s.log.Answered(a.options[i].Name, transcript.OneLine(verdict.Why))
			a.answer <- answer{a.options[i].OptionID}
			return
		}
		a.why = verdict.Why
		s.show1(a)
	})
}

// once is the option that a rule may pick: it allows or denies this one time.
func once(options []acp.PermissionOption, action string) int {
	want := map[string]acp.PermissionOptionKind{"allow": acp.AllowOnce, "deny": acp.RejectOnce}[action]
	if want == "" {
		return -1
	}
	return slices.IndexFunc(options, func(o acp.PermissionOption) bool { return o.Kind == want })
}

// ruleRequest is what rules are asked about. s.mu is held.
func (s *Session) ruleRequest(a *ask) (rules.Request, bool) {
	c := s.log.Call(a.call)
	if c == nil {
		return rules.Request{}, false
	}
	r := rules.Request{Kind: string(c.Kind), Tool: c.Name, Agent: s.spec().Name, Cwd: s.cwd, Command: c.Command(), Dir: c.Dir()}
	for _, d := range c.Diffs() {
		r.Paths = append(r.Paths, d.Path)
	}
	for _, l := range c.Locations {
		r.Paths = append(r.Paths, l.Path)
	}
	r.Paths = append(r.Paths, inputPaths(c.RawInput)...)
	slices.Sort(r.Paths)
	r.Paths = slices.Compact(r.Paths)
	return r, true
}

// inputPaths are the files that a raw input names under the keys that agents use.
func inputPaths(raw acp.Raw) []string {
	var input map[string]any
	if json.Unmarshal(raw, &input) != nil {
		return nil
	}
	var paths []string
	for _, key := range []string{
		"path", "file_path", "filePath", "filepath", "absolute_path", "notebook_path", "directory", "dir", "file", "target",
		"from", "to", "source", "destination", "src", "dst", "old_path", "new_path", "oldPath", "newPath", "paths", "files",
	} {
		switch v := input[key].(type) {
		case string:
			paths = append(paths, v)
		case []any:
			for _, item := range v {
				if path, ok := item.(string); ok {
					paths = append(paths, path)
				}
			}
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// addRule makes a suggested rule one of the session or of its folder, and asks the rules again about what is pending.
func (s *Session) addRule(a ruleArgs) {
	go func() { // ends when the file is written and everything pending was judged
		s.mu.Lock()
		var list []rules.Rule
		pending := slices.Clone(s.asks)
		for _, p := range pending {
			if p.id == a.ID {
				if r, ok := s.ruleRequest(p); ok {
					list = rules.Suggest(r)
				}
			}
		}
		s.mu.Unlock()
		if a.Index < 1 || a.Index > len(list) {
			return
		}
		rule := list[a.Index-1]
		if err := s.enact(rule, a.Scope); err != nil {
			s.host.say("error", "rule: "+err.Error())
			return
		}
		for _, p := range pending {
			s.judged(p)
		}
	}()
}

func (s *Session) enact(rule rules.Rule, scope string) error {
	if scope == "project" {
		s.host.ruleFiles.Lock()
		defer s.host.ruleFiles.Unlock()
		kept, err := s.host.keptRules(s.cwd)
		if err != nil {
			return err
		}
		s.change(func() { s.lasting = true })
		return s.host.keepRules(s.cwd, append(kept, rule))
	}
	rule.From = "session"
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = append(s.rules, rule)
	return nil
}

// listRules shows the rules in force and lets the user remove those that are not of the configuration.
func (s *Session) listRules() {
	go func() { // ends when Neovim answers or goes away
		shown := []map[string]string{}
		for _, r := range s.inForce() {
			from := r.From
			if from == "" {
				from = "configuration"
			}
			shown = append(shown, map[string]string{"text": strings.Trim(r.String(), "«»"), "from": from})
		}
		_ = s.host.ed.ExecLua(luaRules, nil, s.id, shown)
	}()
}

// removeRule takes a rule away that the user was shown.
func (s *Session) removeRule(a ruleArgs) {
	go func() { // ends when the file is written
		same := func(r rules.Rule) bool { return strings.Trim(r.String(), "«»") == a.Text }
		if a.Scope == "session" {
			s.mu.Lock()
			s.rules = slices.DeleteFunc(s.rules, same)
			s.mu.Unlock()
			return
		}
		s.host.ruleFiles.Lock()
		defer s.host.ruleFiles.Unlock()
		kept, err := s.host.keptRules(s.cwd)
		if err == nil {
			err = s.host.keepRules(s.cwd, slices.DeleteFunc(kept, same))
		}
		if err != nil {
			s.host.say("error", "rule: "+err.Error())
		}
	}()
}
