package attach

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/private"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// maxLog is the size in bytes at which the log of a host begins anew.
const maxLog = 1 << 20

// openLog makes the file for what this process writes to its stderr once no Neovim reads that: the words of a crash,
// above all. Old ones are removed.
func openLog(state string) (*os.File, error) {
	dir := filepath.Join(state, logsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}

	old, _ := filepath.Glob(filepath.Join(dir, "host-*.log"))
	for _, path := range old {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > maxKept && !written(path) {
			_ = os.Remove(path)
		}
	}

	path := filepath.Join(dir, "host-"+processName()+".log")
	_ = os.Remove(path) // of a process of before
	f, err := regular.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		lock(f, syscall.LOCK_EX) // as long as this process lives
	}

	return f, err
}

// written reports whether the host that writes a log lives.
func written(path string) bool {
	f, err := private.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return !lock(f, syscall.LOCK_SH)
}

// boundLog begins a log anew that is too large.
func boundLog(log *os.File) {
	if log == nil {
		return
	}
	if info, err := log.Stat(); err == nil && info.Size() > maxLog {
		_ = log.Truncate(0) // who writes appends
	}
}
