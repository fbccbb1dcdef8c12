//go:build !linux

package terminal

// reading is not to be seen here, so silence alone counts.
func (p *process) reading() bool { return true }
