package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cpu is the processor time a process has used.
func cpu(pid int) time.Duration { return sched(pid, 0) }

// queued is for how long a process had something to do and no processor to do it on, because others had them.
func queued(pid int) time.Duration { return sched(pid, 1) }

// sched sums a column of schedstat over the threads of a process.
func sched(pid, column int) time.Duration {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	check(err)
	var sum time.Duration
	for _, t := range tasks {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, t.Name()))
		if f := strings.Fields(string(data)); err == nil && len(f) > column { // else it is gone meanwhile
			n, _ := strconv.ParseInt(f[column], 10, 64)
			sum += time.Duration(n)
		}
	}
	return sum
}

// host is the process of the host, Neovim's child.
func (e *editor) host() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", e.pid, e.pid))
	check(err)
	for _, child := range strings.Fields(string(text)) {
		line, _ := os.ReadFile("/proc/" + child + "/cmdline") // gone meanwhile: it is another
		if args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00"); len(args) == 1 && strings.HasSuffix(args[0], "nvim-acp") {
			pid, _ := strconv.Atoi(child)
			return pid
		}
	}
	check(fmt.Errorf("no host below %d", e.pid))
	return 0
}

// gaps are those between ticks in Neovim, in milliseconds.
type gaps struct {
	Max  float64 `msgpack:"max"`
	P99  float64 `msgpack:"p99"`
	Over float64 `msgpack:"over"` // the sum of those over 16
	Busy float64 `msgpack:"busy"` // the most processor time between two ticks: of a gap what is Neovim's own
}

// again runs something until it has run for three seconds in all: about two hundred keys, so that the 99th percentile is not the slowest.
func again(run func()) func() {
	return func() {
		for began := time.Now(); time.Since(began) < 3*time.Second; {
			run()
		}
	}
}

// watched notes how Neovim answers while something runs: ticks, a bystander's round trips, keys typed into the current
// window if keys is set.
func (e *editor) watched(r *row, keys bool, run func()) {
	if keys {
		e.run(`vim.cmd.startinsert()`)
	}

	stop := make(chan struct{})
	rpc, key := make(chan latencies, 1), make(chan latencies, 1)
	e.run(`bench.watch()`)
	frames, waited := e.drawn(), queued(e.pid)
	go sample(stop, rpc, 3*time.Millisecond, func(int) time.Duration {
		began := time.Now()
		if _, err := e.other.CurrentTabpage(); err != nil {
			return 0
		}
		return time.Since(began)
	})
	if keys {
		go sample(stop, key, 12*time.Millisecond, e.strike)
	}

	run()
	r.frames, r.queued = e.drawn()-frames, queued(e.pid)-waited
	close(stop)
	r.rpc = <-rpc
	if keys {
		r.key = <-key
		_, _ = e.Input("<C-u><Esc>") // nothing depends on it
	}

	r.gaps = new(gaps)
	check(e.ExecLua(`return bench.gaps()`, r.gaps))
}

// strike types the next character, of an alphabet that nothing else on the screen is written in.
func (e *editor) strike(int) time.Duration {
	if e.quiet.Load() {
		return 0
	}

	n := e.struck
	e.struck++
	const letters = 60 // two lines of them: a letter that stays where it was is not drawn again
	if n%(letters/2) == 0 {
		_, _ = e.other.Input("<C-u>") // the letters may be on the screen once
	}

	took := e.typed(string(rune('а' + n%letters)))
	if e.quiet.Load() {
		return 0
	}

	return took
}

// sample measures again and again until stop.
func sample(stop chan struct{}, got chan latencies, pause time.Duration, once func(n int) time.Duration) {
	var all latencies
	for n := 0; ; n++ {
		select {
		case <-stop:
			slices.Sort(all)
			got <- all
			return
		case <-time.After(pause):
		}
		if d := once(n); d > 0 {
			all = append(all, d)
		}
	}
}
