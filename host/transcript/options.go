package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/markdown"
)

// Icons are the glyphs the blocks are drawn with, all one cell wide.
type Icons struct {
	Bar     string `msgpack:"bar"`
	Open    string `msgpack:"open"`
	Closed  string `msgpack:"closed"`
	Ask     string `msgpack:"ask"`
	Done    string `msgpack:"done"`
	Failed  string `msgpack:"failed"`
	Now     string `msgpack:"now"`
	Pending string `msgpack:"pending"`
	Cut     string `msgpack:"cut"`
	Minus   string `msgpack:"minus"`
	Bullet  string `msgpack:"bullet"`
	Dot     string `msgpack:"dot"` // between words of ours
	Read    string `msgpack:"read"`
	Search  string `msgpack:"search"`
	Edit    string `msgpack:"edit"`
	Delete  string `msgpack:"delete"`
	Move    string `msgpack:"move"`
	Run     string `msgpack:"run"`
	Fetch   string `msgpack:"fetch"`
	Think   string `msgpack:"think"`
	Task    string `msgpack:"task"`
	Mode    string `msgpack:"mode"`
	Other   string `msgpack:"other"`
	Quote   string `msgpack:"quote"`
	Rule    string `msgpack:"rule"`
}

// Options configure how blocks are drawn.
type Options struct {
	Prefix       string // of the ids of blocks
	Icons        Icons
	FoldThoughts bool // thoughts show their first line only
	FoldCalls    bool // finished tool calls show their first line only
	Tail         int  // lines of a terminal shown under its call
	Width        int  // cells of a row; 0: 80
	Unseen       bool // no window shows it, and most likely none will: its Markdown is rendered once there is a width
	Cwd          string
	Now          func() time.Time                 // nil: time.Now
	Terminal     func(id string) (Command, bool)  // nil: no terminal is known
	Output       func(id string) string           // the kept text of a terminal; nil: Command.Tail
	Text         func(path string) (string, bool) // the text of a file as the user has it; nil: no file is known. It may wait
}

// Command is a terminal as a transcript shows it.
type Command struct {
	ID        string // for the editor
	Line      string // the command line
	Tail      []string
	Running   bool
	Exit      string // "exit 3", "SIGTERM"; empty while it runs and after success
	Truncated bool
	Took      time.Duration // so far, or until it ended
	Waiting   bool          // it seems to wait for input
	Display   bool          // the agent runs it and only reports it: its time and command line are the call's
}

// shows reports whether a block shows more than its first line.
func (f *Options) shows(b *Block) bool {
	switch {
	case b.set:
		return b.open
	case b.Kind == Thought:
		return !f.FoldThoughts
	case b.Kind == Plan:
		return !f.FoldCalls
	}
	return b.Kind != Fault && b.Kind != Message && !(b.Kind == User && b.folds())
}

// showsItem reports whether an item shows more than its head.
func (f *Options) showsItem(it *item) bool {
	if it.set {
		return it.open
	}
	if it.call.asking > 0 && len(it.call.Diffs()) > 0 {
		return false // the float in which it is asked about has them
	}
	if it.call.Kind == runKind && it.call.finished() {
		return !f.FoldCalls || slices.ContainsFunc(it.children, (*item).busy)
	}
	return !f.FoldCalls || !it.call.finished() || f.worthShowing(it.call) || slices.ContainsFunc(it.children, (*item).busy)
}

// worthShowing reports whether a finished call stays open: it failed with some output, or it is a small change.
func (f *Options) worthShowing(c *Call) bool {
	shows := len(c.Content) > 0 || len(c.Terminals) > 0
	return !c.rejected && f.failed(c) && shows || c.smallChange()
}

// failed reports whether a call failed, or its command, which many agents report as completed.
func (f *Options) failed(c *Call) bool {
	return c.Status == string(acp.ToolCallFailed) || c.Status == string(acp.ToolCallCompleted) && f.exit(c).text != ""
}

// exit returns the exit status of a call's command, from its terminal or its raw output; it is unknown while it runs.
func (f *Options) exit(c *Call) exit {
	for _, id := range c.terminals() {
		if cmd, ok := f.Terminal(id); ok && !(cmd.Display && c.exit.text != "") && (cmd.Exit != "" || !cmd.Running && !c.exit.known) {
			return exit{known: !cmd.Running, text: cmd.Exit, killed: strings.HasPrefix(cmd.Exit, "SIG")}
		}
	}
	return c.exit
}

// runs reports whether one of our terminals runs a command for a call.
func (f *Options) runs(c *Call) bool {
	for _, id := range c.terminals() {
		if cmd, ok := f.Terminal(id); ok && cmd.Running && !cmd.Display {
			return true
		}
	}
	return false
}

// waitsForInput reports whether a command of a call seems to wait for input.
func (f *Options) waitsForInput(c *Call) bool {
	return slices.ContainsFunc(c.terminals(), func(id string) bool {
		cmd, ok := f.Terminal(id)
		return ok && cmd.Waiting
	})
}

// quiet reports whether a call may join a group.
func (f *Options) quiet(it *item) bool {
	c := it.call
	if !f.FoldCalls || !c.finished() || c.Kind == runKind || c.asking > 0 || c.smallChange() || c.saved || it.speech() ||
		c.rejected && c.refused() == defied {
		return false
	}
	return !slices.ContainsFunc(it.children, func(child *item) bool { return !child.speech() && f.loud(child) })
}

func (f *Options) loud(it *item) bool { return !f.quiet(it) }

// groupOf returns the group whose line has an id.
func (f *Options) groupOf(items []*item, id string) []*item {
	for i, it := range items {
		if "g"+it.id == id {
			n := slices.IndexFunc(items[i:], f.loud)
			if n < 0 {
				n = len(items) - i
			}
			return items[i : i+n]
		}
		if group := f.groupOf(it.children, id); group != nil {
			return group
		}
	}

	return nil
}

// short removes the session's folder from the paths in a text.
func (f *Options) short(text string) string {
	if f.Cwd == "" {
		return text
	}
	return strings.ReplaceAll(text, f.Cwd+"/", "")
}

// options say how a part of the text is rendered.
func (p *prose) options(o *Options, width int) markdown.Options {
	return markdown.Options{Width: width, Glyphs: o.Icons.glyphs(), References: p.references}
}

func (i Icons) glyphs() markdown.Glyphs {
	return markdown.Glyphs{Bullet: i.Bullet, Rule: i.Rule, Done: i.Done, Open: i.Pending}
}

// pad returns the cells by which rows at a depth are indented: two for each level, as long as their text has half of the width.
func (f *Options) pad(depth int) int { return min(2*depth, mostPad(f.Width)) }

// Between is what separates words of ours on a line.
func (i Icons) Between() string { return " " + cmp.Or(i.Dot, "·") + " " }

// Counts says how many lines were added and deleted, "" for none.
func (i Icons) Counts(added, deleted int) string {
	var parts []string
	if added > 0 {
		parts = append(parts, fmt.Sprintf("+%d", added))
	}
	if deleted > 0 {
		parts = append(parts, fmt.Sprintf("%s%d", cmp.Or(i.Minus, "−"), deleted))
	}
	return strings.Join(parts, " ")
}
