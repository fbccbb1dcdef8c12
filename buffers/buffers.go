// Package buffers reads and writes the text of files, and merges the changes of a user and an agent.
//
// Package host calls it. It starts no goroutine, knows neither Neovim nor the protocol, and every function that takes
// lines works on text without line ends.
package buffers

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// The errors of this package that a caller tells apart with [errors.Is]; each comes wrapped with the path it is about.
var (
	// ErrNotExist is a path that names no file.
	ErrNotExist = fs.ErrNotExist
	// ErrNotRegular is a directory, a device, a FIFO or a socket.
	ErrNotRegular = regular.ErrKind
	// ErrNotText is a file with NUL bytes and no UTF-16 or UTF-32 byte order mark.
	ErrNotText = errors.New("not a text file")
	// ErrRange is a line beyond the end; the error is a [RangeError].
	ErrRange = errors.New("line out of range")
	// ErrTooLarge is more text than the caller wants to hold.
	ErrTooLarge = errors.New("file too large")
	// ErrEncoding is text that the file's own encoding cannot hold.
	ErrEncoding = errors.New("text does not fit the encoding of the file")
	// ErrRelative is a path that is not absolute.
	ErrRelative = errors.New("path is not absolute")
)

// RangeError is a request for a line after the end of a text.
type RangeError struct {
	Line uint32 // the line asked for, 1-based
	Last int    // the last line there is, 0 in an empty text
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("line %d is out of range: the last line is %d", e.Line, e.Last)
}

// Is makes a RangeError match [ErrRange].
func (e *RangeError) Is(target error) bool { return target == ErrRange }
