package install

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Request is the line of JSON that says what the command is to do.
type Request struct {
	Do       string   `json:"do"`       // "plan", "install", "remove" or "newer"
	Root     string   `json:"root"`     // the folder of all agents
	Registry string   `json:"registry"` // a file
	Address  string   `json:"address"`  // of the registry, for "newer"
	IDs      []string `json:"ids"`      // of the agents to plan or compare
	ID       string   `json:"id"`       // of the agent to remove …
	Version  string   `json:"version"`  // … and its version
	Plan     *Plan    `json:"plan"`     // what to install, as it was shown
}

// Update is an agent of which the registry has a newer version.
type Update struct {
	Installed *Manifest `json:"installed"`
	Plan      *Plan     `json:"plan"`
	Changes   []string  `json:"changes"`
}

// Line is a line of JSON that the command answers: any number with Progress, then one that has something else.
type Line struct {
	Progress  string    `json:"progress,omitempty"`
	Error     string    `json:"error,omitempty"`
	Plans     []*Plan   `json:"plans,omitempty"`
	Installed *Manifest `json:"installed,omitempty"`
	Removed   bool      `json:"removed,omitempty"`
	Updates   []Update  `json:"updates,omitempty"`
	Old       bool      `json:"old,omitempty"` // the updates are those of the file: the address cannot be reached …
	Why       string    `json:"why,omitempty"` // … for this reason
	Done      bool      `json:"done,omitempty"`
}

var errStopped = errors.New("stopped")

// Main is the command `nvim-acp install`: it reads a request and answers it. The end of in, or a signal, stops it.
func Main(in io.Reader, out io.Writer) int {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	send := func(l Line) { _ = encoder.Encode(l) } // if nobody reads, in has ended too
	reader := bufio.NewReader(in)
	text, err := reader.ReadBytes('\n')
	var r Request
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		send(Line{Error: "the request cannot be read: " + err.Error()})
		return 2
	}

	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	caught.Go(func() { // ends with in, or with the process
		_, _ = io.Copy(io.Discard, reader)
		stop(errStopped)
	})
	signals := make(chan os.Signal, 1) // os/signal drops those that nobody takes
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	caught.Go(func() { // ends with the process
		<-signals
		stop(errStopped)
	})

	answer, err := r.answer(ctx, func(text string) { send(Line{Progress: text}) })
	if err != nil {
		send(Line{Error: err.Error()})
		return 1
	}

	answer.Done = true
	send(*answer)
	return 0
}

func have(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

func (r *Request) answer(ctx context.Context, progress func(string)) (*Line, error) {
	switch r.Do {
	case "plan":
		list, err := readFile(r.Registry)
		if err != nil {
			return nil, err
		}
		return r.plan(list)
	case "install":
		if r.Plan == nil {
			return nil, errors.New("there is no plan")
		}
		m, err := r.Plan.Do(ctx, r.Root, progress)
		return &Line{Installed: m}, err
	case "remove":
		return &Line{Removed: true}, Remove(r.Root, r.ID, r.Version)
	case "newer":
		return r.newer(ctx)
	}

	return nil, fmt.Errorf("%q is nothing to do", r.Do)
}

func readFile(path string) (*Registry, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

func (r *Request) plan(list *Registry) (*Line, error) {
	answer := &Line{}
	for _, id := range r.IDs {
		a, err := list.Find(id)
		if err != nil {
			return nil, err
		}
		p, err := Make(a, r.Root, Platform(), have)
		if err != nil {
			return nil, err
		}
		answer.Plans = append(answer.Plans, p)
	}

	return answer, nil
}

// newer compares what is installed with the registry, or with the file if that cannot be had.
func (r *Request) newer(ctx context.Context) (*Line, error) {
	answer := &Line{}
	list, err := FetchRegistry(ctx, r.Address)
	if err != nil {
		answer.Old, answer.Why = true, err.Error()
		if list, err = readFile(r.Registry); err != nil {
			return nil, err
		}
	}
	for _, id := range r.IDs {
		installed := Installed(r.Root, id)
		a, err := list.Find(id)
		if len(installed) == 0 || err != nil {
			continue // it was taken out of the registry: there is nothing newer
		}
		last := installed[len(installed)-1]
		p, err := Make(a, r.Root, Platform(), have)
		if err == nil && Newer(p.Version, last.Version) {
			answer.Updates = append(answer.Updates, Update{Installed: last, Plan: p, Changes: Changes(last, p)})
		}
	}

	return answer, nil
}
