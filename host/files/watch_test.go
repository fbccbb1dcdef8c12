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
