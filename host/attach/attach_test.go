package attach

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// runDir makes a short folder for sockets, and uses it.
func runDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "acp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	return dir
}

// hostsOf returns the user's hosts; nothing keeps anybody from looking.
func hostsOf(t *testing.T) []About {
	t.Helper()
	hosts, err := Hosts()
	if err != nil {
		t.Error(err)
	}
	return hosts
}

// serve answers as a host does.
func serve(t *testing.T) func(conn net.Conn, pid int) {
	return func(conn net.Conn, pid int) {
		if pid != os.Getpid() {
			t.Errorf("process %d connects, want %d", pid, os.Getpid())
		}
		g, err := NewGuest(conn, conn, conn)
		if err != nil {
			t.Error(err)
			return
		}
		err = g.RegisterHandler(AboutVerb, func() (About, error) {
			return About{PID: 7, Sessions: []Session{{ID: "s"}}}, nil
		})
		if err != nil {
			t.Error(err)
		}
		_ = g.Serve()
	}
}

// The folder and the socket are this user's only; a host answers there, and its socket goes with it (behaviour 425).
func TestPrivate(t *testing.T) {
	runDir(t)
	l, err := Listen(t.TempDir(), "", serve(t))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{Dir(): 0o700 | os.ModeDir, l.Path(): 0o600 | os.ModeSocket} {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); got != want {
			t.Errorf("%s has mode %v, want %v", path, got, want)
		}
	}

	hosts := hostsOf(t)
	if len(hosts) != 1 || hosts[0].PID != 7 || hosts[0].Path != l.Path() || hosts[0].Sessions[0].Pending == nil {
		t.Errorf("Hosts() = %+v", hosts)
	}
	l.Close()
	l.Forget()
	if _, err := os.Lstat(l.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// A folder that others can enter, or that is a link, is not used (behaviour 425).
func TestForeignFolder(t *testing.T) {
	for name, make := range map[string]func(dir string) error{
		"open": func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o755)) },
		"link": func(dir string) error { return os.Symlink(t.TempDir(), dir) },
		"file": func(dir string) error { return os.WriteFile(dir, nil, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			runDir(t)
			if err := make(Dir()); err != nil {
				t.Fatal(err)
			}
			if l, err := Listen(t.TempDir(), "", serve(t)); err == nil {
				l.Close()
				l.Forget()
				t.Error("it is used")
			}
		})
	}
}

func TestCanListen(t *testing.T) {
	for _, test := range []struct {
		name string
		make func(dir string) error
		want string // in the error; "": none
	}{
		{"missing", func(string) error { return nil }, ""},
		{"there", func(dir string) error { return os.Mkdir(dir, 0o700) }, ""},
		{"open", func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o755)) }, "chmod 700 "},
		{"file", func(dir string) error { return os.WriteFile(dir, nil, 0o700) }, "remove "},
		{"unmakeable", func(dir string) error {
			return errors.Join(os.Unsetenv("XDG_RUNTIME_DIR"), os.Setenv("TMPDIR", filepath.Join(filepath.Dir(dir), "gone")))
		}, "set $XDG_RUNTIME_DIR"},
	} {
		t.Run(test.name, func(t *testing.T) {
			runDir(t)
			t.Setenv("TMPDIR", os.TempDir()) // and back
			dir := Dir()
			if err := test.make(dir); err != nil {
				t.Fatal(err)
			}
			err := CanListen()
			if got := fmt.Sprint(err); err == nil != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

// TestMain is a host too, that listens and never answers.
func TestMain(m *testing.M) {
	if path := os.Getenv("SILENT_HOST"); path != "" {
		if _, err := net.Listen("unix", path); err != nil {
			panic(err)
		}
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the test ends
		return
	}
	maxAnswer, watchTime = 300*time.Millisecond, 10*time.Millisecond
	os.Exit(m.Run())
}

// A host that does not answer is killed (behaviour 429).
func TestStopSilent(t *testing.T) {
	path := filepath.Join(runDir(t), "1")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SILENT_HOST="+path)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		if conn, err := net.Dial("unix", path); err == nil {
			_ = conn.Close()
			break
		}
	}
	if err := Stop(About{Path: path}); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it was not killed")
	}
}

// The socket of a host that was killed is removed; a host that is silent is named (behaviour 425).
func TestDeadAndSilent(t *testing.T) {
	runDir(t)
	dir, err := makeDir()
	if err != nil {
		t.Fatal(err)
	}
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "1"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	silent, err := net.Listen("unix", filepath.Join(dir, "2"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()

	hosts := hostsOf(t)
	if len(hosts) != 1 || hosts[0].PID != 2 || hosts[0].Problem == "" {
		t.Errorf("Hosts() = %+v", hosts)
	}
	if _, err := os.Lstat(filepath.Join(dir, strconv.Itoa(1))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dead socket is still there: %v", err)
	}
}

// pair is a Neovim that never answers, and the function that ends its connection.
func pair(t *testing.T) (*Guest, func()) {
	t.Helper()
	ours, theirs := net.Pipe()
	go func() { _, _ = theirs.Read(make([]byte, 1<<10)) }() // until it is closed
	g, err := NewGuest(ours, ours, ours)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = g.Serve() }() // the same
	return g, func() { _ = theirs.Close() }
}

// A call to a Neovim that leaves fails as one to nobody if the host lives on, else with the connection's error; it waits for
// that to be decided (behaviour 421).
func TestSeat(t *testing.T) {
	for _, stays := range []bool{true, false} {
		t.Run(strconv.FormatBool(stays), func(t *testing.T) {
			var seat Seat
			if err := seat.ExecLua("", nil); !errors.Is(err, ErrNobody) {
				t.Errorf("of an empty seat: %v", err)
			}
			g, leave := pair(t)
			seat.Sit(g)
			got := make(chan error, 1)
			go func() { got <- seat.ExecLua("", nil) }() // until the seat is left
			leave()
			select {
			case err := <-got:
				t.Fatalf("before it is decided: %v", err)
			case <-time.After(20 * time.Millisecond):
			}
			if stays {
				seat.Sit(nil)
			}
			g.Left()
			if err := <-got; errors.Is(err, ErrNobody) != stays || err == nil {
				t.Errorf("ExecLua: %v", err)
			}
		})
	}
}

// A call to a busy Neovim that leaves returns though its connection lasts, if the host lives on; a patient one waits for its end
// (behaviour 516).
func TestSeatOfBusy(t *testing.T) {
	ours, theirs := net.Pipe()
	g, err := NewGuest(ours, ours, ours)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = g.Serve() }() // until theirs is closed
	var seat Seat
	seat.Sit(g)
	got, waits, said := make(chan error, 1), make(chan error, 1), make(chan int, 1)
	g.SetPID(7)
	defer func(before time.Duration) { patience = before }(patience)
	patience = time.Millisecond
	go func() { got <- seat.ExecLua("", nil) }()                                            // until the seat is left
	go func() { waits <- Patient{&seat, func(pid int) { said <- pid }}.ExecLua("", nil) }() // until the connection ends
	for range 2 {
		if _, err := theirs.Read(make([]byte, 1<<10)); err != nil { // a call
			t.Fatal(err)
		}
	}
	seat.Sit(nil)
	g.Left()
	if err := <-got; !errors.Is(err, ErrNobody) {
		t.Errorf("ExecLua: %v", err)
	}
	select {
	case err := <-waits:
		t.Errorf("a patient call, while the connection lasts: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	if pid := <-said; pid != 7 {
		t.Errorf("a patient call is said to wait for %d", pid)
	}
	_ = theirs.Close()
	if err := <-waits; !errors.Is(err, ErrNobody) {
		t.Errorf("a patient call: %v", err)
	}
}

// While a Neovim is expected calls wait for it (behaviour 424).
func TestExpected(t *testing.T) {
	var seat Seat
	seat.Expect()
	got := make(chan error, 1)
	go func() { got <- seat.ExecLua("", nil) }() // until the seat is given
	select {
	case err := <-got:
		t.Fatalf("before: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	seat.Sit(nil)
	if err := <-got; !errors.Is(err, ErrNobody) {
		t.Errorf("ExecLua: %v", err)
	}
}
