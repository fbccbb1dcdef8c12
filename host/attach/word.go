package attach

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/private"
)

// wordPrefix begins the names of files by which a Neovim says that its host lives on when it goes. The rest is the mark of the
// host. What is said on the connection may not arrive: a host that hangs reads only what there was room for.
const wordPrefix = "leave-"

// WordPath returns the path of the file by which the Neovim of a host with a mark says that the host lives on when it goes.
func WordPath(mark string) string { return filepath.Join(Dir(), wordPrefix+mark) }

// TakeWord removes that file, and reports whether it was there, in a folder of this user's only.
func TakeWord(mark string) bool {
	path := WordPath(mark)
	return private.CheckFolder(filepath.Dir(path)) == nil && os.Remove(path) == nil
}

// sweepWord removes a file of a host that has never read it, days after it was made.
func sweepWord(path string, e fs.DirEntry) {
	info, err := e.Info()
	if err == nil && strings.HasPrefix(e.Name(), wordPrefix) && time.Since(info.ModTime()) > maxKept {
		_ = os.Remove(path)
	}
}

// CanListen returns an error, which says what to do, unless this process can listen as [Listen] does. It waits for the disk.
func CanListen() error {
	dir, err := makeDir()
	if err != nil {
		return err
	}
	name := fmt.Sprintf("try-%d", os.Getpid())
	l, err := private.Listen(dir, name)
	if err != nil {
		return noSocket(dir, err)
	}
	return errors.Join(os.Remove(filepath.Join(dir, name)), l.Close())
}

// noSocket says why a folder cannot have a socket, and what to do.
func noSocket(dir string, err error) error {
	return fmt.Errorf("%s: no socket can be made in %s: %w", private.Elsewhere, dir, plain(err))
}

// noFolder says why a folder of sockets cannot be made, and what to do.
func noFolder(dir string, err error) error {
	return fmt.Errorf("%s: %s cannot be made: %w", private.Elsewhere, dir, plain(err))
}

// plain returns what the system has said, without the call and the path.
func plain(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}
