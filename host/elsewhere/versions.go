package elsewhere

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// maxHashed bounds how much of a file is compared, apart from its size and times.
const maxHashed = 1 << 20

// version tells what is at a path from what was there: a file by its bytes, for its times can be set.
func version(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}

	text := info.Mode().Type().String()
	if target, err := os.Readlink(path); err == nil {
		text += " " + target
	}

	f, err := regular.Open(path)
	if err != nil {
		if real, err := filepath.EvalSymlinks(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return text + stamps(real) // all in a folder
		}
		return text + stamps(path) // of a folder: with all in it
	}

	defer f.Close()
	sum := sha256.New()
	n, _ := io.Copy(sum, io.LimitReader(f, maxHashed)) // what cannot be read counts as its beginning
	text += fmt.Sprintf(" %d %x", n, sum.Sum(nil))
	if now, err := f.Stat(); err == nil && now.Size() > maxHashed {
		text += stamp(path)
	}

	return text
}

// stamp returns a text that changes whenever a file changes, "" if there is none: nobody can set the time of the last change of any kind.
func stamp(path string) string {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return ""
	}
	return fmt.Sprintln(st.Dev, st.Ino, st.Mode, st.Size, st.Mtim, st.Ctim)
}

// reached is [stamps], and also for what a link leads to.
func reached(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == path {
		return stamps(path)
	}
	return stamp(path) + stamps(real)
}

// maxGuarded bounds how many files of a folder are compared.
const maxGuarded = 10_000

// tooMany begins what is not known of a version: of a folder with more files than are compared.
const tooMany = "\nmore than are compared: "

// uncompared counts the versions of which not all is known, so that none is like another one.
var uncompared atomic.Int64

// eachIn calls f with a file, or with a folder and all in it, and with what cannot be read there. It is not whole if there is more.
func eachIn(path string, f func(path string, info os.FileInfo, err error)) (whole bool) {
	left := maxGuarded
	_ = filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		if left--; left < 0 {
			return fs.SkipAll
		}
		var info os.FileInfo
		if err == nil {
			info, err = e.Info()
		}
		f(path, info, err)
		return nil
	})

	return left >= 0
}

// versionOf returns a text that changes with what is written for each file of a folder, and always if there are more than are compared.
func versionOf(path string, write func(b io.Writer, path string, info os.FileInfo)) string {
	sum := sha256.New()
	whole := eachIn(path, func(path string, info os.FileInfo, err error) {
		if err != nil {
			fmt.Fprintln(sum, path, err)
		} else {
			write(sum, path, info)
		}
	})

	text := fmt.Sprintf("%x", sum.Sum(nil))
	if !whole {
		text += moreThan()
	}

	return text
}

// moreThan returns the end of a version of which not all is known.
func moreThan() string { return tooMany + fmt.Sprint(uncompared.Add(1)) }

// isKnown reports whether a version is that of all that is there.
func isKnown(version string) bool { return !strings.Contains(version, tooMany) }

// stamps returns a text that changes whenever a file changes, or one in a folder: the time of its last change of any kind can be set by
// nobody.
func stamps(path string) string {
	return versionOf(path, func(b io.Writer, path string, _ os.FileInfo) { fmt.Fprint(b, stamp(path)) })
}

// contents returns a text that changes with the bytes of a file, or of those in a folder, and with who may run them.
func contents(path string) string {
	return versionOf(path, func(b io.Writer, path string, info os.FileInfo) {
		fmt.Fprintln(b, path, info.Mode())
		if !info.IsDir() {
			fmt.Fprintln(b, version(path))
		}
	})
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
