package attach

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/internal/private"
)

// A record says where a detached host listens: its socket may have been removed, or be in a folder that another
// program does not look at. It is a file below the state folder of Neovim, NVIM_APPNAME/nvim-acp/hosts/PID-MACHINE, and the
// host has it locked as long as it lives.
type record struct {
	About
	Machine string `json:"machine"` // where the process id counts
	Mark    string `json:"mark"`    // of the host's processes
}

const (
	recordsDir = "hosts" // below the state folder of this program
	logsDir    = "log"
	maxKept    = 7 * 24 * time.Hour // of the last words of a host
	maxRecord  = 1 << 20            // bytes of a record
)

// machine is the same for all programs that know a process by the same number.
func machine() string {
	name, _ := os.Hostname() // without a name there is one machine
	space, _ := os.Readlink("/proc/self/ns/pid")
	return name + " " + space
}

// processName is the name of this process among those of all machines that share a folder.
func processName() string {
	return fmt.Sprintf("%d-%08x", os.Getpid(), crc32.ChecksumIEEE([]byte(machine())))
}

// recordPaths returns the paths of all records of this user, whatever NVIM_APPNAME their Neovim had.
func recordPaths() []string {
	root := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(root) {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		root = filepath.Join(home, ".local", "state")
	}
	paths, _ := filepath.Glob(filepath.Join(root, "*", "nvim-acp", recordsDir, "[0-9]*"))
	return paths
}

// readRecord reads a record, and reports whether its host lives. A record of another machine is an error, and so is
// none.
func readRecord(path string) (r record, lives bool, err error) {
	for {
		f, err := private.Open(path)
		if err != nil {
			return record{}, false, err
		}

		err = json.NewDecoder(io.LimitReader(f, maxRecord)).Decode(&r)
		lives = !lock(f, syscall.LOCK_SH)
		ours, failed := f.Stat()
		_ = f.Close()
		if now, gone := os.Lstat(path); failed == nil && gone == nil && !os.SameFile(ours, now) {
			continue // it was replaced meanwhile
		}
		if err == nil && r.Machine != machine() {
			err = errors.New("it is of another machine")
			if failed == nil && !lives && time.Since(ours.ModTime()) > maxKept {
				_ = os.Remove(path) // nobody comes back to it
			}
		}

		return r, lives, errors.Join(err, failed)
	}
}

// lock reports whether it could lock a file without waiting.
func lock(f *os.File, how int) bool { return syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB) == nil }

// kill kills a host, waits for its end, and ends what it leaves unless a guard does so.
func (r *record) kill(path string) error {
	if err := syscall.Kill(r.PID, syscall.SIGKILL); err != nil {
		return err
	}
	for until := time.Now().Add(maxAnswer); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		now, lives, err := readRecord(path)
		if err != nil {
			return nil // it has ended by itself
		}
		if !lives {
			now.ended(path)
			return nil
		}
	}

	return errors.New("it was killed, and has not ended yet")
}

// ended describes a host that has ended without removing its record, if it has left a word or processes; else it is
// forgotten, once no guard and no process of it is left. Processes that no guard ends are ended, which takes 1.2 s if they resist.
func (r *record) ended(path string) *About {
	left, over := guard.EndLeft(r.Mark)
	info, err := os.Stat(r.Log)
	about := r.About
	about.Ended, about.Neovim, about.Left, about.record = true, 0, left, path
	switch {
	case err == nil && info.Size() > 0 && time.Since(info.ModTime()) < maxKept:
		about.Problem = "has ended unexpectedly: " + r.Log
	case left > 0:
		about.Problem, about.Log = "was killed", ""
	default:
		if over { // else the mark is needed again
			forget(path, r.Log)
		}
		return nil
	}

	if about.Log == "" && over {
		forget(path, r.Log)
	}
	if left > 0 {
		about.Problem += fmt.Sprintf("; the processes it left are ended: %d", left)
	}

	return &about
}

// forget removes a record, and the log of its host if there is nothing in it.
func forget(path, log string) {
	_ = os.Remove(path) // who cannot remove it finds it again
	if info, err := os.Stat(log); err == nil && info.Size() == 0 {
		_ = os.Remove(log)
	}
}

// keeper writes the record of this process. Its methods are called by one goroutine at a time. The zero value writes
// none.
type keeper struct {
	path string
	mark string   // of the host's processes
	file *os.File // the record, locked
}

// newKeeper returns the keeper of this process's record below a state folder; without one nothing is kept.
func newKeeper(state, mark string) *keeper {
	if state == "" {
		return &keeper{}
	}
	return &keeper{path: filepath.Join(state, recordsDir, processName()), mark: mark}
}

// write replaces the record.
func (k *keeper) write(about About) error {
	if k.path == "" {
		return nil
	}

	about.Sessions = append([]Session{}, about.Sessions...)
	for i := range about.Sessions {
		s := &about.Sessions[i]
		s.Title, s.State, s.Pending = "", "", []string{} // what changes is asked, and titles are in the conversations only
		s.Dirs = append([]string{}, s.Dirs...)
	}

	text, err := json.Marshal(record{about, machine(), k.mark})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return err
	}

	f, err := os.CreateTemp(filepath.Dir(k.path), ".new-") // with mode 0600
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil && !lock(f, syscall.LOCK_EX) {
		err = fmt.Errorf("%s cannot be locked", f.Name())
	}
	if err == nil {
		err = os.Rename(f.Name(), k.path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		_ = f.Close()
		return err
	}
	if k.file != nil {
		_ = k.file.Close()
	}

	k.file = f
	return nil
}

// lost reports whether the record was removed, or replaced by another.
func (k *keeper) lost() bool {
	if k.file == nil {
		return false
	}
	ours, err := k.file.Stat()
	now, gone := os.Lstat(k.path)
	return err == nil && (gone != nil || !os.SameFile(ours, now))
}

// remove removes the record.
func (k *keeper) remove() {
	if k.file == nil {
		return
	}
	_ = os.Remove(k.path)
	_ = k.file.Close()
	k.file = nil
}
