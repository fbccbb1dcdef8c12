package attach

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/private"
)

// The requests that every host answers, whatever its interface: they must not change.
const (
	AboutVerb = "about" // returns an [About]
	StopVerb  = "stop"  // ends the host
)

// maxAnswer is how long a host may take to answer. Only tests change it.
var maxAnswer = 2 * time.Second

// About describes a host that can be attached to.
type About struct {
	Path      string    `msgpack:"path" json:"path"` // of its socket
	PID       int       `msgpack:"pid" json:"pid"`
	Version   string    `msgpack:"version" json:"version"`
	Interface int       `msgpack:"interface" json:"interface"`
	Neovim    int       `msgpack:"neovim" json:"neovim"` // process of the Neovim that is attached, 0: none
	Since     int64     `msgpack:"since" json:"since"`   // when it was detached, unix time
	Sessions  []Session `msgpack:"sessions" json:"sessions"`
	Problem   string    `msgpack:"-" json:"problem,omitempty"` // why it does not answer; "" if it does
	Ended     bool      `msgpack:"-" json:"ended,omitempty"`   // it crashed, and its log says why; or it was killed
	Left      int       `msgpack:"-" json:"left,omitempty"`    // how many processes it had left, which are ended now
	Log       string    `msgpack:"-" json:"log,omitempty"`     // path of its stderr, "" if it wrote nothing
	record    string    // path of its record, "" if it has none
}

// Session is a session of a host.
type Session struct {
	ID      string   `msgpack:"id" json:"id"`
	Remote  string   `msgpack:"remote" json:"remote"` // the agent's id
	Agent   string   `msgpack:"agent" json:"agent"`
	Title   string   `msgpack:"title" json:"title"`
	Name    string   `msgpack:"name" json:"name"` // title of the agent
	Cwd     string   `msgpack:"cwd" json:"cwd"`
	Dirs    []string `msgpack:"dirs" json:"dirs"`
	State   string   `msgpack:"state" json:"state"`
	Pending []string `msgpack:"pending" json:"pending"` // titles of what waits for an answer
	Used    int64    `msgpack:"used" json:"used"`       // unix time
}

// Hosts returns the user's detached hosts, the latest first, then those that crashed and left a log. It removes sockets and
// records of hosts that were killed, ends what those have left, and waits at most 2 s for a host that does not answer. The error
// says why nobody looks into the folder of the sockets: it may be another user's.
func Hosts() ([]About, error) {
	var group caught.Group
	var mu sync.Mutex // guards out
	var out []About
	look := func(find func() *About) {
		group.Go(func() { // ends after maxAnswer
			if about := find(); about != nil {
				mu.Lock()
				defer mu.Unlock()
				out = append(out, *about)
			}
		})
	}

	known := map[string]bool{}
	for _, path := range recordPaths() {
		r, lives, err := readRecord(path)
		switch {
		case err != nil: // of another machine, or no record
		case lives:
			known[real(r.Path)] = true
			look(func() *About { return reach(path, r) })
		default:
			look(func() *About { return r.ended(path) })
		}
	}

	dir := Dir()
	var entries []os.DirEntry
	err := private.CheckFolder(dir)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	} else if err == nil {
		entries, _ = os.ReadDir(dir) // what cannot be read has nothing that is found
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		sweepWord(path, e)
		number, _, _ := strings.Cut(e.Name(), "-")
		pid, err := strconv.Atoi(number)
		if err == nil && !known[real(path)] {
			look(func() *About { return found(path, pid) })
		}
	}

	group.Wait()
	slices.SortFunc(out, func(a, b About) int {
		switch {
		case a.Ended && !b.Ended:
			return 1
		case b.Ended && !a.Ended:
			return -1
		}
		return cmp.Or(cmp.Compare(b.Since, a.Since), cmp.Compare(a.PID, b.PID))
	})
	return out, err
}

// real returns a path with links resolved; unchanged if it does not exist.
func real(path string) string {
	if path, err := filepath.EvalSymlinks(path); err == nil {
		return path
	}
	return path
}

// found describes the host at a socket that no record names.
func found(path string, pid int) *About {
	about, err := ask(path)
	switch {
	case err == nil:
		about.Path = path
		return &about
	case private.Dead(path):
		_ = os.Remove(path)
		return nil
	case errors.Is(err, os.ErrNotExist): // it has ended
		return nil
	}
	return &About{Path: path, PID: pid, Sessions: []Session{}, Problem: err.Error()}
}

// reach describes the host of a record, which lives. One whose socket was removed is about to make a new one.
func reach(path string, r record) *About {
	for until := time.Now().Add(maxAnswer); ; time.Sleep(20 * time.Millisecond) {
		about, err := ask(r.Path)
		if err == nil {
			about.Path, about.Log, about.record = r.Path, r.Log, path
			return &about
		}
		if errors.Is(err, errSilent) || errors.As(err, new(*private.ForeignError)) || time.Now().After(until) {
			about := r.About
			about.Problem, about.record = err.Error(), path
			return &about
		}

		now, lives, err := readRecord(path)
		switch {
		case err == nil && lives:
			r = now
		case err == nil:
			return now.ended(path)
		case errors.Is(err, os.ErrNotExist): // it has ended
			return nil
		}
	}
}

// Stop ends a host, with its agents and their commands. It waits 2 s at most for the host's word; one that does not
// answer is killed, and its guard ends the rest, or Stop does where no guard is left. One that has ended is forgotten.
func Stop(host About) error {
	if host.Ended {
		r, _, err := readRecord(host.record)
		if err != nil {
			return nil // another has forgotten it
		}
		_ = os.Remove(host.Log) // who cannot remove it finds it again
		r.ended(host.record)
		return nil
	}

	_, err := request[any](host.Path, StopVerb)
	if err == nil || !errors.Is(err, errSilent) && !errors.As(err, new(unreached)) {
		return nil // it has heard it, and its word may have been lost as it ended
	}
	if host.record != "" { // its process id is true as long as it has the record locked
		if r, lives, err := readRecord(host.record); err == nil && lives {
			return r.kill(host.record)
		}
	}
	if !errors.Is(err, errSilent) {
		return err
	}

	conn, pid, err := private.Dial(host.Path, maxAnswer)
	if err != nil {
		return err
	}

	defer conn.Close()
	return syscall.Kill(pid, syscall.SIGKILL)
}

// Gone reports whether a host has ended.
func Gone(host About) bool {
	if host.record != "" {
		_, lives, err := readRecord(host.record)
		return err != nil || !lives
	}
	_, err := os.Lstat(host.Path)
	return err != nil || private.Dead(host.Path)
}

var errSilent = errors.New("it does not answer")

// unreached is the error of a connection that could not be made, or that was to another user.
type unreached struct{ error }

func (e unreached) Unwrap() error { return e.error }

func ask(path string) (About, error) {
	about, err := request[About](path, AboutVerb)
	about.Sessions = append([]Session{}, about.Sessions...)
	for i := range about.Sessions { // as JSON, lists and not null
		s := &about.Sessions[i]
		s.Dirs, s.Pending = append([]string{}, s.Dirs...), append([]string{}, s.Pending...)
	}
	return about, err
}

// request asks a host over a connection of its own.
func request[T any](path, verb string) (result T, err error) {
	conn, _, err := private.Dial(path, maxAnswer)
	if err != nil {
		return result, unreached{err}
	}

	defer conn.Close()
	g, err := NewGuest(conn, conn, conn)
	if err != nil {
		return result, err
	}

	caught.Go(func() { _ = g.Serve() }) // until conn is closed
	type answer struct {
		result T
		err    error
	}
	answered := make(chan answer, 1)
	caught.Go(func() { // until conn is closed
		var a answer
		a.err = g.Request(verb, &a.result)
		answered <- a
	})
	select {
	case a := <-answered:
		return a.result, a.err
	case <-time.After(maxAnswer):
		return result, errSilent
	}
}
