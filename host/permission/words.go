package permission

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/input"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// showWords adds the call's title, texts and inputs, where they say more than what is there.
func (v *view) showWords(c *transcript.Call) {
	p := &v.p
	from := 0 // of the lines in which an input may be said: not those of code
	if len(c.Diffs()) > 0 {
		from = len(p.Lines)
	}

	has := func(text string) bool {
		if len(text) > maxText {
			return false
		}
		text = strings.ToLower(strings.Trim(text, "` "))
		in := func(line string) bool { return strings.Contains(strings.ToLower(line), text) }
		return text == "" || in(p.Title) || slices.ContainsFunc(p.Lines, in)
	}

	apart := len(c.Diffs()) > 0 // else words would read on from the code
	gap := func() {
		if apart {
			p.add("")
		}
		apart = false
	}

	title := plain.Short(v.short(plain.OneLine(plain.Cut(c.Title, 2*maxLine))), maxLine)
	if !has(title) && strings.Trim(title, "` ") != plain.OneLine(plain.Cut(c.Command(), 2*maxLine)) {
		gap()
		p.add(margin + title)
	}

	v.title = title
	v.showInputs(c, from, gap)
	for _, text := range c.Texts() {
		if !has(text) {
			gap()
			if c.Command() != "" || v.quoted { // rows of a command are as they are; words that say a part of the input are whole
				p.addText(margin, text)
			} else {
				v.addMarkdown(text)
			}
		}
	}

	for _, line := range c.Questions() {
		if !has(line) {
			gap()
			p.addText(margin, line)
		}
	}

	if alone := !p.Whole && c.Command() == "" && len(c.Diffs()) == 0; v.quoted || alone && len(p.Lines) > 0 {
		p.Must, p.Whole = len(p.Lines), true
	}
}

// said returns what is said of a text of the raw input: whether it is drawn in a diff, or in words of the agent, which must then have been
// on the screen as well.
func (v *view) said(c *transcript.Call) transcript.Said {
	var words []string
	if planOf(c) == "" { // else only the plan is shown
		words = append(c.Texts(), c.Questions()...)
	}

	return func(text string, old bool) bool {
		for _, d := range c.Diffs() {
			if v.draws(d, text, old) {
				return true
			}
		}
		in := func(words string) bool { return strings.Contains(words, text) }
		quoted := slices.ContainsFunc(words, in)
		v.quoted = v.quoted || quoted
		return quoted
	}
}

// draws reports whether a diff shows a text: it draws it in one piece, or it is the diff of that text, and the file has the lines that are
// not drawn.
func (v *view) draws(d *acp.Diff, text string, old bool) bool {
	shown := v.diff(d)
	is, whole := shown.Is(text, old)
	switch {
	case is && whole, shown.Draws(text, old, maxShown):
		return true
	case !is:
		return false
	case !shown.Done && v.reads < maxListed:
		v.colour(d)
		v.reads++
		v.p.Wait = true
		return true
	}

	return shown.Real
}

// showInputs adds what the tool is, and what its raw input has beside those members that are named and what lines from one on say. It comes
// before the agent's own words, however long these are, and must have been on the screen.
func (v *view) showInputs(c *transcript.Call, from int, gap func(), but ...string) {
	p := &v.p
	before := len(p.Lines)
	if name := plain.OneLine(plain.Cut(c.Name, 2*maxLine)); name != "" && !v.tells(c, name) {
		p.add(margin + "tool: " + plain.Short(name, maxLine))
	}
	if c.Server != "" {
		p.add(margin + "server: " + plain.Short(plain.OneLine(plain.Cut(c.Server, 2*maxLine)), maxLine))
	}
	if v.made.Dir != "" && c.Command() == "" {
		gap()
		p.add(margin + "in the folder " + v.folder(v.made.Dir))
	}
	if text := c.Input().Lone(); text != "" {
		gap()
		p.addText(margin, "input: "+text)
	}

	said := append(slices.Clone(p.Lines[from:]), p.Title)
	for _, in := range c.Inputs(v.said(c)) {
		value, home := in.Value, plain.OneLine(paths.Home(in.Value))
		if in.Known {
			value = v.short(value)
		}

		known := in.Known && slices.ContainsFunc(said, func(line string) bool { return hasWord(line, value) || hasWord(line, home) })
		if input.HasPath(in.Name) {
			known = v.names(in.Value)
		}
		if known || slices.Contains(but, in.Name) {
			continue
		}

		gap()
		p.addValue(in.Name, value)
		v.named = append(v.named, value)
	}

	v.showFiles(c, gap)
	if c.TooMany() {
		gap()
		p.addWarning(margin + "it has lists of so many entries that not all are known: allow it only if you trust all of it")
	}
	if len(p.Lines) > before {
		p.Must, p.Whole = len(p.Lines), true
	}
}

// hasWord reports whether a line has a text that is not a part of a longer word.
func hasWord(line, text string) bool {
	return hasApart(line, text, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// hasApart reports whether a line has a text that is not a part of a longer run of characters of a kind.
func hasApart(line, text string, inner func(rune) bool) bool {
	for from := 0; text != ""; {
		i := strings.Index(line[from:], text)
		if i < 0 {
			return false
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		after, _ := utf8.DecodeRuneInString(line[at+len(text):])
		if !inner(before) && !inner(after) {
			return true
		}
		from = at + 1
	}

	return false
}
