package buffers

import (
	"fmt"
	"os"
	"slices"
)

// spill is a file without a name that holds texts; its owner serialises the calls. The zero value has no file yet.
type spill struct {
	file *os.File
	end  int64
	gaps []extent64 // free parts before end, in order, none touching another
}

// extent64 is a part of the file.
type extent64 struct{ at, size int64 }

// write stores data and returns where.
func (s *spill) write(data []byte) (int64, error) {
	if s.file == nil {
		f, err := os.CreateTemp("", "nvim-acp-*") // made with mode 0600
		if err != nil {
			return 0, fmt.Errorf("keep bases: %w", err)
		}
		s.file = f
		if err := os.Remove(f.Name()); err != nil {
			return 0, fmt.Errorf("keep bases: %w", err)
		}
	}

	at := s.alloc(int64(len(data)))
	if _, err := s.file.WriteAt(data, at); err != nil {
		s.free(extent64{at, int64(len(data))})
		return 0, fmt.Errorf("keep bases: %w", err)
	}

	return at, nil
}

func (s *spill) read(e extent64) ([]byte, error) {
	data := make([]byte, e.size)
	_, err := s.file.ReadAt(data, e.at)
	return data, err
}

// alloc takes the first gap that is large enough, or the end.
func (s *spill) alloc(size int64) int64 {
	for i, g := range s.gaps {
		if g.size < size {
			continue
		}
		if g.size == size {
			s.gaps = slices.Delete(s.gaps, i, i+1)
		} else {
			s.gaps[i] = extent64{g.at + size, g.size - size}
		}
		return g.at
	}

	at := s.end
	s.end += size
	return at
}

// free gives e back, joined with the gaps at its sides.
func (s *spill) free(e extent64) {
	i, _ := slices.BinarySearchFunc(s.gaps, e.at, func(g extent64, at int64) int { return int(g.at - at) })
	if i < len(s.gaps) && e.at+e.size == s.gaps[i].at {
		e.size += s.gaps[i].size
		s.gaps = slices.Delete(s.gaps, i, i+1)
	}
	if i > 0 && s.gaps[i-1].at+s.gaps[i-1].size == e.at {
		i--
		e = extent64{s.gaps[i].at, s.gaps[i].size + e.size}
		s.gaps = slices.Delete(s.gaps, i, i+1)
	}
	if e.at+e.size == s.end {
		s.end = e.at
		return
	}

	s.gaps = slices.Insert(s.gaps, i, e)
}

func (s *spill) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	*s = spill{}
	return err
}
