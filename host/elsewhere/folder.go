package elsewhere

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/nvim-acp/nvim-acp/internal/private"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// folder is a private folder that goes with a place. Those of hosts that were killed are removed when the next is made.
type folder struct {
	path string
	lock *os.File // held as long as the folder is in use
}

const (
	folderPrefix = "nvim-acp-place-"
	lockName     = "lock"
)

// newFolder makes a folder for this user only.
func newFolder() (*folder, error) {
	sweepFolders()
	path, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return nil, err
	}

	f := &folder{path: path}
	f.lock, err = regular.OpenFile(f.join("locked"), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = syscall.Flock(int(f.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil { // it has its name only when it is held
		err = os.Rename(f.join("locked"), f.join(lockName))
	}
	if err != nil {
		f.remove()
		return nil, err
	}

	return f, nil
}

// sweepFolders removes folders that nobody holds. One whose lock is not there yet is being made.
func sweepFolders() {
	paths, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, path := range paths {
		if private.CheckFolder(path) != nil {
			continue // another user's
		}
		lock, err := regular.OpenFile(filepath.Join(path, lockName), os.O_RDWR|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(path) // what cannot be removed is left to the system
		}
		_ = lock.Close()
	}
}

func (f *folder) join(name string) string {
	if f == nil {
		return name
	}
	return filepath.Join(f.path, name)
}

// remove removes the folder with all in it. A nil folder is none.
func (f *folder) remove() {
	if f == nil {
		return
	}
	_ = os.RemoveAll(f.path) // what cannot be removed is left to the system
	if f.lock != nil {
		_ = f.lock.Close()
	}
}
