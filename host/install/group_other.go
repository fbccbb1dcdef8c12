//go:build !linux

package install

import "syscall"

// ownGroup starts a program in a group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
