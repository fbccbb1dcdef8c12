package attaching

import (
	"cmp"
	"net"
	"os"
	"time"

	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Verbs are what a Neovim can say of itself, by their names.
func (l *Life) Verbs(g *attach.Guest) map[string]any {
	return map[string]any{
		"attach": func(a attachArgs) { caught.Go(func() { l.attach(g, a) }) }, // ends when Neovim answers or goes away
		"detach": func(noArgs) {
			l.part(g)                         // which may end before it is answered
			caught.Go(func() { l.detach(g) }) // ends when Neovim answers or goes away
		},
		"quit": func(noArgs) { l.end(nil) },
	}
}

type noArgs struct{}

// Sit gives the seat to the Neovim that has started the host, and serves it until the host is over. It does not wait.
func (l *Life) Sit(g *attach.Guest) error {
	if err := l.welcome(g); err != nil {
		return err
	}
	l.seat.Sit(g)
	caught.Go(func() { l.serve(g) }) // until that Neovim goes
	return nil
}

// welcome lets a Neovim say verbs. What it says counts once it has the seat.
func (l *Life) welcome(g *attach.Guest) error {
	if err := l.hooks.Register(g); err != nil {
		return err
	}
	for name, fn := range map[string]any{
		attach.AboutVerb: func() (attach.About, error) { return l.describe(l.awaySince()), nil },
		attach.StopVerb: func() (bool, error) {
			l.end(nil)
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
func (l *Life) serve(g *attach.Guest) {
	err := g.Serve()
	defer g.Left()

	l.mu.Lock()
	defer l.mu.Unlock()

	if l.joining == g {
		l.joining, l.leaving = nil, false
		l.seat.Sit(nil)
	}
	switch {
	case l.seat.Guest() != g:
	case (l.parting == g || attach.TakeWord(l.about.Mark) || l.stays()) && l.leave() == nil:
		caught.Go(l.hooks.CatchUp) // ends when the disk has answered
	default:
		l.endLocked(err)
	}
}

// accept hears whoever connects to the socket.
func (l *Life) accept(conn net.Conn, pid int) {
	g, err := attach.NewGuest(conn, conn, conn)
	if err != nil {
		return
	}
	g.SetPID(pid)
	if l.welcome(g) == nil {
		l.serve(g)
	}
}

// stays reports whether the user has configured that the host lives on when Neovim ends as things are.
func (l *Life) stays() bool {
	how, _ := l.host.Settings().Session.Detach.(string)
	for _, s := range l.host.Sessions() {
		if placed(s) {
			continue
		}
		busy, said := false, false
		s.Do(func(st *session.State) {
			busy = st.Turn() != nil || st.Queue().Len() > 0 && st.Link().Starts()
			_, said = st.Summary()
		})
		if how == "busy" && busy || how == "always" && said {
			return true
		}
	}

	return false
}

// SayWhetherStays tells Neovim, before it offers to detach, why the host cannot live on without it, and where Neovim leaves its
// word. It waits for the disk and for Neovim.
func (l *Life) SayWhetherStays() {
	word, problem := attach.WordPath(l.about.Mark), ""
	if err := attach.CanListen(); err != nil {
		word, problem = "", err.Error() // nothing is written where others may be
	}
	_ = l.ed.ExecLua(luaStays, nil, word, problem) // if Neovim goes nobody asks
}

// placed reports whether a session is for lines of a buffer.
func placed(s feature.Session) bool {
	return feature.Ask(s, func(st *session.State) bool { return st.Place().At() != nil })
}

// detach has the host live on without the Neovim that has asked for it, which is told so. It waits for that Neovim.
func (l *Life) detach(g *attach.Guest) {
	l.mu.Lock()
	if l.seat.Guest() != g || l.ended {
		l.leaving = l.joining == g
		attach.TakeWord(l.about.Mark) // it is not about the Neovim that has the seat
		l.mu.Unlock()
		return
	}

	err := l.leave()
	if err != nil {
		l.parting = nil
	}

	l.mu.Unlock()

	if err != nil {
		_ = g.ExecLua(luaDetached, nil, err.Error())
		return
	}

	g.Left()
	l.hooks.CatchUp()
	_ = g.ExecLua(luaDetached, nil, false, l.address()) // it hears of it, or is gone
	_ = g.Close()
}

// leave takes the seat from the Neovim that has it. life.mu is held.
func (l *Life) leave() error {
	attach.TakeWord(l.about.Mark)
	if l.listener == nil {
		listener, err := attach.Listen(l.host.Settings().StateDir, l.about.Mark, l.accept)
		if err != nil {
			return err
		}
		l.listener = listener
		caught.Go(func() { divert(listener.Log()) }) // ends when the disk has answered
		caught.Go(l.exitOnSIGTERM)                   // until the host ends
	}

	l.hooks.Leave()
	l.seat.Sit(nil)
	l.away()
	l.waits = map[string]waits{}
	for _, s := range l.host.Sessions() {
		l.waits[s.LocalID()] = waitsOf(s)
	}

	l.hooks.LetGo()
	l.listener.Note(l.describe(l.since))
	return nil
}

// address returns where the host listens.
func (l *Life) address() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listener.Path()
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
func (l *Life) attach(g *attach.Guest, a attachArgs) {
	if l.Away() {
		l.hooks.CatchUp()
	}
	if a.PID > 0 {
		g.SetPID(a.PID)
	}

	l.mu.Lock()
	before := l.seat.Guest()
	holder := cmp.Or(before, l.joining)
	about := l.describe(l.since)
	answer := attached{
		Word: attach.WordPath(l.about.Mark), Interface: l.about.Interface, Version: l.about.Version, Mark: l.about.Mark,
		N: l.verbs, Sessions: about.Sessions, Had: map[string][]string{},
	}
	for _, s := range l.host.Sessions() {
		answer.Had[s.LocalID()] = feature.Ask(s, func(st *session.State) []string { return st.Queue().Had() })
	}

	if l.listener != nil {
		noted := l.listener.Noted()
		answer.Path, answer.Log = noted.Path, noted.Log
	}
	switch {
	case l.ended:
		l.mu.Unlock()
		return
	case a.Hello.Interface != l.about.Interface:
		l.mu.Unlock()
		_ = g.ExecLua(luaAttached, nil, answer) // which says why not
		return
	case holder != nil && !holder.Gone() && !a.Take:
		answer.Held = holder.PID()
		l.mu.Unlock()
		_ = g.ExecLua(luaAttached, nil, answer)
		return
	case before != nil:
		if err := l.leave(); err != nil {
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
		l.hooks.CatchUp()
		// Ends when that Neovim answers or goes away. It would not hear of it if its connection ended before.
		pid := g.PID()
		caught.Go(func() { l.tellTaken(before, pid) })
	}

	l.seat.Expect()
	l.hooks.Change(a.Hello)
	ready := make(chan struct{})
	caught.Go(func() { // ends at once: it takes its time in long transcripts, and so does Neovim
		defer close(ready)
		for _, s := range l.host.Sessions() {
			s.Do(func(st *session.State) {
				st.Screen().DropEvents() // what happened meanwhile raises none in this Neovim …
				st.Writes().OpenWindow() // … but its buffers get what was written
				st.Screen().Redraw()
				st.Requests().ShowAgain()
			})
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
		l.here()
		l.waits = nil
		if l.listener != nil {
			l.listener.Note(l.describe(l.since))
		}
	} else {
		l.seat.Sit(nil)
	}

	l.mu.Unlock()

	switch {
	case ok && leaving:
		l.detach(g)
	case ok:
		for _, s := range l.host.Sessions() {
			s.Do(func(st *session.State) { st.Requests().AnnounceAgain() }) // the events before were raised in nobody
		}
		l.hooks.Show()
		l.tellLater()
	default:
		_ = g.Close()
	}
}

// describe describes the host, which was detached at a time, to those who do not have it.
func (l *Life) describe(since time.Time) attach.About {
	about := attach.About{PID: os.Getpid(), Version: l.about.Version, Interface: l.about.Interface, Sessions: []attach.Session{}}
	if !since.IsZero() {
		about.Since = since.Unix()
	}
	if g := l.seat.Guest(); g != nil {
		about.Neovim = g.PID()
	}
	for _, s := range l.host.Sessions() {
		if placed(s) {
			continue
		}

		var is session.Summary
		w, spec := waitsOf(s), s.Spec()
		s.Do(func(st *session.State) { is, _ = st.Summary() })
		one := attach.Session{
			ID: s.LocalID(), Remote: is.Remote, Agent: spec.Name, Name: spec.Title, Title: is.Title, Cwd: s.Cwd(),
			Dirs: append([]string{}, spec.Dirs...), State: is.State, Pending: []string{}, Used: is.Used.Unix(),
		}
		for _, p := range w.pending {
			one.Pending = append(one.Pending, p.Title)
		}

		about.Sessions = append(about.Sessions, one)
	}

	return about
}
