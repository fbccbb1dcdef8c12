package acp

import (
	"io"
	"strings"
	"sync"
	"time"
)

const (
	stderrTail  = 64 << 10 // bytes kept
	blockLines  = 20       // of the block that explains an exit
	blockBytes  = 2 << 10
	settleTime  = 50 * time.Millisecond
	stderrChunk = 32 << 10
)

// stderr keeps the end of an agent's stderr. It reads as fast as the agent writes.
type stderr struct {
	r    io.ReadCloser
	log  *Log
	done chan struct{} // closed when read has returned

	mu   sync.Mutex // guards tail
	tail []byte     // up to twice stderrTail
}

func newStderr(r io.ReadCloser, log *Log) *stderr {
	return &stderr{r: r, log: log, done: make(chan struct{})}
}

// read reads until the end, or until close.
func (s *stderr) read() {
	defer close(s.done)
	buf := make([]byte, stderrChunk)
	for {
		n, err := s.r.Read(buf)
		if n > 0 {
			s.log.addStderr(buf[:n])
			s.keep(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func (s *stderr) keep(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail = append(s.tail, p...)
	if over := len(s.tail) - stderrTail; over > stderrTail {
		s.tail = append(s.tail[:0], s.tail[over:]...)
	}
}

// close ends read, and waits for it.
func (s *stderr) close() {
	_ = s.r.Close() // a second close changes nothing
	<-s.done
}

// settle gives the last words of a dead process a moment to be read.
func (s *stderr) settle() {
	select {
	case <-s.done:
	case <-time.After(settleTime):
	}
}

// text returns the kept text with secrets masked, since it is shown and recorded.
func (s *stderr) text() string {
	s.mu.Lock()
	tail := string(s.tail)
	s.mu.Unlock()
	tail = s.log.hide(tail)
	return strings.ToValidUTF8(tail[max(0, len(tail)-stderrTail):], "\uFFFD")
}

// block returns the last lines, which usually have the reason of an exit.
func (s *stderr) block() string {
	text := strings.TrimSpace(s.text())
	lines := strings.Split(text, "\n")
	text = strings.Join(lines[max(0, len(lines)-blockLines):], "\n")
	if over := len(text) - blockBytes; over > 0 {
		text = strings.ToValidUTF8(text[over:], "")
	}
	return strings.TrimSpace(text)
}
