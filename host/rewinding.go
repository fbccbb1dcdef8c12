package host

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// rewindArgs say which turns are to be taken back.
type rewindArgs struct {
	target
	Entry int  `msgpack:"entry"` // 0: the last one that is in effect
	Only  bool `msgpack:"only"`  // that one and no later ones
	Dry   bool `msgpack:"dry"`   // only say what would be done
}

// turnRow is a turn, or a rewind, as Neovim lists it.
type turnRow struct {
	ID      int      `msgpack:"id"`
	Time    int64    `msgpack:"time"` // unix
	Prompt  string   `msgpack:"prompt"`
	Agent   string   `msgpack:"agent"`
	Rewind  bool     `msgpack:"rewind"`
	Files   int      `msgpack:"files"`
	Added   int      `msgpack:"added"`
	Removed int      `msgpack:"removed"`
	Gone    bool     `msgpack:"gone"` // all of it has been taken back
	Notes   []string `msgpack:"notes"`
}

// actionRow is what a rewind does to a file, as Neovim shows it.
type actionRow struct {
	Path    string `msgpack:"path"` // shortened
	Kind    string `msgpack:"kind"` // "change", "create", "delete" or "refused"
	Added   int    `msgpack:"added"`
	Removed int    `msgpack:"removed"`
	Reason  string `msgpack:"reason"` // of a refusal
	Diff    string `msgpack:"diff"`   // hunks of a unified diff; "" if it is not text
}

// listTurns tells Neovim which turns have changed files.
func (s *Session) listTurns(a sessionArgs) {
	go func() { // ends when Neovim answers or goes away
		rows := []turnRow{}
		err := s.host.history.journal(s, func(j *rewind.Journal) error {
			for _, e := range slices.Backward(j.Entries) {
				rows = append(rows, rowOf(j, e))
			}
			return nil
		})
		if err != nil {
			s.host.say("error", "undo: "+err.Error())
			return
		}
		_ = s.host.ed.ExecLua(luaTurns, nil, s.id, rows) // Neovim goes
	}()
}

func rowOf(j *rewind.Journal, e rewind.Entry) turnRow {
	row := turnRow{
		ID: e.ID, Time: e.Time.Unix(), Prompt: e.Prompt, Agent: e.Agent, Rewind: e.Rewind(), Notes: append([]string{}, e.Notes...),
		Gone: len(e.Changes) > 0 && len(j.Only(e.ID)) == 0,
	}
	paths := map[string]bool{}
	for _, c := range e.Changes {
		paths[c.Path] = true
		row.Added += c.Added
		row.Removed += c.Removed
	}
	row.Files = len(paths)
	return row
}

// rewind takes back what turns have changed in files, or says what that would do.
func (s *Session) rewind(a rewindArgs) {
	go func() { // ends when Neovim has the text
		if err := s.takeBack(a); err != nil {
			s.host.say("error", "undo: "+err.Error())
		}
	}()
}

func (s *Session) takeBack(a rewindArgs) error {
	k := s.host.history
	store := k.checkpoints()
	switch {
	case store == nil:
		return errors.New("nothing is kept of earlier turns: fs.checkpoints or record.enabled is false")
	case ask(s, (*session.State).InTurn):
		return errors.New("a turn runs; stop it first")
	}
	if err := k.settle(s); err != nil {
		return err
	}

	return k.journal(s, func(j *rewind.Journal) error {
		entry, taken, err := choose(j, a)
		if err != nil {
			return err
		}
		changes := make([]rewind.Change, len(taken))
		for i, t := range taken {
			changes[i] = t.Change
		}
		pairs, lost := k.known(store, changes)
		steps := make([]rewind.Step, len(taken))
		for i, t := range taken {
			steps[i] = rewind.Step{Path: t.Path, Before: pairs[i].before, After: pairs[i].after}
		}
		plan := rewind.Plan(steps, func(path string) (rewind.Content, error) {
			if lost[path] {
				return rewind.Content{}, checkpoint.ErrGone
			}
			return k.now(path)
		})
		if a.Dry {
			return s.host.ed.ExecLua(luaRewind, nil, s.id, entry.ID, a.Only, s.actionRows(plan))
		}
		return s.carryOut(j, entry, a.Only, taken, steps, plan)
	})
}

// settle waits until the last turn of a session is written down.
func (k *history) settle(s *Session) error {
	for {
		k.mu.Lock()
		written := k.unwritten[s.id]
		k.mu.Unlock()
		if written == nil {
			return nil
		}
		select {
		case <-written:
		case <-k.ctx.Done():
			return k.ctx.Err()
		}
	}
}

// choose returns the entry that is meant, and what is to be taken back.
func choose(j *rewind.Journal, a rewindArgs) (rewind.Entry, []rewind.Taken, error) {
	for _, e := range slices.Backward(j.Entries) {
		if a.Entry != 0 && e.ID != a.Entry || a.Entry == 0 && (e.Rewind() || len(j.Only(e.ID)) == 0) {
			continue
		}
		if a.Only {
			return e, j.Only(e.ID), nil
		}
		return e, j.Back(e.ID), nil
	}
	return rewind.Entry{}, nil, errors.New("no turn has changed a file, or all of them are taken back")
}

// now returns what the user sees of a file: the text of its buffer, else what the disk has.
func (k *history) now(path string) (c rewind.Content, err error) {
	c, err = rewind.Read(path)
	if err != nil || !c.Text() {
		return c, err
	}
	err = k.host.files.Look(k.ctx, path, func(v files.View) error {
		if v.Buf != 0 && !c.Missing { // a buffer whose file is gone has its text still
			exec := c.Exec
			c = contentOf(v.Shown)
			c.Exec = exec
		}
		return nil
	})
	return c, err
}

// actionRows returns what is to be done as Neovim shows it.
func (s *Session) actionRows(plan []rewind.Action) []actionRow {
	rows := []actionRow{}
	for _, a := range plan {
		row := actionRow{Path: s.short(a.Path), Kind: "change", Added: a.Added, Removed: a.Removed, Reason: a.Refused}
		switch {
		case a.Refused != "":
			row.Kind = "refused"
		case a.Then.Missing:
			row.Kind = "delete"
		case a.Now.Missing:
			row.Kind = "create"
		}
		if a.Refused == "" && a.Now.Text() && a.Then.Text() {
			row.Diff, _, _ = buffers.Unified(buffers.Parse(string(a.Now.Data)), buffers.Parse(string(a.Then.Data)))
		}
		rows = append(rows, row)
	}
	return rows
}

// carryOut does what is planned, writes it down as an entry that can be taken back as well, and says so.
func (s *Session) carryOut(j *rewind.Journal, of rewind.Entry, only bool, taken []rewind.Taken, steps []rewind.Step, plan []rewind.Action) error {
	k := s.host.history
	var drafts []rewind.Draft
	var refused, done []string

	// What is planned is written down first: if Neovim ends before all is done, that can be taken back nevertheless.
	entry := rewind.Entry{Time: time.Now(), Prompt: of.Prompt, Agent: of.Agent}
	planned, err := s.rewound(plan, taken)
	if err == nil && len(planned) > 0 {
		entry.Changes = planned
		entry.ID, err = j.Append(entry)
	}
	if err != nil {
		return err
	}
	for _, a := range plan {
		if a.Refused == "" {
			a = k.carryOut(a.Path, steps)
		}
		switch {
		case a.Refused != "":
			refused = append(refused, fmt.Sprintf("%s (%s)", s.short(a.Path), a.Refused))
		case !a.Now.Equal(a.Then):
			done = append(done, a.Path)
			drafts = append(drafts, rewind.Draft{Path: a.Path, Before: rewind.Side{Content: &a.Now}, After: rewind.Side{Content: &a.Then}})
		}
	}

	if entry.ID > 0 {
		if entry.Changes, err = s.drafted(drafts, taken); err == nil {
			err = j.Correct(entry)
		}
		if err != nil {
			s.host.say("warn", "this may not be taken back as it was: "+err.Error())
		}
	}
	s.sayTaken(of, only, done, refused)
	return nil
}

// rewound returns what a plan changes, with what each change takes back.
func (s *Session) rewound(plan []rewind.Action, taken []rewind.Taken) ([]rewind.Change, error) {
	var drafts []rewind.Draft
	for _, a := range plan {
		if a.Refused == "" {
			drafts = append(drafts, rewind.Draft{Path: a.Path, Before: rewind.Side{Content: &a.Now}, After: rewind.Side{Content: &a.Then}})
		}
	}
	return s.drafted(drafts, taken)
}

// drafted returns drafts of a rewind as changes whose versions are stored.
func (s *Session) drafted(drafts []rewind.Draft, taken []rewind.Taken) ([]rewind.Change, error) {
	k := s.host.history
	changes, err := k.stored(k.checkpoints(), s, drafts)
	counts := map[string]rewind.Draft{}
	for _, d := range drafts {
		counts[d.Path] = d
	}
	for i, c := range changes {
		changes[i].Back = rewind.Entries(taken, c.Path)
		changes[i].Added, changes[i].Removed = rewind.Count(*counts[c.Path].Before.Content, *counts[c.Path].After.Content)
	}
	return changes, err
}

// sayTaken tells the user what was taken back, and the agent with the next prompt.
func (s *Session) sayTaken(of rewind.Entry, only bool, done, refused []string) {
	what := fmt.Sprintf("files are as before “%s”", of.Prompt)
	switch {
	case of.Rewind():
		what = fmt.Sprintf("what was taken back of “%s” is there again", of.Prompt)
	case only:
		what = fmt.Sprintf("the changes of “%s” are taken back", of.Prompt)
	}
	if len(done) == 0 {
		what = "nothing was taken back"
	} else {
		what += ": " + s.shortList(done)
	}
	level := "info"
	if len(refused) > 0 {
		what += "; not "
		for i, name := range refused {
			if i > 0 {
				what += ", "
			}
			what += name
		}
		level = "warn"
	}
	s.host.say(level, what)
	if len(done) == 0 {
		return
	}
	note := "Note from the editor: the user has changed these files back to an earlier state. Read them again before you edit them, and do " +
		"not repeat what was undone unless the user asks for it."
	for _, path := range done {
		note += "\n" + path
	}
	s.do(func(st *session.State) {
		st.Say(what, "AcpNotice")
		st.Tell(note)
	})
}

// errRaw says that a file is not one that buffers have.
var errRaw = errors.New("not text")

// carryOut takes the steps of one file back, in its buffer and on the disk. It returns what it has done.
func (k *history) carryOut(path string, steps []rewind.Step) (did rewind.Action) {
	own := slices.DeleteFunc(slices.Clone(steps), func(s rewind.Step) bool { return s.Path != path })
	back := func(now rewind.Content) (rewind.Content, error) {
		plan := rewind.Plan(own, func(string) (rewind.Content, error) { return now, nil })
		switch {
		case len(plan) == 0:
			return now, nil
		case plan[0].Refused != "":
			return now, errors.New(plan[0].Refused)
		}
		return plan[0].Then, nil
	}
	disk, err := rewind.Read(path)
	textual := err == nil && disk.Text() && !slices.ContainsFunc(own, func(s rewind.Step) bool {
		return !s.Before.Text() || !s.After.Text() || !s.Before.Missing && !s.After.Missing && s.Before.Exec != s.After.Exec || s.After.Missing && s.Before.Exec
	})

	var before files.View
	err = k.host.files.Rewrite(k.ctx, path, func(v files.View) (shown, onDisk files.Text, err error) {
		switch {
		case v.Buf == 0:
			return shown, onDisk, errRaw // byte for byte
		case !textual:
			return shown, onDisk, errors.New("it is open and not text: close it first")
		}
		before = v
		now := contentOf(v.Shown)
		then, err := back(now)
		if err != nil {
			return shown, onDisk, err
		}
		left, err := back(contentOf(v.Disk))
		if err != nil {
			return shown, onDisk, err
		}
		did = rewind.Action{Path: path, Now: now, Then: then}
		if v.Disk.Missing {
			did.Now, did.Then = rewind.Content{Missing: true}, left
		}
		k.host.review.desk.Observe(path, review.Content(textOf(then)))
		return textOf(then), textOf(left), nil
	}, func() { k.host.review.desk.Observe(path, review.Content(before.Shown)) })
	if errors.Is(err, errRaw) {
		err = k.host.files.Exclusively(k.ctx, path, func() error {
			now, err := rewind.Read(path)
			if err != nil {
				return err
			}
			then, err := back(now)
			if err != nil {
				return err
			}
			did = rewind.Action{Path: path, Now: now, Then: then}
			if then.Text() {
				k.host.review.desk.Observe(path, review.Content(textOf(then)))
			}
			return rewind.Write(path, then)
		})
	}
	k.restored(path)
	k.host.review.poke(path)
	if err != nil {
		return rewind.Action{Path: path, Refused: err.Error()}
	}
	return did
}
