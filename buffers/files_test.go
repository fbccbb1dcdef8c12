package buffers

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// put writes a file below a new folder and returns its path.
func put(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestReadFileSlices(t *testing.T) {
	for _, tt := range sliceTests {
		t.Run(tt.name, func(t *testing.T) {
			file, err := ReadFile(put(t, "f", tt.content), number(tt.line), number(tt.limit), 1<<20)
			checkSlice(t, file.Text, err, tt.want, tt.last)
		})
	}
}

// Text is served as UTF-8, whatever the file's encoding (behaviour 30).
func TestReadFileEncodings(t *testing.T) {
	for _, tt := range []struct{ name, bytes, want string }{
		{"utf-8", "ä\n€", "ä\n€"},
		{"utf-8 with mark", "\xef\xbb\xbfä\n", "ä\n"},
		{"latin1", "a\xe4\n\xff", "aä\nÿ"},
		{"utf-16le", "\xff\xfea\x00\n\x00=\xd8\x00\xde", "a\n😀"},
		{"utf-16be", "\xfe\xff\x00a\x00\n", "a\n"},
		{"utf-32le", "\xff\xfe\x00\x00a\x00\x00\x00", "a"},
		{"utf-32be", "\x00\x00\xfe\xff\x00\x00\x00a", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := put(t, "f", tt.bytes)
			for _, limit := range []*uint32{nil, number(9)} {
				file, err := ReadFile(path, nil, limit, 1<<20)
				if err != nil || file.Text != tt.want {
					t.Errorf("limit %v: got %q, %v, want %q", limit, file.Text, err, tt.want)
				}
			}
			whole, _ := ReadFile(path, nil, nil, 1<<20)
			if string(whole.Data) != tt.bytes || whole.Stat.Size != int64(len(tt.bytes)) {
				t.Errorf("got bytes %q, stat %+v", whole.Data, whole.Stat)
			}
			// Writing what was read changes nothing; writing more keeps mark and encoding.
			if _, err := WriteFile(path, whole.Text+"é", WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			again, err := ReadFile(path, nil, nil, 1<<20)
			if again.Text != tt.want+"é" || !strings.HasPrefix(content(t, path), tt.bytes) || err != nil {
				t.Errorf("after a write: got %q as %q, %v", again.Text, content(t, path), err)
			}
		})
	}
}

// Files that are not regular or not text are refused at once (behaviour 32).
func TestReadFileRefuses(t *testing.T) {
	dir := t.TempDir()
	fifo, socket := filepath.Join(dir, "fifo"), filepath.Join(dir, "socket")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, tt := range []struct {
		name, path string
		want       error
	}{
		{"missing", filepath.Join(dir, "no"), ErrNotExist},
		{"folder", dir, ErrNotRegular},
		{"FIFO", fifo, ErrNotRegular},
		{"socket", socket, ErrNotRegular},
		{"device", "/dev/zero", ErrNotRegular},
		{"terminal", "/dev/ptmx", ErrNotRegular},
		{"NUL bytes", put(t, "f", "a\x00b"), ErrNotText},
		{"too large", put(t, "f", strings.Repeat("a", 101)), ErrTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, limit := range []*uint32{nil, number(1)} {
				if _, err := ReadFile(tt.path, nil, limit, 100); !errors.Is(err, tt.want) {
					t.Errorf("limit %v: got %v, want %v", limit, err, tt.want)
				}
			}
		})
	}
}

// A few lines of a file of 200 MB cost neither its memory nor the time to read it all (behaviour 31).
func TestReadFileReadsNoFurtherThanNeeded(t *testing.T) {
	path := put(t, "f", strings.Repeat("some line of text\n", 1000))
	if err := os.Truncate(path, 200<<20); err != nil { // the rest is NUL bytes: reading them would be an error
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file, err := ReadFile(path, number(100), number(100), 1<<20)
	runtime.ReadMemStats(&after)
	if err != nil || len(file.Text) != 1800 || file.Data != nil {
		t.Errorf("got %d bytes, %v", len(file.Text), err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("allocated %d bytes", used)
	}
}

func TestReadFileSkipsWithBoundedMemory(t *testing.T) {
	path := put(t, "f", strings.Repeat("x", 32<<20)+"\nsecond\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file, err := ReadFile(path, number(2), nil, 1<<20)
	runtime.ReadMemStats(&after)
	if err != nil || file.Text != "second\n" {
		t.Errorf("got %q, %v", file.Text, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("allocated %d bytes", used)
	}
}

// write runs WriteFile.
func write(t *testing.T, content string, check func(t *testing.T, write func(path string) error)) {
	check(t, func(path string) error {
		_, err := WriteFile(path, content, WriteOptions{})
		return err
	})
}

// A write keeps the file's mode and owner (behaviour 210).
func TestWriteFileKeepsModeAndOwner(t *testing.T) {
	write(t, "new", func(t *testing.T, write func(string) error) {
		path := put(t, "f", "old and longer")
		if err := os.Chmod(path, 0o751); err != nil {
			t.Fatal(err)
		}
		uid := os.Getuid()
		if uid == 0 {
			uid = 1234
		}
		if err := os.Chown(path, uid, -1); err != nil {
			t.Fatal(err)
		}
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		info, _ := os.Stat(path)
		if info.Mode() != 0o751 || int(info.Sys().(*syscall.Stat_t).Uid) != uid || content(t, path) != "new" {
			t.Errorf("got %v %+v %q", info.Mode(), info.Sys(), content(t, path))
		}
		onlyFile(t, path)
	})
}

// onlyFile checks that nothing was left in the folder of path.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	hidden, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if len(names)+len(hidden) != 1 {
		t.Errorf("in the folder: %v %v", names, hidden)
	}
}

// A reader that has the file open sees the old or the new text whole, never a mixture (behaviour 210).
func TestWriteFileReplacesAtOnce(t *testing.T) {
	path := put(t, "f", "old")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stat, err := WriteFile(path, "new", WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if old, _ := io.ReadAll(f); string(old) != "old" {
		t.Errorf("through the old handle: %q", old)
	}
	if now, _ := StatFile(path); !now.Equal(stat) {
		t.Errorf("got stat %+v, want %+v", stat, now)
	}
}

// A file with several names is written in place (behaviour 210).
func TestWriteFileKeepsHardLinks(t *testing.T) {
	write(t, "new", func(t *testing.T, write func(string) error) {
		path := put(t, "f", "old and longer")
		other := path + "2"
		if err := os.Link(path, other); err != nil {
			t.Fatal(err)
		}
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		if content(t, other) != "new" {
			t.Errorf("the other link has %q", content(t, other))
		}
	})
}

// A write goes through a symbolic link and leaves it (behaviour 109).
func TestWriteFileGoesThroughLinks(t *testing.T) {
	for _, target := range []string{"f", "new"} {
		write(t, "text", func(t *testing.T, write func(string) error) {
			link := filepath.Join(filepath.Dir(put(t, "f", "old")), "link")
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
			if err := write(link); err != nil {
				t.Fatal(err)
			}
			if got, _ := os.Readlink(link); got != target {
				t.Errorf("the link is gone")
			}
			if got := content(t, filepath.Join(filepath.Dir(link), target)); got != "text" {
				t.Errorf("got %q behind the link", got)
			}
		})
	}
}

// A write creates missing folders, with any characters in the names (behaviours 41, 108).
func TestWriteFileMakesFolders(t *testing.T) {
	for _, name := range []string{"a/b/c.txt", "[id]/%20 #1/it's \"q\"\n.txt"} {
		other := filepath.Join(t.TempDir(), "other", name)
		if _, err := WriteFile(other, "y", WriteOptions{Perm: 0o600}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(other)
		if err != nil || info.Mode() != 0o600 || content(t, other) != "y" {
			t.Errorf("got %v, %v", info, err)
		}
	}
}

// A write of identical text does not touch the file (behaviour 46).
func TestWriteFileOfTheSameText(t *testing.T) {
	path := put(t, "f", "\xef\xbb\xbfsame")
	before, _ := StatFile(path)
	after, err := WriteFile(path, "same", WriteOptions{})
	if err != nil || !after.Equal(before) {
		t.Errorf("got %+v, %v, want %+v", after, err, before)
	}
}

func TestWriteFileRefuses(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	latin := put(t, "f", "\xe4")
	for _, tt := range []struct {
		name, path string
		want       error
	}{
		{"folder", dir, ErrNotRegular},
		{"FIFO", fifo, ErrNotRegular},
		{"not in latin1", latin, ErrEncoding},
		{"relative", "some/file", ErrRelative},
		{"below a file", filepath.Join(latin, "x"), syscall.ENOTDIR},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := WriteFile(tt.path, "€", WriteOptions{}); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	if content(t, latin) != "\xe4" {
		t.Errorf("the file has %q", content(t, latin))
	}
}

// A write of a real path follows no link, whatever has become one meanwhile, and makes no folder behind one (behaviours 33, 692).
func TestWriteRealFollowsNoLink(t *testing.T) {
	outside := put(t, "f", "old")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(dir, "beside")
	if err := os.WriteFile(beside, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"file": outside, "dir": filepath.Dir(outside), "near": "beside", "none": filepath.Join(filepath.Dir(outside), "made")} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"file", "dir/f", "dir/new", "dir/a/b", "near", "none"} {
		if _, err := WriteReal(filepath.Join(dir, path), "new", WriteOptions{}); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	if content(t, outside) != "old" || content(t, beside) != "old" {
		t.Errorf("behind a link: %q, %q", content(t, outside), content(t, beside))
	}
	onlyFile(t, outside)
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00"))
	f.Add([]byte("\xe4\xff"))
	f.Add([]byte("\xef\xbb\xbf\xe4"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, enc, err := decode(data)
		if err != nil || enc > latin1 {
			return
		}
		if back, err := enc.encode(text); err != nil || !bytes.Equal(back, data) {
			t.Errorf("got %q, %v, want %q", back, err, data)
		}
	})
}

// A write keeps the file's line ends (behaviour 30).
func TestWriteFileKeepsLineEnds(t *testing.T) {
	tests := []struct{ name, old, content, want string }{
		{"all CRLF", "a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"},
		{"content has its own", "a\r\nb\r\n", "a\r\nc\n", "a\r\nc\n"},
		{"mixed", "a\r\nb\n", "a\nc\n", "a\nc\n"},
		{"plain", "a\nb\n", "a\r\n", "a\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file.txt")
			if err := os.WriteFile(path, []byte(tt.old), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := WriteFile(path, tt.content, WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
