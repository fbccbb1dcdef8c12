package attach

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stateDir is the plugin's own state folder, of a Neovim with some $NVIM_APPNAME.
func stateDir() string { return filepath.Join(os.Getenv("XDG_STATE_HOME"), "other", "nvim-acp") }

// detached listens as a host does that has been detached, and has its record.
func detached(t *testing.T) *Listener {
	t.Helper()
	l, err := Listen(stateDir(), "", serve(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		l.Forget()
	})
	session := Session{ID: "s", Title: "a secret", Cwd: "/p", Pending: []string{"another"}}
	l.Note(About{PID: os.Getpid(), Sessions: []Session{session}})
	for until := time.Now().Add(5 * time.Second); len(recordPaths()) == 0; {
		if time.Now().After(until) {
			t.Fatal("there is no record")
		}
	}
	return l
}

// A host is found whatever the folder of sockets is, and after its socket was removed (behaviour 481).
func TestFoundByRecord(t *testing.T) {
	old := runDir(t)
	state := os.Getenv("XDG_STATE_HOME")
	l := detached(t)
	before := l.Path()
	text, err := os.ReadFile(recordPaths()[0])
	if err != nil || strings.Contains(string(text), "secret") || strings.Contains(string(text), "another") {
		t.Errorf("the record has what the user has written: %s, %v", text, err)
	}
	runDir(t)
	t.Setenv("XDG_STATE_HOME", state)
	if hosts := hostsOf(t); len(hosts) != 1 || hosts[0].PID != 7 || hosts[0].Path != before || Gone(hosts[0]) {
		t.Fatalf("elsewhere Hosts() = %+v", hosts)
	}

	if err := os.RemoveAll(old); err != nil { // as when the user has left the machine
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", old)
	t.Setenv("TMPDIR", filepath.Dir(filepath.Dir(before))) // which is not there either
	if hosts := hostsOf(t); len(hosts) != 1 || hosts[0].Problem == "" || hosts[0].Sessions[0].Cwd != "/p" {
		t.Fatalf("without a folder Hosts() = %+v", hosts)
	}
	if err := os.Mkdir(old, 0o700); err != nil {
		t.Fatal(err)
	}
	if hosts := hostsOf(t); len(hosts) != 1 || hosts[0].PID != 7 {
		t.Fatalf("with a new one Hosts() = %+v", hosts)
	}
	if got := l.Path(); got != before {
		t.Errorf("it listens at %s, want %s", got, before)
	}
}

// A host that listens elsewhere by the time it is asked is asked there: its record says so (behaviour 481).
func TestListensElsewhere(t *testing.T) {
	runDir(t)
	l := detached(t)
	path := recordPaths()[0]
	r, lives, err := readRecord(path)
	if err != nil || !lives {
		t.Fatal(lives, err)
	}
	r.Path = filepath.Join(filepath.Dir(l.Path()), "before")
	if about := reach(path, r); about == nil || about.Problem != "" || about.Path != l.Path() {
		t.Errorf("got %+v, want a host that listens at %s", about, l.Path())
	}
}

// A record that is removed alone is written anew (behaviour 481).
func TestRecordRemoved(t *testing.T) {
	runDir(t)
	detached(t)
	before, err := os.ReadFile(recordPaths()[0])
	if err == nil {
		err = os.RemoveAll(stateDir())
	}
	if err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(5 * time.Second); len(recordPaths()) == 0; {
		if time.Now().After(until) {
			t.Fatal("there is no new record")
		}
	}
	after, err := os.ReadFile(recordPaths()[0])
	if err != nil || string(after) != string(before) {
		t.Errorf("the new record is %s, want %s: %v", after, before, err)
	}
	if hosts := hostsOf(t); len(hosts) != 1 || hosts[0].Problem != "" || hosts[0].record == "" {
		t.Errorf("Hosts() = %+v", hosts)
	}
}

// A record that could not be written is written once it can be, though nothing has changed meanwhile (behaviour 481).
func TestRecordWrittenLater(t *testing.T) {
	runDir(t)
	blocked := filepath.Join(stateDir(), recordsDir)
	if err := os.MkdirAll(stateDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(stateDir(), "", serve(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		l.Forget()
	})
	l.Note(About{PID: os.Getpid()})
	path := l.Path()
	if err := os.Remove(path); err != nil { // a socket that is there again: what was noted before it was seen
		t.Fatal(err)
	}
	until := time.Now().Add(5 * time.Second)
	for _, err := os.Lstat(path); err != nil; _, err = os.Lstat(path) {
		if time.Now().After(until) {
			t.Fatal("there is no new socket")
		}
	}

	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	for len(recordPaths()) == 0 {
		if time.Now().After(until) {
			t.Fatal("there is no record")
		}
	}
}

// A socket that another has made in the host's place is left to it (behaviour 481).
func TestPlaceTaken(t *testing.T) {
	runDir(t)
	l := detached(t)
	before := l.Path()
	if err := os.Rename(before, before+"-aside"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(before+"-aside", before); err != nil { // the same one
		t.Fatal(err)
	}
	other, err := Listen("", "", serve(t))
	if err != nil {
		t.Fatal(err)
	}
	if other.Path() == before {
		t.Errorf("two hosts listen at %s", before)
	}
	if hosts := hostsOf(t); len(hosts) != 2 {
		t.Errorf("Hosts() = %+v", hosts)
	}
	other.Close()
	other.Forget()
	if hosts := hostsOf(t); len(hosts) != 1 {
		t.Errorf("Hosts() = %+v", hosts)
	}
}

// What a crashed host has left is listed with its log until it is stopped; a host that was killed is forgotten; one of
// another machine is left alone (behaviours 483, 484).
func TestEndedHosts(t *testing.T) {
	runDir(t)
	write := func(pid int, word, machine string) string {
		t.Helper()
		log := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(log, []byte(word), 0o600); err != nil {
			t.Fatal(err)
		}
		k := keeper{path: filepath.Join(stateDir(), recordsDir, strconv.Itoa(pid))}
		if err := k.write(About{PID: pid, Path: "/nonexistent", Log: log, Sessions: []Session{{Cwd: "/p"}}}); err != nil {
			t.Fatal(err)
		}
		if machine != "" {
			text, err := os.ReadFile(k.path)
			if err == nil {
				err = os.WriteFile(k.path, []byte(strings.Replace(string(text), `"machine":"`, `"machine":"`+machine, 1)), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := k.file.Close(); err != nil { // it is killed
			t.Fatal(err)
		}
		return log
	}
	write(1, "panic: what it says\n", "")
	killed := write(2, "", "")
	write(3, "panic\n", "other")

	hosts := hostsOf(t)
	if len(hosts) != 1 || hosts[0].PID != 1 || !hosts[0].Ended || !strings.HasSuffix(hosts[0].Problem, ": "+hosts[0].Log) {
		t.Fatalf("Hosts() = %+v", hosts)
	}
	if _, err := os.Stat(killed); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty log is still there: %v", err)
	}
	if err := Stop(hosts[0]); err != nil {
		t.Error(err)
	}
	if hosts := hostsOf(t); len(hosts) != 0 {
		t.Errorf("after it was stopped Hosts() = %+v", hosts)
	}
	if paths := recordPaths(); len(paths) != 1 || filepath.Base(paths[0]) != "3" {
		t.Errorf("the records are %v", paths)
	}
}

// The log of a host begins anew when it is large, and goes with the host if it is empty (behaviour 484).
func TestLogBounded(t *testing.T) {
	runDir(t)
	l, err := Listen(stateDir(), "", serve(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Log().Write(make([]byte, maxLog+1)); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(5 * time.Second); ; {
		info, err := l.Log().Stat()
		if err != nil || time.Now().After(until) {
			t.Fatalf("it has %d bytes, %v", info.Size(), err)
		}
		if info.Size() == 0 {
			break
		}
	}
	l.Close()
	l.Forget()
	if _, err := os.Stat(l.Log().Name()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}

	l, err = Listen(stateDir(), "", serve(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Log().WriteString("a fault\n"); err != nil {
		t.Fatal(err)
	}
	l.Close()
	l.Forget()
	if text, err := os.ReadFile(l.Log().Name()); string(text) != "a fault\n" {
		t.Errorf("what was written to it is %q, %v", text, err)
	}
}

// A log stays as long as its host lives, however old it is; an old one of a host that has ended goes (behaviour 484).
func TestOldLogs(t *testing.T) {
	state := t.TempDir()
	dir := filepath.Join(state, logsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	living, ended := filepath.Join(dir, "host-1-a.log"), filepath.Join(dir, "host-2-a.log")
	old := time.Now().Add(-2 * maxKept)
	for _, path := range []string{living, ended} {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if path == living && !lock(f, syscall.LOCK_EX) {
			t.Fatal("it cannot be locked")
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	log, err := openLog(state)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, err := os.Stat(living); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(ended); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an old log is left: %v", err)
	}
}

// The process whose number a host had that has ended is another's: it is not killed in its stead (behaviour 429).
func TestStopEnded(t *testing.T) {
	runDir(t)
	other := exec.Command("cat")
	in, err := other.StdinPipe()
	if err == nil {
		err = other.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	k := keeper{path: filepath.Join(stateDir(), recordsDir, "1")}
	about := About{PID: other.Process.Pid, Path: filepath.Join(t.TempDir(), "none")}
	if err := errors.Join(k.write(about), k.file.Close()); err != nil {
		t.Fatal(err)
	}
	about.record = k.path
	if err := Stop(about); err == nil {
		t.Error("it is said to be stopped")
	}
	_ = in.Close()
	if err := other.Wait(); err != nil {
		t.Errorf("another process was killed: %v", err)
	}
}
