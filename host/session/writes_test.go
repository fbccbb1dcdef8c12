package session

import (
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// A Neovim that attaches opens the merge window, and nobody is at work for that, nor for a turn before its prompt (behaviours 1209, 1520).
func TestAtWork(t *testing.T) {
	s := New(Config{NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{}) }})
	w := s.Writes()
	look := func(when string, merging, atWork bool) {
		t.Helper()
		if m, a := w.Merging(false), w.AtWork(false); m != merging || a != atWork {
			t.Errorf("%s: merging %v, at work %v; want %v, %v", when, m, a, merging, atWork)
		}
	}
	look("at first", false, false)
	w.OpenWindow()
	look("attached", true, false)
	w.extend()
	look("an update after that", true, false)
	w.till = time.Time{}
	s.turns.now = &Turn{}
	look("in a turn without its prompt", true, false)
	if w.Writing(true) {
		t.Error("what the disk gets before the prompt counts as the agent's")
	}
	s.turns.now.sent = true
	look("in a turn", true, true)
	if w.Lingers() {
		t.Error("the turn is work of before")
	}
	w.extend()
	s.turns.now = nil
	look("after it", true, true)
}
