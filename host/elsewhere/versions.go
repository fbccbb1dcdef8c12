package elsewhere

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
const maxGuarded = 1000

// eachIn calls f with a file, or with a folder and all in it.
func eachIn(path string, f func(path string, info os.FileInfo)) {
	left := maxGuarded
	_ = filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		if left--; err != nil || left < 0 {
			return fs.SkipAll // what cannot be read is not run either
		}
		if info, err := e.Info(); err == nil {
			f(path, info)
		}
		return nil
	})
}

// stamps returns a text that changes whenever a file changes, or one in a folder: the time of its last change of any kind can be set by
// nobody.
func stamps(path string) string {
	var b strings.Builder
	eachIn(path, func(path string, _ os.FileInfo) { b.WriteString(stamp(path)) })
	return b.String()
}

// contents returns a text that changes with the bytes of a file, or of those in a folder, and with who may run them.
func contents(path string) string {
	var b strings.Builder
	eachIn(path, func(path string, info os.FileInfo) {
		fmt.Fprintln(&b, path, info.Mode())
		if !info.IsDir() {
			fmt.Fprintln(&b, version(path))
		}
	})
	return fmt.Sprintf("%x", sha256.Sum256([]byte(b.String())))
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
