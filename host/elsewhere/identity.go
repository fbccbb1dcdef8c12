package elsewhere

import (
	"fmt"
	"os"
	"syscall"
)

// fileID tells a file from any other that exists at the same time.
type fileID struct{ device, inode uint64 }

// String is what stat prints of it as "%d:%i".
func (i fileID) String() string { return fmt.Sprintf("%d:%d", i.device, i.inode) }

func idOf(info os.FileInfo) fileID {
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}
	}
	return fileID{uint64(sys.Dev), sys.Ino} //nolint:unconvert // another type on other systems
}

// held is a folder that stays open, so that nothing else gets its identity.
type held struct {
	file *os.File
	id   fileID
}

// hold opens the folder of a real path. No link is followed.
func hold(real string) (*held, error) {
	f, err := os.OpenFile(real, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &held{f, idOf(info)}, nil
}

// removed reports whether the folder has no name any more. It is false where that is not known.
func (h *held) removed() bool {
	info, err := h.file.Stat()
	if err != nil {
		return false
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	return ok && sys.Nlink == 0
}

// errMoved says that a command cannot have a sandbox.
func errMoved(path string) error {
	return fmt.Errorf("%s is no longer what it was when the sandbox opened: it was moved, removed, or another is in its place, so that "+
		"nothing is run in the sandbox (:AcpRestart opens a new one)", path)
}
