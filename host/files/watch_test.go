package files

import (
	"context"
	"testing"
	"testing/synctest"
)

// slowEditor is a Neovim that is told of merge windows only when it is let.
type slowEditor struct {
	Editor
	answer chan struct{}
}

func (e slowEditor) Watch(ctx context.Context, _ Windows) ([]string, error) {
	select {
	case <-e.answer:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// worker is a session whose agent works.
type worker struct{ Session }

func (worker) Roots() []string { return []string{"/p"} }
func (worker) Merging() bool   { return true }

// Nobody's agent begins to work before Neovim has said which files are loaded, whoever has asked it (behaviour 29).
func TestOpenWindowWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ed := slowEditor{answer: make(chan struct{})}
		w := New(Options{Editor: ed, Run: "run", Sessions: func() []Session { return []Session{worker{}} }})
		defer w.Close()
		first, second := make(chan struct{}), make(chan struct{})
		go func() { w.OpenWindow(); close(first) }() // until Neovim answers
		synctest.Wait()
		go func() { w.OpenWindow(); close(second) }() // the same
		synctest.Wait()
		select {
		case <-second:
			t.Fatal("an agent may begin though Neovim has not answered")
		default:
		}
		ed.answer <- struct{}{}
		<-first
		<-second
	})
}

// What Neovim has not answered is announced again at the next look (behaviour 29).
func TestUntoldWindows(t *testing.T) {
	var w windows
	if _, changed := w.set("run", []string{"/p"}, nil); !changed {
		t.Error("the first is not new")
	}
	if _, changed := w.set("run", []string{"/p"}, nil); changed {
		t.Error("the same is new")
	}
	w.forget()
	next, changed := w.set("run", []string{"/p"}, nil)
	if !changed || next.Number != 2 {
		t.Errorf("got %v, %v after an answer that did not come", next, changed)
	}
}
