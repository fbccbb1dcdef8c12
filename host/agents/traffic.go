package agents

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// maxTraffic is how large the log file grows before it is put aside.
const maxTraffic = 16 << 20

// trafficPace is the time from one look at the messages to the next.
const trafficPace = 100 * time.Millisecond

// writeTraffic writes what goes to and from the agent to the log file, as it comes, if log.level is "debug". Messages that
// come faster than they can be written are left out, as they are in memory.
func (a *Agent) writeTraffic(l Logging) {
	if !l.Debug || l.Path == "" {
		return
	}

	clock := time.NewTicker(trafficPace)
	defer clock.Stop()
	var seen uint64
	for over := false; !over; {
		select {
		case <-clock.C:
		case <-a.Proc.Done():
			over = true
		}

		entries := a.Log.Since(seen)
		if n := len(entries); n > 0 && !over && entries[n-1].Dir == acp.DirStderr {
			entries = entries[:n-1] // it may grow
		}
		if len(entries) == 0 {
			continue
		}

		seen = entries[len(entries)-1].Seq
		if err := appendTraffic(l.Path, a.Spec.Name, entries); err != nil {
			a.pool.host.Say("warn", "log: "+plain.Reason(err))
			return
		}
	}
}

func appendTraffic(path, agent string, entries []acp.Entry) error {
	if info, err := os.Stat(path); err == nil && info.Size() > maxTraffic {
		_ = os.Rename(path, path+".old") // else it grows on
	}

	file, err := regular.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}

	defer file.Close()
	var b strings.Builder
	for _, e := range entries {
		text := strings.ReplaceAll(plain.Visible(strings.TrimRight(e.Text, "\n")), "\n", "\n    ")
		fmt.Fprintf(&b, "%s DEBUG %s %s %s\n", e.Time.Format(time.DateTime), agent, e.Dir, text)
	}

	_, err = file.WriteString(b.String())
	return err
}
