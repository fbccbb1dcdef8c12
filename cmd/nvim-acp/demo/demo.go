// Package demo is a complete ACP agent without a model. It reads the file that the user has open, finds a few simple
// flaws that it knows, shows a plan, proposes the corrections as a diff, asks, writes through the editor and runs a
// command, so that every part of a client can be seen at work with nothing installed and nothing sent anywhere. It never
// pretends: what it says follows from the text it read, and where it finds nothing it says so.
//
// `nvim-acp agent` runs it on stdio. Run owns all goroutines: one for each turn, and one that waits for the context.
package demo

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"time"
)

// DefaultOptions are those of the program: $NVIM_ACP_DEMO_PACE (a duration, 15ms), $NVIM_ACP_DEMO_STATE (a folder,
// $XDG_STATE_HOME/nvim-acp/demo) and $NVIM_ACP_DEMO_TOUR (set: there is one).
func DefaultOptions() Options {
	opts := Options{Pace: 15 * time.Millisecond, State: os.Getenv("NVIM_ACP_DEMO_STATE"), Version: "unknown"}
	opts.Tour = os.Getenv("NVIM_ACP_DEMO_TOUR") != ""
	if pace, err := time.ParseDuration(os.Getenv("NVIM_ACP_DEMO_PACE")); err == nil && pace >= 0 {
		opts.Pace = pace
	}
	if opts.State != "" {
		return opts
	}

	state := os.Getenv("XDG_STATE_HOME")
	if home, err := os.UserHomeDir(); state == "" && err == nil {
		state = filepath.Join(home, ".local", "state")
	}
	if state != "" {
		opts.State = filepath.Join(state, "nvim-acp", "demo")
	}

	return opts
}

// Run serves one client until it closes in, which is no error. It returns once all turns have ended. ctx ends the turns;
// a read of in it cannot end.
func Run(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &agent{
		ctx: ctx, opts: opts, peer: &peer{out: out, waiting: map[int]chan answer{}},
		store: store{folder: opts.State}, sessions: map[string]*session{},
	}
	err := a.serve(bufio.NewReader(in))
	cancel()
	a.turns.Wait()
	return err
}
