package mcp

import (
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"golang.org/x/sys/unix"
)

// A program that has asked all that it wants may close its stdin and read on until it has the answers. The SDK takes the end of its
// input for the end of the connection, and cancels what is under way: so the end is held back until all is answered.

// maxDrain is how long it is held back, goneTime the time between two looks whether anybody reads the answers. Only tests change them.
var maxDrain, goneTime = maxTime, 50 * time.Millisecond

// pending are the requests of a connection that are not answered. It is safe for concurrent use.
type pending struct {
	mu       sync.Mutex // guards open
	open     map[any]bool
	answered chan struct{} // size 1: one was answered
	closed   chan struct{}
	once     sync.Once
}

func newPending() *pending {
	return &pending{open: map[any]bool{}, answered: make(chan struct{}, 1), closed: make(chan struct{})}
}

// asked notes a message of the agent's.
func (p *pending) asked(message jsonrpc.Message) {
	r, ok := message.(*jsonrpc.Request)
	if !ok {
		return
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	if r.ID.IsValid() {
		p.open[r.ID.Raw()] = true
	}
	if r.Method == "notifications/cancelled" { // which needs no answer
		var cancelled struct {
			ID any `json:"requestId"`
		}
		if json.Unmarshal(r.Params, &cancelled) == nil {
			if id, err := jsonrpc.MakeID(cancelled.ID); err == nil {
				delete(p.open, id.Raw())
			}
		}
	}
}

// told notes a message of ours.
func (p *pending) told(line []byte) {
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return // ours are messages
	}
	if r, ok := message.(*jsonrpc.Response); ok {
		p.mu.Lock()
		delete(p.open, r.ID.Raw())
		p.mu.Unlock()
		select {
		case p.answered <- struct{}{}:
		default:
		}
	}
}

func (p *pending) none() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open) == 0
}

func (p *pending) close() { p.once.Do(func() { close(p.closed) }) }

// await waits until all is answered, or nobody reads the answers, but not for ever.
func (p *pending) await(conn io.ReadWriteCloser) {
	limit := time.NewTimer(maxDrain)
	defer limit.Stop()
	look := time.NewTicker(goneTime)
	defer look.Stop()
	for !p.none() && !gone(conn) {
		select {
		case <-p.answered:
		case <-look.C:
		case <-p.closed:
			return
		case <-limit.C:
			return
		}
	}
}

// gone reports whether the other side of a socket has closed both directions, as when its process has ended.
func gone(conn io.ReadWriteCloser) bool {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}

	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}

	over := false
	err = raw.Control(func(fd uintptr) {
		state := []unix.PollFd{{Fd: int32(fd)}}
		_, err := unix.Poll(state, 0)
		over = err == nil && state[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
	})
	return over || err != nil
}
