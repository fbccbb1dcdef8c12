package host

import (
	"cmp"
	"net"
	"os"
	"time"

	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// welcome lets a Neovim say verbs. What it says counts once it has the seat.
func (h *Host) welcome(g *attach.Guest) error {
	if err := h.register(g); err != nil {
		return err
	}
	for name, fn := range map[string]any{
		attach.AboutVerb: func() (attach.About, error) { return h.about(h.life.awaySince()), nil },
		attach.StopVerb: func() (bool, error) {
			h.life.end(nil)
			return true, nil
		},
	} {
		if err := g.RegisterHandler(name, fn); err != nil {
			return err
		}
	}
	return nil
}

// serve hears a Neovim until its connection ends.
func (h *Host) serve(g *attach.Guest) {
	err := g.Serve()
	defer g.Left()

	l := h.life
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.joining == g {
		l.joining, l.leaving = nil, false
		l.seat.Sit(nil)
	}
	switch {
	case l.seat.Guest() != g:
	case (l.parting == g || attach.TakeWord(h.run) || h.stays()) && h.leave() == nil:
		caught.Go(h.review.CatchUp) // ends when the disk has answered
	default:
		l.endLocked(err)
	}
}

// accept hears whoever connects to the socket.
func (h *Host) accept(conn net.Conn, pid int) {
	g, err := attach.NewGuest(conn, conn, conn)
	if err != nil {
		return
	}
	g.SetPID(pid)
	if h.welcome(g) == nil {
		h.serve(g)
	}
}

// stays reports whether the user has configured that the host lives on when Neovim ends as things are.
func (h *Host) stays() bool {
	how, _ := h.settings().Session.Detach.(string)
	for _, s := range h.all() {
		if s.isPlaced() {
			continue
		}
		busy, said := false, false
		s.do(func(st *session.State) {
			busy = st.AtWork()
			_, said = st.Summary()
		})
		if how == "busy" && busy || how == "always" && said {
			return true
		}
	}
	return false
}

// sayWhetherStays tells Neovim, before it offers to detach, why the host cannot live on without it, and where Neovim leaves its
// word. It waits for the disk and for Neovim.
func (h *Host) sayWhetherStays() {
	word, problem := attach.WordPath(h.run), ""
	if err := attach.CanListen(); err != nil {
		word, problem = "", err.Error() // nothing is written where others may be
	}
	_ = h.ed.ExecLua(luaStays, nil, word, problem) // if Neovim goes nobody asks
}

// isPlaced reports whether the session is for lines of a buffer.
func (s *Session) isPlaced() bool {
	return ask(s, func(st *session.State) bool { return st.Placed() != nil })
}

// detach has the host live on without the Neovim that has asked for it, which is told so. It waits for that Neovim.
func (h *Host) detach(g *attach.Guest) {
	l := h.life
	l.mu.Lock()
	if l.seat.Guest() != g || l.ended {
		l.leaving = l.joining == g
		attach.TakeWord(h.run) // it is not about the Neovim that has the seat
		l.mu.Unlock()
		return
	}
	err := h.leave()
	if err != nil {
		l.parting = nil
	}
	l.mu.Unlock()
	if err != nil {
		_ = g.ExecLua(luaDetached, nil, err.Error())
		return
	}
	g.Left()
	h.review.CatchUp()
	_ = g.ExecLua(luaDetached, nil) // it hears of it, or is gone
	_ = g.Close()
}

// leave takes the seat from the Neovim that has it. life.mu is held.
func (h *Host) leave() error {
	l := h.life
	attach.TakeWord(h.run)
	if l.listener == nil {
		listener, err := attach.Listen(h.settings().StateDir, h.run, h.accept)
		if err != nil {
			return err
		}
		l.listener = listener
		caught.Go(func() { divert(listener.Log()) }) // ends when the disk has answered
		caught.Go(h.exitOnSIGTERM)                   // until the host ends
	}
	h.watch().Alone()
	h.review.DetachEditor(h.files.AllKnown())
	l.seat.Sit(nil)
	l.since, l.touched = time.Now(), time.Now()
	l.waits = map[string]waits{}
	for _, s := range h.all() {
		l.waits[s.id] = s.waits()
	}
	h.letGo()
	l.listener.Note(h.about(l.since))
	caught.Go(h.liveAway) // until a Neovim is attached, or the host ends
	return nil
}

// letGo forgets what was known of a Neovim that has left. It does not wait.
func (h *Host) letGo() {
	h.files.DetachEditor()
	h.tools.Detached()
	h.terms.Unwatch()
	h.log.Close()
	for _, s := range h.all() {
		if s.isPlaced() { // its lines are gone
			s.close()
		}
	}
}

// attachArgs are what a Neovim says that wants to have the host.
type attachArgs struct {
	Hello settings.Settings `msgpack:"hello"`
	PID   int               `msgpack:"pid"`  // of the Neovim: the process that connects is one of ours that it has started
	Take  bool              `msgpack:"take"` // from another Neovim
}

// attached is the answer.
type attached struct {
	Path      string           `msgpack:"path"`
	Word      string           `msgpack:"word"` // path of the file by which the Neovim says that the host lives on when it goes
	Log       string           `msgpack:"log"`  // path of the host's stderr, "" if there is none
	Held      int              `msgpack:"held"` // by the Neovim that is this process; 0: the host is the asker's
	Interface int              `msgpack:"interface"`
	Version   string           `msgpack:"version"`
	Mark      string           `msgpack:"mark"` // of the host's processes
	N         int              `msgpack:"n"`    // the number of the last verb
	Sessions  []attach.Session `msgpack:"sessions"`

	Had map[string][]string `msgpack:"had"` // by session, the ids of the prompts that came from Neovim, the latest of them
}

// attach gives the host to a Neovim, if no other has it or is about to, or that is to be taken from it. It waits for that Neovim,
// and for no other.
func (h *Host) attach(g *attach.Guest, a attachArgs) {
	l := h.life
	if l.away() {
		h.review.CatchUp()
	}
	if a.PID > 0 {
		g.SetPID(a.PID)
	}
	l.mu.Lock()
	before := l.seat.Guest()
	holder := cmp.Or(before, l.joining)
	about := h.about(l.since)
	answer := attached{
		Word: attach.WordPath(h.run), Interface: Interface, Version: h.version, Mark: h.run, N: l.verbs, Sessions: about.Sessions,
		Had: map[string][]string{},
	}
	for _, s := range h.all() {
		answer.Had[s.id] = ask(s, (*session.State).Had)
	}
	if l.listener != nil {
		noted := l.listener.Noted()
		answer.Path, answer.Log = noted.Path, noted.Log
	}
	switch {
	case l.ended || before == g || l.joining == g:
		l.mu.Unlock()
		return
	case a.Hello.Interface != Interface:
		l.mu.Unlock()
		_ = g.ExecLua(luaAttached, nil, answer) // which says why not
		return
	case holder != nil && !holder.Gone() && !a.Take:
		answer.Held = holder.PID()
		l.mu.Unlock()
		_ = g.ExecLua(luaAttached, nil, answer)
		return
	case before != nil:
		if err := h.leave(); err != nil {
			l.mu.Unlock()
			return // it listens: it does not fail
		}
	case l.joining != nil: // it hangs
		before = l.joining
	}
	l.joining, l.leaving = g, false
	l.mu.Unlock()

	if before != nil {
		before.Left()
		h.review.CatchUp()
		// Ends when that Neovim answers or goes away. It would not hear of it if its connection ended before.
		pid := g.PID()
		caught.Go(func() { h.tellTaken(before, pid) })
	}
	l.seat.Expect()
	h.change(a.Hello)
	ready := make(chan struct{})
	caught.Go(func() { // ends at once: it takes its time in long transcripts, and so does Neovim
		defer close(ready)
		for _, s := range h.all() {
			s.do((*session.State).Attached)
		}
	})
	err := g.ExecLua(luaAttached, nil, answer)
	<-ready

	l.mu.Lock()
	if l.joining != g { // it has gone, or another has taken its place
		l.mu.Unlock()
		return
	}
	ok := err == nil && !l.ended
	leaving := l.leaving
	l.joining, l.leaving = nil, false
	if ok {
		l.seat.Sit(g)
		l.since, l.waits = time.Time{}, nil
		if l.listener != nil {
			l.listener.Note(h.about(l.since))
		}
	} else {
		l.seat.Sit(nil)
	}
	l.mu.Unlock()
	switch {
	case ok && leaving:
		h.detach(g)
	case ok:
		h.showAll()
	default:
		_ = g.Close()
	}
}

// change takes the settings of a Neovim that is attached. Records stay where they are.
func (h *Host) change(s settings.Settings) {
	s.StateDir = h.settings().StateDir
	h.given.Store(&s)
	h.setLogging(&s)
}

// showAll has all that there is drawn by a Neovim that knows nothing of it.
func (h *Host) showAll() {
	for _, s := range h.all() {
		h.render.hurry(s)
	}
	h.files.AttachEditor()
	h.terms.ShowAll()
	h.review.AttachEditor()
	h.tellLater()
}

// about describes the host, which was detached at a time, to those who do not have it.
func (h *Host) about(since time.Time) attach.About {
	about := attach.About{PID: os.Getpid(), Version: h.version, Interface: Interface, Sessions: []attach.Session{}}
	if !since.IsZero() {
		about.Since = since.Unix()
	}
	if g := h.life.seat.Guest(); g != nil {
		about.Neovim = g.PID()
	}
	for _, s := range h.all() {
		if s.isPlaced() {
			continue
		}
		var is session.Summary
		w := s.waits()
		s.do(func(st *session.State) { is, _ = st.Summary() })
		one := attach.Session{
			ID: s.id, Remote: is.Remote, Agent: s.spec().Name, Name: s.spec().Title, Title: is.Title, Cwd: s.cwd,
			Dirs: append([]string{}, s.dirs...), State: is.State, Pending: []string{}, Used: is.Used.Unix(),
		}
		for _, p := range w.pending {
			one.Pending = append(one.Pending, p.Title)
		}
		about.Sessions = append(about.Sessions, one)
	}
	return about
}
