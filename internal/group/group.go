// Package group runs commands in process groups of their own.
package group

import (
	"os/exec"
	"syscall"
	"time"
)

// maxWait is how long a command may keep its output open after it was killed.
const maxWait = time.Second

// Own puts a command that has a context, and is not started yet, into a process group of its own. The end of the context kills all
// of the group, also what the command has started.
func Own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = maxWait
}
