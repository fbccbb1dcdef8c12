package reviewing

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/review"
)

// tally is what came of a decision on several files.
type tally struct {
	hunks    int
	files    map[string]bool // paths of those of which something was decided
	left     map[string]int  // hunks that the user has edited, by session and path
	under    map[string]int  // those that other agents have changed
	stay     map[string]bool // paths of created files that the user has lines in
	problems []string
}

func (t *tally) add(e review.Entry, out review.Outcome, err error) {
	if t.files == nil {
		t.files, t.left, t.under, t.stay = map[string]bool{}, map[string]int{}, map[string]int{}, map[string]bool{}
	}
	of := e.Session + " " + e.Path
	t.left[of], t.under[of] = max(t.left[of], out.Left), max(t.under[of], out.Under)
	if out.Stale && err == nil {
		return
	}
	if err != nil {
		problem := fmt.Sprintf("%s (%s)", plain.Reason(err), filepath.Base(e.Path))
		if !slices.Contains(t.problems, problem) {
			t.problems = append(t.problems, problem)
		}
		return
	}

	if out.Hunks == 0 {
		return
	}
	at := cmp.Or(out.Path, e.Path)
	t.hunks += out.Hunks
	delete(t.files, e.Path)
	delete(t.stay, e.Path) // what another part of it has said
	t.files[at] = true
	if out.Stays {
		t.stay[at] = true
	}
}

func sum(by map[string]int) (n int) {
	for _, m := range by {
		n += m
	}
	return n
}

// message returns what the user is told of an action, "keep" or "revert", in a scope; no text if it is seen anyway.
func (t *tally) message(action, scope string) (level, text string) {
	done := map[string]string{"keep": "kept", "revert": "reverted"}[action]
	left, under := sum(t.left), sum(t.under)
	switch {
	case len(t.problems) > 0:
		return "error", action + ": " + strings.Join(t.problems, "; ")
	case under > 0:
		if t.hunks > 0 {
			text = fmt.Sprintf("%s %s; ", done, plain.Plural(t.hunks, "hunk"))
		}
		return "warn", text + plain.Plural(under, "hunk") + " left, below another agent's: :AcpRevert file takes both back (! this alone)"
	case t.hunks == 0 && left == 0:
		return "info", "nothing to " + action + " there"
	case left > 0:
		return "warn", fmt.Sprintf("%s %s; %s left, since you have edited them (with ! they go too)",
			done, plain.Plural(t.hunks, "hunk"), plain.Plural(left, "hunk"))
	case len(t.stay) > 0:
		var names []string
		for _, path := range slices.Sorted(maps.Keys(t.stay)) {
			names = append(names, filepath.Base(path))
		}
		return "info", fmt.Sprintf("%s %s; %s stays, since it has other lines",
			done, plain.Plural(t.hunks, "hunk"), strings.Join(names, ", "))
	case scope != "hunk" && scope != "lines":
		return "info", fmt.Sprintf("%s %s in %s", done, plain.Plural(t.hunks, "hunk"), plain.Plural(len(t.files), "file"))
	}

	return "", ""
}
