package acp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

const (
	readBuffer = 64 << 10
	keepLine   = 1 << 20 // bytes of a line for which there is one buffer, which the next has too
	maxPiece   = 8 << 20
)

// lineReader splits a stream into lines of up to max bytes.
//
// A long line is read into pieces, and is put together when it is all there: a buffer that grows would be in memory in every size that it
// has had, and for a line that never ends.
type lineReader struct {
	r      *bufio.Reader
	max    int
	long   []byte // what was read of a line longer than r's buffer …
	pieces [][]byte
	size   int // … bytes of both
}

func newLineReader(r io.Reader, buffer, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, buffer), max: max}
}

// next returns a line without its end, with invalid UTF-8 replaced. It is valid until the call after. A last line without
// a newline comes together with the error.
func (l *lineReader) next() ([]byte, error) {
	l.long, l.pieces, l.size = l.long[:0], nil, 0
	for {
		part, err := l.r.ReadSlice('\n')
		if l.size+len(bytes.TrimRight(part, "\r\n")) > l.max {
			return nil, fmt.Errorf("agent sent a line of more than %d bytes", l.max)
		}
		if err == bufio.ErrBufferFull {
			l.add(part)
			continue
		}
		if l.size > 0 {
			l.add(part)
			part = l.whole()
		}

		return clean(part), err
	}
}

// add adds a part of a long line.
func (l *lineReader) add(part []byte) {
	l.size += len(part)
	if l.size <= keepLine {
		if l.size > cap(l.long) {
			l.long = slices.Grow(l.long, max(l.size, 2*cap(l.long))-len(l.long)) // append grows by a quarter: more copies
		}
		l.long = append(l.long, part...)
		return
	}

	last := len(l.pieces) - 1
	if last < 0 || cap(l.pieces[last])-len(l.pieces[last]) < len(part) {
		size := max(len(part), min(l.size, maxPiece))
		l.pieces = append(l.pieces, make([]byte, 0, size))
		last++
	}

	l.pieces[last] = append(l.pieces[last], part...)
}

// whole puts a long line together.
func (l *lineReader) whole() []byte {
	if len(l.pieces) == 0 {
		return l.long
	}
	line := make([]byte, 0, l.size)
	line = append(line, l.long...)
	for _, piece := range l.pieces {
		line = append(line, piece...)
	}
	l.pieces = nil
	return line
}

func clean(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	return line
}
