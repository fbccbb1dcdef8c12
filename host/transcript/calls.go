package transcript

import (
	"slices"
	"strconv"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/input"
)

// Calls are the calls of a transcript.
type Calls struct {
	opts    *Options
	blocks  *Blocks
	holding *holding
	running *running
	byID    map[string]*item   // by the agent's id
	live    map[*item]bool     // that are not finished, or may not be
	viewers map[string][]*item // that show a terminal, by its id
	agents  map[string]string  // by the subagents that they are
	below   *item              // the run whose child's update is being applied
	pieces  []piece            // of text, whose chunks have not come
	count   int                // created so far
	active  *item              // the one that last sent a location
	moved   bool               // since Moved was asked
}

// running is the latest turn.
type running struct {
	turn    bool        // it runs
	turns   int         // begun, or replayed
	prompt  *Block      // that began it
	plan    *Block      // of it
	planned []PlanEntry // as the agent sent it last
}

func (s *Calls) clear() {
	s.byID, s.live, s.viewers, s.agents = map[string]*item{}, map[*item]bool{}, map[string][]*item{}, map[string]string{}
	s.active, s.pieces = nil, nil
}

// Call returns the tool call with an id, nil if there is none. The caller must not change it.
func (s *Calls) Call(id string) *Call {
	if it := s.byID[id]; it != nil {
		return it.call
	}
	return nil
}

// Running reports whether a call is running, so that its time needs redrawing.
func (s *Calls) Running() bool {
	for it := range s.live {
		if it.call.Status == string(acp.ToolCallInProgress) {
			return true
		}
	}
	return false
}

// Runs reports whether a call of a kind is unfinished.
func (s *Calls) Runs(kind acp.ToolKind) bool {
	for it := range s.live {
		if it.call.Kind == kind {
			return true
		}
	}
	return false
}

// Moved reports whether the agent has sent a location since the last call of Moved.
func (s *Calls) Moved() bool {
	moved := s.moved
	s.moved = false
	return moved
}

// At returns the agent's last location, nil if it has sent none.
func (s *Calls) At() *Place {
	if s.active == nil {
		return nil
	}

	c := s.active.call
	if n := len(c.Locations); n > 0 {
		return placeOf(c.Locations[n-1])
	}

	diffs := c.Diffs()
	if len(diffs) == 0 {
		return nil
	}

	p := &Place{Path: diffs[len(diffs)-1].Path}
	for _, l := range c.view(diffs[len(diffs)-1]).lines {
		if l.sign == "+" || l.sign == "-" {
			p.Line = l.number
			break
		}
	}

	return p
}

// EditedPaths returns the paths that the calls of the last turn have edited, as their agent names them.
func (s *Calls) EditedPaths() []string {
	var paths []string
	for _, it := range s.byID {
		c := it.call
		if it.turn != s.running.turns || c.Kind != acp.ToolKindEdit || c.Status != string(acp.ToolCallCompleted) {
			continue
		}
		for _, d := range c.Diffs() {
			paths = append(paths, d.Path)
		}
		for _, l := range c.Locations {
			paths = append(paths, l.Path)
		}
	}

	return paths
}

// announced returns the changes that the calls of the latest turn say they have made.
func (s *Calls) announced() []FileChange {
	var list []FileChange
	for _, it := range s.byID {
		if it.turn != s.running.turns || it.call.Status != string(acp.ToolCallCompleted) {
			continue
		}
		for _, d := range it.call.Diffs() {
			if a, x, ok := it.call.count(d); a+x > 0 {
				list = append(list, FileChange{Path: d.Path, Added: a, Removed: x, Counted: ok})
			}
		}
	}

	return list
}

func (s *Calls) toolCall(c *acp.ToolCall) {
	s.again(c.ToolCallID)
	if it := s.byID[c.ToolCallID]; it != nil && it.call.another(c) {
		delete(s.byID, c.ToolCallID)
	}
	s.toolCallUpdate(c.Update())
}

// again drops the finished call of an earlier turn whose id is used again: some agents count from the beginning in each turn,
// or in each process.
func (s *Calls) again(id string) {
	if it := s.byID[id]; it != nil && it.call.finished() && it.turn != s.running.turns {
		delete(s.byID, id)
	}
}

func (s *Calls) toolCallUpdate(u *acp.ToolCallUpdate) *item {
	it := s.callItem(u.ToolCallID, u.Meta)
	c := it.call
	c.Patch(u)
	if u.Content.Set && !u.Content.Null {
		s.noteTerminals(it)
	}
	s.setStatus(it, u)
	if len(u.Locations.Value) > 0 || u.Content.Set && len(c.Diffs()) > 0 {
		s.active, s.moved = it, true
	}
	s.touchItem(it)
	return it
}

// callItem returns the item of a call. A new one is added to the block of calls at the end, or below the call of its subagent.
func (s *Calls) callItem(id string, meta acp.Meta) *item {
	it, parent := s.byID[id], s.below
	if parent == nil {
		parent = s.byID[s.parentOf(meta)]
	}
	if it == nil {
		it = s.newItem(id, parent)
	} else if parent != nil && it.parent == nil && !it.above(parent) && len(it.block.items) > 1 {
		it.block.items = slices.DeleteFunc(it.block.items, func(o *item) bool { return o == it })
		s.blocks.touch(it.block)
		it.hang(parent)
	}
	return it
}

func (s *Calls) newItem(id string, parent *item) *item {
	s.count++
	call := &Call{ID: id, Kind: acp.ToolKindOther, Status: string(acp.ToolCallPending)}
	it := &item{id: "c" + strconv.Itoa(s.count), turn: s.running.turns, call: call}
	if !s.blocks.loading {
		it.began = s.opts.Now()
	}
	if id != "" { // as in records of earlier versions
		s.byID[id] = it
	}
	if parent != nil {
		it.hang(parent)
	} else {
		it.block = s.callBlock()
		it.block.items = append(it.block.items, it)
	}

	return it
}

// callBlock returns the block for a new call.
func (s *Calls) callBlock() *Block {
	if b := s.blocks.last(); b != nil && b.Kind == ToolUse && !b.restored && (s.blocks.behind.at == nil || b.after != "") {
		return b
	}
	return s.blocks.add(ToolUse)
}

// touchItem marks an item for redrawing.
func (s *Calls) touchItem(it *item) {
	it.stale, it.unrecorded = true, true
	if it.call.finished() && !it.call.odd() {
		delete(s.live, it)
	} else {
		s.live[it] = true
	}
	s.blocks.touch(it.block)
}

// finish records when a call ended.
func (s *Calls) finish(it *item) {
	if it.call.finished() && it.ended.IsZero() {
		it.ended = s.opts.Now()
		for _, v := range it.call.views {
			v.asked = v.asked && v.first > 0 // the file may have the change by now
		}
	}
	if it.call.finished() {
		s.holding.add(it, it.call.bytes())
	}
}

// ShowTerminal adds a display terminal to a call, once.
func (s *Calls) ShowTerminal(toolCallID, terminalID string) {
	it := s.callItem(toolCallID, nil)
	if !it.call.hasTerminal(terminalID) {
		it.call.Terminals = append(it.call.Terminals, terminalID)
	}
	s.noteTerminals(it)
	s.touchItem(it)
}

// ReadSaved records that a call has read the saved version of a file with unsaved changes in the editor.
func (s *Calls) ReadSaved(id string) {
	if it := s.byID[id]; it != nil && !it.call.saved {
		it.call.saved = true
		s.touchItem(it)
	}
}

// Tick redraws the calls that show a running time.
func (s *Calls) Tick() {
	for it := range s.live {
		if it.call.Status == string(acp.ToolCallInProgress) {
			s.touchItem(it)
		}
	}
}

// noteTerminals records the terminals that a call shows.
func (s *Calls) noteTerminals(it *item) {
	for _, id := range it.call.terminals() {
		if !slices.Contains(s.viewers[id], it) {
			s.viewers[id] = append(s.viewers[id], it)
		}
	}
}

// Permission applies the tool call of a permission request and shows it as waiting, below a run if that is not "". It returns
// what was known of the call before, nil if nothing was.
func (s *Calls) Permission(run string, u *acp.ToolCallUpdate) (before *Call) {
	s.below = s.byID[run]
	defer func() { s.below = nil }()
	s.again(u.ToolCallID)
	var by told
	if c := s.Call(u.ToolCallID); c != nil {
		before, by = c.Clone(), c.told
		u = before.Completed(u)
		u.RawInput = input.Fill(u.RawInput, by.input)
	}
	it := s.toolCallUpdate(u)
	it.call.told = by
	it.call.asking++
	it.call.asked = true
	it.waits(true, s.opts.Now())
	return before
}

// Allowed shows an allowed call as running: many agents send no update of it until it is over.
func (s *Calls) Allowed(toolCallID string) {
	if it := s.byID[toolCallID]; it != nil && it.call.Status == string(acp.ToolCallPending) {
		it.call.Status = string(acp.ToolCallInProgress)
		s.touchItem(it)
	}
}

// PermissionDone shows that a call no longer waits; rejected says how it was answered.
func (s *Calls) PermissionDone(toolCallID string, rejected bool) {
	it := s.byID[toolCallID]
	if it == nil {
		return
	}
	it.call.asking = max(it.call.asking-1, 0)
	it.call.rejected = rejected
	it.waits(it.call.asking > 0, s.opts.Now())
	s.touchItem(it)
}

// TerminalChanged redraws the calls that show a terminal.
func (s *Calls) TerminalChanged(id string) {
	for _, it := range s.viewers[id] {
		if it.call.hasTerminal(id) { // its content may have changed
			s.settle(it)
			s.touchItem(it)
		}
	}
}
