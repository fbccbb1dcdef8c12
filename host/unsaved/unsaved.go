// Package unsaved composes the message that tells an agent which text is on the user's screen and not on the disk.
//
// Package host calls it with each prompt to an agent that reads the disk. It reads no file and starts no goroutine.
package unsaved

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Bounds of a message.
const (
	MaxDiffs = 24 << 10 // bytes of all diffs together; a file whose diff does not fit is only named
	maxNamed = 200      // files that are named
	maxShown = 4        // files that the summary names
)

// File is a file whose text on the screen is not the one on the disk. Both texts are in UTF-8, with the file's own line ends.
type File struct {
	Path string // absolute, as the agent knows it
	Here string // the same on this machine
	Name string // for the user
	Disk string
	Text string // on the screen

	Missing bool // there is no file on the disk
	Unread  bool // its texts could not be had in time

	// Unshown says why there is no diff of it, so that it is only named, as in "the file on disk is not text".
	Unshown string
}

// Told is what an agent knows of unsaved text: by path, the hash of the last diff it was sent.
type Told map[string]Entry

// Entry is what an agent knows of one file.
type Entry struct {
	Here     string // the file on this machine
	Hash     string
	Withheld bool // the user has kept it back: it counts as said, but nothing refers to it
}

// Message is what is said with a prompt. The zero value says nothing.
type Message struct {
	Text    string // for the agent, "" if there is nothing new
	Summary string // for the user, one line
	Shown   string // for the user, the same as Text without what is for agents only
	Told    Told   // what the agent knows once it has the message
}

// The message is in an element of its own, so that it is recognized where an agent sends the user's words back. Where what it says
// has the element's end, the element has another name: "unsaved_text_1", and so on.
const (
	element = "unsaved_text"

	intro = "Note from the editor: the user has unsaved changes. The files on disk do not have them yet. Each diff leads from the file " +
		"on disk to the text on the user's screen, which is the current one. Neither save nor repeat these changes: what you write " +
		"to these files, in whichever way, is merged with them."
)

// Compose returns the message on files with unsaved text, in their order, to an agent that was told before. Files whose diff it
// knows are left out, and those that it knows and that are not unsaved any more are named; exists says of their paths on this machine
// whether there is such a file.
func Compose(files []File, told Told, exists func(here string) bool) Message {
	now := Told{}
	var diffs, named []part
	room := MaxDiffs
	for _, f := range files {
		p := describe(f)
		if p.same {
			continue
		}

		now[f.Path] = Entry{Here: f.Here, Hash: p.hash}
		switch before, known := told[f.Path]; {
		case known && (before.Hash == p.hash || f.Unread):
			now[f.Path] = before
		case p.diff == "" || len(p.diff) > room:
			named = append(named, p)
		default:
			room -= len(p.diff)
			diffs = append(diffs, p)
		}
	}

	var saved, gone []string
	for _, path := range slices.Sorted(maps.Keys(told)) {
		switch _, unsaved := now[path]; {
		case unsaved || told[path].Withheld:
		case exists(told[path].Here):
			saved = append(saved, plain(path))
		default:
			gone = append(gone, plain(path))
		}
	}

	m := Message{Summary: summary(diffs, named, len(saved)+len(gone)), Shown: body(diffs, named, saved, gone), Told: now}
	switch {
	case m.Shown == "":
	case len(diffs)+len(named) > 0:
		m.Text = enclosed(intro + "\n\n" + m.Shown)
	default:
		m.Text = enclosed(m.Shown)
	}

	return m
}

// enclosed returns a text in an element whose end it does not have.
func enclosed(text string) string {
	name := element
	for n := 1; strings.Contains(text, "</"+name); n++ {
		name = fmt.Sprintf("%s_%d", element, n)
	}
	return "<" + name + ">\n" + text + "</" + name + ">"
}

// Withhold returns what an agent counts as knowing when the user keeps a message back: the same is not offered again.
func (m Message) Withhold(before Told) Told {
	kept := maps.Clone(m.Told)
	for path, entry := range kept {
		if before[path] != entry {
			entry.Withheld = true
			kept[path] = entry
		}
	}
	return kept
}

// part is what is said of one file.
type part struct {
	File
	diff           string // "" if there is none to show
	added, deleted int
	hash           string
	same           bool // nothing is unsaved
}

func describe(f File) part {
	p := part{File: f}
	switch {
	case f.Unread:
		p.Unshown = "the editor did not give its text in time"
	case f.Unshown != "":
	case f.Text == f.Disk && !f.Missing:
		p.same = true
	default:
		p.diff, p.added, p.deleted = unified(f)
	}

	sum := sha256.Sum256([]byte(p.diff + "\x00" + f.Text + "\x00" + p.Unshown))
	if p.diff != "" {
		sum = sha256.Sum256([]byte(p.diff))
	}

	p.hash = hex.EncodeToString(sum[:8])
	return p
}

// body says what is unsaved, and what is not any more: it is on the disk, or gone.
func body(diffs, named []part, saved, gone []string) string {
	var parts []string
	for _, p := range diffs {
		fence := fenceFor(p.diff)
		parts = append(parts, fmt.Sprintf("%sdiff\n%s%s\n", fence, p.diff, fence))
	}

	list := func(head string, paths []string) {
		if len(paths) == 0 {
			return
		}
		text := head + "\n" + strings.Join(paths[:min(len(paths), maxNamed)], "\n") + "\n"
		if more := len(paths) - maxNamed; more > 0 {
			text += fmt.Sprintf("and %d more\n", more)
		}
		parts = append(parts, text)
	}

	unshown := map[string][]string{}
	for _, p := range named {
		why := cmp.Or(p.Unshown, "too long to show here")
		unshown[why] = append(unshown[why], plain(p.Path))
	}

	for _, why := range slices.Sorted(maps.Keys(unshown)) {
		list("Unsaved too, but "+why+":", unshown[why])
	}

	list("No longer unsaved, so the file on disk is what the user sees:", saved)
	list("No longer unsaved, and there is no such file on disk:", gone)
	return strings.Join(parts, "\n")
}

// fenceFor returns a fence that does not occur in a text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

func summary(diffs, named []part, saved int) string {
	var items []string
	for _, p := range diffs {
		items = append(items, fmt.Sprintf("%s +%d −%d", plain(p.Name), p.added, p.deleted))
	}

	for _, p := range named {
		items = append(items, plain(p.Name)+" (only named)")
	}

	if more := len(items) - maxShown; more > 0 {
		items = append(items[:maxShown], fmt.Sprintf("%d more", more))
	}

	var said []string
	if len(items) > 0 {
		said = append(said, "unsaved text sent: "+strings.Join(items, ", "))
	}
	switch {
	case saved == 1:
		said = append(said, "no longer unsaved: 1 file")
	case saved > 1:
		said = append(said, fmt.Sprintf("no longer unsaved: %d files", saved))
	}

	return strings.Join(said, "; ")
}

var opening = lazy.Regexp(`<(` + element + `(?:_\d+)?)>\n`)

// Strip removes a message from a text that an agent sends back as the user's words. It reports whether there was one.
func Strip(text string) (rest string, found bool) {
	at := opening().FindStringSubmatchIndex(text)
	if at == nil {
		return text, false
	}

	end := "</" + text[at[2]:at[3]] + ">"
	from, to := at[0], strings.LastIndex(text, end)
	if to < from {
		return text, false
	}

	rest = strings.TrimRight(text[:from], " \n")
	if after := strings.TrimLeft(text[to+len(end):], " \n"); after != "" {
		rest = strings.TrimLeft(rest+"\n"+after, "\n")
	}

	return rest, true
}
