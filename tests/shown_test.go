package tests

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/shell"
)

// shown is what a transcript must show, gathered from what an agent sent; a second, simpler reading of the protocol.
type shown struct {
	cwd    string
	texts  []string // what was said, in order
	pieces []string // what subagents said, which stands elsewhere
	plans  [][]string
	calls  map[string]*shownCall
	asked  int
	loaded bool

	speaker string // of the last text
	message string
	planned bool   // the running turn has a plan
	agent   string // that says the next text; "" for the agent itself
}

type shownCall struct {
	title    string
	command  string // that it runs, shown in the title's place
	content  []tracedContent
	terminal string // of a display terminal
	asked    bool   // the user is asked about it, in a float that has its diffs, and nothing was said of it since
}

type tracedUpdate struct {
	Kind       string          `json:"sessionUpdate"`
	ID         string          `json:"toolCallId"`
	Title      string          `json:"title"`
	MessageID  string          `json:"messageId"`
	RawContent json.RawMessage `json:"content"`
	Entries    []tracedContent `json:"entries"`
	RawInput   json.RawMessage `json:"rawInput"`
	Meta       struct {
		Output struct{ Data string } `json:"terminal_output"`
		Delta  struct{ Data string } `json:"terminal_output_delta"`
		Single bool                  `json:"qwenDiscreteMessage"` // a message of its own
	} `json:"_meta"`
}

// tracedContent is a content block, a tool call's content or a plan's entry.
type tracedContent struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"`
	Old     string          `json:"oldText"`
	New     string          `json:"newText"`
	Path    string          `json:"path"`
}

func newShown(cwd string) *shown { return &shown{cwd: cwd, calls: map[string]*shownCall{}} }

// load notes that the session is loaded: what the user said in it is shown too.
func (w *shown) load() { w.loaded = true }

func (w *shown) prompt(text string) { w.say("user", "", text) }

// say adds to what was said.
func (w *shown) say(who, message, text string) {
	if who != w.speaker || message != w.message || len(w.texts) == 0 {
		w.texts = append(w.texts, "")
	}
	w.speaker, w.message = who, message
	w.texts[len(w.texts)-1] += text
	w.planned = w.planned && who != "user"
}

// over ends a turn: what is said then is another text.
func (w *shown) over() { w.speaker = "" }

func (w *shown) update(u tracedUpdate) {
	switch u.Kind {
	case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk":
		var c tracedContent
		_ = json.Unmarshal(u.RawContent, &c) // what cannot be read is missing from what is wanted, no more
		if w.loaded && w.asked == 0 || u.Kind != "user_message_chunk" {
			if w.agent != "" {
				w.pieces, w.agent = append(w.pieces, c.Text), ""
				return
			}
			if u.Meta.Single {
				w.over()
			}
			w.say(u.Kind, u.MessageID, c.Text)
			if u.Meta.Single {
				w.over()
			}
		}
	case "plan":
		if !w.planned {
			w.plans = append(w.plans, nil)
		}
		w.planned = true
		var entries []string
		for _, e := range u.Entries {
			var text string
			_ = json.Unmarshal(e.Content, &text)
			entries = append(entries, text)
		}
		w.plans[len(w.plans)-1] = entries
	case "tool_call", "tool_call_update", "": // the last is a permission's
		w.call(u)
	}
}

func (w *shown) call(u tracedUpdate) {
	c := w.calls[u.ID]
	if c == nil {
		c = &shownCall{}
		w.calls[u.ID] = c
		w.speaker = ""
	}
	c.asked = u.Kind == ""
	if u.Title != "" {
		c.title = u.Title
	}
	var input struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(u.RawInput, &input) == nil && input.Command != "" {
		c.command = input.Command
	}
	if u.RawContent != nil {
		c.content = nil
		_ = json.Unmarshal(u.RawContent, &c.content)
	}
	c.terminal += u.Meta.Output.Data + u.Meta.Delta.Data
}

// missing says what is not in the text of a transcript, or "".
func (w *shown) missing(text string) string {
	lines := map[string]bool{}
	for line := range strings.SplitSeq(text, "\n") {
		lines[strings.TrimSpace(line)] = true
	}
	at := 0
	for _, said := range w.texts {
		for line := range strings.SplitSeq(said, "\n") {
			for _, word := range shownWords(line) {
				i := strings.Index(text[at:], word)
				if i < 0 {
					return fmt.Sprintf("said: %s (%s)", line, word)
				}
				at += i + len(word)
			}
		}
	}
	for _, said := range w.pieces {
		for line := range strings.SplitSeq(said, "\n") {
			for _, word := range shownWords(line) {
				if !strings.Contains(text, word) {
					return "said by a subagent: " + line
				}
			}
		}
	}
	for _, plan := range w.plans {
		for _, entry := range plan {
			if !lines[entry] {
				return "plan: " + entry
			}
		}
	}
	for id, c := range w.calls {
		if what := c.missing(lines, w.cwd); what != "" {
			return fmt.Sprintf("call %s: %s", id, what)
		}
	}
	return ""
}

// unshown is what of Markdown is not shown: the language of a block of code, which is virtual text, and the address of a link.
var (
	unshown = regexp.MustCompile("^ *(```|~~~).*|\\]\\([^)]*\\)|^ *[0-9]+[.)]")
	aWord   = regexp.MustCompile(`[\pL\pN]+`)
)

// shownWords returns the words of a line of Markdown that are shown.
func shownWords(line string) []string {
	return aWord.FindAllString(unshown.ReplaceAllString(line, " "), -1)
}

// escape is a sequence that a terminal takes and does not show.
var escape = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// fence is a code block that is all of a text: its marks are not shown.
var fence = regexp.MustCompile("(?s)^```[a-z]*\n(.*)\n```$")

// named reports whether the call's head is there: its title or its command, paths shortened.
func (c *shownCall) named(lines map[string]bool, cwd string) bool {
	title := strings.ReplaceAll(strings.ReplaceAll(plain.OneLine(c.title), cwd+"/", ""), "`", "")
	for _, verb := range []string{"", "Read ", "Edit ", "Delete ", "Move "} {
		if lines[verb+title] {
			return true
		}
	}
	var paths []string
	for _, content := range c.content {
		if path := strings.TrimPrefix(content.Path, cwd+"/"); content.Type == "diff" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 1 && lines[paths[0]] || len(paths) > 1 && lines[fmt.Sprintf("%d files", len(paths))] {
		return true
	}
	_, script := shell.Unwrap(c.command)
	return lines[plain.OneLine(script)] || lines[firstRow(script)]
}

// firstRow is the beginning of a long command, which heads its call.
func firstRow(script string) string {
	first := shell.Rows(script)[0]
	return plain.OneLine(strings.TrimSpace(script[first.From:first.To])) + "…"
}

func (c *shownCall) missing(lines map[string]bool, cwd string) string {
	if c.title != "" && !c.named(lines, cwd) {
		return c.title
	}
	var want []string
	want = append(want, strings.Split(escape.ReplaceAllString(c.terminal, ""), "\n")...)
	for _, content := range c.content {
		switch content.Type {
		case "content":
			var inner tracedContent
			_ = json.Unmarshal(content.Content, &inner)
			text := fence.ReplaceAllString(strings.TrimRight(inner.Text, "\n"), "$1")
			want = append(want, strings.Split(text, "\n")...)
		case "diff":
			if c.asked {
				return "" // nor what else it has
			}
			want = append(want, signed("-", content.Old, content.New)...)
			want = append(want, signed("+", content.New, content.Old)...)
		}
	}
	for _, line := range want {
		line = strings.TrimSpace(line)
		heading := strings.TrimLeft(line, "# ") // of a plan, which is rendered
		if line != "" && !lines[line] && !lines[heading] {
			return line
		}
	}
	return ""
}

// signed are the lines of one text that another lacks, as a diff shows them.
func signed(sign, text, other string) []string {
	has := map[string]bool{}
	for line := range strings.SplitSeq(other, "\n") {
		has[line] = true
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && !has[line] {
			lines = append(lines, strings.TrimSpace(sign+" "+line))
		}
	}
	return lines
}
