package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
)

// Who waits for the same checkpoint shares it, until it is being made.
func TestQueue(t *testing.T) {
	var q queue
	first, own := q.join("a", nil)
	if !own {
		t.Fatal("nobody waits")
	}
	if w, own := q.join("a", nil); own || w != first {
		t.Error("the same checkpoint is made twice")
	}
	if _, own := q.join("b", nil); !own {
		t.Error("another folder")
	}
	last, _ := q.join("a", nil)
	q.shut(first)
	if w, own := q.join("a", nil); own || w != last {
		t.Error("another one that begins takes this one's place")
	}
	q.shut(last)
	if _, own := q.join("a", nil); !own {
		t.Error("it is being made: what has changed since then is not in it")
	}
}

// The files are looked at once all who wait for a checkpoint have that.
func TestQueueReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		w, _ := q.join("a", nil)
		ready := make(chan struct{})
		if _, own := q.join("a", ready); own {
			t.Fatal("it is made twice")
		}
		begun := make(chan struct{})
		go func() {
			defer close(begun)
			await(t.Context(), q.shut(w)...)
		}()
		synctest.Wait()
		select {
		case <-begun:
			t.Error("the files are looked at too early")
		default:
		}
		close(ready)
		<-begun
	})
}

// Who shares a checkpoint that could not be made makes one.
func TestQueueFailed(t *testing.T) {
	f := committed(t, "a", "1\n")
	s := f.store()
	top, path := worktree(context.Background(), f.root)
	r := s.repository(top)
	w, _ := r.queue.join(path, nil)
	w.err = context.Canceled
	close(w.done)
	if c := s.Take(context.Background(), []string{f.root}); len(c.Missing) > 0 || len(c.Trees) != 1 {
		t.Errorf("%+v", c)
	}
}

// Who comes before the files are looked at shares a checkpoint, and who comes later does not (behaviour 651).
func TestShared(t *testing.T) {
	for _, c := range []struct {
		held   string // a command of Git, while which somebody comes
		shares bool
	}{
		{"core.excludesFile", true},
		{"status", false},
	} {
		t.Run(c.held, func(t *testing.T) {
			f := committed(t, "a", "1\n")
			top, path := worktree(context.Background(), f.root)
			r := f.store().repository(top)
			bin := t.TempDir()
			hold := filepath.Join(bin, "hold")
			git, err := exec.LookPath("git")
			if err == nil {
				err = syscall.Mkfifo(hold, 0o600)
			}
			script := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *' %s '*) cat '%s' ;; esac\nexec '%s' \"$@\"\n", c.held, hold, git)
			if err := errors.Join(err, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700)); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))

			var tree Tree
			done := make(chan struct{})
			go func() {
				defer close(done)
				tree, _, err = r.take(context.Background(), path, nil)
			}()
			opened := make(chan *os.File, 1)
			go func() {
				held, _ := os.OpenFile(hold, os.O_WRONLY, 0) // waits until Git is there
				opened <- held
			}()
			var held *os.File
			select {
			case held = <-opened:
			case <-done:
			}
			if held == nil {
				t.Fatalf("Git was not held: %v", err)
			}
			w, own := r.queue.join(path, nil)
			if err := held.Close(); err != nil {
				t.Fatal(err)
			}
			<-done
			if err != nil || own == c.shares {
				t.Fatalf("%v, shared: %v", err, !own)
			}
			if c.shares && w.tree.ID != tree.ID {
				t.Errorf("got tree %s, want %s", w.tree.ID, tree.ID)
			}
		})
	}
}
