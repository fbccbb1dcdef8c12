package files

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/linestest"
)

// lined splits words into the lines of a text.
func lined(words string) []string { return strings.Fields(words) }

// text returns lines as the text of a file.
func text(lines []string) string { return buffers.Text{Lines: lines, EOL: true}.String() }

// loaded returns a buffer with lines.
func loaded(lines []string, modified bool) Snapshot {
	return Snapshot{Buf: 1, Tick: 7, Text: strings.Join(lines, "\n"), EOL: true, Modified: modified}
}

// edited returns lines with hunks applied.
func edited(lines []string, list []Hunk) []string {
	var edits []buffers.Edit
	for _, h := range list {
		edits = append(edits, buffers.Edit{Start: h.First, End: h.Last, Lines: h.Lines})
	}
	return buffers.Apply(lines, edits)
}

func no() bool { return false }

func yes() bool { return true }

func TestPlan(t *testing.T) {
	const modified = true
	conflict := "<<<<<<< yours"
	tests := []struct {
		name  string
		write Write
		want  string // what the edit consists of; "" for none
		disk  string // in the buffer when it is saved, with the lines joined by spaces
		after string // in the buffer at last
	}{
		{
			"nothing new", Write{Buffer: loaded(lined("a b"), !modified), Base: lined("a b"), Text: "a\nb\n", OnDisk: no},
			"", "", "",
		},
		{
			"nothing new, but no file", Write{Buffer: loaded(lined("a b"), !modified), Base: lined("a b"), Text: "a\nb\n", Missing: true, OnDisk: no},
			"save", "a b", "a b",
		},
		{
			"an empty file that is not there", Write{Buffer: loaded([]string{""}, !modified), Text: "", Missing: true, OnDisk: no},
			"save empty", "", "",
		},
		{
			"no unsaved changes", Write{Buffer: loaded(lined("a b"), !modified), Base: lined("a b"), Text: "a\nc\n", OnDisk: no},
			"save", "a c", "a c",
		},
		{
			"with formatters", Write{Buffer: loaded(lined("a b"), !modified), Base: lined("a b"), Text: "a\nc\n", Format: true, OnDisk: no},
			"save format", "a c", "a c",
		},
		{
			"no unsaved changes, but of what the agent has not seen",
			Write{Buffer: loaded(lined("X a b c"), !modified), Base: lined("a b c"), Text: "a\nb\nd\n", OnDisk: no},
			"save", "X a b d", "X a b d",
		},
		{
			"unsaved changes elsewhere",
			Write{Buffer: loaded(lined("X a b c"), modified), Base: lined("a b c"), Text: "a\nb\nd\n", Format: true, OnDisk: no},
			"save top", "a b d", "X a b d",
		},
		{
			"unsaved changes elsewhere, and the disk has the text",
			Write{Buffer: loaded(lined("X a b c"), modified), Base: lined("a b c"), Text: "a\nb\nd\n", OnDisk: yes},
			"top", "X a b c", "X a b d",
		},
		{
			"unsaved changes, and both have the text",
			Write{Buffer: loaded(lined("X a b d"), modified), Base: lined("a b c"), Text: "a\nb\nd\n", OnDisk: yes},
			"", "", "",
		},
		{
			"a buffer that is not the file's text is saved whatever the disk has",
			Write{
				Buffer: Snapshot{Text: "X\na", EOL: true, Modified: true, Special: true}, Base: lined("a"), Text: "b\n", OnDisk: yes,
			},
			"save top", "b", "X b",
		},
		{
			"the same line, unsaved", Write{Buffer: loaded(lined("a x"), modified), Base: lined("a b"), Text: "a\ny\n", OnDisk: no},
			"save top conflict", "a y", "a " + conflict + " x ======= y >>>>>>> agent",
		},
		{
			"the same line, saved: the disk still gets the agent's text alone",
			Write{Buffer: loaded(lined("a x"), !modified), Base: lined("a b"), Text: "a\ny\n", Format: true, OnDisk: no},
			"save top conflict", "a y", "a " + conflict + " x ======= y >>>>>>> agent",
		},
		{
			"other line ends", Write{Buffer: loaded(lined("a b"), !modified), Base: lined("a b"), Text: "a\r\nb\r\n", OnDisk: no},
			"save dos", "a b", "a b",
		},
		{
			"no line end at the end", Write{Buffer: loaded(lined("a b"), !modified), Base: lined("a b"), Text: "a\nb", OnDisk: no},
			"save noeol", "a b", "a b",
		},
		{
			"nothing is left", Write{Buffer: loaded(lined("a b"), !modified), Base: lined("a b"), Text: "", OnDisk: no},
			"save empty", "", "",
		},
		{
			"the agent empties the file, the user has added to it",
			Write{Buffer: loaded(lined("a b X"), modified), Base: lined("a b"), Text: "", OnDisk: no},
			"save top", "", " X",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := tt.write.Plan()
			if got := parts(e); got != tt.want {
				t.Errorf("got the edit %q, want %q", got, tt.want)
			}
			if e == nil {
				return
			}
			disk := edited(tt.write.Buffer.lines(), e.Disk)
			if got := strings.Join(disk, " "); got != tt.disk {
				t.Errorf("saved: got %q, want %q", got, tt.disk)
			}
			if got := strings.Join(edited(disk, e.Top), " "); got != tt.after {
				t.Errorf("in the buffer: got %q, want %q", got, tt.after)
			}
		})
	}
}

// parts names what an edit consists of.
func parts(e *Edit) string {
	if e == nil {
		return ""
	}
	var list []string
	add := func(name string, has bool) {
		if has {
			list = append(list, name)
		}
	}
	add("save", e.Save)
	add("format", e.Format)
	add("top", len(e.Top) > 0)
	add("conflict", e.Conflicts > 0)
	add("dos", e.Form == "dos")
	add("noeol", !e.EOL)
	add("empty", e.Empty)
	return strings.Join(list, " ")
}

// Whatever the user and the agent have made of a text, the buffer has the merge of both, and what is saved is the agent's text
// unless the user has saved theirs and no line is in conflict (behaviour 130).
func TestPlanProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 20_000 {
		base := linestest.Random(r, 1+r.IntN(15), 12)
		ours, theirs := linestest.Edited(r, base, 12), linestest.Edited(r, base, 12)
		onDisk := r.IntN(4) == 0
		w := Write{
			Buffer: loaded(ours, r.IntN(2) == 0), Base: base, Text: text(theirs), Format: true,
			OnDisk: func() bool { return onDisk },
		}
		if err := checkPlan(w, ours, theirs); err != nil {
			t.Fatalf("%v\nbase %q\nours %q, modified %v\ntheirs %q, on disk %v", err, base, ours, w.Buffer.Modified, theirs, onDisk)
		}
	}
}

func checkPlan(w Write, ours, theirs []string) error {
	m := buffers.Merge(w.Base, ours, theirs)
	e := w.Plan()
	if e == nil {
		if !slices.Equal(ours, m.Lines) || w.Buffer.Modified && !w.OnDisk() {
			return fmt.Errorf("no edit, but the text would be %q", m.Lines)
		}
		return nil
	}

	disk := edited(ours, e.Disk)
	after := edited(disk, e.Top)
	ownText := !w.Buffer.Modified && e.Conflicts == 0 // the user's part of it is saved, too
	switch {
	case !slices.Equal(after, m.Lines):
		return fmt.Errorf("the buffer has %q, want %q", after, m.Lines)
	case e.Save && ownText && !slices.Equal(disk, m.Lines):
		return fmt.Errorf("%q is saved, want %q", disk, m.Lines)
	case e.Save && !ownText && !slices.Equal(disk, theirs):
		return fmt.Errorf("%q is saved, want %q", disk, theirs)
	case !e.Save && (!w.Buffer.Modified || !w.OnDisk() || len(e.Disk) > 0):
		return fmt.Errorf("nothing is saved")
	case e.Format && !ownText:
		return fmt.Errorf("formatters run on text that is not saved")
	}
	return checkShifts(e.Direct, ours, after)
}

// What the user has saved since the agent saw the file is saved again with the agent's text, unless both have changed the same lines,
// and so is what the agent has read unsaved (behaviour 712).
func TestPlanKeepsSaved(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	kept := 0
	for range 20_000 {
		then := linestest.Random(r, 1+r.IntN(12), 12)
		seen := linestest.Edited(r, then, 12)
		now := linestest.Edited(r, seen, 12)
		if r.IntN(2) == 0 {
			seen = then // nothing was unsaved
		}
		now = slices.Insert(now, r.IntN(len(now)+1), "saved")
		ours, theirs := now, linestest.Edited(r, seen, 12)
		modified := r.IntN(2) == 0
		if modified {
			ours = linestest.Edited(r, now, 12)
		}
		e := Write{
			Buffer: loaded(ours, modified), Base: seen, Text: text(theirs), OnDisk: no, DiskThen: then, DiskNow: now,
		}.Plan()
		known := buffers.MergeTheirs(then, seen, now)
		if e == nil || len(buffers.Merge(then, seen, now).Conflicts)+len(buffers.Merge(seen, known, theirs).Conflicts)+e.Conflicts > 0 {
			continue
		}

		disk := edited(ours, e.Disk)
		switch {
		case !slices.Contains(disk, "saved") && (slices.Contains(ours, "saved") || e.saved == ""):
			t.Fatalf("%q is saved\nthe disk had %q, the agent saw %q, the user saved %q, has %q\nthe agent writes %q", disk, then, seen, now, ours, theirs)
		case e.saved != text(disk):
			t.Fatalf("%q is said to be saved, not %q", e.saved, disk)
		}
		kept++
	}
	if kept < 1000 {
		t.Errorf("only %d texts were without conflicts", kept)
	}
}

// A line that the user has, and that the disk lacked when the agent read it, is not the agent's to remove (behaviour 712).
func TestWithoutUnread(t *testing.T) {
	for _, tt := range []struct{ seen, read, ours, want string }{
		{"a L b", "a b", "a L b", "a b"},         // it is unsaved again
		{"a L b", "a b", "a b", "a L b"},         // the user has removed it
		{"a X b", "a Y b", "a X b", "a X b"},     // it is another by now
		{"a b", "a b new", "a b new", "a b"},     // what is new on the disk was not seen
		{"L a M b N", "a b", "L a M b", "a b N"}, // at the ends
		{"a b", "a b", "a b", "a b"},             // nothing
		{"a L L b", "a L b", "a L L b", "a L b"}, // one of two
	} {
		got := withoutUnread(lined(tt.seen), lined(tt.read), lined(tt.ours))
		if strings.Join(got, " ") != tt.want {
			t.Errorf("seen %q, read %q, ours %q: got %q, want %q", tt.seen, tt.read, tt.ours, got, tt.want)
		}
	}
}

// checkShifts reports whether hunks of these sizes turn a text into another: what is between them is the same.
func checkShifts(list []Shift, from, to []string) error {
	at, shift := 0, 0
	for _, s := range append(list, Shift{First: len(from), Last: len(from)}) {
		if !slices.Equal(from[at:s.First], to[at+shift:s.First+shift]) {
			return fmt.Errorf("lines %d to %d are moved by %d, but differ", at, s.First, shift)
		}
		at, shift = s.Last, shift+s.Count-(s.Last-s.First)
	}
	if len(from)+shift != len(to) {
		return fmt.Errorf("%d lines become %d, want %d", len(from), len(from)+shift, len(to))
	}
	return nil
}
