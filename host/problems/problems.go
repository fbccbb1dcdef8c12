// Package problems compares the errors that language servers find before and after a turn of an agent.
//
// Package host calls it when a turn has ended. It is pure.
package problems

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Bounds of what is shown, and of what an agent is sent.
const (
	maxShown = 5
	maxSent  = 30
	maxText  = 300 // bytes of a message
)

// Item is an error in a file.
type Item struct {
	Path    string `json:"path"`
	Line    int    `json:"line"` // from 1
	Col     int    `json:"col"`  // from 1, in bytes
	Message string `json:"message"`
	Source  string `json:"source"`
	Code    string `json:"code"`

	Elsewhere bool `json:"-"` // in a file that the agent has not changed
}

// Known are the errors in all files, as language servers know them.
type Known struct {
	Items []Item   `json:"items"`
	Seen  []string `json:"seen"` // real paths of the files of which they are known
	Open  []Open   `json:"open"`
	Late  string   `json:"late"` // which servers have more to say, "" if none has
}

// Open is a file that is open in the editor.
type Open struct {
	Path     string `json:"path"` // real
	Tick     int    `json:"tick"` // another one with each change of its text
	Modified bool   `json:"modified"`
}

// same is what an error has in common with itself after lines have moved.
type same struct{ path, message, source, code string }

func (i Item) same() same { return same{i.Path, i.Message, i.Source, i.Code} }

// New returns the errors in after that before lacks, in their order. Errors that differ in their place only are the same, each as
// often as it was there before.
func New(before, after []Item) []Item {
	known := map[same]int{}
	for _, i := range before {
		known[i.same()]++
	}

	var list []Item
	for _, i := range after {
		if known[i.same()] > 0 {
			known[i.same()]--
			continue
		}
		list = append(list, i)
	}

	return list
}

// Same returns the errors in now that a list has too, each as often as there, wherever they are by now.
func Same(list, now []Item) (both []Item) {
	known := map[same]int{}
	for _, i := range list {
		known[i.same()]++
	}
	for _, i := range now {
		if known[i.same()] > 0 {
			known[i.same()]--
			both = append(both, i)
		}
	}
	return both
}

// Prompt returns what an agent is sent about errors; short returns paths as it reads them.
func Prompt(list []Item, short func(string) string) string {
	where, others := "files that you have changed", "\nIn files that you have not changed:\n\n"
	if own := countOwn(list); own == 0 {
		where, others = "files that you have not changed", ""
	} else if own < len(list) {
		where += ", and in others"
	}

	var b strings.Builder
	b.WriteString("The language server reports new errors in " + where + ". Please fix them.\n\n")
	write(&b, list, maxSent, others, short)
	return strings.TrimRight(b.String(), "\n")
}

// Offer returns what the user is shown of errors. Key is what sends them, "" if nothing does.
func Offer(list []Item, key string, short func(string) string) string {
	var files []string
	for _, i := range list {
		if !slices.Contains(files, i.Path) {
			files = append(files, i.Path)
		}
	}

	var b strings.Builder
	b.WriteString(Count(len(list)))
	if len(files) == 1 {
		b.WriteString(" in " + short(files[0]))
	} else {
		fmt.Fprintf(&b, " in %d files", len(files))
	}
	if key != "" {
		b.WriteString("; " + key + " sends them to the agent")
	}

	b.WriteString("\n")
	write(&b, list, maxShown, "In files that the turn has not changed:\n", short)
	return strings.TrimRight(b.String(), "\n")
}

// Count returns how many new errors there are, in words.
func Count(n int) string {
	if n == 1 {
		return "1 new error"
	}
	return fmt.Sprintf("%d new errors", n)
}

// countOwn returns how many errors are in files that the agent has changed.
func countOwn(list []Item) (n int) {
	for _, i := range list {
		if !i.Elsewhere {
			n++
		}
	}
	return n
}

// write writes the first errors of a list, those in other files last, below a line that says so.
func write(b *strings.Builder, list []Item, most int, others string, short func(string) string) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y Item) int {
		switch {
		case x.Elsewhere == y.Elsewhere:
			return 0
		case y.Elsewhere:
			return -1
		}
		return 1
	})

	own := countOwn(list)
	for n, i := range list[:min(len(list), most)] {
		if n == own {
			b.WriteString(others)
		}
		message := plain.Short(plain.Words(i.Message), maxText)
		fmt.Fprintf(b, "%s:%d:%d: %s\n", short(i.Path), i.Line, i.Col, message)
	}

	if more := len(list) - most; more > 0 {
		fmt.Fprintf(b, "and %d more", more)
		if hidden := len(list) - max(own, most); hidden > 0 && own > 0 {
			fmt.Fprintf(b, ", %d of them in other files", hidden)
		}
		b.WriteString("\n")
	}
}
