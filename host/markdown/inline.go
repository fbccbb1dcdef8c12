package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	gfm "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/nvim-acp/nvim-acp/host/highlight"
)

// longProse is how wide a line is that its author has broken because it was full. The next one continues it.
const longProse = 60

// inline returns the lines of a block's words, as they are broken in the source.
func (p *printer) inline(block ast.Node) []line {
	w := words{printer: p}
	if at := p.first(block); at >= 0 {
		w.source = at
	}
	w.children(block)
	if len(w.current.text) > 0 {
		w.end()
	}
	return w.lines
}

// words collects lines while inline nodes are visited.
type words struct {
	*printer
	lines   []line
	current line
	source  int // line of the source of the latest text
}

// end ends a line.
func (w *words) end() {
	w.current.source = w.source
	w.lines = append(w.lines, w.current)
	w.current = line{}
}

func (w *words) children(n ast.Node) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		w.node(child)
	}
}

func (w *words) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		w.text(n)
	case *ast.String:
		w.current.add(string(n.Value))
	case *ast.CodeSpan:
		w.span(code, func() { w.codeSpan(n) })
	case *ast.Emphasis:
		group := italic
		if n.Level == 2 {
			group = bold
		}
		w.span(group, func() { w.children(n) })
	case *gfm.Strikethrough:
		w.span(strike, func() { w.children(n) })
	case *ast.Link:
		w.link(n, string(n.Destination))
	case *ast.Image:
		w.link(n, string(n.Destination))
	case *ast.AutoLink:
		w.source = max(w.source, w.row(max(n.Pos(), 0)))
		target := string(n.URL(w.printer.source))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(target, "mailto:") {
			target = "mailto:" + target
		}
		w.to(target, func() { w.current.add(string(n.Label(w.printer.source))) })
	case *ast.RawHTML:
		w.html(n)
	case *gfm.TaskCheckBox: // it stands in place of the bullet
		if _, item := n.Parent().Parent().(*ast.ListItem); !item {
			w.current.add("[ ] ")
		}
	default:
		w.children(n)
	}
}

func (w *words) text(n *ast.Text) {
	w.source = w.row(n.Segment.Start)
	value := n.Segment.Value(w.printer.source)
	if !n.IsRaw() {
		value = unescaped(value)
	}

	text := string(value)
	if len(w.current.text) == 0 {
		text = strings.TrimLeft(text, " \t")
	}

	w.current.add(text)
	switch {
	case n.HardLineBreak() || n.SoftLineBreak() && !w.wrapped(n.Segment.Start):
		w.current.text = bytes.TrimRight(w.current.text, " \t")
		w.end()
	case n.SoftLineBreak():
		w.shown[w.source] = true
		w.current.add(" ")
	}
}

// wrapped reports whether the line of a byte of the source is so long that it was broken for its length, not for its sense.
func (w *words) wrapped(at int) bool {
	return Cells(strings.TrimSpace(w.printer.lines[w.row(at)])) >= longProse
}

// unescaped returns text with its escapes and entities resolved.
func unescaped(text []byte) []byte {
	if !bytes.ContainsAny(text, `\&`) {
		return text
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(text)))
}

// span marks what a function writes, on each of its lines.
func (w *words) span(group string, write func()) {
	first, from := len(w.lines), len(w.current.text)
	at := len(w.current.spans)
	write()
	for i := first; i <= len(w.lines); i++ {
		l := &w.current
		if i < len(w.lines) {
			l = &w.lines[i]
		}
		if from < len(l.text) {
			l.spans = slices.Insert(l.spans, at, highlight.Span{From: from, To: len(l.text), Group: group})
		}
		from, at = 0, 0
	}
}

// to makes what a function writes a link.
func (w *words) to(target string, write func()) {
	first, from := len(w.lines), len(w.current.text)
	w.span(link, write)
	for i := first; i <= len(w.lines); i++ {
		l := &w.current
		if i < len(w.lines) {
			l = &w.lines[i]
		}
		if from < len(l.text) {
			l.links = append(l.links, Link{from, len(l.text), target})
		}
		from = 0
	}
}

// link writes the words of a link or an image, its address where it has none.
func (w *words) link(n ast.Node, target string) {
	w.to(string(unescaped([]byte(target))), func() {
		first, from := len(w.lines), len(w.current.text)
		w.children(n)
		if len(w.lines) == first && len(w.current.text) == from {
			w.current.add(target)
		}
	})
}

func (w *words) codeSpan(n ast.Node) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		t, ok := child.(*ast.Text)
		if !ok {
			continue
		}
		w.source = w.row(t.Segment.Start)
		value := t.Segment.Value(w.printer.source)
		w.current.add(strings.ReplaceAll(string(value), "\n", " "))
	}

	for row := w.source; row >= 0 && row < len(w.shown); row-- { // its lines are one
		if w.shown[row] || row < w.row(max(n.Pos(), 0)) {
			break
		}
		w.shown[row] = true
	}
}

// html writes a tag as it is; one that only breaks the line breaks it.
func (w *words) html(n *ast.RawHTML) {
	for i := range n.Segments.Len() {
		seg := n.Segments.At(i)
		tag := strings.TrimSpace(string(seg.Value(w.printer.source)))
		w.source = w.row(seg.Start)
		switch strings.ToLower(strings.ReplaceAll(tag, " ", "")) {
		case "<br>", "<br/>":
			w.end()
			continue
		}
		w.span(raw, func() { w.current.add(tag) })
		if i+1 < n.Segments.Len() {
			w.end()
		}
	}
}
