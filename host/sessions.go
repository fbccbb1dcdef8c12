package host

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
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

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
	wrong []string
}

// listTimeout is how long a list waits for an agent, which may have to be started.
const listTimeout = 10 * time.Second

// list gathers the sessions and has them shown: live, recorded, and a page of each agent's.
func (h *Host) list(a listArgs) {
	l := &listing{query: a.Query, cwd: a.Cwd, next: map[*agents.Agent]string{}}
	h.mu.Lock()
	if a.More && h.listing != nil {
		l = h.listing
	}
	h.listing = l
	h.mu.Unlock()
	caught.Go(func() { // ends when the agents have answered or have taken too long
		l.ask(h, a)
		rows := h.rows(l)
		l.mu.Lock()
		more, wrong := len(l.next) > 0, l.wrong
		l.wrong = nil
		l.mu.Unlock()
		for _, text := range wrong {
			h.say("warn", text)
		}
		_ = h.ed.ExecLua(luaSessions, nil, rows, l.query, l.cwd, more)
	})
}

// ask has each agent say a page: the first of those that run or are named, or the next where there is one.
func (l *listing) ask(h *Host, a listArgs) {
	pages := map[*agents.Agent]string{}
	if a.More {
		l.mu.Lock()
		pages, l.next = l.next, map[*agents.Agent]string{}
		l.mu.Unlock()
	} else {
		for _, spec := range a.Agents {
			pages[h.agents.Get(spec, a.Folder)] = ""
		}
		for _, agent := range h.agents.Running() {
			pages[agent] = ""
		}
	}
	var group sync.WaitGroup
	for agent, cursor := range pages {
		group.Go(func() { l.page(agent, cursor) }) // ends after listTimeout
	}
	group.Wait()
}

// page asks an agent for a page of its sessions.
func (l *listing) page(a *agents.Agent, cursor string) {
	ctx, stop := context.WithTimeout(context.Background(), listTimeout)
	defer stop()
	list, err := pageOf(ctx, a, l.cwd, cursor)
	l.mu.Lock()
	defer l.mu.Unlock()
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
			Cwd: l.folder(info.Cwd), Dirs: []string{}, Time: timeOf(info.UpdatedAt), // further folders are the user's to give, not the agent's
		})
	}
	if list.NextCursor != "" && list.NextCursor != cursor {
		l.next[a] = list.NextCursor
	}
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
func (h *Host) rows(l *listing) []row {
	for _, s := range h.all() {
		s.kept.write(s, true) // what was just said is to be found too
	}
	h.settle("")
	rows := h.liveRows(l.query)
	at := func(match func(row) bool) *row {
		if i := slices.IndexFunc(rows, match); i >= 0 {
			return &rows[i]
		}
		return nil
	}
	for _, info := range record.List(h.recordDir(), l.query) {
		is := info.Session
		r := at(func(r row) bool {
			return r.ID == info.ID || r.Agent == is.Agent && r.Remote != "" && r.Remote == is.Remote
		})
		switch {
		case r != nil && r.ID == info.ID:
			r.Recorded, r.found = !info.Empty, r.found || info.Found
		case r == nil && (!info.Empty || is.Name != ""):
			rows = append(rows, row{
				ID: info.ID, Remote: is.Remote, Agent: is.Agent, AgentTitle: is.Agent, Title: info.Title, Name: is.Name,
				Cwd: is.Cwd, Dirs: is.Dirs, Fork: is.Fork, Time: info.Updated.Unix(), Recorded: !info.Empty, InUse: info.InUse, found: info.Found,
				Place: is.Place,
			})
		}
	}
	l.mu.Lock()
	for _, listed := range l.rows {
		r := at(func(r row) bool { return r.Agent == listed.Agent && r.Remote == listed.Remote })
		if r == nil {
			rows = append(rows, listed)
			continue
		}
		if listed.Title != "" {
			r.Listed = listed.Listed
			h.titled(r)
		}
		r.Time = max(r.Time, listed.Time)
	}
	l.mu.Unlock()
	running := h.agents.Running()
	rows = slices.DeleteFunc(rows, func(r row) bool { return !r.wanted(l) })
	for i := range rows {
		rows[i].know(running)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.Time, a.Time) })
	return rows
}

// titled gives a session that is live or recorded the title that its agent lists it with, unless there is a better one.
func (h *Host) titled(r *row) {
	if s := h.session(r.ID); s != nil {
		r.Title = ask(s, func(st *session.State) string { return st.ListedAs(r.Listed) })
	} else if r.Name == "" {
		r.Title = plain.Brief(r.Listed)
	}
}

// liveRows are the sessions of this Neovim in which something was said.
func (h *Host) liveRows(query string) []row {
	rows := []row{}
	for _, s := range h.all() {
		var is session.Summary
		said := false
		var placed *record.Place
		s.do(func(st *session.State) {
			is, said = st.Summary()
			placed = st.Placed()
		})
		r := row{
			ID: s.id, Remote: is.Remote, Agent: s.spec().Name, AgentTitle: s.spec().Title, Title: is.Title, Name: is.Name,
			Cwd: s.cwd, Dirs: s.dirs, Fork: is.Fork, Time: is.Used.Unix(), State: is.State, found: query == "",
			Place: placed,
		}
		if said {
			rows = append(rows, r)
		}
	}
	return rows
}

// folder is the folder of a session that an agent lists: the one that is looked for, if it is that by another name, which might lead elsewhere
// when the session is opened.
func (l *listing) folder(cwd string) string {
	if l.cwd != "" && realRoots(cwd)[0] == realRoots(l.cwd)[0] {
		return l.cwd
	}
	return cwd
}

// wanted reports that a row is of the folder and has the query in its title or text.
func (r row) wanted(l *listing) bool {
	if l.cwd != "" && filepath.Clean(r.Cwd) != filepath.Clean(l.cwd) && realRoots(r.Cwd)[0] != realRoots(l.cwd)[0] {
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

// lastHere is the session of a folder that was recorded last and is not open anywhere; nil if there is none.
func (h *Host) lastHere(cwd string) *session.Last {
	h.settle("")
	info, ok := record.Latest(h.recordDir(), func(info record.Info) bool {
		return info.Session.Cwd == cwd && !info.InUse && !info.Empty && h.session(info.ID) == nil
	})
	if !ok {
		return nil
	}
	return &session.Last{ID: info.ID, Title: info.Title, Time: info.Updated.Unix()}
}
