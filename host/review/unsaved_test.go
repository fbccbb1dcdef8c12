package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// unsavedGame is a file with text that the user has not saved, into which an agent's change of the disk is merged.
type unsavedGame struct {
	r    *rand.Rand
	next int
	desk *Desk
}

const unsavedPath = "/p/a.txt"

// edit returns lines with some replaced, removed and added.
func (g *unsavedGame) edit(lines []string, who string) []string {
	out := slices.Clone(lines)
	for range 1 + g.r.IntN(3) {
		i := g.r.IntN(len(out) + 1)
		n := min(g.r.IntN(3), len(out)-i)
		out = slices.Replace(out, i, i+n, g.lines(who, g.r.IntN(3))...)
	}
	return out
}

func (g *unsavedGame) lines(who string, n int) (out []string) {
	for range n {
		g.next++
		out = append(out, fmt.Sprint(who, " line ", g.next))
	}
	return out
}

func contentWith(lines []string) Content { return Content{Lines: lines, EOL: len(lines) > 0} }

// decide decides on the conflicts of a text, each as side says.
func decideAll(lines []string, side func(i int) string) []string {
	out, at := []string{}, 0
	for i, c := range buffers.Conflicts(lines) {
		out = append(out, lines[at:c.Start]...)
		yours, agents := lines[c.Start+1:c.Split], lines[c.Split+1:c.End-1]
		switch side(i) {
		case "":
			out = append(out, lines[c.Start:c.End]...)
		case "theirs":
			out = append(out, agents...)
		case "both":
			out = append(append(out, yours...), agents...)
		}
		at = c.End
	}
	return append(out, lines[at:]...)
}

// drops reports whether one text lacks a line of another, and has nothing in its place.
func drops(from, to []string, l string) bool {
	i := slices.Index(from, l)
	drop := func(e buffers.Edit) bool { return e.Start <= i && i < e.End && len(e.Lines) == 0 }
	return slices.ContainsFunc(buffers.Edits(from, to), drop)
}

// A revert of what an agent has merged into text that is not saved gives the disk what it had, and leaves what the user has typed unless
// they took the agent's side of a conflict instead; the undo of it gives the disk, and the text, what they had (behaviours 1375, 1620).
func TestUnsaved(t *testing.T) {
	failed := 0
	for seed := range uint64(*sequences) {
		if err := playUnsaved(seed); err != nil && failed < maxFailed {
			failed++
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

func playUnsaved(seed uint64) error {
	g := &unsavedGame{r: rand.New(rand.NewPCG(seed, 9)), desk: NewDesk()}
	g.desk.Open("s", nil)
	g.desk.Open("other", nil)
	g.desk.Begin("s", "go", time.Time{})
	disk := g.lines("base", 4+g.r.IntN(8))
	if g.r.IntN(2) == 0 { // it is known already, by a change that waits
		was := disk
		disk = append(g.lines("first", 1), disk...)
		g.desk.Changed([]string{"s"}, unsavedPath, contentWith(was), contentWith(disk))
		g.desk.Keep("s", unsavedPath, Pick{}, time.Time{})
		g.desk.Changed([]string{"s"}, unsavedPath, contentWith(disk), contentWith(append(slices.Clone(disk), "last")))
		disk = append(slices.Clone(disk), "last")
		g.desk.Revert("s", unsavedPath, Pick{}, "", time.Now())
		disk = disk[:len(disk)-1]
	}
	shown := g.edit(disk, "user")
	if g.r.IntN(3) == 0 {
		g.desk.Observe(unsavedPath, contentWith(shown))
	}
	wrote := g.edit(disk, "agent")
	merged := buffers.Merge(disk, shown, wrote).Lines
	saves := &Disk{contentWith(disk), contentWith(wrote)}
	g.desk.ChangedBelow([]string{"s"}, unsavedPath, contentWith(shown), contentWith(merged), saves)

	conflicts := len(buffers.Conflicts(merged))
	side := []string{"", "theirs", "both", "some"}[g.r.IntN(4)]
	sides := make([]string, conflicts)
	for i := range sides {
		if sides[i] = side; side == "some" {
			sides[i] = []string{"", "theirs", "both"}[g.r.IntN(3)]
		}
	}
	decided := decideAll(merged, func(i int) string { return sides[i] })
	g.desk.Observe(unsavedPath, contentWith(decided))
	log := fmt.Sprintf("disk %q\nshown %q\nwrote %q\nmerged %q\n%q: %q", disk, shown, wrote, merged, sides, decided)

	if len(g.desk.Hunks(unsavedPath)) == 0 {
		return nil // both have done the same
	}
	pick := Pick{Edited: true}
	now, out := g.desk.TryRevert("s", unsavedPath, nil, pick)
	onDisk := contentWith(wrote)
	then, saved := g.desk.TryRevert("s", unsavedPath, &onDisk, pick)
	wants := slices.DeleteFunc(slices.Clone(disk), func(l string) bool { // what both remove is no change of what is shown
		return drops(disk, shown, l) && drops(disk, wrote, l) && !slices.Contains(then.Lines, l)
	})
	got := slices.Clone(then.Lines)
	if slices.ContainsFunc(wrote, func(l string) bool { return slices.Contains(disk, l) && !slices.Contains(shown, l) }) {
		slices.Sort(wants) // nobody knows whether lines that only the user has removed were before or after the agent's
		slices.Sort(got)
	}
	if !slices.Equal(got, wants) {
		return fmt.Errorf("the disk has %q\n%s", then.Lines, log)
	}
	want := shown
	removes := func(c buffers.Conflict) bool { return c.Split == c.Start+1 } // the user: both sides are the agent's
	if slices.Contains(sides, "theirs") || slices.ContainsFunc(buffers.Conflicts(merged), removes) {
		want = now.Lines // checked by the disk
	}
	if !slices.Equal(now.Lines, want) {
		return fmt.Errorf("reverted %q, not %q\n%s", now.Lines, want, log)
	}

	pick.Disk = saved.Disk
	_, out = g.desk.Revert("s", unsavedPath, pick, "", time.Now())
	revert := g.desk.Last(false).Revert
	if revert.ID != out.Revert {
		return fmt.Errorf("not reverted: %+v\n%s", out, log)
	}
	for range 2 {
		onDisk = then
		back, _ := g.desk.TryUndo("s", unsavedPath, &onDisk, revert)
		if !slices.Equal(back.Lines, wrote) {
			return fmt.Errorf("undone, the disk has %q\n%s", back.Lines, log)
		}
		if c, _, _ := g.desk.Undo("s", revert); !slices.Equal(c.Lines, decided) {
			return fmt.Errorf("undone %q\n%s", c.Lines, log)
		}
		onDisk = contentWith(wrote)
		again, _ := g.desk.TryUndo("s", unsavedPath, &onDisk, revert)
		if !slices.Equal(again.Lines, then.Lines) {
			return fmt.Errorf("redone, the disk has %q\n%s", again.Lines, log)
		}
		if c, _, _ := g.desk.Undo("s", revert); !slices.Equal(c.Lines, now.Lines) {
			return fmt.Errorf("redone %q\n%s", c.Lines, log)
		}
	}
	return nil
}
