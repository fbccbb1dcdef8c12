//go:build linux || darwin

package buffers

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// dropped are attributes that the system takes away where a file is written, or keeps by itself.
var dropped = []string{"security.capability", "security.ima", "security.evm"}

// KeepAttributes gives a file the extended attributes of another, among which are its access control list, and no others. It comes
// after the owner and the mode. An error says that they cannot be kept.
func KeepAttributes(to, from *os.File) error {
	was, err := attributes(from)
	if err != nil {
		return err
	}

	is, err := attributes(to)
	if err != nil {
		return err
	}
	for name := range is {
		if _, ok := was[name]; !ok {
			if err := unix.Fremovexattr(int(to.Fd()), name); err != nil && !errors.Is(err, unix.ENODATA) {
				return fmt.Errorf("attribute %s: %w", name, errors.Join(errors.ErrUnsupported, err))
			}
		}
	}

	for name, value := range was {
		if is[name] == value {
			continue
		}
		if err := unix.Fsetxattr(int(to.Fd()), name, []byte(value), 0); err != nil {
			return fmt.Errorf("attribute %s: %w", name, errors.Join(errors.ErrUnsupported, err))
		}
	}

	return nil
}

// attributes returns the extended attributes of a file; none where there are no such.
func attributes(f *os.File) (map[string]string, error) {
	list, err := sized(func(buf []byte) (int, error) { return unix.Flistxattr(int(f.Fd()), buf) })
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	all := map[string]string{}
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		if name == "" || slices.Contains(dropped, name) {
			continue
		}
		value, err := sized(func(buf []byte) (int, error) { return unix.Fgetxattr(int(f.Fd()), name, buf) })
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, errors.Join(errors.ErrUnsupported, err))
		}
		all[name] = value
	}

	return all, nil
}

// sized calls a function with as much room as it says that it needs.
func sized(get func(buf []byte) (int, error)) (string, error) {
	for {
		n, err := get(nil)
		if err != nil || n == 0 {
			return "", err
		}
		buf := make([]byte, n)
		if n, err = get(buf); err == nil {
			return string(buf[:n]), nil
		}
		if !errors.Is(err, unix.ERANGE) { // else it has grown meanwhile
			return "", err
		}
	}
}
