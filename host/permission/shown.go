package permission

import (
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/forms"
	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/host/webpage"
)

// maxLine is how many bytes of a title or a name are shown.
const maxLine = 4 << 10

// maxOffer is how many bytes an offer of rules has: a screen shows it whole.
const maxOffer = 1000

// Shown is a request as the user is shown it.
type Shown struct {
	ID      string         `msgpack:"id"`
	At      int64          `msgpack:"at"` // microseconds, for the order across sessions
	Version int            `msgpack:"version"`
	Title   string         `msgpack:"title"`
	What    string         `msgpack:"what"` // the title without who asks, for where there is no room
	Label   string         `msgpack:"label"`
	Lines   []string       `msgpack:"lines"`
	Marks   marks.List     `msgpack:"marks,omitempty"`
	Numbers []int          `msgpack:"numbers,omitempty"` // of each line in its file; 0: it has none, as those after the last
	Large   int            `msgpack:"large,omitempty"`   // bytes that have no room: it can only be rejected
	Wait    bool           `msgpack:"wait,omitempty"`    // a file is being read, to know what is to be shown: it can be allowed then
	Whole   bool           `msgpack:"whole"`             // all that must be read has to have been on the screen
	Must    int            `msgpack:"must,omitempty"`    // how many of the lines must be read; 0: all
	Options []Option       `msgpack:"options"`
	Why     string         `msgpack:"why"`             // why the rules left it to the user
	Suggest []string       `msgpack:"suggest"`         // rules that would allow it
	Hang    bool           `msgpack:"hang,omitempty"`  // what wraps continues below its own text: rendered Markdown, lines of a diff
	Width   int            `msgpack:"width,omitempty"` // cells that the lines are laid out for; 0: any number
	Files   int            `msgpack:"files"`           // how many diffs there are to step through
	Edit    bool           `msgpack:"edit"`            // the text can be changed before it is allowed
	Form    *ShownForm     `msgpack:"form,omitempty"`
	Request map[string]any `msgpack:"request"`

	size int // bytes of its lines
}

// Option is one of the answers.
type Option struct {
	ID   string `msgpack:"id"`
	Name string `msgpack:"name"`
	Kind string `msgpack:"kind"`
	Note string `msgpack:"note,omitempty"` // its kind in words, where its name does not say it
}

func optionsOf(list []acp.PermissionOption) []Option {
	options := []Option{}
	for _, o := range shownOptions(list) {
		kind := plain.OneLine(string(o.Kind))
		name := nameOf(o)
		options = append(options, Option{ID: o.OptionID, Name: plain.Brief(name), Kind: kind, Note: noteOf(name, o.Kind)})
	}
	return options
}

// ShownForm is a form as Lua draws it.
type ShownForm struct {
	Fields []forms.Field `msgpack:"fields"`
	Page   *webpage.Page `msgpack:"page,omitempty"` // that is to be visited
}

const (
	margin = "  "     // before each line that is not of a diff
	hang   = "  "     // more, where a command continues
	maxLit = 16 << 10 // bytes of a command that are coloured: they take 30 ms
)

const (
	// maxText is how many bytes of lines a float holds: Neovim lays all of them out at once.
	maxText = 256 << 10
	// maxDiff is how many of them are of a diff.
	maxDiff = maxText / 2
	// maxAtOnce is how many bytes of several requests go to Neovim at once.
	maxAtOnce = 2 * maxText
)

// add adds a line, as far as there is room for it.
func (p *Shown) add(line string) {
	kept := plain.Cut(line, max(maxText-p.size, 0))
	p.Large += len(line) - len(kept)
	if kept == "" && line != "" {
		return
	}
	p.size += len(kept) + 1
	p.Lines = append(p.Lines, kept)
}

// take returns as much of a text as there is room for: megabytes are not cleaned.
func (p *Shown) take(text string) string {
	kept := plain.Cut(text, max(maxText-p.size, 0))
	p.Large += len(text) - len(kept)
	return kept
}

func (p *Shown) addText(indent, text string) {
	for _, line := range strings.Split(plain.Visible(p.take(text)), "\n") {
		p.add(indent + line)
	}
}

// addValue adds a part of an input.
func (p *Shown) addValue(name, value string) {
	name = plain.Short(name, maxLine)
	lines := strings.Split(plain.Visible(p.take(value)), "\n")
	if len(lines) == 1 {
		p.add(margin + name + ": " + lines[0])
		return
	}
	p.add(margin + name + ":")
	for _, line := range lines {
		p.add(margin + hang + line)
	}
}

func (p *Shown) addDim(line string) { p.addIn("AcpDone", line) }

func (p *Shown) addWarning(line string) { p.addIn("AcpWarning", line) }

func (p *Shown) addIn(group, line string) {
	p.addMarked([]string{line}, marks.List{marks.New(0, 0, len(line), group)})
}

// addMarked adds lines with their marks, whose rows are counted from the first of them.
func (p *Shown) addMarked(lines []string, list marks.List) {
	first, row := len(p.Marks), len(p.Lines)
	for _, line := range lines {
		p.add(line)
	}
	for _, m := range list {
		if row+m.Row < len(p.Lines) {
			p.Marks = append(p.Marks, m)
		}
	}
	p.Marks[first:].Move(row, 0)
}

// refuse says that a request can only be rejected.
func (p *Shown) refuse() {
	text := fmt.Sprintf("%s… %s more are not shown. What cannot be read here can only be rejected", margin, transcript.Size(p.Large))
	p.Marks = append(p.Marks, marks.New(len(p.Lines), 0, len(text), "AcpWarning"))
	p.Lines = append(p.Lines, text)
	p.Must, p.Whole = len(p.Lines), true
	p.Suggest = []string{}
}
