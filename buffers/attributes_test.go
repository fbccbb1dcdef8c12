//go:build linux

package buffers

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// accessList lets user 1 read and write a file, in the kernel's form.
var accessList = []byte{
	2, 0, 0, 0, // version
	0x01, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, // owner
	0x02, 0, 6, 0, 1, 0, 0, 0, // user 1
	0x04, 0, 4, 0, 0xff, 0xff, 0xff, 0xff, // group
	0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, // mask
	0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, // others
}

// A write keeps extended attributes and the access control list, and a file gets none that it did not have (behaviour 760).
func TestWriteKeepsAttributes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for name, value := range map[string][]byte{"user.origin": []byte("here"), "system.posix_acl_access": accessList} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(path)
			if err := os.WriteFile(path, []byte("old\n"), 0o640); err != nil {
				t.Fatal(err)
			}
			if err := unix.Setxattr(path, name, value, 0); errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EPERM) {
				value = nil // there are none here: then it is written without
			} else if err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := WriteFile(path, "new\n", WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			buf := make([]byte, 256)
			n, err := unix.Getxattr(path, name, buf)
			if err == nil == (value == nil) || string(buf[:max(n, 0)]) != string(value) {
				t.Errorf("got %q, %v; want %q", buf[:max(n, 0)], err, value)
			}
			if after, err := os.Stat(path); err != nil || after.Mode() != before.Mode() || os.SameFile(before, after) {
				t.Errorf("mode %v, want %v; %v; it was written in place: %v", after.Mode(), before.Mode(), err, os.SameFile(before, after))
			}
		})
	}

	t.Run("a folder's default", func(t *testing.T) {
		_ = os.Remove(path)
		if err := os.WriteFile(path, []byte("old\n"), 0o640); err != nil {
			t.Fatal(err)
		}
		if err := unix.Setxattr(dir, "system.posix_acl_default", accessList, 0); err != nil && !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.EPERM) {
			t.Fatal(err)
		}
		if _, err := WriteFile(path, "new\n", WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if n, err := unix.Getxattr(path, "system.posix_acl_access", make([]byte, 256)); err == nil {
			t.Errorf("it has an access control list of %d bytes", n)
		}
	})
}
