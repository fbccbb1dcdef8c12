package terminal

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// reading reports whether a process in the foreground of the pty reads from it. Where the kernel does not show that, any
// process there counts.
func (p *process) reading() bool {
	group, ok := p.foreground()
	if !ok {
		return false
	}

	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil || processGroup(stat) != group {
			continue
		}
		if readsTerminal(filepath.Dir(path)) {
			return true
		}
	}

	return false
}

// foreground is the process group that the pty sends its input to.
func (p *process) foreground() (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	group, err := unix.IoctlGetUint32(int(p.ctl.Fd()), unix.TIOCGPGRP)
	return int(group), err == nil && group > 0
}

// processGroup takes the third field after the name, which is in parentheses and may have any character, from a stat file.
func processGroup(stat []byte) int {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 3 {
		return 0
	}
	group, _ := strconv.Atoi(string(fields[2])) // 0 is no group
	return group
}

// readsTerminal looks at the system call that the process in a /proc folder is in.
func readsTerminal(dir string) bool {
	call, err := os.ReadFile(filepath.Join(dir, "syscall"))
	if err != nil {
		return true // not to be seen
	}

	fields := strings.Fields(string(call))
	if len(fields) < 2 || fields[0] != strconv.Itoa(syscall.SYS_READ) {
		return false
	}

	fd, err := strconv.ParseUint(strings.TrimPrefix(fields[1], "0x"), 16, 32)
	if err != nil {
		return false
	}

	file, err := os.Readlink(filepath.Join(dir, "fd", strconv.FormatUint(fd, 10)))
	return err == nil && (strings.HasPrefix(file, "/dev/pts/") || file == "/dev/tty")
}
