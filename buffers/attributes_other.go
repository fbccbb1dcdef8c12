//go:build !linux && !darwin

package buffers

import "os"

// KeepAttributes does nothing here.
func KeepAttributes(_, _ *os.File) error { return nil }
