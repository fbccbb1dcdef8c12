package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// row is one line of the table. What was not measured stays zero and is left empty.
type row struct {
	name     string
	took     time.Duration
	cpu      time.Duration // of Neovim
	host     time.Duration // processor time of the host
	limit    *row          // the bare operation
	gaps     *gaps
	rpc, key latencies
	frames   int
	pause    time.Duration // the longest between two frames of text
	queued   time.Duration // that Neovim waited for a processor while it was watched
	grew     int           // Neovim's memory, in bytes
	memory   int           // the most the host had, in bytes
	rest     int           // what it has when nothing happened for a while
	note     string
}

// latencies are how long a bystander waited, sorted.
type latencies []time.Duration

// at is a quantile.
func (l latencies) at(q float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return l[min(int(q*float64(len(l))), len(l)-1)]
}

var columns = []string{"", "took ms", "× limit", "Neovim CPU ms", "× limit", "host CPU ms", "gap p99/max ms", "over 16 ms", "RPC p99/max ms",
	"key p50/p99/max ms", "frames", "pause ms", "no core ms", "Neovim MiB", "host MiB", ""}

func (r *row) cells() []string {
	cells := []string{r.name, ms(r.took), "", ms(r.cpu), "", ms(r.host), "", "", "", "", "", ms(r.pause), ms(r.queued), mib(r.grew), mib(r.memory), r.note}
	if r.limit != nil {
		cells[2], cells[4] = ratio(r.took, r.limit.took), ratio(r.cpu, r.limit.cpu)
	}
	if r.gaps != nil {
		cells[6] = fmt.Sprintf("%.1f / %.1f", r.gaps.P99, r.gaps.Max)
		cells[7] = fmt.Sprintf("%.0f", r.gaps.Over)
	}
	if len(r.rpc) > 0 {
		cells[8] = ms(r.rpc.at(0.99)) + " / " + ms(r.rpc.at(1))
	}
	if len(r.key) > 0 {
		cells[9] = ms(r.key.at(0.5)) + " / " + ms(r.key.at(0.99)) + " / " + ms(r.key.at(1))
	}
	if r.frames > 0 {
		cells[10] = fmt.Sprint(r.frames)
	}

	return cells
}

func ms(d time.Duration) string {
	switch f := d.Seconds() * 1000; {
	case d == 0:
		return ""
	case f < 100:
		return fmt.Sprintf("%.1f", f)
	default:
		return fmt.Sprintf("%.0f", f)
	}
}

func mib(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", float64(n)/(1<<20))
}

func ratio(d, limit time.Duration) string {
	if d == 0 || limit == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(d)/float64(limit))
}

// table is all rows as Markdown, each followed by its limit.
func (b *bench) table() string {
	lines := [][]string{columns}
	for _, r := range b.rows {
		lines = append(lines, r.cells())
		if r.limit != nil {
			r.limit.name = "– " + r.limit.name
			lines = append(lines, r.limit.cells())
		}
	}

	widths := make([]int, len(columns))
	for _, cells := range lines {
		for i, c := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}

	var out strings.Builder
	for n, cells := range lines {
		for i, c := range cells {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if i == 0 || i == len(cells)-1 {
				fmt.Fprintf(&out, "| %s%s ", c, pad)
			} else {
				fmt.Fprintf(&out, "| %s%s ", pad, c)
			}
		}
		out.WriteString("|\n")
		if n == 0 {
			out.WriteString(rule(widths))
		}
	}

	return out.String()
}

// rule is the line below the head of a table.
func rule(widths []int) string {
	var out strings.Builder
	for i, w := range widths {
		end := ":"
		if i == 0 || i == len(widths)-1 {
			end = "-"
		}
		out.WriteString("|-" + strings.Repeat("-", w) + end)
	}
	return out.String() + "|\n"
}

// machine says what was measured on.
func machine(nvim string) string {
	version, _ := exec.Command(nvim, "--version").Output()
	first, _, _ := bytes.Cut(version, []byte("\n"))
	model := runtime.GOARCH
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}

	load, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(load))
	return fmt.Sprintf("%s, %d × %s, %s, load at the end %s.\n\n", first, runtime.NumCPU(), model, runtime.Version(), strings.Join(fields[:min(len(fields), 1)], ""))
}

// median runs a measure some times and keeps the row in the middle.
func median(times int, run func() *row) *row {
	rows := make([]*row, times)
	for i := range rows {
		rows[i] = run()
	}
	return middle(rows, func(r *row) time.Duration { return r.took })
}

// middle returns the row that is in the middle by a figure.
func middle(rows []*row, figure func(*row) time.Duration) *row {
	slices.SortFunc(rows, func(a, b *row) int { return cmp.Compare(figure(a), figure(b)) })
	return rows[len(rows)/2]
}
