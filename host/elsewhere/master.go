package elsewhere

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// master is a connection to another machine that all places there use. It is a line, whose program holds the socket
// that the others go through. It is opened for the first place and ends with the last one.
type master struct {
	key    string
	folder *folder       // of the socket
	ready  chan struct{} // closed when it is open or has failed; then line, err are set
	line   *line
	err    error
	users  int // guarded by masters
}

// masters are those of this host by their command lines, with the places that use them.
var masters struct {
	sync.Mutex // guards all below, and the users of each; not held while one is opened or closed
	open       map[string]*master
}

// mastersMade counts them, for their marks.
var mastersMade atomic.Int64

// shareMaster returns the connection that a command line makes, in which "{socket}" is the path of its socket. It
// waits until it is open or ctx ends. The caller releases it.
func shareMaster(ctx context.Context, argv []string, s Spec, run string, watch Watcher) (*master, error) {
	key := strings.Join(argv, "\x00")
	for {
		masters.Lock()
		m, first := masters.open[key], false
		if m == nil || m.lost() != nil {
			m, first = &master{key: key, ready: make(chan struct{})}, true
			if masters.open == nil {
				masters.open = map[string]*master{}
			}
			masters.open[key] = m
		}

		m.users++
		masters.Unlock()

		if first {
			m.make(ctx, argv, s, run, watch)
		}
		select {
		case <-m.ready:
		case <-ctx.Done():
			m.release((*line).close)
			return nil, fmt.Errorf("no answer: %w", ctx.Err())
		}

		if m.err == nil {
			return m, nil
		}

		m.release(nil)
		if first || !errors.Is(m.err, context.Canceled) && !errors.Is(m.err, context.DeadlineExceeded) {
			return nil, m.err
		} // the place that has opened it was given up: this one tries itself
	}
}

// make opens the connection.
func (m *master) make(ctx context.Context, argv []string, s Spec, run string, watch Watcher) {
	defer close(m.ready)
	if m.folder, m.err = newFolder(); m.err != nil {
		return
	}
	var words []string
	for _, w := range argv {
		words = append(words, strings.ReplaceAll(w, "{socket}", m.socket()))
	}
	m.line, m.err = openLine(ctx, words, s, fmt.Sprintf("%s/m%d/", run, mastersMade.Add(1)), watch)
}

// socket returns the path of the socket.
func (m *master) socket() string { return m.folder.join("s") }

// lost returns why the connection has failed or is broken, nil if it is not, or is still being opened.
func (m *master) lost() error {
	if m == nil {
		return nil
	}
	select {
	case <-m.ready:
	default:
		return nil
	}

	if m.err != nil {
		return m.err
	}
	select {
	case <-m.line.ended:
		return m.line.err
	default:
		return nil
	}
}

// awaitLost is lost, after some time at most in which it may be noticed.
func (m *master) awaitLost(most time.Duration) error {
	if m != nil && m.line != nil {
		select {
		case <-m.line.ended:
		case <-time.After(most):
		}
	}
	return m.lost()
}

// release says that a place does not use the connection any more. With the last one it is ended, by a function that
// may wait. A nil connection is none.
func (m *master) release(end func(*line)) {
	if m == nil {
		return
	}

	masters.Lock()
	m.users--
	last := m.users == 0
	if last && masters.open[m.key] == m {
		delete(masters.open, m.key)
	}

	masters.Unlock()

	if !last {
		return
	}

	<-m.ready
	if m.line != nil {
		end(m.line)
	}

	m.folder.remove()
}
