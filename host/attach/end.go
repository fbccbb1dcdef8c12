package attach

import (
	"io"
	"sync"
	"time"
)

// endVerb is a notification that a guest's connection gets as its last message. Nobody sends it.
const endVerb = "end of input"

// maxLooks is how often the end of a connection looks whether its last verbs were handled, a millisecond apart. Only for a
// connection that was cut within a message it looks that often. A process that is short of time looks less often in the
// same time, and so has as many turns to handle them.
const maxLooks = 300

// drainReader reads a connection, and holds its end back until all verbs that came before it were handled. go-client handles
// notifications on a goroutine of its own, so that the end could overtake them.
type drainReader struct {
	io.Reader
	rest    []byte // of the last message
	err     error  // of the connection; nil: it has not ended
	once    sync.Once
	handled chan struct{} // closed when the last message was handled
}

// Read reads the connection, and at its end the last message. It is called by one goroutine at a time.
func (l *drainReader) Read(p []byte) (int, error) {
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
	for range maxLooks {
		select {
		case <-l.handled:
			return 0, l.err
		case <-time.After(time.Millisecond):
		}
	}

	return 0, l.err
}

// end is the handler of the last message.
func (l *drainReader) end() { l.once.Do(func() { close(l.handled) }) }

// ignoreWriteErrors writes to a connection until its other end has gone. That is no error: go-client would close the connection, and
// what the other end has said before would not be read.
type ignoreWriteErrors struct {
	io.Writer
	gone bool
}

// Write writes to the connection. It is called by one goroutine at a time.
func (d *ignoreWriteErrors) Write(p []byte) (int, error) {
	if !d.gone {
		_, err := d.Writer.Write(p)
		d.gone = err != nil
	}
	return len(p), nil
}
