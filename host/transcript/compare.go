package transcript

import (
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

// An agent may send a diff of any size, and each of its lines takes many times its bytes in a comparison. So only the lines between the
// first and the last change are compared, of a very large one only the first of those, and a view has no more lines than are ever drawn.

const (
	maxCompared = 400_000 // lines of both texts
	maxViewed   = 5000    // lines of a view
	maxWhole    = 200_000 // lines of a diff that is opened whole, or exported
)

// comparison is what becomes of the lines of a text.
type comparison struct {
	lines          []diffLine // the first of its hunks
	more           int        // lines of them that are left out
	added, deleted int
	uncompared     int // lines of both texts that are left out since they are too many: then the counts are of a part
}

// compare returns the hunks of a diff with some lines of context, and at most so many of their lines.
func compare(d *acp.Diff, context, most int) comparison {
	return compareWithin(d, context, most, maxCompared)
}

// compareWithin is compare that takes so many lines of both texts.
func compareWithin(d *acp.Diff, context, most, bound int) comparison {
	c := comparer{most: most}
	old, text := oldText(d), d.NewText
	head, tail := "", ""
	if lineCount(old)+lineCount(text) > bound {
		head, tail = commonText(old, text)
		old, text = old[len(head):len(old)-len(tail)], text[len(head):len(text)-len(tail)]
	}

	c.first = strings.Count(head, "\n")
	above := textLines(head[before(head, len(head), context):])
	c.context(above, c.first-len(above))
	if n := lineCount(old) + lineCount(text); n > bound && old != "" && text != "" {
		old, text, tail = firstLines(old, bound/2), firstLines(text, bound/2), ""
		c.uncompared = n - lineCount(old) - lineCount(text)
	}

	if old == "" || text == "" {
		c.all("-", old)
		c.all("+", text)
	} else {
		c.hunks(textLines(old), textLines(text), context)
	}
	whole := old == oldText(d) && text == d.NewText && text != "" && old != text
	if whole && c.added+c.deleted == 0 && strings.TrimSuffix(old, "\n") == strings.TrimSuffix(text, "\n") {
		c.ending(textLines(text), strings.HasSuffix(old, "\n"), context)
	}

	c.context(textLines(firstLines(tail, context)), c.first+lineCount(text))
	return c.comparison
}

// comparer collects lines.
type comparer struct {
	comparison
	most  int
	first int // lines of both texts before what is compared
}

func (c *comparer) add(l diffLine) {
	switch l.sign {
	case "+":
		c.added++
	case "-":
		c.deleted++
	}
	if len(c.lines) == c.most {
		c.more++
		return
	}
	c.lines = append(c.lines, l)
}

// context adds lines that both texts have, the first of which follows so many others of the new one.
func (c *comparer) context(lines []string, after int) {
	for i, line := range lines {
		c.add(diffLine{" ", line, after + i + 1})
	}
}

// all adds the lines of a text of which the other has none.
func (c *comparer) all(sign, text string) {
	n := lineCount(text)
	for i, line := range textLines(firstLines(text, c.most)) {
		c.add(diffLine{sign, line, c.first + i + 1})
	}
	left := max(0, n-c.most)
	c.more += left
	if sign == "+" {
		c.added += left
	} else {
		c.deleted += left
	}
}

// hunks adds the differences of two texts, with some lines of context.
func (c *comparer) hunks(a, b []string, context int) {
	edits := buffers.Edits(a, b)
	shift, shown := c.first, 0 // shown: lines of a that are out
	for i, e := range edits {
		from := max(e.Start-context, shown)
		if from > shown && i > 0 {
			c.add(diffLine{sign: "…"})
		}

		c.context(a[from:e.Start], from+shift)
		for n := e.Start; n < e.End; n++ {
			c.add(diffLine{"-", a[n], c.first + n + 1})
		}

		for n, line := range e.Lines {
			c.add(diffLine{"+", line, e.Start + shift + n + 1})
		}

		shift += len(e.Lines) - (e.End - e.Start)
		stop := min(e.End+context, len(a))
		if i+1 < len(edits) {
			stop = min(stop, edits[i+1].Start)
		}

		c.context(a[e.End:stop], e.End+shift)
		shown = stop
	}
}

// noNewline follows the last line of a text that ends without a newline, where that is all that changes.
const noNewline = "  (no newline at the end)"

// ending adds the last line, of which only the newline behind it comes or goes; had says that the old text has it.
func (c *comparer) ending(lines []string, had bool, context int) {
	last := len(lines) - 1
	from := max(0, last-context)
	c.context(lines[from:last], c.first+from)
	old, text := lines[last], lines[last]+noNewline
	if !had {
		old, text = text, old
	}
	c.add(diffLine{"-", old, c.first + last + 1})
	c.add(diffLine{"+", text, c.first + last + 1})
}

// text returns the lines of the diff, each with its sign and a text between, and says what is left out.
func (c comparison) text(between string) string {
	var b strings.Builder
	for _, l := range c.lines {
		b.WriteString(l.sign + between + l.text + "\n")
	}
	if left := c.left(); left != "" {
		b.WriteString("… " + left + "\n")
	}
	return b.String()
}

// left says how many lines are left out, "" if none are.
func (c comparison) left() string {
	switch {
	case c.uncompared > 0:
		return fmt.Sprintf("cut: it is too large, %d lines are not compared", c.uncompared)
	case c.more > 0:
		return fmt.Sprintf("cut: %d more lines", c.more)
	}
	return ""
}

// commonText returns the whole lines that two texts share at their beginning and, without those, at their end.
func commonText(a, b string) (head, tail string) {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}

	i = strings.LastIndexByte(a[:i], '\n') + 1

	n -= i
	j := 0
	for j < n && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}

	_, tail, _ = strings.Cut(a[len(a)-j:], "\n")
	return a[:i], tail
}

// lineCount returns how many lines [textLines] has.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// firstLines returns the first lines of a text.
func firstLines(text string, most int) string {
	end := 0
	for ; most > 0 && end < len(text); most-- {
		n := strings.IndexByte(text[end:], '\n')
		if n < 0 {
			return text
		}
		end += n + 1
	}
	return text[:end]
}

// diffLine is one line of a diff. number is its line in the new text, or in the old one for a deleted line, from 1.
type diffLine struct {
	sign   string // " ", "-", "+" or "…" between hunks
	text   string
	number int
}

func textLines(s string) []string {
	if s == "" {
		return nil
	}
	return buffers.Parse(s).Lines
}

func oldText(d *acp.Diff) string {
	if d.OldText == nil {
		return ""
	}
	return *d.OldText
}

func signGroup(sign string) string {
	switch sign {
	case "+":
		return "AcpSignAdd"
	case "-":
		return "AcpSignDelete"
	}
	return ""
}

func diffGroup(sign string) string {
	switch sign {
	case "+":
		return "AcpAdd"
	case "-":
		return "AcpDelete"
	case "…":
		return "AcpDone"
	}
	return ""
}
