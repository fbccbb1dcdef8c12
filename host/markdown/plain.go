package markdown

import (
	"bytes"
	"strings"
)

// plain writes text in which nothing can be markup, as most paragraphs are, without the parser. It reports whether it could.
func (p *printer) plain() bool {
	text := p.source
	if bytes.ContainsAny(text, "*_`[]<>~|&\\#!@\r\t") || bytes.Contains(text, []byte("://")) || bytes.Contains(text, []byte("www.")) {
		return false
	}
	for _, line := range p.lines {
		if line != "" && strings.IndexByte(" -+=0123456789", line[0]) >= 0 {
			return false // a list, a rule, the lower line of a heading, indented code
		}
	}

	p.page.Plain = true
	begun := false
	for i, text := range p.lines {
		text = strings.TrimRight(text, " ")
		switch {
		case text == "":
			begun = false
			continue
		case begun && Cells(p.lines[i-1]) >= longProse && !strings.HasSuffix(p.lines[i-1], "  "):
			last := &p.page.Rows[len(p.page.Rows)-1]
			if len(last.Text)+len(text) < maxRow {
				last.Text, last.Source = last.Text+" "+text, i
				continue
			}
		case !begun && i > 0 && len(p.page.Rows) > 0:
			p.empty(i - 1)
		}

		begun = true
		l := line{source: i}
		l.add(text)
		p.write([]line{l}, "")
	}

	return true
}
