package private

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Elsewhere is what to do where a folder cannot be this user's.
const Elsewhere = "set $XDG_RUNTIME_DIR to a folder that only you can enter, and restart Neovim"

// MakeFolder makes a folder that passes [CheckFolder], if there is none.
func MakeFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return CheckFolder(dir)
}

// CheckFolder returns an error, which says what to do, unless only this user can enter a folder, and no other user can put
// another in its place: it is no link, and all folders and links on the way are this user's or the system's.
func CheckFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}

	owner, ok := Owner(info)
	switch {
	case !ok || !info.IsDir():
		return foreign("remove %s, which is no folder", dir)
	case owner != os.Getuid():
		return foreign("%s: %s belongs to another user", Elsewhere, dir)
	case info.Mode().Perm() != 0o700:
		return foreign("chmod 700 %s, which has mode %o", dir, info.Mode().Perm())
	}

	return checkWay(dir)
}

// maxLinks is how many links a path may have, as for the system.
const maxLinks = 40

// checkWay returns an error if another user can replace a path, or a part of it: it looks at each folder and link that leads there.
func checkWay(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}

	at, links := "/", 0
	left := strings.Split(filepath.Dir(abs), "/")
	if err := checkPart(path, at); err != nil {
		return err
	}
	for len(left) > 0 {
		name := left[0]
		left = left[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}

		next := filepath.Join(at, name)
		if err := checkPart(path, next); err != nil {
			return err
		}

		target, err := os.Readlink(next)
		if err != nil { // it is no link
			at = next
			continue
		}
		if links++; links > maxLinks {
			return syscall.ELOOP
		}
		if filepath.IsAbs(target) {
			at = "/"
		}

		left = append(strings.Split(target, "/"), left...)
	}

	return nil
}

// checkPart returns an error if another user can replace what is at a part of the way to a path, or in it.
func checkPart(path, at string) error {
	info, err := os.Lstat(at)
	if err != nil {
		return err
	}
	shared := info.IsDir() && info.Mode().Perm()&0o022 != 0 && info.Mode()&os.ModeSticky == 0
	if owner, ok := Owner(info); !ok || !trusted(owner) || shared {
		return foreign("%s: another user can replace %s by way of %s", Elsewhere, path, at)
	}
	return nil
}

// Owner returns the user to whom a file belongs.
func Owner(info os.FileInfo) (uid int, ok bool) {
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(sys.Uid), true
}

// trusted reports whether a user may own folders around those of this user.
func trusted(uid int) bool {
	return uid == 0 || uid == os.Getuid() || uid == nobody && partial()
}

// nobody is the owner, in a user namespace, of what belongs to users that it does not have: the system's folders, above all.
const nobody = 65534

// partial reports whether this process is in such a namespace.
var partial = sync.OnceValue(func() bool {
	text, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return false // another system
	}
	return strings.Join(strings.Fields(string(text)), " ") != "0 0 4294967295"
})
