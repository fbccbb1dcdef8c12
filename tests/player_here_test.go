package tests

import "fmt"

// here has an agent change lines of a file where they are, or asks about them.
func (p *gamer) here(kind string) error {
	name, err := p.file()
	if err != nil {
		return err
	}
	word := p.word("p")
	p.note("  %s: %s", name, word)
	p.lua(`P.edit(...)`, kind, 1+p.rand.IntN(40), p.rand.IntN(3), wish(word))
	return nil
}

// answerHere takes or drops an answer that is shown at its lines. Words of the user's may go that were in the lines when the agent was asked.
func (p *gamer) answerHere(chatState) error {
	list, err := p.sessions()
	if err != nil {
		return err
	}
	for _, s := range list {
		if !s.Placed {
			continue
		}
		var at struct {
			Kind  string `msgpack:"kind"`
			Phase string `msgpack:"phase"`
			Name  string `msgpack:"name"`
			Told  string `msgpack:"told"`
		}
		if err := p.e.ask(fmt.Sprintf(`return P.to_place(%q)`, s.ID), &at); err != nil {
			return err
		}
		p.note("  %s: %+v", s.ID, at)
		switch {
		case at.Kind == "ask" && at.Phase != "" && at.Phase != "working":
			p.lua(`P.close_answer(...)`, s.ID)
			return nil
		case at.Kind != "edit" || at.Phase != "ready":
			continue
		}
		if err := p.keys([]string{"<CR>", "<CR>", "<BS>"}[p.rand.IntN(3)]); err != nil {
			return err
		}
		has := wordsOf(p.lua(`P.text(...)`, at.Name))
		for w := range wordsOf(at.Told) {
			if !has[w] {
				delete(p.typed[at.Name], w)
			}
		}
		return nil
	}
	return nil
}

// queue does something to the first prompt that waits.
func (p *gamer) queue(s chatState) error {
	action := []string{"now", "up", "steer", "steer", "edit", "remove"}[p.rand.IntN(6)]
	text := p.lua(`return P.queue(...)`, s.ID, action)
	p.note("  %s: %s", action, text)
	for i := range p.prompts {
		sent := &p.prompts[i]
		switch its := text == wish(sent.word); {
		case action == "remove" && its:
			sent.shown = true // it may never come
		case action == "now" && text != "" && !its && sent.session == s.ID:
			sent.stopped = true // for that one
		}
	}
	return nil
}

// rule makes one of what is asked in a session.
func (p *gamer) rule(s chatState) error {
	if rule := p.lua(`return P.rule(...)`, s.ID); rule != "" {
		p.note("  %s", rule)
		p.allowed++ // what it is made of
		p.ruled = true
	}
	return nil
}
