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
	keepLine   = 1 << 20 // a longer line's buffer is not kept for the next
)

// lineReader splits a stream into lines of up to max bytes.
type lineReader struct {
	r    *bufio.Reader
	max  int
	long []byte // what was read of a line longer than r's buffer
}

func newLineReader(r io.Reader, buffer, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, buffer), max: max}
}

// next returns a line without its end, with invalid UTF-8 replaced. It is valid until the call after. A last line without
// a newline comes together with the error.
func (l *lineReader) next() ([]byte, error) {
	if cap(l.long) > keepLine {
		l.long = nil
	}
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.long)+len(bytes.TrimRight(part, "\r\n")) > l.max {
			return nil, fmt.Errorf("agent sent a line of more than %d bytes", l.max)
		}
		if err == bufio.ErrBufferFull {
			if need := len(l.long) + len(part); need > cap(l.long) {
				l.long = slices.Grow(l.long, max(need, 2*cap(l.long))-len(l.long)) // append grows by a quarter: more copies
			}
			l.long = append(l.long, part...)
			continue
		}
		if len(l.long) > 0 {
			l.long = append(l.long, part...)
			part = l.long
		}
		return clean(part), err
	}
}

func clean(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	return line
}
