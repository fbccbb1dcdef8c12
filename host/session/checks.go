package session

import (
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/problems"
)

// maxFixes is how often errors are sent by themselves between two prompts of the user's.
const maxFixes = 2

// Checks are what a session knows of the errors that its turns bring.
type Checks struct {
	screen *Screen
	turns  *turns
	round
}

// round is what is known of a turn and those before it that nothing was looked for after.
type round struct {
	turn    *Turn           // the last one that began; errors are looked for when it is over, until the next begins
	before  []problems.Item // at the beginning of the turn …
	known   bool            // … if they are known
	seen    map[string]bool // files of which they were known, by real path
	ticks   map[string]int  // of the files that were open, by real path
	changed map[string]bool // files that its agent has changed since, by real path
	named   []string        // paths of the calls of earlier turns that nothing was looked for after
	looking bool            // errors are looked for after it
	done    bool            // errors were looked for after it
	offer   []problems.Item // new errors that the user may send
	late    string          // which language servers have not settled, as the user was told
	fixes   int             // how often it was sent by itself since the user's last prompt
}

// begin begins anew, with a turn. What the turns before it have brought is looked for after this one if there was no time.
func (c *Checks) begin(t *Turn) {
	was := c.round
	c.round = round{turn: t, late: was.late}
	if t.Prompt.Fix {
		c.fixes = was.fixes
	}
	if was.known && !was.done {
		c.before, c.known, c.seen, c.ticks, c.changed = was.before, true, was.seen, was.ticks, was.changed
		c.named = slices.Concat(was.named, c.screen.log.Calls().EditedPaths())
	}
}

// Checkable reports whether a turn is over, and none has begun since.
func (c *Checks) Checkable(t *Turn) bool { return c.turns.now == nil && c.turn == t }

// Before notes the errors at the beginning of a turn. It reports false if those of an earlier turn are still needed.
func (c *Checks) Before(t *Turn, now problems.Known) bool {
	if c.turns.now != t || c.known {
		return false
	}
	c.before, c.known, c.seen, c.ticks = now.Items, true, map[string]bool{}, map[string]int{}
	for _, path := range now.Seen {
		c.seen[path] = true
	}
	for _, o := range now.Open {
		c.ticks[o.Path] = o.Tick
	}
	return true
}

// WithoutBaseline returns those files of errors in which the errors before the turn were not known, each once.
func (c *Checks) WithoutBaseline(t *Turn, list []problems.Item) []string {
	var paths []string
	if !c.Checkable(t) {
		return nil
	}
	for _, i := range list {
		if !c.seen[i.Path] && !slices.Contains(paths, i.Path) {
			paths = append(paths, i.Path)
		}
	}
	return paths
}

// Elsewhere returns the errors that are new since the turn began, in other files than those that it has changed. Seen tells of which
// of these files the errors before were known. Shared reports whether somebody has changed another open file meanwhile.
func (c *Checks) Elsewhere(t *Turn, now problems.Known, changed []string) (list []problems.Item, seen map[string]bool, shared bool) {
	if !c.Checkable(t) || !c.known {
		return nil, nil, false
	}
	for _, i := range problems.New(c.before, now.Items) {
		if !slices.Contains(changed, i.Path) {
			list = append(list, i)
		}
	}
	for _, o := range now.Open {
		tick, before := c.ticks[o.Path]
		typed := before && tick != o.Tick || !before && o.Modified
		shared = shared || typed && !slices.Contains(changed, o.Path)
	}
	return list, maps.Clone(c.seen), shared
}

// FileChanged notes that the agent has changed a file.
func (c *Checks) FileChanged(real string) {
	if c.changed == nil {
		c.changed = map[string]bool{}
	}
	c.changed[real] = true
}

// ChangedFiles returns the files that the agent has changed since its last turn began, as far as they are known by their edits, and by
// the paths of its calls; nil once another turn has begun.
func (c *Checks) ChangedFiles(t *Turn) (real, named []string) {
	if !c.Checkable(t) {
		return nil, nil
	}
	return slices.Sorted(maps.Keys(c.changed)), slices.Concat(c.named, c.screen.log.Calls().EditedPaths())
}

// New returns the errors of a list that the last turn has brought, and those before it whose errors were not looked for: each once,
// if it is asked again. All says that there will be no more. It is nil once another one has begun, and if those of before are not known.
func (c *Checks) New(t *Turn, list []problems.Item, all bool) []problems.Item {
	if !c.Checkable(t) || !c.known {
		return nil
	}
	c.done = all
	fresh := problems.New(c.before, list)
	c.before = slices.Concat(c.before, fresh)
	return fresh
}

// Offer shows errors of the last turn, and keeps them for the user to send; whole are all of the turn, for if they have not sent the last
// ones.
func (c *Checks) Offer(t *Turn, text string, list, whole []problems.Item) {
	if !c.Checkable(t) {
		return
	}
	if len(c.offer) > 0 {
		list = whole
	}
	c.offer = list
	c.screen.Say(plain.Visible(text), "AcpWarning")
}

// Note says something of how errors are looked for after the last turn.
func (c *Checks) Note(t *Turn, text string) {
	if c.Checkable(t) && c.known {
		c.screen.Say(plain.Visible(text), "AcpDone")
	}
}

// Late notes which language servers have not settled after the last turn, "" if all have. The user is told once, until they have. None
// says that there are no new errors so far, which they are told if they were told that some may follow.
func (c *Checks) Late(t *Turn, late string, none bool) {
	if !c.Checkable(t) || !c.known {
		return
	}
	was := c.late
	c.late = late
	switch {
	case late != "" && was == "":
		c.screen.Say(plain.Visible(late+"; errors may follow"), "AcpDone")
	case late == "" && was != "" && none:
		c.screen.Say("no new errors", "AcpDone")
	}
}

// Looked notes that errors are no longer looked for after a turn.
func (c *Checks) Looked(t *Turn) {
	if c.turn == t {
		c.looking = false
	}
}

// TakeOffer returns the errors that are offered, once, and for the user why there may be none.
func (c *Checks) TakeOffer() (list []problems.Item, none string) {
	list, c.offer = c.offer, nil
	switch {
	case c.turns.now != nil:
		none = "new errors are looked for when the turn is over"
	case c.looking:
		none = "new errors are still looked for"
	case c.turn == nil:
		none = "new errors are looked for after the next turn"
	case !c.done:
		none = "new errors were not looked for after the last turn"
	default:
		none = "no new errors since the last turn"
	}
	return list, none
}

// Stop has errors offered that would be sent by themselves, until the user's next prompt. They are told so while errors are looked for.
func (c *Checks) Stop() {
	if c.turns.now == nil && c.known && !c.done && c.fixes < maxFixes {
		c.screen.Say("new errors will be offered, not sent", "AcpDone")
	}
	c.fixes = maxFixes
}

// MayFix reports whether errors of the last turn may be sent by themselves once more, and counts that.
func (c *Checks) MayFix(t *Turn) bool {
	if !c.Checkable(t) || c.fixes >= maxFixes {
		return false
	}
	c.fixes++
	return true
}
