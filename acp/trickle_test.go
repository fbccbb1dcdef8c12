package acp

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// stream is a pipe that holds any number of bytes, as that of an agent holds many. It counts how often it is read.
type stream struct {
	mu     sync.Mutex // guards the fields below
	more   *sync.Cond
	data   []byte
	closed bool
	seen
}

// seen is what has come.
type seen struct {
	reads, count int
	late         time.Duration // the most
}

func newStream() *stream {
	s := new(stream)
	s.more = sync.NewCond(&s.mu)
	return s
}

func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.data) == 0 && !s.closed {
		s.more.Wait()
	}
	if len(s.data) == 0 {
		return 0, io.EOF
	}
	s.reads++
	n := copy(p, s.data)
	s.data = s.data[n:]
	return n, nil
}

func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.more.Broadcast()
	return nil
}

func (s *stream) send(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = append(s.data, text...)
	s.more.Broadcast()
}

// talks runs f against a new connection, which closes at once.
func talks(t *testing.T, f func(*stream)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStream()
		note := func(sent string) {
			at, err := strconv.ParseInt(sent, 10, 64)
			if err != nil {
				t.Error(err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.count++
			s.late = max(s.late, time.Since(time.UnixMicro(at)))
		}
		client := &recorder{
			onUpdate: func(n *SessionNotification) {
				note(n.Update.(*AgentMessageChunk).Content.(*TextContent).Text)
			},
			read: func(_ context.Context, r *ReadTextFileRequest) (*ReadTextFileResponse, error) {
				note(r.Path[1:])
				return &ReadTextFileResponse{}, nil
			},
		}
		in, w := io.Pipe()
		go func() { _, _ = io.Copy(io.Discard, in) }() // until the connection closes its side
		c := NewConn(s, w, client, Options{})
		f(s)
		start := time.Now()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if d := time.Since(start); d > 0 {
			t.Errorf("closing took %v", d)
		}
	})
}

// words sends words, one after each pause.
func (s *stream) words(count int, pause time.Duration) {
	for range count {
		s.send(chunk(fmt.Sprint(time.Now().UnixMicro())))
		time.Sleep(pause)
	}
	synctest.Wait()
}

// took returns what has come since the last time.
func (s *stream) took() seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.seen
	s.seen = seen{}
	return got
}

// request sends a request.
func (s *stream) request() {
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/%[1]d"}}`+"\n", time.Now().UnixMicro()))
	synctest.Wait()
}

// Words of a model are read several at a time; none of them is more than 25 ms late, and what comes after them is not either.
func TestRest(t *testing.T) {
	talks(t, func(s *stream) {
		s.words(100, 10*time.Millisecond)
		before := s.took()
		s.request()
		time.Sleep(restTime)
		synctest.Wait()
		after := s.took()
		if before.reads > 50 || before.count < 97 || before.late > 25*time.Millisecond {
			t.Errorf("%d words in %d reads, one %v late", before.count, before.reads, before.late)
		}
		if before.count+after.count != 101 || after.late > 25*time.Millisecond {
			t.Errorf("%d messages, the request %v late", before.count+after.count, after.late)
		}
		s.words(50, 10*time.Millisecond)
	})
}

// Where words come more slowly, or after a pause, or requests come between them, nothing is late.
func TestNoRest(t *testing.T) {
	talks(t, func(s *stream) {
		for range 5 {
			s.words(trickleSize-1, 10*time.Millisecond)
			s.request()
		}
		s.words(30, restTime+time.Millisecond)
		time.Sleep(time.Second)
		s.words(30, 60*time.Millisecond)
		for range 5 {
			time.Sleep(time.Second)
			s.words(trickleSize, 10*time.Millisecond)
		}
		if late := s.took().late; late > 0 {
			t.Errorf("something is %v late", late)
		}
	})
}

// A flood is read as it comes, also after words.
func TestNoRestInFlood(t *testing.T) {
	talks(t, func(s *stream) {
		s.words(1000, time.Millisecond)
		if late := s.took().late; late > 0 {
			t.Errorf("something is %v late", late)
		}
		s.words(100, 10*time.Millisecond)
		s.words(trickleSize, time.Millisecond)
		time.Sleep(restTime)
		s.took()
		s.words(1000, time.Millisecond)
		if late := s.took().late; late > 0 {
			t.Errorf("after words something is %v late", late)
		}
	})
}
