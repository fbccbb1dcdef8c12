package install

import (
	"archive/tar"
	"archive/zip"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// unpack unpacks a downloaded file. os.Root holds all that is written inside the folder, whatever names and links the
// archive has.
func (p *Plan) unpack(ctx context.Context, file, folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}

	defer root.Close()
	f, err := regular.Open(file)
	if err != nil {
		return err
	}

	defer f.Close()

	u := &unpacker{stopped: ctx.Err, root: root, room: maxUnpacked}
	switch kind := kindOf(p.Source); kind {
	case "gz":
		packed, err := gzip.NewReader(f)
		if err != nil {
			return err
		}
		return u.tar(packed)
	case "bz2":
		return u.tar(bzip2.NewReader(f))
	case "tar":
		return u.tar(f)
	case "zip":
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return u.zip(f, info.Size())
	case "":
		return u.file(p.Program, 0o755, f)
	default:
		return fmt.Errorf("archives of the kind %s are not unpacked", kind)
	}
}

// unpacker writes the entries of one archive.
type unpacker struct {
	stopped func() error // why it is to end, nil if it is not
	root    *os.Root
	room    int64 // bytes that may still come
	entries int
}

const maxEntries = 200_000

// path returns where an entry belongs, "" for the folder itself.
func (u *unpacker) path(name string) (string, error) {
	if u.entries++; u.entries > maxEntries {
		return "", fmt.Errorf("it has more than %d files", maxEntries)
	}
	clean := path.Clean(strings.TrimSuffix(name, "/"))
	if clean == "." {
		return "", u.stopped()
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(name, `\`) {
		return "", fmt.Errorf("the name %q leaves its folder, so nothing of it is used", name)
	}
	return clean, u.stopped()
}

func (u *unpacker) tar(packed io.Reader) error {
	archive := tar.NewReader(packed)
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}

		name, err := u.path(head.Name)
		if err != nil {
			return err
		} else if name == "" {
			continue
		}
		switch head.Typeflag {
		case tar.TypeDir:
			err = u.root.MkdirAll(name, 0o755)
		case tar.TypeReg:
			err = u.file(name, fs.FileMode(head.Mode).Perm(), archive)
		case tar.TypeSymlink:
			err = u.link(name, head.Linkname)
		case tar.TypeXGlobalHeader:
		default:
			err = fmt.Errorf("%q is neither a file nor a folder, so nothing of it is used", head.Name)
		}

		if err != nil {
			return err
		}
	}
}

func (u *unpacker) zip(f io.ReaderAt, size int64) error {
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return err
	}
	for _, entry := range archive.File {
		name, err := u.path(entry.Name)
		if err != nil {
			return err
		} else if name == "" {
			continue
		}
		if err := u.zipped(entry, name); err != nil {
			return err
		}
	}

	return nil
}

func (u *unpacker) zipped(entry *zip.File, name string) error {
	mode := entry.Mode()
	if mode.IsDir() {
		return u.root.MkdirAll(name, 0o755)
	}

	body, err := entry.Open()
	if err != nil {
		return err
	}

	defer body.Close()
	switch {
	case mode&fs.ModeSymlink != 0:
		target, err := io.ReadAll(io.LimitReader(body, 4096))
		if err != nil {
			return err
		}
		return u.link(name, string(target))
	case !mode.IsRegular():
		return fmt.Errorf("%q is neither a file nor a folder, so nothing of it is used", entry.Name)
	}

	return u.file(name, mode.Perm(), body)
}

// file writes a file. One that an archive has twice is an error: nobody knows which is meant.
func (u *unpacker) file(name string, perm fs.FileMode, body io.Reader) error {
	if err := u.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := u.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm|0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(stoppable{body, u.stopped}, u.room+1))
	if u.room -= n; err == nil && u.room < 0 {
		err = errors.New("it unpacks to more than 8 GiB")
	}
	return errors.Join(err, f.Close())
}

// link makes a link to something inside the folder.
func (u *unpacker) link(name, target string) error {
	if path.IsAbs(target) || !filepath.IsLocal(path.Join(path.Dir(name), target)) {
		return fmt.Errorf("the link %q leads to %q, out of its folder, so nothing of it is used", name, target)
	}
	if err := u.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return u.root.Symlink(target, name)
}

// stoppable reads until it is stopped.
type stoppable struct {
	io.Reader
	stopped func() error
}

func (s stoppable) Read(data []byte) (int, error) {
	if err := s.stopped(); err != nil {
		return 0, err
	}
	return s.Reader.Read(data)
}
