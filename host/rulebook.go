package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/elsewhere"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// inForce are the rules for a session: its own, those kept for its folder, those of the configuration. What the project's own
// file denies comes before all of them, what else it says after. It reads a file; with an error those of the folder are missing.
func (s *Session) inForce() ([]rules.Rule, error) {
	denied, others := s.projectRules()
	list := append(denied, ask(s, (*session.State).Rules)...)
	kept, err := s.host.keptRules(s.cwd)
	list = append(list, kept...)
	return append(append(list, s.host.settings().Rules...), others...), err
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

// ruleFile is where the rules for good of a folder are kept.
func (h *Host) ruleFile(cwd string) string { return h.settings().FolderFile("rules", cwd) }

// ruleBook is the form of that file.
type ruleBook struct {
	Cwd   string       `json:"cwd"`
	Rules []rules.Rule `json:"rules"`
}

func (h *Host) keptRules(cwd string) ([]rules.Rule, error) {
	data, err := regular.ReadFile(h.ruleFile(cwd))
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
	return regular.ReplaceJSON(h.ruleFile(cwd), ruleBook{Cwd: cwd, Rules: list})
}

// judge asks the rules about a pending request, and answers it if they do. It reads files.
func (s *Session) judge(id string) {
	snap, pending := s.pending(id)
	if !pending {
		return
	}
	verdict := rules.Verdict{Action: "ask"}
	var list []rules.Rule
	if r, ok := snap.RuleRequest(s.spec().Name, s.cwd); ok {
		r.Guard = s.mustName
		var err error
		if list, err = s.inForce(); len(list) > 0 {
			verdict = rules.Judge(list, r)
		}
		if err != nil && verdict.Action == "allow" { // they may deny it
			verdict = rules.Verdict{Action: "ask", Why: "the rules of this folder cannot be read: " + err.Error()}
		}
		if snap.Contradicted() && verdict.Action == "allow" {
			verdict = rules.Verdict{Action: "ask", Why: "the agent describes this call in two ways"}
		}
	}
	s.do(func(st *session.State) { st.Decide(id, snap.Version, verdict, list) })
}

// mustName says why a rule for a file must name it, "" if it need not.
func (s *Session) mustName(real string) string {
	if why := s.whySecret(real); why != "" {
		return why
	}
	if by := elsewhere.RunBy(real); by != "" {
		return by + " runs it, or does what it says"
	}
	return ""
}

// pending is a request as it is now, and whether it is pending.
func (s *Session) pending(id string) (snap permission.Snapshot, ok bool) {
	s.do(func(st *session.State) { snap, ok = st.Pending(id) })
	return snap, ok
}

// addRule makes suggested rules, which the user has seen as this text, those of the session or of its folder, and asks the rules again
// about what is pending.
func (s *Session) addRule(a ruleArgs) {
	s.spawn(func() { // ends when the file is written and everything pending was judged
		snap, _ := s.pending(a.ID)
		var list []rules.Offer
		if r, ok := snap.RuleRequest(s.spec().Name, s.cwd); ok {
			list = rules.Suggest(r)
		}
		i := slices.IndexFunc(list, func(o rules.Offer) bool { return permission.OfferText(o) == a.Text })
		if i < 0 {
			s.host.say("warn", "no rule was made: the request has changed, and that rule is not for it any more")
			return
		}
		if err := s.enact(list[i], a.Scope); err != nil {
			s.host.say("error", "rule: "+err.Error())
			return
		}
		for _, id := range ask(s, (*session.State).AllPending) {
			s.judge(id)
		}
	})
}

func (s *Session) enact(offer rules.Offer, scope string) error {
	if scope == "project" {
		s.host.ruleFiles.Lock()
		defer s.host.ruleFiles.Unlock()
		kept, err := s.host.keptRules(s.cwd)
		if err != nil {
			return err
		}
		s.do(func(st *session.State) { st.SetLasting(true) })
		return s.host.keepRules(s.cwd, append(kept, offer...))
	}
	for i := range offer {
		offer[i].From = "session"
	}
	s.do(func(st *session.State) {
		st.SetRules(func(list []rules.Rule) []rules.Rule { return append(list, offer...) })
	})
	return nil
}

// listRules shows the rules in force and lets the user remove those that are not of the configuration.
func (s *Session) listRules() {
	s.spawn(func() { // ends when Neovim answers or goes away
		shown := []map[string]string{}
		list, err := s.inForce()
		if err != nil {
			s.host.say("error", "rules of this folder: "+err.Error())
		}
		for _, r := range list {
			from := r.From
			if from == "" {
				from = "configuration"
			}
			shown = append(shown, map[string]string{"text": strings.Trim(r.String(), "«»"), "from": from})
		}
		_ = s.host.ed.ExecLua(luaRules, nil, s.id, shown)
	})
}

// removeRule takes a rule away that the user was shown.
func (s *Session) removeRule(a ruleArgs) {
	s.spawn(func() { // ends when the file is written
		same := func(r rules.Rule) bool { return strings.Trim(r.String(), "«»") == a.Text }
		if a.Scope == "session" {
			s.do(func(st *session.State) {
				st.SetRules(func(list []rules.Rule) []rules.Rule { return slices.DeleteFunc(list, same) })
			})
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
	})
}
