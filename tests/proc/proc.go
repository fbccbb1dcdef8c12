// Package proc reads what Linux tells of a process; tests and benchmarks use it.
package proc

import (
	"os"
	"strconv"
	"strings"
)

// Memory is what a process has in memory, in bytes; most is the most that it ever had. Both are 0 if it is gone.
func Memory(pid int) (now, most int) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		switch n, _ := strconv.Atoi(f[1]); f[0] {
		case "VmRSS:":
			now = n << 10
		case "VmHWM:":
			most = n << 10
		}
	}

	return now, most
}
