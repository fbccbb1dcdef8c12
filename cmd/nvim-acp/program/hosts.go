package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// ps lists the hosts of this user that live on without Neovim, or did so before.
func ps(args []string) error {
	hosts, problem := attach.Hosts()
	_ = report(problem) // the others are listed all the same
	if slices.Equal(args, []string{"--json"}) {
		if hosts == nil {
			hosts = []attach.About{}
		}
		return json.NewEncoder(os.Stdout).Encode(hosts)
	}
	if len(args) > 0 {
		return errors.New("ps takes --json, or nothing")
	}
	return list(os.Stdout, hosts)
}

// list prints hosts as a table, for a terminal: names and titles are others' words.
func list(to io.Writer, hosts []attach.About) error {
	out := tabwriter.NewWriter(to, 0, 8, 2, ' ', 0)
	row := func(parts ...string) {
		for i, part := range parts {
			parts[i] = plain.Brief(part)
		}
		fmt.Fprintln(out, strings.Join(parts, "\t"))
	}
	for _, h := range hosts {
		row(strconv.Itoa(h.PID), about(h))
		for _, s := range h.Sessions {
			row("", s.Name, s.State, paths.Home(s.Cwd), s.Title)
			for _, title := range s.Pending {
				row("", "", "waits", title)
			}
		}
	}

	return out.Flush()
}

// about is what the list says of a host.
func about(h attach.About) string {
	switch {
	case h.Problem != "":
		return h.Problem
	case h.Neovim != 0:
		return fmt.Sprintf("attached to Neovim %d", h.Neovim)
	}
	return "detached since " + time.Unix(h.Since, 0).Format("2 Jan 15:04")
}

// maxStop is how long a host may take to end.
const maxStop = 5 * time.Second

// stop ends the host with a process id, all of them, or the only one.
func stop(args []string) error {
	hosts, problem := attach.Hosts()
	_ = report(problem) // the others can be ended all the same
	var chosen []attach.About
	switch {
	case len(args) > 1:
		return errors.New("stop takes a process id of `nvim-acp ps`, or all")
	case len(args) == 1 && args[0] == "all", len(args) == 0 && len(hosts) == 1:
		chosen = hosts
	case len(args) == 0 && len(hosts) > 1:
		return fmt.Errorf("there are %d hosts: name one of `nvim-acp ps`, or all", len(hosts))
	default:
		for _, h := range hosts {
			if len(args) == 1 && strconv.Itoa(h.PID) == args[0] {
				chosen = append(chosen, h)
			}
		}
	}

	for _, h := range hosts {
		if h.Left > 0 {
			fmt.Printf("%d %s\n", h.PID, plain.OneLine(h.Problem))
		}
	}

	if len(chosen) == 0 {
		return errors.New("there is no such host")
	}
	for _, h := range chosen {
		if err := end(h, maxStop); err != nil {
			return fmt.Errorf("stop %d: %w", h.PID, err)
		}
		fmt.Printf("%d has ended\n", h.PID)
	}

	return nil
}

// end ends a host, and waits for that.
func end(h attach.About, most time.Duration) error {
	if err := attach.Stop(h); err != nil {
		return err
	}
	for until := time.Now().Add(most); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if attach.Gone(h) {
			return nil
		}
	}
	return errors.New("it has not ended yet")
}
