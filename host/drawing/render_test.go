package drawing

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// A stream of 100 words a second is drawn at most 17 times a second, one of much text 31 times; a burst after a quiet moment is
// drawn at once.
func TestPacer(t *testing.T) {
	start := time.Unix(0, 0)
	var p pacer
	if got := p.pause(start, drawn{}); got != quickFrame {
		t.Errorf("the first frame is followed after %v, want %v", got, quickFrame)
	}
	now := start
	for _, tt := range []struct{ bytes, most int }{{200, 17}, {20_000, 31}} {
		frames, end := 0, now.Add(10*time.Second)
		for now.Before(end) {
			frames++
			now = now.Add(max(p.pause(now, drawn{bytes: tt.bytes}), 10*time.Millisecond))
		}
		if frames > 10*tt.most+burst || frames < 9*tt.most {
			t.Errorf("%d frames of %d bytes in 10 s, want %d", frames, tt.bytes, 10*tt.most)
		}
	}
	if got := p.pause(now, drawn{more: true}); got != fastFrame {
		t.Errorf("under load the next frame comes after %v, want %v", got, fastFrame)
	}
	quiet := now.Add(time.Second)
	if got := p.pause(quiet, drawn{more: true, bytes: FrameBudget}); got != fastFrame {
		t.Errorf("after a full frame the next one comes after %v, want %v", got, fastFrame)
	}
	if got := p.pause(quiet, drawn{more: true, bytes: slowFrameBytes}); got != quickFrame {
		t.Errorf("what comes with the first words after a quiet second is drawn after %v, want %v", got, quickFrame)
	}
	quiet = quiet.Add(time.Second)
	for i := range burst {
		if got := p.pause(quiet, drawn{}); got != quickFrame {
			t.Errorf("frame %d after a quiet second is followed after %v, want %v", i, got, quickFrame)
		}
	}
	if got := p.pause(quiet, drawn{}); got != slowFrame {
		t.Errorf("after the burst the next frame comes after %v, want %v", got, slowFrame)
	}
}

// Few words are little, however many marks they have.
func TestWordsAreLittle(t *testing.T) {
	sessions, _ := counted(t, 1)
	s := sessions[0]
	s.Update(said("some words\n"))
	s.renderer.draw(FrameBudget)
	for range 20 {
		s.Update(said("and `code` and **bold** words "))
		if d := s.renderer.draw(FrameBudget); d.bytes == 0 || d.bytes > slowFrameBytes {
			t.Fatalf("a frame of some words has %d bytes", d.bytes)
		}
	}
	s.Update(said(strings.Repeat("words ", 400)))
	if d := s.renderer.draw(FrameBudget); d.bytes <= slowFrameBytes {
		t.Errorf("a frame of 400 words has %d bytes", d.bytes)
	}
}

// Words that come slowly are drawn 17 times a second; when they begin to come in a flood, nobody waits longer than under a flood. What
// the user waits for is drawn at once all the same.
func TestFloodAfterWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sessions, ed := counted(t, 1)
		s := sessions[0]
		go s.renderer.Run()                               // until close
		pass := func(d time.Duration) { <-time.After(d) } // on the bubble's clock, which goes on when all goroutines wait
		say := func(times int, every time.Duration) []time.Duration {
			synctest.Wait()
			from, last := len(ed.frames()), time.Now()
			for range times {
				s.Update(said("a word\n"))
				pass(every)
			}
			synctest.Wait()
			var gaps []time.Duration
			for _, at := range ed.frames()[from:] {
				gaps, last = append(gaps, at.Sub(last)), at
			}
			return gaps
		}
		say(100, 10*time.Millisecond)
		if gaps := say(100, 10*time.Millisecond); len(gaps) > 18 || slices.Max(gaps) != slowFrame {
			t.Errorf("100 words in a second are drawn %d times, every %v", len(gaps), slices.Max(gaps))
		}
		if gaps := say(2000, time.Millisecond/10); slices.Max(gaps) > fastFrame {
			t.Errorf("nothing was drawn for %v, want %v at most", slices.Max(gaps), fastFrame)
		}

		pass(time.Second)
		say(20, 10*time.Millisecond) // no frame is spared
		now := time.Now()
		s.renderer.Hurry(s)
		s.Update(said("a word\n"))
		pass(quickFrame)
		synctest.Wait()
		if at := ed.frames(); at[len(at)-1].Before(now) {
			t.Errorf("what the user waits for is not drawn after %v", quickFrame)
		}
	})
}

// A word that comes while Neovim draws waits for the next regular frame; a flood does not.
func TestWordWhileDrawing(t *testing.T) {
	for _, tt := range []struct {
		updates int
		want    bool
	}{{0, false}, {flowUpdates, false}, {flowUpdates + 1, true}} {
		sessions, ed := counted(t, 1)
		s := sessions[0]
		s.Update(said("a word\n"))
		s.renderer.updates.Store(0) // as loop does
		ed.meanwhile = func() {
			ed.meanwhile = nil
			for range tt.updates {
				s.Update(said("another\n"))
			}
		}
		if d := s.renderer.draw(FrameBudget); d.more != tt.want {
			t.Errorf("%d updates while Neovim draws: more is %v, want %v", tt.updates, d.more, tt.want)
		}
		drawn := ed.lines
		if s.renderer.draw(FrameBudget); tt.updates > 0 && ed.lines == drawn {
			t.Errorf("%d updates while Neovim draws are not in the next frame", tt.updates)
		}
	}
}

// What a frame cannot hold is drawn with the next one, and so is a word that comes while Neovim draws, though nobody asks again.
func TestLeftOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sessions, ed := counted(t, 1)
		s := sessions[0]
		for range 20 {
			s.Update(said(strings.Repeat("word ", 2000) + "\n"))
		}
		ed.meanwhile = func() {
			if ed.total > 190_000 { // in the last frame, of 200 020
				ed.meanwhile = nil
				s.Update(said("the last\n"))
				s.renderer.dirty.Take() // nobody has said so
			}
		}
		go s.renderer.Run() // until close
		s.renderer.Poke(s)
		<-time.After(time.Second) // on the bubble's clock
		synctest.Wait()
		if ed.meanwhile != nil {
			t.Fatalf("%d bytes are drawn in a second, want all", ed.total)
		}
		if more, _ := leftOf(s); more {
			t.Error("the last word is not drawn")
		}
	})
}

// Full frames that Neovim draws soon are followed by larger ones, up to a bound, those that keep it long by smaller ones; a frame that
// holds all there is leads back to the usual size.
func TestFullFramesGrow(t *testing.T) {
	full, budget := drawn{full: true}, FrameBudget
	for range 10 {
		next := nextBudget(budget, full, soonDrawn-1)
		if next < budget || next > mostBudget {
			t.Fatalf("after a frame of %d that was drawn soon the next one has %d, want more, up to %d", budget, next, mostBudget)
		}
		budget = next
	}
	if budget != mostBudget {
		t.Errorf("after ten frames that were drawn soon the next one has %d, want %d", budget, mostBudget)
	}
	if got := nextBudget(budget, full, (soonDrawn+lateDrawn)/2); got != budget {
		t.Errorf("after a frame that was drawn in time the next one has %d, want %d again", got, budget)
	}
	if got := nextBudget(budget, drawn{}, 0); got != FrameBudget {
		t.Errorf("after a frame that was not full the next one has %d, want %d", got, FrameBudget)
	}
	for range 10 {
		budget = nextBudget(budget, full, lateDrawn+1)
	}
	if budget != FrameBudget {
		t.Errorf("after ten frames that were drawn late the next one has %d, want %d", budget, FrameBudget)
	}
}

// While Neovim draws a full frame, the text of the next one is worked out, and no more than that.
func TestNextFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sessions, ed := counted(t, 1)
		s := sessions[0]
		s.Update(said(strings.Repeat("a line of a long text\n", FrameBudget)))
		cost := func() int {
			synctest.Wait() // until nothing is left to work out
			return feature.Ask(s, func(st *session.State) int { return st.Screen().Ahead(0) })
		}
		ed.meanwhile = func() {
			if got := cost(); got < FrameBudget || got > 2*FrameBudget {
				t.Errorf("while a full frame is drawn %d bytes of the next one are worked out, want %d", got, FrameBudget)
			}
		}
		if d := s.renderer.draw(FrameBudget); !d.full {
			t.Fatal("the text fits a frame")
		}
		ed.meanwhile = nil
		before := ed.total
		if s.renderer.draw(FrameBudget); ed.total-before > 2*FrameBudget {
			t.Errorf("the next frame has %d bytes, want %d", ed.total-before, FrameBudget)
		}
	})
}
