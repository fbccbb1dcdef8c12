package install

import "syscall"

// ownGroup starts a program in a group of its own. It ends with us, also if we are killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
