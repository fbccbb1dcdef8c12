package tests

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/host/session"
)

// in does something in the other Neovim.
func (p *gamer) in(e *editor, do func() error) error {
	was := p.e
	p.e, p.s.editor = e, e
	defer func() { p.e, p.s.editor = was, was }()
	return do()
}

// neovims are those that run.
func (p *gamer) neovims() []*editor {
	if p.other == nil {
		return []*editor{p.home}
	}
	return []*editor{p.home, p.other}
}

// second prompts a session of another Neovim in the same folder, in which no file is open.
func (p *gamer) second(chatState) error {
	if p.other == nil {
		p.other = p.open()
	}
	return p.in(p.other, func() error {
		if err := p.keys(); err != nil {
			return err
		}
		list, err := p.sessions()
		if err != nil {
			return err
		}
		if len(list) == 0 {
			p.lua(`acp.chat({ focus = false })`)
			return nil
		}
		p.saved()
		p.saves.works = true
		return p.prompt(list[p.rand.IntN(len(list))])
	})
}

// saves are which words have come to the disk while an agent of the other Neovim was at work, or a moment later. That has none of the
// files open, so it cannot know that they are not its agent's (behaviour 1210).
type saves struct {
	works   bool      // there is one, since the last rest
	till    time.Time // the moment after that
	looked  time.Time
	known   map[string]bool // that were on the disk then, by file and word …
	doubted map[string]bool // … and may count as that agent's
}

// saved looks at what has come to the disk.
func (p *gamer) saved() {
	s := &p.saves
	doubts := s.works || s.looked.Before(s.till)
	s.looked = time.Now()
	if s.known == nil {
		s.known, s.doubted = map[string]bool{}, map[string]bool{}
	}
	for name, words := range p.typed {
		data, _ := os.ReadFile(filepath.Join(p.dir, name))
		has := wordsOf(string(data))
		for w := range words {
			if at := name + " " + w; has[w] && !s.known[at] {
				s.known[at], s.doubted[at] = true, doubts || s.doubted[at] // it may come back
			}
		}
	}
}

// rested notes that no agent is at work.
func (p *gamer) rested() {
	p.saved()
	if p.saves.works {
		p.saves.works, p.saves.till = false, time.Now().Add(session.MergeTail+time.Second)
	}
}

// doubt lets go of the words that may count as those of an agent of the Neovim where the user goes.
func (p *gamer) doubt() {
	p.saved()
	for name, words := range p.typed {
		maps.DeleteFunc(words, func(w string, _ bool) bool {
			doubted := p.saves.doubted[name+" "+w]
			if doubted {
				p.note("  %s: %s was saved while an agent of that was at work", name, w)
			}
			return doubted
		})
	}
	p.saves = saves{}
}

// takeOver has the other Neovim take the sessions from this one, and goes there. The files are saved before.
func (p *gamer) takeOver(chatState) error {
	if p.other == nil {
		return nil
	}
	if saved, err := p.save(); err != nil || !saved {
		return err
	}
	from := p.e
	p.lua(`P.said = {}`)
	err := p.in(p.other, func() error {
		if err := p.keys(); err != nil {
			return err
		}
		p.lua(`P.said, P.adopted = {}, false P.take_over(...)`, from.pid)
		return poll(patience, func() (bool, error) {
			said := p.other.said()
			return p.taken(from) || strings.Contains(said, "nothing to take over") || strings.Contains(said, ":AcpDetach it first") || strings.Contains(said, ":AcpDetach first"), nil
		})
	})
	if err != nil {
		return fmt.Errorf("not taken over from %d: %w: %s\n%s", from.pid, err, p.other.said(), p.other.screen.text())
	}
	if !p.taken(from) {
		p.note("  %s", p.other.said())
		return nil
	}
	p.note("  from Neovim %d", from.pid)
	if err := poll(patience, func() (bool, error) { // it has them a moment later
		adopted, err := p.other.lua(`tostring(P.adopted)`)
		return adopted == "true", err
	}); err != nil {
		return fmt.Errorf("not attached: %w", err)
	}
	p.lua(`P.leave_files()`)
	p.doubt()
	p.home, p.other = p.other, from
	p.e, p.s.editor = p.home, p.home
	return nil
}

// taken reports whether a Neovim has said that another has what it had.
func (p *gamer) taken(from *editor) bool { return strings.Contains(from.said(), "taken over") }

func (e *editor) said() string {
	out, _ := e.lua(`table.concat(P.said, "\n")`)
	return out
}
