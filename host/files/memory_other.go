//go:build !linux

package files

import (
	"errors"
	"os"
)

// newMemory returns an error: here is no file in memory that another process can open.
func newMemory() (*os.File, string, error) { return nil, "", errors.ErrUnsupported }
