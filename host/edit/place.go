// Package edit is the lines of a buffer that an agent was asked to change, from the prompt to the text that is taken: what the
// agent is told, what of its answer is text for the buffer, and how that differs from the lines as they are by then.
//
// A [Place] is a plain value, with no lock and no goroutine: package session guards it. Nothing here knows Neovim, or how an
// agent is reached.
package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Kinds of places.
const (
	Edit = "edit" // lines are to be replaced
	Ask  = "ask"  // a question is to be answered
)

// Phase says how far a place is.
type Phase string

// The phases.
const (
	Working Phase = "working"
	Ready   Phase = "ready"  // there is something to accept
	Same    Phase = "same"   // the answer is what is there
	Words   Phase = "words"  // the answer has no lines
	Wrote   Phase = "wrote"  // the agent has edited files instead
	Failed  Phase = "failed" // Fault says why
)

// Place is the lines of one session, which may be asked about more than once. The zero value is a place at which nothing was
// asked yet.
type Place struct {
	asked    Request
	round    int
	ours     []string // the lines as they are
	seen     int      // the number of that text
	answer   answer
	text     strings.Builder // of the answer
	phase    Phase
	fault    string
	wrote    bool // the agent has changed a file in this round
	versions []Version
	shown    int
}

// Begin begins a round.
func (p *Place) Begin(r Request) {
	p.asked = r
	p.round++
	p.Typed(r.Lines, r.Seen) // unless something was typed before the agent was ready
	p.answer, p.text, p.wrote = answer{}, strings.Builder{}, false
	p.phase, p.fault = Working, ""
}

// Renew takes what is asked in this round as it is sent, before there is an answer.
func (p *Place) Renew(r Request) {
	if p.phase == Working {
		p.asked = r
		p.Typed(r.Lines, r.Seen)
	}
}

// MaxAnswer bounds an answer, in bytes. What is asked about has 256 KiB at most.
const MaxAnswer = 2 << 20

// Write takes a piece of the answer. It reports whether that is awaited. An answer that is too long fails.
func (p *Place) Write(text string) bool {
	if p.phase != Working {
		return false
	}
	if p.text.Len()+len(text) > MaxAnswer {
		p.answer, p.text = answer{}, strings.Builder{}
		p.phase, p.fault = Failed, fmt.Sprintf("the answer is longer than %d MiB", MaxAnswer>>20)
		return true
	}
	p.text.WriteString(text)
	p.answer.write(text)
	return true
}

// Rewrite begins the answer again, which is a text so far.
func (p *Place) Rewrite(text string) {
	if p.phase == Working {
		p.answer, p.text = answer{}, strings.Builder{}
		p.Write(text)
	}
}

// Typed notes what the lines are by now. Seen is the number of that text.
func (p *Place) Typed(lines []string, seen int) {
	if seen >= p.seen {
		p.ours, p.seen = lines, seen
	}
}

// Failed reports whether there is no answer.
func (p *Place) Failed() bool { return p.phase == Failed }

// FileChanged notes that the agent has changed a file by itself.
func (p *Place) FileChanged() { p.wrote = true }

// Kind returns the kind of the place, "" if nothing was asked there.
func (p *Place) Kind() string { return p.asked.Kind }

// Path returns the file of the place, "" if it has none.
func (p *Place) Path() string { return p.asked.Path }

// End ends the round. Cut says that the answer is not whole, and fault why there is none, or "".
func (p *Place) End(cut bool, fault string) {
	if p.phase != Working {
		return
	}

	p.answer.end()
	if fault != "" {
		p.phase, p.fault = Failed, fault
		return
	}

	found := p.found(cut)
	p.versions = append(p.versions, found...)
	p.shown = len(p.versions) - 1
	switch {
	case p.asked.Kind == Ask:
		p.phase = Words
	case len(found) > 0 && !p.same(found[len(found)-1]):
		p.phase = Ready
	case p.wrote:
		p.phase = Wrote
	case len(found) > 0:
		p.phase = Same
	default:
		p.phase = Words
	}
}

// found returns the versions that the answer has, the one that is most likely meant as the last: that which has most lines of
// the base.
func (p *Place) found(cut bool) []Version {
	if p.asked.Kind == Ask {
		return nil
	}

	var all []Version
	best, most := -1, -1
	blocks := p.answer.blocks
	empty := func(b Block) bool { return len(b.Lines) == 0 }
	if some := slices.DeleteFunc(slices.Clone(blocks), empty); len(some) > 0 {
		blocks = some // an empty one beside others is a fence that was not meant as one
	} else {
		blocks = slices.DeleteFunc(slices.Clone(blocks), func(b Block) bool { return !b.Closed })
	}
	for i, b := range blocks {
		all = append(all, p.version(b, cut))
		if n := common(p.asked.Lines, all[i].Lines); n >= most {
			best, most = i, n
		}
	}

	if best < 0 {
		return nil
	}

	v := all[best]
	return append(slices.Delete(all, best, best+1), v)
}

// version returns a block of the answer as a version.
func (p *Place) version(b Block, cut bool) Version {
	lines := p.asked.bare(buffers.IntactLines(p.asked.Lines, fit(p.asked.Lines, b.Lines)))
	return Version{Lines: lines, Base: p.asked.Lines, Cut: cut && !b.Closed}
}

// common returns how many lines of the base are among the lines.
func common(base, lines []string) int {
	n := len(base)
	for _, e := range buffers.Edits(base, lines) {
		n -= e.End - e.Start
	}
	return n
}

func (p *Place) same(v Version) bool { return !v.Cut && slices.Equal(v.Lines, v.Base) }

// Step shows another version: a later one with a positive number, else an earlier one. From an answer without lines it goes
// back to the last version.
func (p *Place) Step(by int) {
	n := len(p.versions)
	switch {
	case n > 0 && p.phase == Ready:
		p.shown = ((p.shown+by)%n + n) % n
	case n > 0 && p.phase == Words:
		p.phase, p.shown = Ready, n-1
	}
}

// Snapshot is a place at a moment. Its slices must not be changed.
type Snapshot struct {
	Asked   Request
	Round   int
	Phase   Phase
	Fault   string
	Text    string // of the answer
	Words   string // what it says beside its lines
	Version Version
	Has     bool // there is a version
	At, Of  int  // which of the versions it is, from 1
	Ours    []string
	Seen    int
}

// Snapshot returns the place as it is.
func (p *Place) Snapshot() Snapshot {
	s := Snapshot{
		Asked: p.asked, Round: p.round, Phase: p.phase, Fault: p.fault, Ours: p.ours, Seen: p.seen, Of: len(p.versions),
	}
	switch {
	case p.asked.Kind == Ask:
		s.Text = p.text.String()
	case p.phase == Working:
		if len(p.answer.blocks) > 0 {
			s.Version, s.Has = p.version(p.answer.blocks[0], true), true
		}
		s.At = s.Of + 1
		s.Of++
	case p.phase == Ready:
		s.Version, s.Has, s.At = p.versions[p.shown], true, p.shown+1
	}

	if p.phase != Working {
		s.Words = strings.TrimSpace(p.answer.words.String())
	}

	return s
}
