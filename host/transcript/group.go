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

// itemRows draws calls, those of a group below its line if that is open.
func (w *painter) itemRows(rows []row, items []*item, depth int) []row {
	called := false // what is above is a call with its rows, and no words
	for len(items) > 0 {
		n := slices.IndexFunc(items, w.opts.loud)
		if n < 0 {
			n = len(items)
		}
		if n < 2 {
			it, at := items[0], len(rows)
			rows, items = w.oneItem(rows, it, depth), items[1:]
			if it.speech() && called && at < len(rows) {
				rows[at].goesOn(it.parent)
			}
			called = !it.speech() || called && at == len(rows)
			continue
		}

		group := items[:n]
		rows = append(rows, w.groupRow(group).shift(w.opts.pad(depth)))
		if spread(group) {
			for _, it := range group {
				rows = w.oneItem(rows, it, depth+1)
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
func (w *painter) oneItem(rows []row, it *item, depth int) []row {
	if it.stale || it.rows == nil {
		it.rows, it.stale = w.callRows(it), false
	}

	below, pad := it.rows, w.opts.pad(depth)
	if len(it.children) > 0 && len(below) > 0 {
		rows, below = append(rows, below[0].shift(pad)), below[1:]
		if w.opts.showsItem(it) {
			rows = w.itemRows(rows, it.children, depth+1)
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

// groupRow returns the line of a group: a summary of its calls, the failures, the time.
func (w *painter) groupRow(group []*item) row {
	r := row{text: w.summary(group), head: "g" + group[0].id, folds: true, open: spread(group)}
	icon := w.opts.Icons.Closed
	if r.open {
		icon = w.opts.Icons.Open
	}

	tone := "AcpDone"
	r.mark(0, len(r.text), "AcpDone")
	var right [][2]string
	failed := 0 // of what has run all the same; what has not is in the summary
	for _, it := range group {
		switch outcome := w.outcome(it); {
		case outcome == string(acp.ToolCallFailed):
			tone = "AcpFailed" // also where its words have no room
			if ran(it, outcome) {
				failed++
			}
		case outcome == rejected || outcome == cancelled:
			tone = "AcpFailed"
		}
	}

	if failed > 0 {
		right = append(right, [2]string{fmt.Sprintf("%d failed  ", failed), "AcpFailed"})
	}
	if took := took(group, w.opts.Now()); took >= time.Second {
		right = append(right, [2]string{seconds(took), "AcpDone"})
	}
	if n := len(right); n > 0 {
		right[n-1][0] = strings.TrimRight(right[n-1][0], " ")
	}

	r.icon(0, icon, tone)
	r.right(right...)
	return r
}

func (w *painter) outcome(it *item) string {
	switch {
	case it.call.rejected:
		return it.call.refused()
	case w.opts.failed(it.call):
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
	acp.ToolKindThink:      {"thought once", "thought %d times", false},
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

// attempts has what did not happen, by the kind of call.
var attempts = map[acp.ToolKind]noun{
	acp.ToolKindRead: {"read", "reads"}, acp.ToolKindEdit: {"edit", "edits"}, acp.ToolKindDelete: {"deletion", "deletions"},
	acp.ToolKindMove: {"move", "moves"}, acp.ToolKindSearch: {"search", "searches"}, acp.ToolKindExecute: {"command", "commands"},
	acp.ToolKindFetch: {"fetch", "fetches"}, acp.ToolKindSwitchMode: {"change of mode", "changes of mode"},
	acp.ToolKindThink: {"thought", "thoughts"}, acp.ToolKindOther: {"call", "calls"}, subagent: {"agent", "agents"},
}

// ran reports whether a call has done what its kind says: a command that fails has run, an edit that fails has edited nothing.
func ran(it *item, outcome string) bool {
	switch outcome {
	case rejected, cancelled:
		return false
	case string(acp.ToolCallFailed):
		return kindOf(it) == acp.ToolKindExecute || kindOf(it) == subagent
	}
	return true
}

// kindOf returns the kind under which a call is counted.
func kindOf(it *item) acp.ToolKind {
	if len(it.children) > 0 || it.call.Kind == runKind {
		return subagent
	}
	if _, known := deeds[it.call.Kind]; !known {
		return acp.ToolKindOther
	}
	return it.call.Kind
}

// counted counts calls by their kinds, in the order in which these come first. Those of one file may count once.
func counted(group []*item, once bool) (kinds []acp.ToolKind, counts map[acp.ToolKind]int) {
	counts = map[acp.ToolKind]int{}
	seen := map[string]bool{}
	for _, it := range group {
		kind, what := kindOf(it), it.id
		if once && deeds[kind].files && it.call.path() != "" {
			what = it.call.path()
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		if key := string(kind) + "\x00" + what; !seen[key] {
			seen[key] = true
			counts[kind]++
		}
	}

	return kinds, counts
}

// summary returns a summary of the calls of a group in words: what was done, and what was not.
func (w *painter) summary(group []*item) string {
	var done []*item
	missed := map[string][]*item{} // by outcome
	for _, it := range group {
		if outcome := w.outcome(it); ran(it, outcome) {
			done = append(done, it)
		} else {
			missed[outcome] = append(missed[outcome], it)
		}
	}

	parts := summaryOf(done)
	for _, outcome := range []string{string(acp.ToolCallFailed), rejected, cancelled} {
		kinds, counts := counted(missed[outcome], false)
		for _, kind := range kinds {
			word := outcome
			if outcome == cancelled {
				word = "stopped"
			}
			parts = append(parts, attempts[kind].of(counts[kind])+" "+word)
		}
	}

	text := strings.Join(parts, w.opts.Icons.Between())
	return strings.ToUpper(text[:1]) + text[1:]
}

// summaryOf returns what calls have done.
func summaryOf(group []*item) []string {
	kinds, counts := counted(group, true)
	var parts []string
	if len(kinds) > 1 && !slices.ContainsFunc(kinds, func(k acp.ToolKind) bool { return explored[k].one == "" }) {
		for _, kind := range kinds {
			parts = append(parts, explored[kind].of(counts[kind]))
		}
		parts[0] = "Explored " + parts[0]
		return parts
	}
	for _, kind := range kinds {
		parts = append(parts, deed(kind, counts[kind]))
	}

	return parts
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
