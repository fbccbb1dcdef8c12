package edit

import (
	"fmt"
	"slices"
	"strings"
)

// Request is what an agent is asked, and about what.
type Request struct {
	Kind        string   `msgpack:"kind"`
	Path        string   `msgpack:"path"` // "": the buffer has no file
	Name        string   `msgpack:"name"` // of the file and its lines, for the user
	Language    string   `msgpack:"language"`
	First       int      `msgpack:"first"` // 1-based
	Last        int      `msgpack:"last"`
	Lines       []string `msgpack:"lines"`
	Before      []string `msgpack:"before"` // the lines above, or the nearest of them
	After       []string `msgpack:"after"`
	All         bool     `msgpack:"all"`      // these are all lines of the buffer
	Modified    bool     `msgpack:"modified"` // the buffer is not saved
	Diagnostics []string `msgpack:"diagnostics"`
	Instruction string   `msgpack:"instruction"`
	Tab         int      `msgpack:"tab"`   // width of a tab
	Seen        int      `msgpack:"seen"`  // number of this text
	Again       bool     `msgpack:"again"` // it is about an answer
}

// name returns what the prompt calls the buffer.
func (r Request) name() string {
	if r.Path == "" {
		return "a buffer without a file"
	}
	return r.Path
}

func (r Request) lines() string {
	if r.First == r.Last {
		return fmt.Sprintf("line %d", r.First)
	}
	return fmt.Sprintf("lines %d to %d", r.First, r.Last)
}

// What is said in each prompt, before and behind what the user asks.
const (
	aboutLines   = "A question about "
	changeLines  = "Change "
	inEditor     = " in the user's editor:\n\n"
	notTaken     = "The user has not taken this and says:\n\n"
	linesNow     = "The lines, as they are in the editor now:"
	notSaved     = "The file is not saved: where the disk differs, what is said here counts."
	linesAbove   = "The lines above them:"
	linesBelow   = "The lines below them:"
	nearestAbove = "The nearest lines above them:"
	nearestBelow = "The nearest lines below them:"
	diagnostics  = "Diagnostics there:"
	answerBlock  = "Answer with one block of code, between lines of "
	answerWords  = "Answer briefly, in Markdown."
	blockEnd     = "If it cannot be done, or something is not clear, say so without a block."
	wordsEnd     = "It is shown beside the lines. Change nothing."
)

// Prompt returns the text for the agent. [Instruction] reads it.
func (r Request) Prompt() string {
	var b strings.Builder
	switch {
	case r.Kind == Ask && r.Again:
		b.WriteString(r.Instruction + "\n")
		return b.String()
	case r.Kind == Ask:
		b.WriteString(aboutLines + r.lines() + " of " + r.name() + inEditor + r.Instruction + "\n\n")
	case r.Again:
		b.WriteString(notTaken + r.Instruction + "\n\n")
	default:
		b.WriteString(changeLines + r.lines() + " of " + r.name() + inEditor + r.Instruction + "\n\n")
	}

	r.block(&b, linesNow, r.Lines)
	if !r.Again {
		r.around(&b)
	}
	if len(r.Diagnostics) > 0 {
		b.WriteString(diagnostics + "\n\n" + strings.Join(r.Diagnostics, "\n") + "\n\n")
	}
	if r.Kind == Ask {
		b.WriteString(answerWords + " " + wordsEnd + "\n")
		return b.String()
	}

	r.form(&b)
	return b.String()
}

// around writes the lines above and below.
func (r Request) around(b *strings.Builder) {
	if r.Modified && r.Path != "" {
		b.WriteString(notSaved + "\n\n")
	}
	above, below := linesAbove, linesBelow
	if !r.All {
		above, below = nearestAbove, nearestBelow
	}
	r.block(b, above, r.Before)
	r.block(b, below, r.After)
}

func (r Request) block(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fence := fenceFor(lines)
	fmt.Fprintf(b, "%s\n\n%s%s\n%s\n%s\n\n", title, fence, r.Language, strings.Join(lines, "\n"), fence)
}

// form writes how the agent is to answer.
func (r Request) form(b *strings.Builder) {
	fence := fenceFor(r.Lines)
	fmt.Fprintf(b, answerBlock+"%s: the text that is to take the place of %s, all of it, indented as "+
		"it is to be in the file, without line numbers and without the lines above and below. An empty block removes the lines. Edit no "+
		"files: the user decides about the answer in the editor. "+blockEnd+"\n",
		fence, r.lines())
}

// fenceFor returns a fence for lines that may have fences themselves.
func fenceFor(lines []string) string {
	longest := 2
	for _, line := range lines {
		text := strings.TrimSpace(line)
		longest = max(longest, len(text)-len(strings.TrimLeft(text, "`")))
	}
	return strings.Repeat("`", longest+1)
}

// echoed is how many lines around an answer must be those of the buffer before they count as repeated.
const echoed = 3

// bare returns lines of an answer without those from above and below that it has repeated.
func (r Request) bare(lines []string) []string {
	top := min(len(r.Before), len(lines)-1)
	for ; top > 0; top-- {
		if slices.Equal(r.Before[len(r.Before)-top:], lines[:top]) {
			break
		}
	}

	if enough(lines[:max(top, 0)], r.Before) {
		lines = lines[top:]
	}

	bottom := min(len(r.After), len(lines)-1)
	for ; bottom > 0; bottom-- {
		if slices.Equal(r.After[:bottom], lines[len(lines)-bottom:]) {
			break
		}
	}

	if bottom > 0 && enough(lines[len(lines)-bottom:], r.After) {
		lines = lines[:len(lines)-bottom]
	}

	return lines
}

// enough reports whether repeated lines are too many to be there by chance: some with text, or all that there are.
func enough(lines, all []string) bool {
	text := 0
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			text++
		}
	}
	return text >= echoed || len(lines) > 0 && len(lines) == len(all) && text > 0
}
