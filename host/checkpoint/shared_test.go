package checkpoint

import (
	"context"
	"testing"
)

// Who waits for the same checkpoint shares it, until it is being made.
func TestQueue(t *testing.T) {
	var q queue
	first, own := q.join("a", map[string]string{"/f": "unsaved"})
	if !own {
		t.Fatal("nobody waits")
	}
	if w, own := q.join("a", map[string]string{"/f": "unsaved"}); own || w != first {
		t.Error("the same checkpoint is made twice")
	}
	if _, own := q.join("b", map[string]string{"/f": "unsaved"}); !own {
		t.Error("another folder")
	}
	if _, own := q.join("b", map[string]string{"/f": "other"}); !own {
		t.Error("another text")
	}
	last, _ := q.join("a", nil)
	q.begin(first)
	if w, own := q.join("a", nil); own || w != last {
		t.Error("another one that begins takes this one's place")
	}
	q.begin(last)
	if _, own := q.join("a", nil); !own {
		t.Error("it is being made: what has changed since then is not in it")
	}
}

// Who shares a checkpoint that could not be made makes one.
func TestQueueFailed(t *testing.T) {
	f := committed(t, "a", "1\n")
	s := f.store()
	top, path := worktree(context.Background(), f.root)
	r := s.repository(top)
	w, _ := r.queue.join(path, map[string]string{})
	w.err = context.Canceled
	close(w.done)
	if c := s.Take(context.Background(), []string{f.root}, nil); len(c.Missing) > 0 || len(c.Trees) != 1 {
		t.Errorf("%+v", c)
	}
}
