package tests

import (
	"fmt"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// count is a command that counts to a number, and how many bytes that prints.
type count struct {
	to    int
	bytes float64
}

var (
	flood = count{5_000_000, 38_888_896}
	whole = count{40_000, 228_894} // little enough that a view shows all of it
)

func (c count) String() string { return fmt.Sprintf("seq 1 %d", c.to) }

func (c count) last() string { return strconv.Itoa(c.to) }

// BenchmarkTerminal runs the same command with its output to nowhere, in Neovim's own :terminal, and as an agent's, with and
// without a window on it. Run it with -benchtime=1x. Besides MB/s it reports how long a bystander waited for Neovim, and,
// for the agent's command, how its speed compares with the others. The whole ones are short enough to be shown at full
// fidelity.
func BenchmarkTerminal(b *testing.B) {
	speed := map[string]float64{}
	for _, bench := range []struct {
		name  string
		count count
		run   func(*testing.B, count) (time.Duration, latencies)
		base  string
	}{
		{"devnull", flood, toNowhere, ""},
		{"neovim", flood, inNeovim, ""},
		{"hidden", flood, hidden, "neovim"},
		{"shown", flood, shownAll, "neovim"},
		{"whole/neovim", whole, inNeovim, ""},
		{"whole/shown", whole, shownAll, "whole/neovim"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var sum time.Duration
			n := 0
			for b.Loop() {
				took, waited := bench.run(b, bench.count)
				sum += took
				n++
				b.ReportMetric(float64(waited.at(0.99).Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(waited.at(1).Microseconds())/1000, "stall-ms")
			}
			speed[bench.name] = float64(n) * bench.count.bytes / 1e6 / sum.Seconds()
			b.ReportMetric(speed[bench.name], "MB/s")
			b.ReportMetric(0, "ns/op")
			if base := speed[bench.base]; base > 0 {
				b.ReportMetric(speed[bench.name]/base, "x-terminal")
			}
		})
	}
}

func toNowhere(b *testing.B, c count) (time.Duration, latencies) {
	began := time.Now()
	if err := exec.Command("sh", "-c", c.String()+" >/dev/null").Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began), nil
}

// inNeovim ends when the last line is shown.
func inNeovim(b *testing.B, c count) (time.Duration, latencies) {
	s := commanded(b, runner("true", 1))
	if _, err := s.editor.lua(`vim.cmd("botright new")`); err != nil {
		b.Fatal(err)
	}
	stop := s.editor.bystander()
	began := time.Now()
	if _, err := s.editor.lua(`vim.cmd("terminal ` + c.String() + `") vim.cmd("normal! G")`); err != nil {
		b.Fatal(err)
	}
	s.shows(b, c.last())
	return time.Since(began), stop()
}

// hidden ends when the agent has its answer.
func hidden(b *testing.B, c count) (time.Duration, latencies) {
	s := commanded(b, runner(c.String(), 1))
	stop := s.editor.bystander()
	began := time.Now()
	s.prompt(b)
	s.until1(b, "idle")
	return time.Since(began), stop()
}

// shownAll ends when the last line is shown.
func shownAll(b *testing.B, c count) (time.Duration, latencies) {
	s := commanded(b, runner("until [ -e go ]; do sleep 0.001; done; "+c.String(), 1))
	s.prompt(b)
	s.openTerminal(b)
	stop := s.editor.bystander()
	began := time.Now()
	if _, err := s.editor.lua(`vim.fn.writefile({}, "go")`); err != nil {
		b.Fatal(err)
	}
	s.until1(b, "idle")
	s.shows(b, c.last())
	return time.Since(began), stop()
}
