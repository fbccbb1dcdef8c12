package drawing

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// frameCounter counts what is drawn.
type frameCounter struct {
	calls, lines, most int // calls of any kind; lines drawn, and in the fullest frame
	total, largest     int // bytes of text, and in the fullest frame

	meanwhile func() // is called while a frame is drawn; may be nil

	mu sync.Mutex // guards at
	at []time.Time
}

// frames returns when frames were drawn.
func (e *frameCounter) frames() []time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.at
}

func (e *frameCounter) ExecLua(code string, result any, args ...any) error {
	e.calls++
	switch code {
	case luaFrames:
		if e.meanwhile != nil {
			e.meanwhile()
		}
		lines, size := 0, 0
		for _, f := range args[0].([]Frame) {
			for _, op := range f.Ops {
				lines += len(op.Lines)
				for _, line := range op.Lines {
					size += len(line) + 1
				}
			}
			(*result.(*map[string]string))[f.Session] = "ok"
		}
		e.lines, e.most = e.lines+lines, max(e.most, lines)
		e.total, e.largest = e.total+size, max(e.largest, size)
		e.mu.Lock()
		e.at = append(e.at, time.Now())
		e.mu.Unlock()
	}
	return nil
}

// talk is a session in which an agent talks.
type talk struct {
	feature.Session
	id       string
	renderer *Renderer

	mu    sync.Mutex // guards state
	state *session.State
}

func (t *talk) LocalID() string            { return t.id }
func (t *talk) Within(_ string, do func()) { do() }
func (t *talk) Spawn(do func())            { go do() }
func (t *talk) Update(u acp.SessionUpdate) { t.Do(func(st *session.State) { st.Update(u) }) }

func (t *talk) Do(step func(*session.State)) {
	t.mu.Lock()
	step(t.state)
	e := t.state.Take()
	t.mu.Unlock()
	switch e.Draw {
	case session.Now:
		t.renderer.Hurry(t)
	case session.Soon:
		t.renderer.Poke(t)
	}
}

// program is the rest of the program, as far as drawing knows it.
type program struct {
	feature.Host
	ed   *frameCounter
	done chan struct{}
}

func (p program) Done() <-chan struct{}       { return p.done }
func (p program) Sessions() []feature.Session { return nil }

func (p program) ExecLua(code string, result any, args ...any) error {
	return p.ed.ExecLua(code, result, args...)
}

// counted are some sessions drawn by an editor that counts.
func counted(t *testing.T, n int) ([]*talk, *frameCounter) {
	t.Helper()
	p := program{ed: new(frameCounter), done: make(chan struct{})}
	t.Cleanup(func() { close(p.done) })
	r := New(p, Hooks{Away: func() bool { return false }, EditWaits: func() string { return "" }})
	var sessions []*talk
	for i := range n {
		one := &talk{id: fmt.Sprint(i), renderer: r}
		one.state = session.New(session.Config{
			ID: one.id, NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{Prefix: one.id}) },
		})
		sessions = append(sessions, one)
	}
	return sessions, p.ed
}

func said(text string) acp.SessionUpdate {
	return &acp.AgentMessageChunk{Content: acp.Text(text)}
}

// A frame is one call to Neovim, whatever has come for however many sessions.
func TestCallsPerFrame(t *testing.T) {
	sessions, ed := counted(t, 20)
	for i := range 100 {
		for _, s := range sessions {
			s.Update(said(fmt.Sprintf("line %d\n", i)))
		}
	}
	if d := sessions[0].renderer.draw(FrameBudget); d.more {
		t.Errorf("%d lines do not fit a frame", 100*len(sessions))
	}
	if ed.calls != 1 {
		t.Errorf("%d calls, want 1", ed.calls)
	}
}

// A session that turns out to have nothing to show is not drawn anew with the next frame of another.
func TestNothingToDraw(t *testing.T) {
	sessions, ed := counted(t, 2)
	for _, s := range sessions {
		s.Update(said("line\n"))
	}
	r := sessions[0].renderer
	r.draw(FrameBudget)
	drawn := ed.lines
	r.Poke(sessions[0])
	sessions[1].Update(said("another\n"))
	if d := r.draw(FrameBudget); d.again {
		t.Error("the editor could take it")
	}
	sessions[0].Update(said("more\n"))
	r.draw(FrameBudget)
	if got := ed.lines - drawn; got > 4 { // the last line of each, and what came
		t.Errorf("%d lines drawn for two", got)
	}
}

// What was drawn is not drawn again before its part of the text is over: each frame of a growing text has its new lines and the
// one that was not over, and a text that is shown in part has no more than that part.
func TestLinesPerFrame(t *testing.T) {
	const chunk, frames, line = 50, 200, 40
	sessions, ed := counted(t, 1)
	s := sessions[0]
	text := strings.Repeat("x", line-1) + "\n"
	s.Update(said("```\n" + text)) // one part
	s.renderer.draw(FrameBudget)
	for n := 1; n < frames; n++ {
		ed.most = 0
		for range chunk {
			s.Update(said(text))
		}
		s.renderer.draw(FrameBudget)
		most := chunk + 2
		if (n+1)*chunk*line > 256<<10 {
			most = 2*(64<<10)/line + 2
		}
		if ed.most > most {
			t.Fatalf("%d lines in frame %d, want %d at most", ed.most, n, most)
		}
	}
}

// However much comes at once, in however many blocks, a frame has no more than its budget and a part of a line.
func TestBytesPerFrame(t *testing.T) {
	const blocks, size = 20, 100_000
	sessions, ed := counted(t, 1)
	s := sessions[0]
	for range blocks {
		s.Update(said(strings.Repeat("a line of text\n", size/15)))
		s.Update(&acp.AgentThoughtChunk{Content: acp.Text("a thought between")})
	}
	for range 2 * blocks * size / FrameBudget {
		s.renderer.Poke(s)
		s.renderer.draw(FrameBudget)
	}
	if ed.largest > FrameBudget+4<<10 {
		t.Errorf("a frame of %d bytes, want %d at most", ed.largest, FrameBudget)
	}
	if ed.total < blocks*size {
		t.Errorf("only %d bytes were drawn", ed.total)
	}
}
