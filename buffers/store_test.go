package buffers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A session is forgotten with the agents below it, and no other whose id begins as its own (behaviour 1355).
func TestForgetBelow(t *testing.T) {
	var s Store
	for _, session := range []string{"s", "s/child", "s/child/deeper", "s2", "s2/child"} {
		check(t, s.SetAgent(session, "/f", session))
	}
	s.Forget("s")
	for session, want := range map[string]bool{"s": false, "s/child": false, "s/child/deeper": false, "s2": true, "s2/child": true} {
		if text, ok := s.Agent(session, "/f"); ok != want || ok && text != session {
			t.Errorf("%s: got %q, %t, want %t", session, text, ok, want)
		}
	}
	check(t, s.Close())
}

// The store returns the versions that were put into it (behaviour 206).
func TestStore(t *testing.T) {
	var s Store
	stat := Stat{ModTime: time.Unix(1, 2), Size: 3, Inode: 4}
	check(t, s.SetDisk("/f", []byte("disk"), stat))
	check(t, s.SetAgent("s1", "/f", "agent"))
	check(t, s.SetAgent("s2", "/f", ""))
	if data, got, ok := s.Disk("/f"); string(data) != "disk" || got != stat || !ok {
		t.Errorf("Disk: got %q, %v, %v", data, got, ok)
	}
	if data, ok := s.Agent("s1", "/f"); data != "agent" || !ok {
		t.Errorf("Agent: got %q, %v", data, ok)
	}
	if data, ok := s.Agent("s2", "/f"); len(data) != 0 || !ok {
		t.Errorf("Agent of an empty text: got %q, %v", data, ok)
	}
	if _, ok := s.Agent("s3", "/f"); ok {
		t.Error("Agent of a session that saw nothing")
	}
	s.Forget("s1")
	if _, ok := s.Agent("s1", "/f"); ok {
		t.Error("Forget left a base")
	}
	s.DropDisk("/f")
	s.Forget("s2")
	if _, ok := s.Agent("s2", "/f"); ok || len(s.blobs) != 0 || s.memory != 0 {
		t.Error("a base is left")
	}
	check(t, s.Close())
	if s.SetDisk("/f", nil, stat) == nil {
		t.Error("a closed store takes texts")
	}
}

// What the disk has had since an agent's version is known, the last first; before that, beyond eight versions, and the agent's
// own text are left out (behaviour 206).
func TestStoreSince(t *testing.T) {
	var s Store
	defer s.Close()
	disk := func(texts ...string) {
		for _, text := range texts {
			check(t, s.SetDisk("/f", []byte(text), Stat{}))
		}
	}
	since := func() string { return string(bytes.Join(s.Since("s", "/f"), []byte(" "))) }
	disk("a", "b")
	if got := since(); got != "b a" {
		t.Errorf("an agent that has read nothing: got %q", got)
	}
	check(t, s.SetAgent("s", "/f", "b"))
	disk("c", "c", "b", "d")
	if got := since(); got != "d c" {
		t.Errorf("got %q", got)
	}
	disk("1", "2", "3", "4", "5", "6", "7", "8", "9")
	if got := since(); got != "9 8 7 6 5 4 3 2 1" {
		t.Errorf("got %q", got)
	}
	if data, _, _ := s.Disk("/f"); string(data) != "9" || len(s.blobs) != 10 {
		t.Errorf("got %q, %d texts", data, len(s.blobs))
	}
	check(t, s.SetAgentOnDisk("s", "/f", "9"))
	disk("10")
	if got := since(); got != "10" {
		t.Errorf("what the agent has left on the disk: got %q", got)
	}
	check(t, s.SetAgentOnDisk("s", "/f", "11"))
	if got := since(); got != "10" {
		t.Errorf("what the disk had when the agent's version of it was stored: got %q", got)
	}
	disk("11")
	if got := since(); got != "" {
		t.Errorf("what the disk had before the agent's version: got %q", got)
	}
	check(t, s.SetAgent("s", "/f", "b"))
	disk("1", "2", "3", "4", "5", "6", "7", "8", "9")
	large := strings.Repeat("x", pastBytes)
	disk(large, "1")
	if got := since(); got != "1 "+large {
		t.Errorf("got %d bytes", len(got))
	}
	disk(large + "x")
	disk("2")
	if got := since(); got != "2" {
		t.Errorf("got %d bytes", len(got))
	}
	s.DropDisk("/f")
	if got := since(); got != "" || len(s.blobs) != 1 {
		t.Errorf("got %q, %d texts", got, len(s.blobs))
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestStoreKeepsEqualTextsOnce(t *testing.T) {
	var s Store
	defer s.Close()
	for i := range 100 {
		check(t, s.SetAgent(fmt.Sprint(i), "/f", "the same"))
	}
	if s.memory != 8 || len(s.blobs) != 1 {
		t.Errorf("got %d bytes in %d texts", s.memory, len(s.blobs))
	}
}

// A small store with files behind it behaves like a map.
func TestStoreSpills(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := Store{limit: 1000}
	want := map[string][]byte{}
	r := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		path := fmt.Sprint(r.IntN(30))
		if r.IntN(5) == 0 {
			s.DropDisk(path)
			delete(want, path)
			continue
		}
		data := bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(300))
		check(t, s.SetDisk(path, data, Stat{}))
		want[path] = data
		if s.memory > s.limit {
			t.Fatalf("%d bytes in memory", s.memory)
		}
		path = fmt.Sprint(r.IntN(30))
		if got, _, ok := s.Disk(path); !bytes.Equal(got, want[path]) || ok != (want[path] != nil) {
			t.Fatalf("got %q, want %q", got, want[path])
		}
	}
	if s.spill.end > 10*30*300 {
		t.Errorf("the private file has %d bytes", s.spill.end)
	}
	for path := range want {
		s.DropDisk(path)
	}
	if s.spill.end != 0 || len(s.spill.gaps) != 0 || s.memory != 0 {
		t.Errorf("left: %+v, %d bytes in memory", s.spill, s.memory)
	}
	check(t, s.Close())
}

func TestStoreIsSafeForConcurrentUse(t *testing.T) {
	s := Store{limit: 100}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 200 {
				path := fmt.Sprint(j % 7)
				_ = s.SetAgent(fmt.Sprint(i), path, fmt.Sprint(i, j))
				s.Agent(fmt.Sprint(i+1), path)
				_ = s.SetDisk(path, []byte(fmt.Sprint(j)), Stat{})
				s.Disk(path)
			}
			s.Forget(fmt.Sprint(i))
		})
	}
	wg.Wait()
	check(t, s.Close())
}

// Waiters of a path are served in the order of their tickets (behaviour 211).
func TestQueueKeepsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		var mu sync.Mutex
		var order []int
		for i := range 20 {
			ticket := q.Ticket("/f")
			go func() {
				defer ticket.Done()
				<-time.After(time.Duration(20-i) * time.Millisecond) // of the bubble's clock: the last one arrives first
				if ticket.Wait(t.Context()) == nil {
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
				}
			}()
		}
		if other := q.Ticket("/g"); other.Wait(t.Context()) != nil {
			t.Error("another path had to wait")
		} else {
			other.Done()
		}
		<-time.After(time.Second)
		synctest.Wait()
		if !slices.IsSorted(order) || len(order) != 20 || len(q.paths) != 0 {
			t.Errorf("got %v", order)
		}
	})
}

func TestQueueCancelledWaiterStallsNobody(t *testing.T) {
	var q Queue
	first, second, third := q.Ticket("/f"), q.Ticket("/f"), q.Ticket("/f")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := second.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	select {
	case <-third.turn:
		t.Error("the third overtook the first")
	default:
	}
	first.Done()
	second.Done()
	if err := third.Wait(ctx); err != nil { // its turn has come, which counts before ctx
		t.Errorf("got %v", err)
	}
}
