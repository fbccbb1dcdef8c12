package acptest

import (
	"io"
	"math/rand/v2"
)

// A splitter cuts what is written through it into pieces of random length, from one byte to some thousands, that do not
// heed lines: a piece may hold half a line or many. It keeps what it has until flush.
type splitter struct {
	to      io.Writer
	random  *rand.Rand // nil: one write for each line
	pending []byte
}

// newSplitter splits as the seed says; 0 does not split.
func newSplitter(to io.Writer, seed uint64) *splitter {
	s := &splitter{to: to}
	if seed != 0 {
		s.random = rand.New(rand.NewPCG(seed, seed))
	}
	return s
}

// writeLine sends or keeps a line.
func (s *splitter) writeLine(line []byte) error {
	s.pending = append(append(s.pending, line...), '\n')
	if s.random == nil || len(s.pending) > 64<<10 {
		return s.flush()
	}
	return nil
}

// flush sends all that was kept.
func (s *splitter) flush() error {
	for len(s.pending) > 0 {
		n := len(s.pending)
		if s.random != nil {
			n = min(n, 1+s.random.IntN(1<<s.random.IntN(13)))
		}
		if _, err := s.to.Write(s.pending[:n]); err != nil {
			return err
		}
		s.pending = s.pending[n:]
	}
	s.pending = nil
	return nil
}
