package tests

import (
	"os/exec"
	"testing"
	"time"
)

// counted is what the benchmark runs, and how many bytes it prints.
const (
	counted      = "seq 1 5000000"
	countedBytes = 38_888_896
)

// BenchmarkTerminal runs the same command with its output to nowhere, in Neovim's own :terminal, and as an agent's, with and
// without a window on it. Run it with -benchtime=1x. Besides MB/s it reports how long a bystander waited for Neovim, and,
// for the agent's command, how its speed compares with the others.
func BenchmarkTerminal(b *testing.B) {
	speed := map[string]float64{}
	for _, bench := range []struct {
		name string
		run  func(*testing.B) (time.Duration, latencies)
	}{
		{"devnull", toNowhere}, {"neovim", inNeovim}, {"hidden", hidden}, {"shown", shownAll},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				took, waited := bench.run(b)
				speed[bench.name] = countedBytes / 1e6 / took.Seconds()
				b.ReportMetric(speed[bench.name], "MB/s")
				b.ReportMetric(float64(waited.at(0.99).Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(waited.at(1).Microseconds())/1000, "stall-ms")
			}
			b.ReportMetric(0, "ns/op")
			if base := speed["neovim"]; base > 0 && bench.name != "neovim" {
				b.ReportMetric(speed[bench.name]/base, "x-terminal")
				b.ReportMetric(speed[bench.name]/speed["devnull"], "x-devnull")
			}
		})
	}
}

func toNowhere(b *testing.B) (time.Duration, latencies) {
	began := time.Now()
	if err := exec.Command("sh", "-c", counted+" >/dev/null").Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began), nil
}

// inNeovim ends when the last line is shown.
func inNeovim(b *testing.B) (time.Duration, latencies) {
	s := commanded(b, runner("true", 1))
	if _, err := s.editor.lua(`vim.cmd("botright new")`); err != nil {
		b.Fatal(err)
	}
	stop := s.editor.bystander()
	began := time.Now()
	if _, err := s.editor.lua(`vim.cmd("terminal ` + counted + `") vim.cmd("normal! G")`); err != nil {
		b.Fatal(err)
	}
	s.shows(b, "5000000")
	return time.Since(began), stop()
}

// hidden ends when the agent has its answer.
func hidden(b *testing.B) (time.Duration, latencies) {
	s := commanded(b, runner(counted, 1))
	stop := s.editor.bystander()
	began := time.Now()
	s.prompt(b)
	s.until1(b, "idle")
	return time.Since(began), stop()
}

// shownAll ends when the last line is shown.
func shownAll(b *testing.B) (time.Duration, latencies) {
	s := commanded(b, runner("until [ -e go ]; do sleep 0.01; done; "+counted, 1))
	s.prompt(b)
	s.openTerminal(b)
	stop := s.editor.bystander()
	began := time.Now()
	if _, err := s.editor.lua(`vim.fn.writefile({}, "go")`); err != nil {
		b.Fatal(err)
	}
	s.until1(b, "idle")
	s.shows(b, "5000000")
	return time.Since(began), stop()
}
