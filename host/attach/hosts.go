package attach

import (
	"cmp"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/private"
)

// The requests that every host answers, whatever its interface: they must not change.
const (
	AboutVerb = "about" // returns an [About]
	StopVerb  = "stop"  // ends the host
)

// maxAnswer is how long a host may take to answer. Only tests change it.
var maxAnswer = 2 * time.Second

// About is a host that can be attached to.
type About struct {
	Path      string    `msgpack:"path" json:"path"` // of its socket
	PID       int       `msgpack:"pid" json:"pid"`
	Version   string    `msgpack:"version" json:"version"`
	Interface int       `msgpack:"interface" json:"interface"`
	Neovim    int       `msgpack:"neovim" json:"neovim"` // process of the Neovim that is attached, 0: none
	Since     int64     `msgpack:"since" json:"since"`   // when it was detached, unix time
	Sessions  []Session `msgpack:"sessions" json:"sessions"`
	Problem   string    `msgpack:"-" json:"problem,omitempty"` // why it does not answer
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

// Hosts returns the hosts of this user that were detached, the latest first, and removes the sockets of those that were killed.
// It waits 2 s at most for one that does not answer.
func Hosts() []About {
	dir := Dir()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there are none
	}
	var group sync.WaitGroup
	found := make([]*About, len(entries))
	for i, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		group.Go(func() { // ends after maxAnswer
			path := filepath.Join(dir, e.Name())
			about, err := ask(path)
			switch {
			case err == nil:
				about.Path = path
				found[i] = &about
			case private.Dead(path):
				_ = os.Remove(path)
			default:
				found[i] = &About{Path: path, PID: pid, Problem: err.Error()}
			}
		})
	}
	group.Wait()
	var out []About
	for _, a := range found {
		if a != nil {
			out = append(out, *a)
		}
	}
	slices.SortFunc(out, func(a, b About) int { return cmp.Compare(b.Since, a.Since) })
	return out
}

// Stop ends the host at a socket, with its agents and their commands. It waits 2 s at most for the host's word; one that does not
// answer is killed, and its guard ends the rest.
func Stop(path string) error {
	err := request(path, StopVerb, nil)
	if !errors.Is(err, errSilent) {
		return err
	}
	conn, err := net.DialTimeout("unix", path, maxAnswer)
	if err != nil {
		return err
	}
	defer conn.Close()
	pid, _, err := private.Peer(conn) // the process that listens there
	if err != nil {
		return err
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

var errSilent = errors.New("it does not answer")

func ask(path string) (about About, err error) {
	err = request(path, AboutVerb, &about)
	for i := range about.Sessions { // as JSON, lists and not null
		s := &about.Sessions[i]
		s.Dirs, s.Pending = append([]string{}, s.Dirs...), append([]string{}, s.Pending...)
	}
	return about, err
}

// request asks a host over a connection of its own.
func request(path, verb string, result any) error {
	conn, err := net.DialTimeout("unix", path, maxAnswer)
	if err != nil {
		return err
	}
	defer conn.Close()
	g, err := NewGuest(conn, conn, conn)
	if err != nil {
		return err
	}
	go func() { _ = g.Serve() }() // until conn is closed
	answered := make(chan error, 1)
	go func() { answered <- g.Request(verb, result) }() // until conn is closed
	select {
	case err := <-answered:
		return err
	case <-time.After(maxAnswer):
		return errSilent
	}
}
