package program

import (
	"context"
	"flag"
	"os"
	"time"

	"github.com/nvim-acp/nvim-acp/acp/acptest"
	"github.com/nvim-acp/nvim-acp/cmd/nvim-acp/demo"
)

// agent is the demo agent, or an agent that plays a script or a recording.
func agent(args []string) int {
	flags := flag.NewFlagSet("nvim-acp agent", flag.ContinueOnError)
	script := flags.String("script", "", "play this script")
	replay := flags.String("replay", "", "play this recording")
	seed := flags.Uint64("seed", 0, "split a recording at places chosen by this number; 0: not at all")
	mapCWD := flags.Bool("map-cwd", false, "put the session's folder in the place of the recorded one")
	if err := flags.Parse(args); err != nil {
		return 2
	}

	// An agent that hangs waits for something, if only in a century: else Go ends it, as a program in which nothing can happen.
	ctx, cancel := context.WithTimeout(context.Background(), 100*365*24*time.Hour)
	defer cancel()
	switch {
	case *script != "":
		return play(*script, func(f *os.File) error {
			return acptest.Script(ctx, f, os.Stdin, os.Stdout, acptest.ScriptOpts{Stderr: os.Stderr})
		})
	case *replay != "":
		return play(*replay, func(f *os.File) error {
			return acptest.Replay(ctx, f, os.Stdin, os.Stdout, acptest.ReplayOpts{Seed: *seed, Stderr: os.Stderr, MapCWD: *mapCWD})
		})
	}

	return report(demo.Run(ctx, os.Stdin, os.Stdout, demo.DefaultOptions()))
}

func play(path string, run func(*os.File) error) int {
	f, err := os.Open(path)
	if err != nil {
		return report(err)
	}
	defer f.Close()
	err = run(f)
	_ = report(err)
	return acptest.ExitStatus(err)
}
