package attaching

import (
	"net"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// oneSession is a host that has one.
type oneSession struct {
	feature.Host
	session heldSession
}

func (h oneSession) Sessions() []feature.Session { return []feature.Session{h.session} }
func (oneSession) Done() <-chan struct{}         { return nil }

type heldSession struct {
	feature.Session
	state *session.State
}

func (s heldSession) Do(step func(*session.State)) { step(s.state) }
func (heldSession) LocalID() string                { return "s" }
func (heldSession) Cwd() string                    { return "/" }
func (heldSession) Spec() agents.Spec              { return agents.Spec{Name: "agent"} }

// guestAt returns a Neovim, and the other end of its connection.
func guestAt(t *testing.T) (*attach.Guest, net.Conn) {
	t.Helper()
	ours, theirs := net.Pipe()
	g, err := attach.NewGuest(ours, ours, ours)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = theirs.Close() })
	go func() { _ = g.Serve() }() // until theirs is closed
	_ = theirs.SetDeadline(time.Now().Add(10 * time.Second))
	return g, theirs
}

// answered reads a call, and answers it when done was called.
func answered(t *testing.T, conn net.Conn, done func()) {
	t.Helper()
	call := make([]byte, 64<<10)
	n, err := conn.Read(call)
	if err != nil || n < 3 {
		t.Error("no call: ", err)
		return
	}
	done()
	if _, err := conn.Write([]byte{0x94, 1, call[2], 0xc0, 0xc0}); err != nil { // [1, id, nil, nil]
		t.Error(err)
	}
}

// What has happened on the disk is looked at before a Neovim gets the host, from a detached one or from a Neovim that hangs as it joins,
// and once; what has happened meanwhile raises no events in it; and a host that ends meanwhile gives no Neovim the seat (behaviour 1288).
func TestAttach(t *testing.T) {
	for _, tt := range []struct {
		name    string
		before  func(l *Life, former *attach.Guest)
		during  func(l *Life)
		looked  int
		refused bool
	}{
		{"a detached host", func(l *Life, _ *attach.Guest) { l.since = time.Now() }, func(*Life) {}, 1, false},
		{"from one that hangs as it joins", func(l *Life, former *attach.Guest) { l.joining = former }, func(*Life) {}, 1, false},
		{"one that nobody had", func(*Life, *attach.Guest) {}, func(*Life) {}, 0, false},
		{"one that ends meanwhile", func(l *Life, _ *attach.Guest) { l.since = time.Now() }, func(l *Life) { l.end(nil) }, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			looked, shown := 0, false
			st := session.New(session.Config{
				ID: "s", NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{}) },
			})
			st.Screen().Emit("AcpTurnEnd", nil)
			l := New(oneSession{session: heldSession{state: st}}, new(attach.Seat), Config{Interface: 7}, Hooks{
				CatchUp: func() { looked++ }, Change: func(settings.Settings) {}, Show: func() { shown = true },
				Leave: func() {}, LetGo: func() {},
			})
			former, _ := guestAt(t)
			next, conn := guestAt(t)
			tt.before(l, former)

			done := make(chan struct{})
			go func() { // ends with its answer
				defer close(done)
				l.attach(next, attachArgs{Hello: settings.Settings{Interface: 7}, PID: 2, Take: true})
			}()
			before := -1
			answered(t, conn, func() {
				before = looked
				tt.during(l)
			})
			<-done

			if before != tt.looked || looked != tt.looked {
				t.Errorf("looked at the disk %d times before, %d in all; want %d", before, looked, tt.looked)
			}
			if events := st.Frame(1 << 10).Events; len(events) > 0 {
				t.Errorf("raised: %v", events)
			}
			if sits := l.seat.Guest() == next; sits == tt.refused || shown == tt.refused {
				t.Errorf("it has the seat: %v, and is shown all: %v", sits, shown)
			}
		})
	}
}
