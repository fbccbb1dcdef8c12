package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// world is a file that a user and the agents of two sessions work on. Every line that somebody writes is unique, so that it
// can be told what must become of it.
type world struct {
	r        *rand.Rand
	path     string     // of the file, which the user renames …
	names    *rand.Rand // … by itself, so that the rest goes on as without
	text     []string
	sessions []*Changes
	saved    []Saved
	log      []string

	next   int
	users  map[string]bool // lines that must be there when everything is reverted
	either map[string]bool // lines of which it is not said
	shown  [][]string      // texts that were there
	kept   map[string]bool // words of the agents' that the user has kept
	undone bool            // the user has undone typing
	again  map[string]bool // lines that were written twice
	edited map[string]bool // lines of their own that the user has edited or removed
}

func newWorld(seed uint64) *world {
	w := &world{
		r: rand.New(rand.NewPCG(seed, 7)), names: rand.New(rand.NewPCG(seed, 8)), path: "/p/a.txt",
		users: map[string]bool{}, either: map[string]bool{}, again: map[string]bool{}, kept: map[string]bool{}, edited: map[string]bool{},
		sessions: []*Changes{NewChanges(), NewChanges()}, saved: []Saved{{}, {}},
	}
	if seed%2 == 1 {
		w.sessions, w.saved = w.sessions[:1], w.saved[:1]
	}
	for range w.r.IntN(12) {
		l := w.line("user")
		w.text = append(w.text, l)
		w.users[l] = true
	}
	w.show()
	return w
}

func (w *world) line(who string) string {
	w.next++
	return fmt.Sprintf("%s%d", who, w.next)
}

func (w *world) show() { w.shown = append(w.shown, slices.Clone(w.text)) }

func (w *world) content() Content { return Content{Lines: slices.Clone(w.text), EOL: len(w.text) > 0} }

func agents(text string) bool { return strings.Contains(text, "agent") }

// observe tells all sessions but one what the file has.
func (w *world) observe(but int) {
	for i, c := range w.sessions {
		if i != but {
			c.Observe(w.path, w.content(), map[bool]source{true: byAgent, false: byHand}[but >= 0])
		}
	}
	w.show()
}

// step does something, and returns what.
func (w *world) step() string {
	s := w.r.IntN(len(w.sessions))
	c := w.sessions[s]
	switch w.r.IntN(16) {
	case 0, 1, 2:
		return w.userEdits()
	case 3, 4, 5, 6:
		return w.agentEdits(s)
	case 7:
		c.Begin("go on", time.Time{})
		return fmt.Sprintf("turn of %d", s)
	case 8, 9:
		return w.keep(s)
	case 10, 11:
		return w.revert(s)
	case 12:
		return w.undo(s)
	case 13:
		return w.undoTyping()
	case 14:
		if w.r.IntN(3) > 0 {
			return "nothing"
		}
		return w.commit()
	default:
		return w.restart(s)
	}
}

func (w *world) userEdits() string {
	for range 1 + w.r.IntN(3) {
		i := w.r.IntN(len(w.text) + 1)
		if i == len(w.text) || w.r.IntN(3) == 0 {
			l := w.line("user")
			w.users[l] = true
			w.text = slices.Insert(w.text, i, l)
			continue
		}
		old := w.text[i]
		own, either := w.users[old], w.either[old]
		delete(w.users, old)
		w.edited[old] = w.edited[old] || own
		if w.r.IntN(2) == 0 {
			w.text = slices.Delete(w.text, i, i+1)
			continue
		}
		l := old + " " + w.line("user") // a line of the agent stays the agent's
		w.text[i] = l
		switch {
		case either:
			w.either[l] = true
		case own || !agents(old):
			w.users[l] = true
		}
	}
	for i, shown := range w.shown {
		if slices.Equal(shown, w.text) {
			w.wentBack(i)
		}
	}
	w.observe(-1)
	return "user edits"
}

// wentBack notes that the user has gone back to a text that was there. Where a turn had removed a line then, that they had again and have
// edited or removed since, it is not said whose doing that is.
func (w *world) wentBack(n int) {
	for _, shown := range w.shown[n:] {
		for _, l := range shown {
			if w.edited[l] && !slices.Contains(w.shown[n], l) {
				w.either[l] = true
			}
		}
	}
}

func (w *world) agentEdits(s int) string {
	c := w.sessions[s]
	if c.Turn() == 0 {
		c.Begin("begin", time.Time{})
	}
	before := w.content()
	if !slices.ContainsFunc(w.sessions, func(c *Changes) bool { return c.Known(w.path) }) {
		w.shown = nil // nobody knows where lines of before were
		w.show()
	}
	for i, other := range w.sessions {
		if i != s {
			other.Follow(w.path, before)
		}
	}
	for range 1 + w.r.IntN(4) {
		i := w.r.IntN(len(w.text) + 1)
		n := min(w.r.IntN(3), len(w.text)-i)
		var lines []string
		for range w.r.IntN(3) {
			l := w.line("agent")
			if reverted := w.reverted(c); reverted != "" && !w.undone && w.r.IntN(4) == 0 && !slices.Contains(w.text, reverted) && !slices.Contains(lines, reverted) {
				l = reverted
				w.again[l] = true
				if w.users[l] {
					w.either[l] = true
				}
			}
			lines = append(lines, l)
		}
		w.text = slices.Replace(w.text, i, i+n, lines...)
	}
	c.Changed(c.Turn(), w.path, before, w.content())
	w.observe(s)
	return fmt.Sprintf("agent %d edits", s)
}

// reverted returns an agent's line that was reverted, "" if there is none.
func (w *world) reverted(c *Changes) string {
	f := c.files[w.path]
	if f == nil {
		return ""
	}
	for _, l := range f.lines {
		if l.gone == byReverted && l.by != user && !l.ours {
			return l.text
		}
	}
	return ""
}

// pick chooses what is to be decided.
func (w *world) pick(c *Changes) Pick {
	f := c.files[w.path]
	if f == nil {
		return Pick{}
	}
	hunks := f.Hunks()
	p := Pick{Edited: w.r.IntN(2) == 0}
	switch w.r.IntN(4) {
	case 0, 1:
		if len(hunks) > 0 {
			h := hunks[w.r.IntN(len(hunks))]
			p.Hunk, p.Sum = h.ID, h.Sum
		}
	case 2:
		p.Rows, p.First = true, w.r.IntN(len(w.text)+1)
		p.Last = p.First + w.r.IntN(4)
	case 3:
		if w.r.IntN(2) == 0 {
			p.Turn = 1 + Turn(w.r.IntN(int(c.Turn())+1))
		}
	}
	return p
}

// keepWords notes that the words of a line are the user's.
func (w *world) keepWords(text string) {
	for _, word := range strings.Fields(text) {
		w.kept[word] = true
	}
}

// wasKept reports whether a word of a line was kept.
func (w *world) wasKept(text string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(word string) bool { return w.kept[word] })
}

func (w *world) keep(s int) string {
	c := w.sessions[s]
	f := c.files[w.path]
	p := w.pick(c)
	if f == nil {
		return "nothing to keep"
	}
	before := slices.Clone(f.lines)
	c.Keep(w.path, p, time.Time{})
	after := map[int]line{}
	if f := c.files[w.path]; f != nil {
		for _, l := range f.lines {
			after[l.id] = l
		}
	}
	for _, l := range before {
		now, there := after[l.id]
		switch {
		case l.gone > here && !there:
			delete(w.users, l.text)
			w.either[l.text] = w.either[l.text] || w.again[l.text]
			w.keepWords(l.text)
		case l.by != user && (!there || now.by == user) && l.gone >= here:
			w.keepWords(l.text)
			if l.gone == here {
				w.users[l.text] = true
			} else {
				w.either[l.text] = true
			}
		}
	}
	return fmt.Sprintf("keep %d %+v", s, p)
}

func (w *world) revert(s int) string {
	c := w.sessions[s]
	p := w.pick(c)
	before := w.userWords()
	c.Revert(w.path, p, "", time.Time{})
	if f := c.files[w.path]; f != nil {
		w.text = f.text()
	}
	if !p.Edited {
		for _, word := range before {
			if len(w.again) == 0 && !slices.Contains(w.userWords(), word) { // else lines may seem to have moved
				panic("a revert has lost " + word)
			}
		}
	}
	w.observe(s)
	return fmt.Sprintf("revert %d %+v", s, p)
}

// userWords returns the words that the user has written and that are in the text.
func (w *world) userWords() []string {
	var out []string
	for _, l := range w.text {
		for _, word := range strings.Fields(l) {
			if !agents(word) {
				out = append(out, word)
			}
		}
	}
	return out
}

func (w *world) undo(s int) string {
	c := w.sessions[s]
	r := lastRevert(c, w.r.IntN(2) == 0)
	if r == nil {
		return "nothing to undo"
	}
	c.Undo(r)
	if f := c.files[w.path]; f != nil {
		w.text = f.text()
	}
	w.observe(s)
	return fmt.Sprintf("undo %d", s)
}

// undoTyping goes back to a text that was there, as Neovim's undo does.
func (w *world) undoTyping() string {
	if len(w.again) > 0 {
		return "nothing" // where the same line was at two places nobody can say which of them came back
	}
	w.undone = true
	n := len(w.shown) - 1 - min(w.r.IntN(4), len(w.shown)-1)
	target := w.shown[n]
	w.wentBack(n)
	for l := range w.users {
		if !slices.Contains(w.text, l) && !slices.Contains(target, l) {
			w.either[l] = true // a turn has removed it, and the user has gone back to before they wrote it
		}
	}
	for _, l := range w.text {
		if !slices.Contains(target, l) {
			w.either[l] = w.either[l] || w.users[l] || !agents(l)
			delete(w.users, l)
		}
	}
	for _, l := range target {
		if slices.Contains(w.text, l) {
			continue
		}
		if !agents(l) && !w.either[l] {
			w.users[l] = true
		} else {
			delete(w.users, l)
			w.either[l] = w.either[l] || !agents(l) || w.wasKept(l) || strings.Contains(l, "user")
		}
	}
	w.text = slices.Clone(target)
	w.observe(-1)
	return fmt.Sprintf("undo typing to %d", n)
}

func (w *world) commit() string {
	for l := range w.users {
		if !slices.Contains(w.text, l) {
			delete(w.users, l)
			w.either[l] = true // another session's turn may have removed it
		}
	}
	for _, l := range w.text {
		w.users[l] = true
		delete(w.either, l)
		w.keepWords(l)
	}
	for _, c := range w.sessions {
		if f := c.files[w.path]; f != nil {
			for _, l := range f.lines {
				w.keepWords(l.text)
			}
		}
		c.Committed(w.path, w.content())
	}
	return "commit"
}

// rename gives the file another name; now and then one that sessions have known it by before.
func (w *world) rename() string {
	from := w.path
	w.path = fmt.Sprintf("/p/%d.txt", w.names.IntN(4))
	if from != w.path {
		for _, c := range w.sessions {
			c.Moved(from, w.path)
		}
	}
	return "rename to " + w.path
}
