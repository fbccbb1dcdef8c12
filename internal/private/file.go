package private

import (
	"os"
	"syscall"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Open opens a regular file of this user's, which is no link, for reading.
func Open(path string) (*os.File, error) {
	f, err := regular.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}

	info, err := f.Stat()
	if err == nil {
		if owner, ok := Owner(info); !ok || owner != os.Getuid() {
			err = foreign("%s belongs to another user", path)
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}

	return f, nil
}
