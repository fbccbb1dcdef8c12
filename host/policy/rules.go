package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/elsewhere"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// inForce are the rules for a session: its own, those kept for its folder, those of the configuration. What the project's own
// file denies comes before all of them, what else it says after. It reads a file; with an error those of the folder are missing.
func (p *Policy) inForce(s feature.Session) ([]rules.Rule, error) {
	denied, others := p.projectRules(s)
	list := append(denied, feature.Ask(s, func(st *session.State) []rules.Rule { return st.Requests().Rules() })...)
	kept, err := p.Kept(s.Cwd())
	list = append(list, kept...)
	return append(append(list, p.host.Settings().Rules...), others...), err
}

// projectRules are those of the project's file: what it denies, and what it allows or has asked.
func (p *Policy) projectRules(s feature.Session) (denied, others []rules.Rule) {
	for _, r := range s.Spec().Rules {
		r.From = ".nvim-acp.json"
		if r.Action == "deny" {
			denied = append(denied, r)
		} else {
			others = append(others, r)
		}
	}
	return denied, others
}

// file is where the rules for good of a folder are kept.
func (p *Policy) file(cwd string) string { return p.host.Settings().FolderFile("rules", cwd) }

// ruleBook is the form of that file.
type ruleBook struct {
	Cwd   string       `json:"cwd"`
	Rules []rules.Rule `json:"rules"`
}

// Kept are the rules for good of a folder. It reads a file.
func (p *Policy) Kept(cwd string) ([]rules.Rule, error) {
	data, err := regular.ReadFile(p.file(cwd))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	var book ruleBook
	if err := json.Unmarshal(data, &book); err != nil {
		return nil, fmt.Errorf("%s: %w", p.file(cwd), err)
	}

	for i := range book.Rules {
		book.Rules[i].From = "project"
	}

	return book.Rules, nil
}

// keep writes the rules for good of a folder, whole and at once.
func (p *Policy) keep(cwd string, list []rules.Rule) error {
	return regular.ReplaceJSON(p.file(cwd), ruleBook{Cwd: cwd, Rules: list})
}

// Judge asks the rules about a pending request, and answers it if they do. It reads files.
func (p *Policy) Judge(s feature.Session, id string) {
	snap, pending := p.pending(s, id)
	if !pending {
		return
	}

	verdict := rules.Verdict{Action: "ask"}
	var list []rules.Rule
	if r, ok := snap.RuleRequest(s.Spec().Name, s.Cwd()); ok {
		r.Guard = func(real string) string { return p.mustName(s, real) }
		var until time.Time
		from := real(r.Base, s.Cwd())
		r.Found = func(g rules.Glob, folders []string) ([]string, bool) { return p.found(s, g, folders, from, &until) }
		var err error
		if list, err = p.inForce(s); len(list) > 0 {
			verdict = rules.Judge(list, r)
		}
		if err != nil && verdict.Action == "allow" { // they may deny it
			verdict = rules.Verdict{Action: "ask", Why: "the rules of this folder cannot be read: " + err.Error()}
		}
		if snap.Contradicted() && verdict.Action == "allow" {
			verdict = rules.Verdict{Action: "ask", Why: "the agent describes this call in two ways"}
		}
	}

	s.Do(func(st *session.State) { st.Requests().Decide(id, snap.Version, verdict, list) })
}

// real returns the real paths of folders, of those that are there.
func real(folders ...string) (list []string) {
	for _, folder := range folders {
		if path, err := buffers.Real(folder); err == nil {
			list = append(list, path)
		}
	}
	return list
}

// mustName says why a rule for a file must name it, "" if it need not.
func (p *Policy) mustName(s feature.Session, real string) string {
	if why := p.whySecret(s, real); why != "" {
		return why
	}
	if by := elsewhere.RunBy(real); by != "" {
		return by + " runs it, or does what it says"
	}
	return ""
}

// pending is a request as it is now, and whether it is pending.
func (p *Policy) pending(s feature.Session, id string) (snap permission.Snapshot, ok bool) {
	s.Do(func(st *session.State) { snap, ok = st.Requests().Pending(id) })
	return snap, ok
}

// add makes suggested rules, which the user has seen as this text, those of the session or of its folder, and asks the rules again
// about what is pending.
func (p *Policy) add(s feature.Session, a ruleArgs) {
	s.Spawn(func() { // ends when the file is written and everything pending was judged
		snap, _ := p.pending(s, a.ID)
		var list []rules.Offer
		r, ok := snap.RuleRequest(s.Spec().Name, s.Cwd())
		if ok && snap.Version == a.Version && !snap.OnlyRejected() {
			list = rules.Suggest(r)
		}

		i := slices.IndexFunc(list, func(o rules.Offer) bool { return permission.OfferText(o) == a.Text })
		if i < 0 {
			p.host.Say("warn", "no rule was made: the request has changed, or cannot be allowed")
			return
		}

		if err := p.enact(s, list[i], a.Scope); err != nil {
			p.host.Say("error", "rule: "+plain.Reason(err))
			return
		}

		p.judgeAll(s)
		for _, other := range p.host.Sessions() {
			if a.Scope == "project" && other.LocalID() != s.LocalID() && other.Cwd() == s.Cwd() {
				p.judgeAll(other)
			}
		}
	})
}

// judgeAll asks the rules about all that is pending in a session. It reads files.
func (p *Policy) judgeAll(s feature.Session) {
	p.Look(s)
	for _, id := range feature.Ask(s, func(st *session.State) []string { return st.Requests().All() }) {
		p.Judge(s, id)
	}
}

func (p *Policy) enact(s feature.Session, offer rules.Offer, scope string) error {
	if scope == "project" {
		p.files.Lock()
		defer p.files.Unlock()
		kept, err := p.Kept(s.Cwd())
		if err != nil {
			return err
		}
		return p.keep(s.Cwd(), append(kept, offer...))
	}

	for i := range offer {
		offer[i].From = "session"
	}

	s.Do(func(st *session.State) {
		st.Requests().SetRules(func(list []rules.Rule) []rules.Rule { return append(list, offer...) })
	})
	return nil
}

// list shows the rules in force and lets the user remove those that are not of the configuration.
func (p *Policy) list(s feature.Session, _ listArgs) {
	s.Spawn(func() { // ends when Neovim answers or goes away
		shown := []map[string]string{}
		list, err := p.inForce(s)
		if err != nil {
			p.host.Say("error", "rules of this folder: "+plain.Reason(err))
		}

		for _, r := range list {
			from := r.From
			if from == "" {
				from = "configuration"
			}
			shown = append(shown, map[string]string{"text": r.String(), "from": from})
		}

		_ = p.host.ExecLua(luaRules, nil, s.LocalID(), shown)
	})
}

// remove takes a rule away that the user was shown.
func (p *Policy) remove(s feature.Session, a ruleArgs) {
	s.Spawn(func() { // ends when the file is written
		same := func(r rules.Rule) bool { return r.String() == a.Text }
		if a.Scope == "session" {
			s.Do(func(st *session.State) {
				st.Requests().SetRules(func(list []rules.Rule) []rules.Rule { return slices.DeleteFunc(list, same) })
			})
			return
		}

		p.files.Lock()
		defer p.files.Unlock()

		kept, err := p.Kept(s.Cwd())
		if err == nil {
			err = p.keep(s.Cwd(), slices.DeleteFunc(kept, same))
		}
		if err != nil {
			p.host.Say("error", "rule: "+plain.Reason(err))
		}
	})
}
