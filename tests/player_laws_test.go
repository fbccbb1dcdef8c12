package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rest lets all turns end: what is pending is answered, who must log in does. Then the laws hold.
func (p *gamer) rest() error {
	if p.detached {
		if err := p.attach(chatState{}); err != nil {
			return err
		}
	}
	acted := map[*editor]time.Time{}
	var list []chatState
	err := poll(2*patience, func() (bool, error) {
		list = nil
		p.agent.release()
		calm := true
		for _, e := range p.neovims() {
			err := p.in(e, func() error {
				here, err := p.sessions()
				list = append(list, here...)
				calm = p.settle(here, acted) && calm
				return err
			})
			if err != nil {
				return false, err
			}
		}
		var playing int
		p.agent.do(func() { playing = p.agent.playing })
		return calm && playing == 0, nil
	})
	if err != nil {
		return fmt.Errorf("no rest: %w: %+v", err, list)
	}
	p.note("rest")
	p.rested()
	p.rests++
	for _, e := range p.neovims() {
		if err := p.in(e, func() error { return p.lawful(acted) }); err != nil {
			return err
		}
	}
	return nil
}

// settle answers what is pending in a Neovim, and reports whether nothing happens there.
func (p *gamer) settle(list []chatState, acted map[*editor]time.Time) (calm bool) {
	calm = p.lua(`tostring(P.at_work())`) == "0"
	again := time.Since(acted[p.e]) > 200*time.Millisecond
	for _, s := range list {
		switch {
		case s.Form && again:
			_ = p.stop(s)
			acted[p.e] = time.Now()
		case s.Pending > 0:
			if !s.Form {
				_ = p.permit(s)
			}
		case s.State == "login" && again:
			p.lua(`P.login(...)`, s.ID)
			acted[p.e] = time.Now()
		case !s.Behind && (s.State == "idle" || s.State == "disconnected") && s.Waits == 0:
			continue
		}
		calm = false
	}
	return calm
}

// lawful waits until the laws hold in a Neovim. Errors that were sent may have begun a turn only since all is at rest.
func (p *gamer) lawful(acted map[*editor]time.Time) error {
	p.lua(`P.tidy() P.checktime()`)
	if err := p.keys(); err != nil { // before it has one, Neovim may put the look at the files off
		return err
	}
	for _, law := range playerLaws {
		var broken error
		err := poll(patience, func() (bool, error) {
			var list []chatState
			p.agent.release()
			for _, e := range p.neovims() {
				if err := p.in(e, func() error {
					here, err := p.sessions()
					list = append(list, here...)
					p.settle(here, acted)
					return err
				}); err != nil {
					return false, err
				}
			}
			broken = law.holds(p, list)
			return broken == nil, nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w: %w", law.name, broken, err)
		}
	}
	return nil
}

// playerLaws hold whenever nothing happens.
var playerLaws = []struct {
	name  string
	holds func(*gamer, []chatState) error
}{
	{"nothing is left to answer", (*gamer).answered},
	{"what was chosen holds", (*gamer).chosen},
	{"each prompt arrives once", (*gamer).arrives},
	{"what was typed stays", (*gamer).stays},
	{"nothing is allowed by itself", (*gamer).asked},
	{"what the agent is to be told it is told once", (*gamer).told},
	{"the screen is what a redraw shows", (*gamer).redrawn},
	{"what the agent has used is shown", (*gamer).used},
	{"nothing broke", (*gamer).unbroken},
}

func (p *gamer) answered(list []chatState) error {
	var open int
	p.agent.do(func() {
		open = p.agent.tools
		for s := range p.agent.conns {
			open += len(s.answers)
		}
	})
	if floats := p.lua(`P.floats()`); open > 0 || floats != "0" {
		return fmt.Errorf("%d requests, %s floats", open, floats)
	}
	for _, s := range list {
		if s.Pending > 0 {
			return fmt.Errorf("%s has %d", s.ID, s.Pending)
		}
	}
	return nil
}

// came returns the prompts that came with a word.
func (p *gamer) came(word string) (list []*heard) {
	p.agent.do(func() {
		for _, h := range p.agent.heard {
			if slices.Contains(h.blocks, word) {
				list = append(list, h)
			}
		}
	})
	return list
}

func (p *gamer) chosen([]chatState) error {
	for _, sent := range p.prompts {
		if p.closed[sent.session] { // and opened again, when the agent has its own mode
			continue
		}
		for _, h := range p.came("do " + sent.word) {
			had := append([]string{"ask"}, p.modes[sent.session]...)
			since := slices.Concat(had[sent.modes:], p.modes[p.from[sent.session]]) // it may begin with what is chosen there a moment later
			if !slices.Contains(since, h.mode) {
				return fmt.Errorf("%s came in mode %q, chosen was %q", sent.word, h.mode, since)
			}
		}
	}
	return nil
}

// arrives says of each prompt that it came once, or still waits: in a queue, in a prompt that it was given back to, or, if it was stopped
// before it was sent, in the transcript.
func (p *gamer) arrives(list []chatState) error {
	for i := range p.prompts {
		sent := &p.prompts[i]
		came := slices.DeleteFunc(p.came(wish(sent.word)), func(h *heard) bool { return h.refused })
		if len(came) > 1 {
			return fmt.Errorf("%s came %d times", sent.word, len(came))
		}
		if len(came) == 1 || sent.shown || p.closed[sent.session] || p.closed[sent.waits] {
			continue
		}
		waits := ""
		for _, s := range list {
			sent.shown = sent.shown || sent.stopped && strings.Contains(s.Text, sent.word)
			unsent := strings.Join(s.Queue, "\n") + s.Prompt
			if !strings.Contains(unsent, sent.word) {
				unsent = p.draft(s.ID)
			}
			if strings.Contains(unsent, sent.word) {
				waits = s.ID
			}
		}
		if waits != sent.waits && waits != "" {
			p.note("  %s of %s waits in %s", sent.word, sent.session, waits)
			sent.waits = waits
		}
		home := waits
		for home != sent.session && p.from[home] != "" { // the prompt before which a session goes on is there to be edited
			home = p.from[home]
		}
		if waits != "" && home != sent.session && !p.closed[sent.session] {
			return fmt.Errorf("%s of %s is in the prompt or queue of %s", sent.word, sent.session, waits)
		}
		if waits == "" && !sent.shown {
			return fmt.Errorf("%s of %s is nowhere; it was in %q", sent.word, sent.session, sent.waits)
		}
	}
	return nil
}

// playerFile is a file that is open.
type playerFile struct {
	Name     string `msgpack:"name"`
	Text     string `msgpack:"text"`
	Modified bool   `msgpack:"modified"`
}

func (p *gamer) stays([]chatState) error {
	var files []playerFile
	if err := p.e.ask(`return P.files()`, &files); err != nil {
		return err
	}
	for _, f := range files {
		has := wordsOf(f.Text)
		for w := range p.typed[f.Name] {
			if !has[w] && p.e == p.home {
				data, _ := os.ReadFile(filepath.Join(p.dir, f.Name))
				return fmt.Errorf("%s is not in %s: %q; disk: %q", w, f.Name, f.Text, data)
			}
		}
		data, err := os.ReadFile(filepath.Join(p.dir, f.Name))
		if !f.Modified && (err != nil || string(data) != f.Text) {
			return fmt.Errorf("%s is unmodified in Neovim %d and has %q, the disk %q, %v; said %s", f.Name, p.e.pid, f.Text, data, err,
				p.lua(`table.concat(P.all, "\n")`))
		}
	}
	return nil
}

var broken = regexp.MustCompile(`.*(\bE\d+:|stack traceback|panic:|fatal error:).*`)

// elsewhere is what Neovim says of keys that were meant for a file and came to a window that has just opened.
var elsewhere = regexp.MustCompile(`E382:|E21:|E35:|E37:`)

func (p *gamer) unbroken([]chatState) error {
	problems := p.lua(`P.problems()`)
	for _, at := range broken.FindAllStringIndex(problems, -1) {
		if found := problems[at[0]:at[1]]; !elsewhere.MatchString(found) {
			return fmt.Errorf("%s", problems[max(0, at[0]-500):min(len(problems), at[1]+1000)])
		}
	}
	for _, pid := range p.hosts() {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue // gone
		}
		if m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(data); m != nil {
			if kb, _ := strconv.Atoi(string(m[1])); kb > 512<<10 {
				return fmt.Errorf("the host has %d MB", kb>>10)
			}
		}
	}
	return nil
}

func (p *gamer) hosts() []int {
	pids, _ := p.s.find("host") // without /proc none are found
	return pids
}
