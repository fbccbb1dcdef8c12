package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// luaSessions is the function of lua/nvim-acp/host.lua that shows the list.
const luaSessions = `require("nvim-acp.host").sessions(...)`

type listArgs struct {
	N      int           `msgpack:"n"`
	Query  string        `msgpack:"query"`
	Cwd    string        `msgpack:"cwd"`    // "": of all folders
	Folder string        `msgpack:"folder"` // to start agents in
	Agents []agents.Spec `msgpack:"agents"` // to be asked beside those that run
	More   bool          `msgpack:"more"`   // the next pages of the last list
	Soon   bool          `msgpack:"soon"`   // it can be shown before all agents have answered, and again then
}

// row is one session in the list of all: live, recorded here, or the agent's.
type row struct {
	ID         string   `msgpack:"id"` // local; "" for one that was never open here
	Remote     string   `msgpack:"remote"`
	Agent      string   `msgpack:"agent"`
	AgentTitle string   `msgpack:"agent_title"`
	Title      string   `msgpack:"title"`
	Name       string   `msgpack:"name"` // the user's title
	Cwd        string   `msgpack:"cwd"`
	Dirs       []string `msgpack:"dirs"`
	Time       int64    `msgpack:"time"`     // unix, 0: not known
	State      string   `msgpack:"state"`    // of a live one
	Recorded   bool     `msgpack:"recorded"` // there is a record to show
	InUse      bool     `msgpack:"in_use"`   // by another Neovim
	Fork       bool     `msgpack:"fork"`     // it began as a copy of another one
	Listed     string   `msgpack:"listed"`   // its title as the agent lists it
	Can        can      `msgpack:"can"`

	Place *record.Place `msgpack:"placed,omitempty"` // it was begun at lines of a file

	found bool // the query is in its text
}

// can is what an agent can do with a session, as far as it is known: it is asked only when it runs.
type can struct {
	Known  bool `msgpack:"known"`
	Open   bool `msgpack:"open"` // load or resume
	Fork   bool `msgpack:"fork"`
	Delete bool `msgpack:"delete"`
}

// listing is what the agents have said of their sessions so far.
type listing struct {
	query, cwd string

	mu    sync.Mutex // guards all below
	rows  []row
	next  map[*agents.Agent]string // cursors of pages not read yet
	asks  []*agents.Agent          // those that are yet to answer
	wrong []string
}

// listTimeout is how long a list waits for an agent, which may have to be started.
const listTimeout = 10 * time.Second

// part says how much of a list is shown.
type part struct {
	N      int      `msgpack:"n"`      // the list's number
	Asking []string `msgpack:"asking"` // the agents that are yet to answer
	Again  bool     `msgpack:"again"`  // it was shown before they had
}

// soon is how long a list that can be shown again waits for agents at first.
const soon = 100 * time.Millisecond

// list gathers the sessions and has them shown: live, recorded, and a page of each agent's.
func (r *Records) list(a listArgs) {
	l := &listing{query: a.Query, cwd: a.Cwd, next: map[*agents.Agent]string{}}
	r.mu.Lock()
	if a.More && r.listing != nil {
		l = r.listing
	}

	r.lists++
	n := r.lists
	r.listing = l
	r.mu.Unlock()

	caught.Go(func() { // ends when the agents have answered or have taken too long
		now := part{N: n, Asking: []string{}}
		asked := make(chan struct{})
		caught.Go(func() { // the same
			defer close(asked)
			l.ask(r.agents, a)
		})
		if a.Soon {
			select {
			case <-asked:
			case <-time.After(soon):
				if rows := r.rows(l); len(rows) > 0 {
					_ = r.host.ExecLua(luaSessions, nil, rows, l.query, l.cwd, false, part{N: n, Asking: l.waitsFor()})
					now.Again = true
				}
			}
		}
		<-asked

		rows := r.rows(l)
		l.mu.Lock()
		more, wrong := len(l.next) > 0, l.wrong
		l.wrong = nil
		l.mu.Unlock()
		for _, text := range wrong {
			r.host.Say("warn", text)
		}
		_ = r.host.ExecLua(luaSessions, nil, rows, l.query, l.cwd, more, now)
	})
}

// ask has each agent say a page: the first of those that run or are named, or the next where there is one.
func (l *listing) ask(pool *agents.Pool, a listArgs) {
	pages := map[*agents.Agent]string{}
	if a.More {
		l.mu.Lock()
		pages, l.next = l.next, map[*agents.Agent]string{}
		l.mu.Unlock()
	} else {
		for _, spec := range a.Agents {
			pages[pool.Get(spec, a.Folder)] = ""
		}
		for _, agent := range pool.Running() {
			pages[agent] = ""
		}
	}

	var group caught.Group
	for agent, cursor := range pages {
		group.Go(func() { l.page(agent, cursor) }) // ends after listTimeout
	}

	group.Wait()
}

// page asks an agent for a page of its sessions.
func (l *listing) page(a *agents.Agent, cursor string) {
	ctx, stop := context.WithTimeout(context.Background(), listTimeout)
	defer stop()
	l.mu.Lock()
	l.asks = append(l.asks, a)
	l.mu.Unlock()
	list, err := pageOf(ctx, a, l.cwd, cursor)
	l.mu.Lock()
	defer l.mu.Unlock()

	l.asks = slices.DeleteFunc(l.asks, func(other *agents.Agent) bool { return other == a })
	if err != nil {
		l.wrong = append(l.wrong, "sessions of "+a.Spec.Title+": "+err.Error())
		if cursor != "" && !a.Gone() {
			l.next[a] = cursor // it can be asked for again
		}
		return
	}

	sessions, left := bounds.First(list.Sessions, max(bounds.Sessions-len(l.rows), 0))
	switch n := len(list.Sessions); {
	case left > 0:
		l.wrong = append(l.wrong, fmt.Sprintf("%s lists %s more sessions, which are left out", a.Spec.Title, bounds.Number(left, n)))
	case n >= bounds.Read:
		l.wrong = append(l.wrong, fmt.Sprintf("%s lists %d sessions or more at once: what is beyond is left out", a.Spec.Title, n))
	}

	for _, info := range sessions {
		l.rows = append(l.rows, row{
			Remote: info.SessionID, Agent: a.Spec.Name, AgentTitle: a.Spec.Title, Title: plain.Brief(info.Title), Listed: info.Title,
			Cwd: l.folder(info.Cwd), Time: timeOf(info.UpdatedAt),
			Dirs: []string{}, // further folders are the user's to give, not the agent's
		})
	}

	if list.NextCursor != "" && list.NextCursor != cursor {
		l.next[a] = list.NextCursor
	}
}

// waitsFor returns the titles of the agents that are yet to answer, sorted.
func (l *listing) waitsFor() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	titles := []string{}
	for _, a := range l.asks {
		titles = append(titles, a.Spec.Title)
	}
	slices.Sort(titles)
	return slices.Compact(titles)
}

// pageOf is a page of the agent's sessions, empty if it cannot list them.
func pageOf(ctx context.Context, a *agents.Agent, cwd, cursor string) (*acp.ListSessionsResponse, error) {
	select {
	case <-a.Ready:
	case <-ctx.Done():
		return nil, errors.New("it has not started yet")
	}

	if a.Err != nil {
		return nil, a.Err
	}
	if a.Can().SessionCapabilities.List == nil {
		return &acp.ListSessionsResponse{}, nil
	}

	list, err := a.Proc.ListSessions(ctx, &acp.ListSessionsRequest{Cwd: cwd, Cursor: cursor})
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("it has not answered yet")
	}

	return list, err
}

// timeOf is a time as agents write it, 0 if it is none.
func timeOf(text string) int64 {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if at, err := time.Parse(form, text); err == nil {
			return at.Unix()
		}
	}
	return 0
}

// rows joins what is known: a session that is live, recorded and listed is one row. The latest come first.
func (r *Records) rows(l *listing) []row {
	for _, s := range r.host.Sessions() {
		r.hooks.Keeper(s).write(true) // what was just said is to be found too
	}

	r.settle("")

	rows := r.liveRows(l.query)
	at := func(match func(row) bool) *row {
		if i := slices.IndexFunc(rows, match); i >= 0 {
			return &rows[i]
		}
		return nil
	}

	for _, info := range record.List(r.dir(), l.query) {
		is := info.Session
		known := at(func(r row) bool {
			return r.ID == info.ID || r.Agent == is.Agent && r.Remote != "" && r.Remote == is.Remote
		})
		switch {
		case known != nil && known.ID == info.ID:
			known.Recorded, known.found = !info.Empty, known.found || info.Found
		case known == nil && (!info.Empty || is.Name != ""):
			rows = append(rows, row{
				ID: info.ID, Remote: is.Remote, Agent: is.Agent, AgentTitle: is.Agent, Title: info.Title, Name: is.Name,
				Cwd: is.Cwd, Dirs: is.Dirs, Fork: is.Fork, Time: info.Updated.Unix(), Recorded: !info.Empty, InUse: info.InUse,
				Place: is.Place, found: info.Found,
			})
		}
	}

	l.mu.Lock()
	for _, listed := range l.rows {
		known := at(func(r row) bool { return r.Agent == listed.Agent && r.Remote == listed.Remote })
		if known == nil {
			rows = append(rows, listed)
			continue
		}
		if listed.Title != "" {
			known.Listed = listed.Listed
			r.giveTitle(known)
		}
		known.Time = max(known.Time, listed.Time)
	}

	l.mu.Unlock()

	running := r.agents.Running()
	rows = slices.DeleteFunc(rows, func(r row) bool { return !r.wanted(l) })
	for i := range rows {
		rows[i].know(running)
	}

	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.Time, a.Time) })
	return rows
}

// giveTitle gives a session that is live or recorded the title that its agent lists it with, unless there is a better one.
func (r *Records) giveTitle(known *row) {
	if s := r.host.Session(known.ID); s != nil {
		known.Title = feature.Ask(s, func(st *session.State) string { return st.Titles().ListedAs(known.Listed) })
	} else if known.Name == "" {
		known.Title = plain.Brief(known.Listed)
	}
}

// liveRows are the sessions of this Neovim in which something was said.
func (r *Records) liveRows(query string) []row {
	rows := []row{}
	for _, s := range r.host.Sessions() {
		var is session.Summary
		said := false
		var placed *record.Place
		s.Do(func(st *session.State) {
			is, said = st.Summary()
			placed = st.Place().At()
		})
		if !said {
			continue
		}

		spec := s.Spec()
		rows = append(rows, row{
			ID: s.LocalID(), Remote: is.Remote, Agent: spec.Name, AgentTitle: spec.Title, Title: is.Title, Name: is.Name,
			Cwd: s.Cwd(), Dirs: spec.Dirs, Fork: is.Fork, Time: is.Used.Unix(), State: is.State, found: query == "", Place: placed,
		})
	}

	return rows
}

// folder is the folder of a session that an agent lists: the one that is looked for, if it is that by another name, which might lead
// elsewhere when the session is opened.
func (l *listing) folder(cwd string) string {
	if l.cwd != "" && real(cwd) == real(l.cwd) {
		return l.cwd
	}
	return cwd
}

// real is a folder with its links resolved, as it is where that fails.
func real(dir string) string {
	if path, err := buffers.Real(dir); err == nil {
		return path
	}
	return dir
}

// wanted reports that a row is of the folder and has the query in its title or text.
func (r row) wanted(l *listing) bool {
	if l.cwd != "" && filepath.Clean(r.Cwd) != filepath.Clean(l.cwd) && real(r.Cwd) != real(l.cwd) {
		return false
	}
	return l.query == "" || r.found || strings.Contains(strings.ToLower(r.Title), strings.ToLower(l.query))
}

// know notes what the agent of a session can do, if it runs.
func (r *row) know(running []*agents.Agent) {
	for _, a := range running {
		if a.Spec.Name != r.Agent {
			continue
		}

		r.AgentTitle = a.Spec.Title
		select {
		case <-a.Ready:
		default:
			continue
		}

		has := a.Can()
		r.Can = can{
			Known: true, Open: has.LoadSession || has.SessionCapabilities.Resume != nil,
			Fork: has.SessionCapabilities.Fork != nil, Delete: has.SessionCapabilities.Delete != nil,
		}
	}
}

// Last is the chat of a folder that was recorded last and is not open anywhere; nil if there is none. It waits for the disk. A session at
// lines of a file ends with them and is no chat.
func (r *Records) Last(cwd string) *session.Last {
	r.settle("")
	info, ok := record.Latest(r.dir(), func(info record.Info) bool {
		return info.Session.Cwd == cwd && info.Session.Place == nil && !info.InUse && !info.Empty && r.host.Session(info.ID) == nil
	})
	if !ok {
		return nil
	}
	return &session.Last{ID: info.ID, Title: info.Title, Time: info.Updated.Unix()}
}
