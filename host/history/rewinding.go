package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// The functions of lua/nvim-acp/host.lua that are called here.
const (
	luaTurns  = `require("nvim-acp.host").turns(...)`
	luaRewind = `require("nvim-acp.host").rewind(...)`
	luaGoOn   = `require("nvim-acp.host").go_on(...)`
)

// RewindArgs say what is to be taken back: what one turn, or rewind, has changed in files; or everything since a prompt.
type RewindArgs struct {
	feature.Target
	Owner string `msgpack:"owner"` // local id of the session whose turn Entry is
	Entry int    `msgpack:"entry"` // 0: the last one that is in effect, or that of the prompt
	Only  bool   `msgpack:"only"`  // that one and no later ones
	Turn  string `msgpack:"turn"`  // the prompt, by its key …
	Block string `msgpack:"block"` // … or by its block; "": Entry says it
	Files bool   `msgpack:"files"` // the changes in files
	Talk  bool   `msgpack:"talk"`  // the conversation since the prompt
	Dry   bool   `msgpack:"dry"`   // only say what would be done
}

// word is what the user calls it: what is taken back of one turn's files is an undo.
func (a RewindArgs) word() string {
	if a.Talk || a.Turn != "" || a.Block != "" {
		return "rewind"
	}
	return "undo"
}

// planRow is what a rewind would do, as Neovim shows it. With the same fields it is asked for.
type planRow struct {
	Owner   string      `msgpack:"owner"`
	Entry   int         `msgpack:"entry"`
	Only    bool        `msgpack:"only"`
	Turn    string      `msgpack:"turn"`
	Files   bool        `msgpack:"files"`
	Talk    bool        `msgpack:"talk"`
	Actions []actionRow `msgpack:"actions"`
	Prompts []string    `msgpack:"prompts"` // that the conversation loses
	Native  bool        `msgpack:"native"`  // the agent goes back itself: it is not told what was said before
	Notes   []string    `msgpack:"notes"`   // what is not known of the changes
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

// Rewind goes back to before a turn, or says what that would do.
func (k *History) Rewind(s feature.Session, a RewindArgs) {
	s.Spawn(func() { // ends when Neovim has the text
		if err := (request{k, s}).goBack(a); err != nil {
			k.host.Say("error", a.word()+": "+plain.Reason(err))
		}
	})
}

// request is one for a rewind, in a session.
type request struct {
	*History
	s feature.Session
}

// goBack is Rewind. It waits for the disk and for Neovim.
func (q request) goBack(a RewindArgs) error {
	if feature.Ask(q.s, func(st *session.State) bool { return st.Turn() != nil }) {
		return errors.New("a turn runs; stop it first")
	}
	if err := q.Settle(q.s); err != nil {
		return err
	}

	q.hooks.Look(q.ctx, q.earlier(q.s)...)
	row := planRow{
		Owner: a.Owner, Entry: a.Entry, Only: a.Only, Turn: a.Turn, Files: a.Files, Talk: a.Talk,
		Actions: []actionRow{}, Prompts: []string{}, Notes: []string{},
	}
	var from *transcript.Moment
	if a.Turn != "" || a.Block != "" {
		var err error
		if from, err = q.moment(a, &row); err != nil {
			return err
		}
	}

	var parts []part
	if a.Files {
		var err error
		if parts, err = q.parts(a, from); err != nil {
			return err
		}
	}

	if a.Dry {
		plan := q.plan(q.ctx, parts)
		q.refuse(plan, parts)
		row.Actions = q.actionRows(plan)
		unsaved := func(path string) bool { return q.files.Unsaved(q.ctx, path) }
		if list := onlyShown(parts, plan, unsaved); len(list) > 0 {
			row.Notes = append(row.Notes, "already undone in the buffer, not saved (:w): "+feature.ShortList(q.s, list))
		}
		for _, p := range parts {
			row.Notes = append(row.Notes, p.notes...)
			for _, f := range p.folders {
				row.Actions = append(row.Actions, actionRow{Path: q.s.Short(f.Path) + "/", Kind: "create"})
			}
		}
		if len(parts) == 1 && from == nil {
			row.Owner, row.Entry = parts[0].owner, parts[0].entry.ID
		}
		return q.host.ExecLua(luaRewind, nil, q.s.LocalID(), row)
	}

	if len(parts) > 0 {
		if err := q.takeBack(a, from, parts); err != nil {
			return err
		}
	} else if a.Files && !a.Talk {
		q.host.Say("info", "no file was changed")
	}

	if a.Talk && from != nil {
		var words string
		var attached []session.Attachment
		q.s.Do(func(st *session.State) {
			words, _ = st.Log().Blocks().Words(st.Log().Blocks().BlockOf(from.Key))
			attached = st.Queue().Attached(from.Key)
		})
		return q.host.ExecLua(luaGoOn, nil, q.s.LocalID(), from.Key, words, attached)
	}

	return nil
}

// moment returns the point of the conversation that is meant, and completes what Neovim is shown of it.
func (q request) moment(a RewindArgs, row *planRow) (*transcript.Moment, error) {
	var list []transcript.Moment
	q.s.Do(func(st *session.State) {
		list = st.Log().Blocks().Moments()
		if a.Turn == "" {
			row.Turn = st.Log().Blocks().KeyOf(a.Block)
		}
	})

	i := slices.IndexFunc(list, func(m transcript.Moment) bool { return m.Key == row.Turn })
	if i < 0 {
		return nil, errors.New("this prompt has begun no turn")
	}
	if a.Talk && !q.host.Settings().Records() {
		return nil, errors.New("the conversation is not recorded: record.enabled is false")
	}

	for _, m := range list[i:] {
		row.Prompts = append(row.Prompts, session.FirstLine(m.Text))
	}

	row.Native = q.hooks.ForksAt(q.s, list[i])
	from := list[i]
	from.Time = transcript.Since(list, i)
	return &from, nil
}

// actionRows returns what is to be done as Neovim shows it.
func (q request) actionRows(plan []rewind.Action) []actionRow {
	rows := []actionRow{}
	for _, a := range plan {
		row := actionRow{Path: q.s.Short(a.Path), Kind: "change", Added: a.Added, Removed: a.Removed}
		row.Reason = plain.OneLine(a.Refused) // it may name the file
		switch {
		case a.Refused != "":
			row.Kind = "refused"
		case a.Then.Missing:
			row.Kind = "delete"
		case a.Now.Missing:
			row.Kind = "create"
		}

		if a.Refused == "" && a.Now.Text() && a.Then.Text() {
			row.Diff, _, _ = buffers.Unified(a.Now.Lines(), a.Then.Lines())
		}

		rows = append(rows, row)
	}

	return rows
}

// takeBack takes back what parts of histories have changed in files, and says what came of it.
func (q request) takeBack(a RewindArgs, from *transcript.Moment, parts []part) error {
	for _, p := range parts { // all of them, before anything is done
		release, err := q.Journals.hold(p.owner)
		if err != nil {
			return err
		}
		defer release()
	}

	var done, refused []string
	var failed error
	for _, p := range parts {
		failed = q.Journals.rewind(p.owner, func(j *rewind.Journal) error {
			d, r, err := q.applyRewind(j, p)
			done, refused = append(done, d...), append(refused, r...)
			return err
		})
		if failed != nil {
			break
		}
	}
	if failed != nil && len(done)+len(refused) == 0 {
		return failed
	}

	slices.Sort(done)
	of := parts[0].entry
	if from != nil {
		of = rewind.Entry{Prompt: session.FirstLine(from.Text)}
	}

	q.sayTaken(a, of, slices.Compact(done), refused)
	return failed
}

// applyRewind does a part of a rewind, and writes it down as an entry that can be taken back as well. It returns the files that were
// changed, and those that were refused, with the reasons.
func (q request) applyRewind(j *rewind.Journal, p part) (done, refused []string, err error) {
	var drafts []rewind.Draft

	// What is planned is written down first: if Neovim ends before all is done, that can be taken back nevertheless.
	entry := rewind.Entry{Time: time.Now(), Prompt: p.entry.Prompt, Agent: p.entry.Agent}
	plan := q.plan(q.ctx, []part{p})
	planned, err := q.rewound(plan, p.taken)
	if err == nil && len(planned) > 0 {
		entry.Changes = planned
		entry.ID, err = j.Append(entry)
	}

	if err != nil {
		return nil, nil, err
	}

	// What goes is removed first: a file may come where a folder is, and the other way round.
	slices.SortStableFunc(plan, func(a, b rewind.Action) int { return cmp.Compare(order(a), order(b)) })
	said := time.Now()
	var folders returning
	for i, a := range plan {
		if time.Since(said) > progress {
			q.host.Say("info", fmt.Sprintf("undoing: %d of %d files", i, len(plan)))
			said = time.Now()
		}
		if order(a) > 0 {
			folders.begin(p.folders)
		}
		if a.Refused == "" {
			undone := j.Undone(a.Path)
			a = q.revertFile(a.Path, p.steps, func(now files.Text) { q.hooks.Rewrote(p.owner, a.Path, now, undone) })
		}
		switch {
		case a.Refused != "":
			refused = append(refused, fmt.Sprintf("%s (%s)", a.Refused, q.s.Short(a.Path)))
		case !a.Now.Equal(a.Then):
			done = append(done, a.Path)
			drafts = append(drafts, draftOf(&a))
		}
	}

	folders.begin(p.folders)
	folders.finish()
	done = append(done, folders.done...)
	for _, f := range folders.refused {
		refused = append(refused, fmt.Sprintf("%s (%s)", plain.Reason(f.err), q.s.Short(f.path)))
	}
	if entry.ID > 0 {
		if entry.Changes, err = q.drafted(drafts, p.taken); err == nil {
			err = j.Correct(entry)
		}
		if err != nil {
			q.host.Say("warn", "this may not be undone exactly: "+plain.Reason(err))
		}
	}

	q.tell(p, entry.ID, folders.done)
	return done, refused, nil
}

// progress is how often it is said how far many files are taken back.
const progress = 2 * time.Second

// order is 0 for what removes a file, 1 for the rest.
func order(a rewind.Action) int {
	if a.Then.Missing {
		return 0
	}
	return 1
}

// rewound returns what a plan changes, with what each change takes back.
func (q request) rewound(plan []rewind.Action, taken []rewind.Taken) ([]rewind.Change, error) {
	var drafts []rewind.Draft
	for _, a := range plan {
		if a.Refused == "" {
			drafts = append(drafts, draftOf(&a))
		}
	}
	return q.drafted(drafts, taken)
}

// draftOf returns an action as the change that it is.
func draftOf(a *rewind.Action) rewind.Draft {
	return rewind.Draft{Path: a.Path, Before: rewind.Side{Content: &a.Now}, After: rewind.Side{Content: &a.Then}, Disk: a.Disk}
}

// drafted returns drafts of a rewind as changes whose versions are stored.
func (q request) drafted(drafts []rewind.Draft, taken []rewind.Taken) ([]rewind.Change, error) {
	changes, err := q.stored(q.Checkpoints(), q.s, drafts)
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

// sayTaken tells the user what was taken back; nothing where only the conversation has gone back.
func (q request) sayTaken(a RewindArgs, of rewind.Entry, done, refused []string) {
	if a.Talk && len(done)+len(refused) == 0 {
		return
	}

	what := "undone: "
	switch {
	case of.Rewind():
		what = "restored: "
	case a.Only:
		what = "undone: "
	}

	if len(done) == 0 {
		what = "no file was changed"
	} else {
		what += feature.ShortList(q.s, done)
	}

	level := "info"
	if len(refused) > 0 {
		what = "not done: " + strings.Join(refused, ", ") + "; " + what // first: a message of one line is cut at its end
		level = "warn"
	}

	what += fmt.Sprintf(" · “%s”", of.Prompt)
	q.host.Say(level, what)
	if len(done) == 0 {
		return
	}

	q.s.Do(func(st *session.State) { st.Screen().Say(what, "AcpNotice") })
}

// tell keeps a rewind of a part for the agents of its session and of this one. Entry is 0 if no file was changed.
func (q request) tell(p part, entry int, folders []string) {
	r := record.Rewind{Session: p.owner, Entry: entry, Folders: folders}
	r.Restored = !slices.ContainsFunc(p.taken, func(t rewind.Taken) bool { return len(t.Back) == 0 })
	if entry == 0 && len(folders) == 0 {
		return
	}

	q.s.Do(func(st *session.State) { st.Briefing().Rewind(r) })
	if other := q.host.Session(p.owner); other != nil && other != q.s {
		other.Do(func(st *session.State) { st.Briefing().Rewind(r) })
	}
}
