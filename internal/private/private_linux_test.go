package private

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain is another user's program too, that listens on a socket which this user has made, and says so.
func TestMain(m *testing.M) {
	if path := os.Getenv("FOREIGN_SOCKET"); path != "" {
		if err := pose(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// pose binds a socket as root and listens on it as another user, or where it is not root as this one. It prints what it was sent, if
// anybody connects, until it is killed.
func pose(path string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
	}
	if err == nil && os.Getuid() == 0 {
		err = unix.Setresuid(stranger, stranger, stranger)
	}
	if err == nil {
		err = unix.Listen(fd, 1)
	}
	if err != nil {
		return err
	}
	fmt.Println("listening")
	conn, _, err := unix.Accept(fd)
	if err != nil {
		return err
	}
	buf := make([]byte, 64)
	n, err := unix.Read(conn, buf)
	fmt.Printf("got %q\n", buf[:max(n, 0)])
	return err
}

// stranger is a user who owns nothing.
const stranger = 65534

// place is a folder that only this user can change, with a short path.
func place(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "acp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// folderTest makes a folder, and says what is wrong with it.
type folderTest struct {
	name string
	make func(dir string) (path string, err error)
	want string // in the error; "": none
}

// ofOthers are folders of other users: of one who owns nothing, or where this user is not root of root.
func ofOthers() []folderTest {
	if os.Getuid() != 0 {
		return []folderTest{{"another's", func(string) (string, error) { return "/usr", nil }, "belongs to another user"}}
	}
	return []folderTest{
		{"another's", func(dir string) (string, error) {
			return dir + "/a", errors.Join(os.Mkdir(dir+"/a", 0o700), os.Chown(dir+"/a", stranger, stranger))
		}, "belongs to another user"},
		{"in another's", func(dir string) (string, error) {
			return dir + "/a/b", errors.Join(os.MkdirAll(dir+"/a/b", 0o700), os.Chown(dir+"/a", stranger, stranger))
		}, "can replace"},
		{"another's link on the way", func(dir string) (string, error) {
			return dir + "/way/a", errors.Join(os.MkdirAll(dir+"/b/a", 0o700), os.Symlink("b", dir+"/way"), os.Lchown(dir+"/way", stranger, stranger))
		}, "can replace"},
		{"a way through another's folder and back", func(dir string) (string, error) {
			return dir + "/way/a", errors.Join(os.MkdirAll(dir+"/b/a", 0o700), os.Mkdir(dir+"/c", 0o700), os.Symlink("c/on", dir+"/way"),
				os.Symlink("../b", dir+"/c/on"), os.Chown(dir+"/c", stranger, stranger))
		}, "can replace"},
	}
}

// A folder counts as this user's only if nobody else can enter or replace it (behaviour 750).
func TestCheckFolder(t *testing.T) {
	tests := []folderTest{
		{"own", func(dir string) (string, error) { return dir + "/a", os.Mkdir(dir+"/a", 0o700) }, ""},
		{"open", func(dir string) (string, error) {
			return dir + "/a", errors.Join(os.Mkdir(dir+"/a", 0o700), os.Chmod(dir+"/a", 0o755))
		}, "chmod 700"},
		{"file", func(dir string) (string, error) { return dir + "/a", os.WriteFile(dir+"/a", nil, 0o700) }, "no folder"},
		{"link", func(dir string) (string, error) {
			return dir + "/a", errors.Join(os.Mkdir(dir+"/b", 0o700), os.Symlink("b", dir+"/a"))
		}, "no folder"},
		{"own link on the way", func(dir string) (string, error) {
			return dir + "/way/a", errors.Join(os.MkdirAll(dir+"/b/a", 0o700), os.Symlink("b", dir+"/way"))
		}, ""},
		{"in a folder that all can change", func(dir string) (string, error) {
			return dir + "/a/b", errors.Join(os.MkdirAll(dir+"/a/b", 0o700), os.Chmod(dir+"/a", 0o777))
		}, "can replace"},
		{"in a folder that the group can change", func(dir string) (string, error) {
			return dir + "/a/b", errors.Join(os.MkdirAll(dir+"/a/b", 0o700), os.Chmod(dir+"/a", 0o770))
		}, "can replace"},
		{"in a folder like /tmp", func(dir string) (string, error) {
			return dir + "/a/b", errors.Join(os.MkdirAll(dir+"/a/b", 0o700), os.Chmod(dir+"/a", 0o777|os.ModeSticky))
		}, ""},
	}
	for _, test := range append(tests, ofOthers()...) {
		t.Run(test.name, func(t *testing.T) {
			path, err := test.make(place(t))
			must(t, err)
			err = CheckFolder(path)
			if got := fmt.Sprint(err); err == nil != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if _, err := Listen(path, "s"); err == nil != (test.want == "") {
				t.Errorf("Listen: %v", err)
			}
		})
	}
}

// Nothing is sent to another user, whoever has made the socket (behaviour 750).
func TestDialForeign(t *testing.T) {
	user := 0
	if os.Getuid() != 0 {
		user = os.Getuid() + 1 // who then dials
	}
	path := filepath.Join(place(t), "s")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FOREIGN_SOCKET="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err, cmd.Start())
	defer func() { _ = cmd.Wait() }()
	_, err = io.ReadFull(out, make([]byte, len("listening\n")))
	must(t, err)

	conn, _, err := dial(path, time.Second, user)
	if err == nil {
		_ = conn.Close()
	}
	if !errors.As(err, new(*ForeignError)) {
		t.Errorf("got %v, want that it is another user's", err)
	}
	if heard, _ := io.ReadAll(out); string(heard) != "got \"\"\n" {
		t.Errorf("the other user has %s", heard)
	}
}

// A socket of this user's is connected to, with the process that listens; one that nobody listens on is dead.
func TestDial(t *testing.T) {
	dir := place(t)
	l, err := Listen(dir, "s")
	must(t, err)
	conn, pid, err := Dial(filepath.Join(dir, "s"), time.Second)
	must(t, err)
	if pid != os.Getpid() {
		t.Errorf("got process %d, want %d", pid, os.Getpid())
	}
	must(t, conn.Close())
	if Dead(filepath.Join(dir, "s")) {
		t.Error("it is dead while somebody listens")
	}
	must(t, l.Close())
	if !Dead(filepath.Join(dir, "s")) {
		t.Error("it is not dead, though nobody listens")
	}
	var op *net.OpError
	if _, _, err := Dial(filepath.Join(dir, "none"), time.Second); !errors.As(err, &op) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing one: %v", err)
	}
}

// Only a regular file of this user's is opened, and none is waited for (behaviour 750).
func TestOpen(t *testing.T) {
	dir := place(t)
	must(t, os.WriteFile(dir+"/file", []byte("text"), 0o600), os.Symlink("file", dir+"/link"), syscall.Mkfifo(dir+"/fifo", 0o600))
	for name, ok := range map[string]bool{"file": true, "link": false, "fifo": false, "": false} {
		f, err := Open(filepath.Join(dir, name))
		if err == nil != ok {
			t.Errorf("%q: %v", name, err)
		}
		if err == nil {
			_ = f.Close()
		}
	}
	if os.Getuid() == 0 {
		must(t, os.Chown(dir+"/file", stranger, stranger))
		if _, err := Open(dir + "/file"); err == nil {
			t.Error("another user's file is opened")
		}
	}
}
