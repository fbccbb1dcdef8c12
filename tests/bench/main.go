// Command bench measures the plugin in a real Neovim with a screen of 200×50 and prints one table: what a synthetic agent
// does as fast as the pipe takes it, and beside it the physical limit in the same run, a bare loop that does the same with
// nothing of ours. `make bench` runs it; doc/benchmarks.md has the last results and says how to read them.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// settings are what the command line says.
type settings struct {
	nvim, bin, root string
}

// measure is one part of the table.
type measure struct {
	name string
	run  func(b *bench)
}

func measures() []measure {
	var all []measure
	for _, m := range [][]measure{streams, long, files, review, checkpoints, edits, tools, commands, starts, attached, cold} {
		all = append(all, m...)
	}
	return all
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "agent" {
		os.Exit(playAgent(os.Args[2]))
	}
	if len(os.Args) == 3 && os.Args[1] == "echo" {
		os.Exit(serveFile(os.Args[2]))
	}

	var s settings
	flag.StringVar(&s.nvim, "nvim", "nvim", "Neovim to measure in")
	flag.StringVar(&s.bin, "bin", "bin/nvim-acp", "the host program")
	flag.StringVar(&s.root, "root", ".", "the plugin's folder")
	only := flag.String("only", "", "a regular expression: only these measures")
	without := flag.String("without", "", "capabilities to switch off, with commas: "+capabilityNames())
	priced := flag.Bool("price", false, "only what each capability adds, in a minute for each")
	flag.Parse()
	for _, path := range []*string{&s.bin, &s.root} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			fatal(err)
		}
		*path = abs
	}

	wanted, err := regexp.Compile(*only)
	if err != nil {
		fatal(err)
	}

	home, err := os.MkdirTemp("", "bench")
	if err != nil {
		fatal(err)
	}

	options, err := off(strings.FieldsFunc(*without, func(r rune) bool { return r == ',' }))
	if err != nil {
		fatal(err)
	}

	b := &bench{settings: s, home: home, off: options}
	began := time.Now()
	list := measures()
	if *priced {
		list = prices
	}

	for _, m := range list {
		if wanted.MatchString(m.name) {
			start := time.Now()
			b.guarded(m)
			fmt.Fprintf(os.Stderr, "%-40s %5.1f s\n", m.name, time.Since(start).Seconds())
		}
	}

	_ = os.RemoveAll(home) // it is in the folder for temporary files
	fmt.Print(machine(s.nvim), b.table())
	fmt.Printf("\n%.0f s in all.\n", time.Since(began).Seconds())
	if b.failed {
		os.Exit(1)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(1)
}

// bench gathers the rows.
type bench struct {
	settings
	rows    []*row
	failed  bool
	open    []*editor
	running string // the measure
	off     string // Lua: options that switch capabilities off
	home    string // what its Neovims keep: their cache, as a user's have one, and state of their own
}

// failure is what ends one measure; the others go on.
type failure struct{ err error }

// check ends the running measure if there is an error.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// guarded runs one measure and ends its editors.
func (b *bench) guarded(m measure) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			b.failed = true
			b.add(m.name).note = "FAILED: " + f.err.Error()
		}
		for _, e := range b.open {
			e.close()
		}
		b.open = nil
	}()
	b.running = m.name
	m.run(b)
}

// add begins a row of the table.
func (b *bench) add(name string) *row {
	r := &row{name: name}
	b.rows = append(b.rows, r)
	return r
}
