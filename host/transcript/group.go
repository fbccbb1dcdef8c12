package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Two or more finished calls in a row that need no attention fold to one line: a group. A call that runs, asks, or shows a
// small change stays apart between the groups.

// quiet reports whether a call may join a group.
func (t *Transcript) quiet(it *item) bool {
	return t.opts.FoldCalls && it.call.finished() && it.call.Kind != runKind && it.call.asking == 0 && !it.call.smallChange() && !it.call.saved && !it.speech() &&
		!slices.ContainsFunc(it.children, func(child *item) bool { return !child.speech() && t.loud(child) })
}

func (t *Transcript) loud(it *item) bool { return !t.quiet(it) }

// itemRows draws calls, those of a group below its line if that is open.
func (t *Transcript) itemRows(rows []row, items []*item, depth int) []row {
	called := false // what is above is a call with its rows, and no words
	for len(items) > 0 {
		n := slices.IndexFunc(items, t.loud)
		if n < 0 {
			n = len(items)
		}
		if n < 2 {
			it, at := items[0], len(rows)
			rows, items = t.oneItem(rows, it, depth), items[1:]
			if it.speech() && called && at < len(rows) {
				rows[at].goesOn(it.parent)
			}
			called = !it.speech() || called && at == len(rows)
			continue
		}
		group := items[:n]
		rows = append(rows, t.groupRow(group).shift(t.pad(depth)))
		if spread(group) {
			for _, it := range group {
				rows = t.oneItem(rows, it, depth+1)
			}
		}
		items, called = items[n:], true
	}
	return rows
}

// goesOn makes a row one of an item that is drawn, below the rows of others that are below that.
func (r *row) goesOn(it *item) {
	if r.head == "" {
		r.head, r.open = it.id, true
	}
}

// oneItem draws a call; of one that is a subagent its calls between its head and its answer.
func (t *Transcript) oneItem(rows []row, it *item, depth int) []row {
	if it.stale || it.rows == nil {
		it.rows, it.stale = t.callRows(it), false
	}
	below, pad := it.rows, t.pad(depth)
	if len(it.children) > 0 && len(below) > 0 {
		rows, below = append(rows, below[0].shift(pad)), below[1:]
		if t.showsItem(it) {
			rows = t.itemRows(rows, it.children, depth+1)
		}
	}
	for i, r := range below {
		if r = r.shift(pad); i == 0 && len(it.children) > 0 && len(below) < len(it.rows) {
			r.goesOn(it)
		}
		rows = append(rows, r)
	}
	return rows
}

// spread reports whether a group shows its calls: as the user has set it, else if one of them was opened before.
func spread(group []*item) bool {
	opened := false
	for _, it := range group {
		switch {
		case it.spread > 0:
			return true
		case it.spread < 0:
			return false
		}
		opened = opened || it.set && it.open
	}
	return opened
}

// groupOf returns the group whose line has an id.
func (t *Transcript) groupOf(items []*item, id string) []*item {
	for i, it := range items {
		if "g"+it.id == id {
			n := slices.IndexFunc(items[i:], t.loud)
			if n < 0 {
				n = len(items) - i
			}
			return items[i : i+n]
		}
		if group := t.groupOf(it.children, id); group != nil {
			return group
		}
	}
	return nil
}

// groupRow returns the line of a group: a summary of its calls, the failures, the time.
func (t *Transcript) groupRow(group []*item) row {
	r := row{text: summary(group, t.opts.Icons.Between()), head: "g" + group[0].id, folds: true, open: spread(group)}
	icon := t.opts.Icons.Closed
	if r.open {
		icon = t.opts.Icons.Open
	}
	tone := "AcpDone"
	r.mark(0, len(r.text), "AcpDone")
	var right [][2]string
	for _, word := range []string{"failed", "rejected", cancelled} {
		n := 0
		for _, it := range group {
			if t.outcome(it) == word {
				n++
			}
		}
		if n > 0 {
			right = append(right, [2]string{fmt.Sprintf("%d %s  ", n, word), "AcpFailed"})
			tone = "AcpFailed" // also where its words have no room
		}
	}
	if took := took(group, t.opts.Now()); took >= time.Second {
		right = append(right, [2]string{seconds(took), "AcpDone"})
	}
	if n := len(right); n > 0 {
		right[n-1][0] = strings.TrimRight(right[n-1][0], " ")
	}
	r.inline(0, icon+" ", tone)
	r.right(right...)
	return r
}

func (t *Transcript) outcome(it *item) string {
	switch {
	case it.call.rejected && it.call.Status != string(acp.ToolCallCompleted):
		return "rejected"
	case t.failed(it.call):
		return string(acp.ToolCallFailed)
	}
	return it.call.Status
}

// deeds has the words for n calls of a kind: singular, plural, and whether to count different files.
var deeds = map[acp.ToolKind]struct {
	one, many string
	files     bool
}{
	acp.ToolKindRead:       {"read 1 file", "read %d files", true},
	acp.ToolKindEdit:       {"edited 1 file", "edited %d files", true},
	acp.ToolKindDelete:     {"deleted 1 file", "deleted %d files", true},
	acp.ToolKindMove:       {"moved 1 file", "moved %d files", false},
	acp.ToolKindSearch:     {"searched once", "searched %d times", false},
	acp.ToolKindExecute:    {"ran 1 command", "ran %d commands", false},
	acp.ToolKindFetch:      {"fetched 1 page", "fetched %d pages", false},
	acp.ToolKindSwitchMode: {"changed the mode", "changed the mode %d times", false},
	acp.ToolKindOther:      {"used 1 tool", "used %d tools", false},
}

// noun is what is counted: its singular, and its plural.
type noun struct{ one, many string }

func (n noun) of(count int) string {
	if count == 1 {
		return "1 " + n.one
	}
	return fmt.Sprintf("%d %s", count, n.many)
}

// explored has what is looked at, by the kind of call. A group of several of these kinds has one verb.
var explored = map[acp.ToolKind]noun{
	acp.ToolKindRead: {"file", "files"}, acp.ToolKindSearch: {"search", "searches"}, acp.ToolKindFetch: {"page", "pages"},
}

// subagent is the kind under which calls with calls below them are counted.
const subagent acp.ToolKind = "subagent"

// summary returns a summary of the calls of a group in words.
func summary(group []*item, between string) string {
	var kinds []acp.ToolKind
	seen := map[acp.ToolKind]map[string]bool{}
	for _, it := range group {
		kind, what := it.call.Kind, it.id
		if _, known := deeds[kind]; !known {
			kind = acp.ToolKindOther
		}
		if len(it.children) > 0 || it.call.Kind == runKind {
			kind = subagent
		} else if deeds[kind].files && it.call.path() != "" {
			what = it.call.path()
		}
		if seen[kind] == nil {
			seen[kind] = map[string]bool{}
			kinds = append(kinds, kind)
		}
		seen[kind][what] = true
	}
	var parts []string
	for _, kind := range kinds {
		parts = append(parts, deed(kind, len(seen[kind])))
	}
	if len(kinds) > 1 && !slices.ContainsFunc(kinds, func(k acp.ToolKind) bool { return explored[k].one == "" }) {
		parts = parts[:0]
		for _, kind := range kinds {
			parts = append(parts, explored[kind].of(len(seen[kind])))
		}
		return "Explored " + strings.Join(parts, between)
	}
	text := strings.Join(parts, between)
	return strings.ToUpper(text[:1]) + text[1:]
}

func deed(kind acp.ToolKind, n int) string {
	one, many := deeds[kind].one, deeds[kind].many
	if kind == subagent {
		one, many = "ran 1 agent", "ran %d agents"
	}
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}

// path returns the first file of a call, "" if there is none.
func (c *Call) path() string {
	if len(c.Locations) > 0 {
		return c.Locations[0].Path
	}
	if diffs := c.Diffs(); len(diffs) > 0 {
		return diffs[0].Path
	}
	return ""
}
