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
	var b strings.Builder
	b.WriteString("The language server reports new errors in files that you have changed. Please fix them.\n\n")
	write(&b, list, maxSent, short)
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
	write(&b, list, maxShown, short)
	return strings.TrimRight(b.String(), "\n")
}

// Count returns how many new errors there are, in words.
func Count(n int) string {
	if n == 1 {
		return "1 new error"
	}
	return fmt.Sprintf("%d new errors", n)
}

func write(b *strings.Builder, list []Item, most int, short func(string) string) {
	for _, i := range list[:min(len(list), most)] {
		message := plain.Short(plain.Words(i.Message), maxText)
		fmt.Fprintf(b, "%s:%d:%d: %s\n", short(i.Path), i.Line, i.Col, message)
	}
	if more := len(list) - most; more > 0 {
		fmt.Fprintf(b, "and %d more\n", more)
	}
}
