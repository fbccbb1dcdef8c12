package markdown

import (
	"github.com/yuin/goldmark/parser"

	"github.com/nvim-acp/nvim-acp/host/highlight"
)

// Glyphs are the characters that stand for markup, each one cell wide.
type Glyphs struct {
	Bullet, Bar, Rule, Done, Open string
}

// Options say how to render.
type Options struct {
	Width      int // cells of a row
	Glyphs     Glyphs
	References []Reference // definitions of links that are elsewhere
}

// Reference is the definition of a link, which texts may use by its label.
type Reference = parser.Reference

// Row is one line of rendered text. Its text has no line end.
type Row struct {
	Text   string
	Spans  []highlight.Span // a span that is within another comes after it
	Line   string           // the group of the whole line, "" if it has none
	Right  string           // shown at the right: the language of code
	Links  []Link
	Source int // the line of the source, from 0; it never decreases from row to row
}

// Link is a part of a row, in bytes, and where it leads.
type Link struct {
	From, To int
	Target   string
}

// Page is a rendered text.
type Page struct {
	Rows  []Row
	Wide  bool    // it would be another at another width
	Plain bool    // nothing in it is markup
	Codes []Block // its blocks of code

	References []Reference // that it defines and the options do not have, in any order
}

// Block is a block of code: its first row, the row after it, and its lines.
type Block struct {
	From, To int
	Lines    []string
}
