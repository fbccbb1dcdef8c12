package tests

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// draft is what is written for a session, in whichever Neovim has it.
func (p *gamer) draft(id string) (text string) {
	for _, e := range p.neovims() {
		_ = p.in(e, func() error { text += p.lua(`P.draft(...)`, id); return nil })
	}
	return text
}

// asked says that the agent got no more permissions than the user has given.
func (p *gamer) asked([]chatState) error {
	var granted int
	p.agent.do(func() { granted = p.agent.granted })
	if !p.ruled && granted > p.allowed {
		return fmt.Errorf("%d requests are allowed, the user has allowed %d", granted, p.allowed)
	}
	return nil
}

var reason = regexp.MustCompile(`\b[nr]\d{5}z\b`)

// told says of notes and reasons that a process that has answered a prompt with them does not get them again.
func (p *gamer) told([]chatState) error {
	type hearing struct {
		s             *stage
		session, word string
	}
	had := map[hearing]bool{}
	var err error
	p.agent.do(func() {
		for _, h := range p.agent.heard {
			for _, b := range h.blocks {
				if strings.HasPrefix(b, "This conversation began in another session") || strings.Contains(b, "No longer reverted:") {
					continue
				}
				words := reason.FindAllString(b, -1)
				slices.Sort(words)
				for _, w := range slices.Compact(words) {
					at := hearing{h.by, h.session, w}
					if had[at] {
						err = fmt.Errorf("%s was told to %s again: %q", w, h.session, b)
					}
					had[at] = had[at] || h.ended && w[0] == 'r'
				}
			}
		}
	})
	return err
}

// redrawn says that what is on the screen is what Neovim draws anew, and that the transcript of a session is what the program sends anew.
func (p *gamer) redrawn(list []chatState) error {
	for _, s := range list {
		if strings.Contains(s.Text, "**them**") {
			return fmt.Errorf("%s shows markup: %q", s.ID, s.Text)
		}
	}
	before := p.e.screen.text()
	p.lua(`vim.cmd("redraw!")`)
	if after := p.e.screen.text(); after != before {
		return fmt.Errorf("the screen is\n%s\nand redrawn\n%s", before, after)
	}
	if p.rests%8 != 0 {
		return nil
	}
	here, err := p.quiet()
	if err != nil {
		return err
	}
	here = slices.DeleteFunc(here, func(s chatState) bool {
		return s.Text == "" || s.Placed || strings.Contains(s.Text, "nvim-acp ended here") // what was shown before is not of this program
	})
	if len(here) == 0 {
		return nil
	}
	s := here[p.rests/8%len(here)]
	n, err := strconv.Atoi(p.lua(`P.again(...)`, s.ID))
	if err != nil {
		return err
	}
	now := ""
	err = poll(patience, func() (bool, error) {
		heard, err := strconv.Atoi(p.lua(`P.heard(...)`, s.ID))
		if err != nil || heard < n {
			return false, err
		}
		list, err := p.sessions()
		for _, again := range list {
			if again.ID == s.ID {
				now = again.Text
			}
		}
		return strings.HasPrefix(now, s.Text), err // an agent that ends says so
	})
	if err != nil {
		i := 0
		for i < min(len(now), len(s.Text)) && now[i] == s.Text[i] {
			i++
		}
		return fmt.Errorf("the transcript of %s was %q and is sent as %q behind %q: %w", s.ID, s.Text[i:], now[i:], now[max(0, i-200):i], err)
	}
	return nil
}

// quiet waits until no transcript has changed for a moment: what was looked up for one may come late.
func (p *gamer) quiet() (list []chatState, err error) {
	before, since := "", time.Now()
	err = poll(patience, func() (bool, error) {
		list, err = p.sessions()
		now := ""
		for _, s := range list {
			now += s.Text
		}
		if now != before {
			before, since = now, time.Now()
		}
		return time.Since(since) > 200*time.Millisecond, err
	})
	return list, err
}
