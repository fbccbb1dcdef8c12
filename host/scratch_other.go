//go:build !linux

package host

import (
	"errors"
	"os"
)

// newScratch says that there are no files in memory here that another process can open.
func newScratch() (*os.File, string, error) { return nil, "", errors.ErrUnsupported }
