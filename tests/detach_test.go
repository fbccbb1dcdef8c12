package tests

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/attach"
)

var (
	detachRounds = flag.Int("detach.rounds", 10, "how often TestDetachFlood detaches and attaches")
	detachKills  = flag.Int("detach.kills", 6, "how many Neovims TestDetachKills kills")
)

// floodParts is how many paragraphs each part of a flood has.
const floodParts = 300

// flood is an agent that says much in each of n parts, when it is told to.
func flood(n int) string {
	var b strings.Builder
	b.WriteString(prompted)
	for i := range n {
		fmt.Fprintf(&b, `wait go%[1]d
repeat %[2]d
> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "%[1]d.$i of **them**\n\n"}}}
end
> session/update {"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "c%[1]d", "title": "ls %[1]d", "kind": "execute", "status": "completed", "rawInput": {"command": "ls %[1]d"}}}
`, i, floodParts)
	}
	return b.String() + `> {"stopReason": "end_turn"}` + "\nhang\n"
}

const shownText = `table.concat(vim.api.nvim_buf_get_lines(acp.status().bufnr, 0, -1, false), "\n")`

// A session that was detached and attached again and again while its agent floods it has the transcript of one that never was
// (behaviours 421, 422).
func TestDetachFlood(t *testing.T) {
	t.Parallel()
	n := *detachRounds
	var texts []string
	for _, detach := range []bool{false, true} {
		s, run := scripted(t, flood(n))
		wait := func(expr string) {
			t.Helper()
			if err := s.editor.wait(expr); err != nil {
				t.Fatalf("detached %v: %v\n%s\n%v", detach, err, run(`vim.inspect(acp.sessions()) .. vim.fn.execute("messages")`), hosts(t, run(`vim.env.XDG_RUNTIME_DIR`)))
			}
		}
		run(`acp = require("nvim-acp") acp.chat({ focus = false }) acp.prompt("go")`)
		for i := range n {
			if detach {
				wait(`acp.status().state == "busy"`) // the last part ends the turn
			}
			file := filepath.Join(filepath.Dir(s.agent), fmt.Sprintf("go%d", i))
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if !detach {
				continue
			}
			run(`acp.detach()`)
			wait(`#acp.sessions() == 0`)
			run(`acp.attach()`)
			wait(`#acp.sessions() == 1`)
		}
		wait(`acp.status().state == "idle"`)
		var text string
		for left := n*floodParts + 2; left > 0; { // a long one is rendered for a while after the turn's end is drawn, its first lines last
			if err := s.editor.poll(func() (bool, error) {
				before := left
				text = run(shownText)
				left = n*floodParts + 1 - strings.Count(text, " of them")
				if strings.HasPrefix(text, "go\n") {
					left--
				}
				return left < before, nil
			}); err != nil {
				t.Fatalf("detached %v: %v: %d lines are not rendered in\n%s", detach, err, left, text)
			}
		}
		// What comes after the last call says how long the turn took, if that was long.
		over := strings.LastIndex(text, fmt.Sprintf("ls %d", n-1))
		if over < 0 {
			t.Fatalf("detached %v: the last call is not in\n%s", detach, text)
		}
		texts = append(texts, text[:over])
	}
	if texts[0] != texts[1] {
		a, b := strings.Split(texts[0], "\n"), strings.Split(texts[1], "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("line %d of %d and %d:\n%q, detached\n%q", i+1, len(a), len(b), a[max(i-3, 0):i+1], b[max(i-3, 0):i+1])
			}
		}
		least := min(len(a), len(b))
		t.Fatalf("%d lines, detached %d: at the end %q, detached %q", len(a), len(b), a[least:], b[least:])
	}
}

// A Neovim is killed at random moments around its :AcpDetach: either its host is detached, is listed and can be ended, or nothing is
// left (behaviours 8, 421, 429).
func TestDetachKills(t *testing.T) {
	t.Parallel()
	listed, gone := 0, 0
	for round := range *detachKills {
		s, run := scripted(t, prompted+`> request terminal/create {"sessionId": "s", "command": "trap '' HUP TERM; sleep 1000"}
< {"terminalId": "$t"}
spawn trap '' TERM; sleep 1000
write here ""
hang
`)
		sockets := run(`vim.env.XDG_RUNTIME_DIR`)
		run(`acp = require("nvim-acp") acp.prompt("go")`)
		if err := s.editor.wait(`vim.uv.fs_stat("here")`); err != nil {
			t.Fatal(err)
		}
		if round%3 > 0 {
			run(`acp.detach()`)
		}
		<-time.After(time.Duration(rand.IntN(8)) * time.Millisecond) // any moment
		victims := []string{"nvim"}
		if round%2 > 0 { // before, since it may be the last that knows of the commands
			victims = []string{"guard", "nvim"}
		}
		for _, role := range victims {
			_ = s.sigkill(nil, []string{role})
		}

		var left []int
		detached := false
		err := poll(4*time.Second, func() (done bool, err error) {
			hosts := hosts(t, sockets)
			detached = len(hosts) == 1 && hosts[0].Neovim == 0 && hosts[0].Problem == ""
			left, err = s.all()
			return detached || len(left) == 0, err
		})
		if err != nil {
			t.Fatalf("round %d: neither listed nor gone: %v: %v", round, left, err)
		}
		if !detached {
			gone++
			continue
		}
		listed++
		if err := s.runs(nil, []string{"guard"}); err != nil { // one that was killed is replaced
			t.Fatal(err)
		}
		host := s.host(t)
		if round%2 > 0 {
			_ = syscall.Kill(host, syscall.SIGKILL) // its guard ends what it had
		} else if err := inShell(sockets, "stop", strconv.Itoa(host)).Run(); err != nil {
			t.Errorf("stop: %v", err)
		}
		if err := s.gone(nil, nil); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
	}
	t.Logf("%d detached, %d gone", listed, gone)
}

// inShell is a command of the program's, as a shell runs it.
func inShell(sockets string, args ...string) *exec.Cmd {
	cmd := exec.Command(mustLook("nvim-acp"), args...)
	cmd.Env = append(cleanEnv(), "XDG_RUNTIME_DIR="+sockets, "XDG_STATE_HOME="+sockets) // which has no records
	return cmd
}

// hosts are the detached hosts as a shell sees them.
func hosts(t *testing.T, sockets string) (list []attach.About) {
	t.Helper()
	out, err := inShell(sockets, "ps", "--json").Output()
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil {
		t.Fatalf("ps: %v", err)
	}
	return list
}
