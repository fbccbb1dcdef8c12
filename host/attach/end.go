package attach

import (
	"io"
	"sync"
	"time"
)

// endVerb is a notification that a guest's connection gets as its last message. Nobody sends it.
const endVerb = "end of input"

// maxVerbs is how long the end of a connection waits for its last verbs. Only a connection that was cut within a message
// takes that long.
const maxVerbs = 300 * time.Millisecond

// lastly reads a connection, and holds its end back until all verbs that came before it were handled. go-client handles
// notifications on a goroutine of its own, so that the end could overtake them.
type lastly struct {
	io.Reader
	rest    []byte // of the last message
	err     error  // of the connection; nil: it has not ended
	once    sync.Once
	handled chan struct{} // closed when the last message was handled
}

// Read reads the connection, and at its end the last message. It is called by one goroutine at a time.
func (l *lastly) Read(p []byte) (int, error) {
	if l.err == nil {
		n, err := l.Reader.Read(p)
		if err == nil || n > 0 {
			return n, nil // an error comes again
		}
		l.err = err
		l.rest = append([]byte{0x93, 2, 0xa0 | byte(len(endVerb))}, endVerb+"\x90"...) // [2, endVerb, []] in msgpack
	}
	if len(l.rest) > 0 {
		n := copy(p, l.rest)
		l.rest = l.rest[n:]
		return n, nil
	}
	select {
	case <-l.handled:
	case <-time.After(maxVerbs):
	}
	return 0, l.err
}

// end is the handler of the last message.
func (l *lastly) end() { l.once.Do(func() { close(l.handled) }) }
