package tests

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// scribe is an agent that changes a file in every way that agents were seen to: through the editor and on the disk.
type scribe struct {
	wire  *wire
	path  string
	rand  *rand.Rand
	book  *ledger
	view  string // what it has read or written last, through the editor; "" if nothing yet
	n     int
	edits atomic.Int64
}

// the ways in which it writes, each with how often it does
var scribeWays = []struct {
	name  string
	times int
	do    func(*scribe) error
}{
	{"fs", 10, (*scribe).throughEditor},
	{"fs again", 4, (*scribe).fromMemory},
	{"fs parts", 4, (*scribe).inParts},
	{"plain", 5, func(a *scribe) error { return a.onDisk(a.plain) }},
	{"rename", 4, func(a *scribe) error { return a.onDisk(a.renamed) }},
	{"halves", 2, func(a *scribe) error { return a.onDisk(a.halves) }},
	{"anew", 2, func(a *scribe) error { return a.onDisk(a.anew) }},
	{"append", 3, (*scribe).append},
	{"touch", 1, func(a *scribe) error { return unlessMoved(os.Chtimes(a.path, time.Now(), time.Now())) }},
	{"chmod", 1, func(a *scribe) error {
		return unlessMoved(os.Chmod(a.path, []os.FileMode{0o600, 0o644}[a.rand.IntN(2)]))
	}},
}

// act changes the file in one of the ways.
func (a *scribe) act(only string) error {
	total := 0
	for _, w := range scribeWays {
		total += w.times
	}
	at := a.rand.IntN(total)
	for _, w := range scribeWays {
		if at -= w.times; at >= 0 {
			continue
		}
		if only != "" && !slices.Contains(strings.Split(only, ","), w.name) {
			return nil
		}
		a.edits.Add(1)
		a.book.note("agent: %s", w.name)
		if err := w.do(a); err != nil {
			return fmt.Errorf("agent: %s: %w", w.name, err)
		}
		break
	}
	if a.rand.IntN(4) == 0 {
		<-time.After(time.Duration(a.rand.IntN(40)) * time.Millisecond)
	}
	return nil
}

func (a *scribe) word() string {
	a.n++
	return fmt.Sprintf("a%05dz", a.n)
}

// change returns a text with some lines changed, inserted or taken away, and says so in the ledger.
func (a *scribe) change(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for range 1 + a.rand.IntN(3) {
		i := a.rand.IntN(len(lines))
		fixed := strings.Contains(lines[i], "top") || strings.Contains(lines[i], "bottom") || marker(lines[i])
		switch {
		case a.rand.IntN(3) == 0:
			lines = slices.Insert(lines, max(i, 1), a.word())
		case fixed:
		case len(lines) > 60 && a.rand.IntN(2) == 0:
			lines = slices.Delete(lines, i, i+1)
		case len(lines[i]) > 60:
			lines[i] = a.word()
		default:
			lines[i] += " " + a.word()
		}
	}
	out := strings.Join(lines, "\n") + "\n"
	a.book.agents(text, out)
	return out
}

func (a *scribe) read(line, limit int) (string, error) {
	params := map[string]any{"sessionId": "s", "path": a.path}
	if line > 0 {
		params["line"], params["limit"] = line, limit
	}
	var got struct {
		Content string `json:"content"`
	}
	err := a.wire.call("fs/read_text_file", params, &got)
	return got.Content, err
}

func (a *scribe) write(text string) error {
	a.view = text
	return a.wire.call("fs/write_text_file", map[string]any{"sessionId": "s", "path": a.path, "content": text}, nil)
}

// throughEditor reads and writes through the editor.
func (a *scribe) throughEditor() error {
	text, err := a.read(0, 0)
	if err != nil {
		return err
	}
	a.view = text
	if a.rand.IntN(3) == 0 {
		<-time.After(time.Duration(a.rand.IntN(150)) * time.Millisecond) // it thinks
	}
	return a.write(a.change(text))
}

// fromMemory writes through the editor what it makes of what it last knew.
func (a *scribe) fromMemory() error {
	if a.view == "" {
		return a.throughEditor()
	}
	return a.write(a.change(a.view))
}

// inParts reads the file in two parts, at different moments, and puts them together.
func (a *scribe) inParts() error {
	whole, err := a.read(0, 0)
	if err != nil {
		return err
	}
	a.view = whole
	at := 2 + a.rand.IntN(strings.Count(whole, "\n")-2)
	<-time.After(time.Duration(a.rand.IntN(30)) * time.Millisecond)
	part, err := a.read(at, 5+a.rand.IntN(20))
	if err != nil && strings.Contains(err.Error(), "out of range") { // it is shorter by now
		return a.write(a.change(a.view))
	}
	if err != nil {
		return err
	}
	// It knows again what the part has, and where that was: it puts it in the place of the lines that it had there, as far as it
	// finds where they begin and end.
	lines, fresh := strings.SplitAfter(whole, "\n"), strings.SplitAfter(part, "\n")
	fresh = fresh[:len(fresh)-1]
	if len(fresh) > 1 {
		from, to := only(lines, fresh[0]), only(lines, fresh[len(fresh)-1])
		if from >= 0 && to > from {
			joined := strings.Join(slices.Concat(lines[:from], fresh, lines[to+1:]), "")
			if isWhole(joined) { // else a line is there twice by now, and the part was read at the other
				a.view = joined
				a.book.forget(strings.Join(lines[from:to+1], ""), part)
			}
		}
	}
	a.book.forget(part, a.view) // it has seen it, and leaves it out
	return a.write(a.change(a.view))
}

// onDisk reads the file as it is on the disk and writes it there. What someone else saves between the two is nobody's.
func (a *scribe) onDisk(write func(string) error) error {
	began := time.Now()
	var text string
	err := poll(patience, func() (bool, error) { // a save may be under way
		began = time.Now()
		data, err := os.ReadFile(a.path)
		text = string(data)
		return err == nil && isWhole(text), nil
	})
	if err != nil {
		return fmt.Errorf("the disk is torn: %w: %d bytes, end with %q", err, len(text), text[max(0, len(text)-100):])
	}
	out := a.change(text)
	wrote := time.Now()
	err = write(out)
	a.book.disk(began, wrote, out, false)
	if a.view != "" && a.rand.IntN(2) == 0 { // else the editor would not know what it writes from
		a.view = out
	}
	return err
}

func (a *scribe) plain(text string) error { return os.WriteFile(a.path, []byte(text), 0o644) }

func (a *scribe) renamed(text string) error {
	temp := filepath.Join(filepath.Dir(a.path), "scribe.tmp")
	if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, a.path)
}

// halves writes in two parts.
func (a *scribe) halves(text string) error {
	f, err := os.Create(a.path)
	if err != nil {
		return err
	}
	defer f.Close()
	at := a.rand.IntN(len(text))
	if a.rand.IntN(2) == 0 { // between two lines
		at = strings.LastIndexByte(text[:at], '\n') + 1
	}
	if _, err := f.WriteString(text[:at]); err != nil {
		return err
	}
	<-time.After(time.Duration(a.rand.IntN([]int{20, 60, 250}[a.rand.IntN(3)])) * time.Millisecond)
	_, err = f.WriteString(text[at:])
	return err
}

// anew deletes the file and makes it again.
func (a *scribe) anew(text string) error {
	if err := unlessMoved(os.Remove(a.path)); err != nil {
		return err
	}
	<-time.After(time.Duration(a.rand.IntN([]int{20, 60, 500}[a.rand.IntN(3)])) * time.Millisecond)
	return a.plain(text)
}

// unlessMoved is an error of what was done to the file, unless a save had just moved it away.
func unlessMoved(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// append adds a line, as a shell does.
func (a *scribe) append() error {
	began := time.Now()
	f, err := os.OpenFile(a.path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	line := a.word() + "\n"
	a.book.agents("", line)
	_, err = f.WriteString(line)
	a.book.disk(began, began, line, true)
	return err
}

// isWhole reports whether a text is one that someone has written, not a part of it.
func isWhole(text string) bool {
	return strings.Contains(text, "top") && strings.Contains(text, "bottom") && strings.HasSuffix(text, "\n")
}

// marker reports whether a line belongs to a conflict's frame.
func marker(line string) bool {
	return strings.HasPrefix(line, "<<<<<<<") || strings.HasPrefix(line, "=======") || strings.HasPrefix(line, ">>>>>>>")
}

// only returns where a line is, -1 if it is not there or more than once: the markers of conflicts are.
func only(lines []string, line string) int {
	at := slices.Index(lines, line)
	if at >= 0 && slices.Contains(lines[at+1:], line) {
		return -1
	}
	return at
}
