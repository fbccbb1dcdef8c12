package tests

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

var placeKills = flag.Int("place.kills", 4, "how often TestPlaceKills kills something of an agent elsewhere")

// unwilling leaves processes that ignore every request, in groups of their own, of the agent and of a command.
const unwilling = `< initialize
> {"protocolVersion": 1}
spawn trap '' TERM INT HUP; while :; do sleep 1; done
spawn setsid sh -c 'trap "" TERM INT HUP; while :; do sleep 1; done'
< session/new
> {"sessionId": "s"}
< session/prompt
> request terminal/create {"sessionId": "s", "command": "trap '' TERM INT HUP; setsid sh -c 'while :; do sleep 1; done' & while :; do sleep 1; done"}
< {"terminalId": "$t"}
write here ""
hang
`

// site is where an agent of TestPlaceKills runs.
type site struct {
	name    string
	needs   string                                       // a condition, "" for none
	victims []string                                     // roles of processes here
	runIn   func(t *testing.T, dir string) (string, int) // a Lua table, and the process that is the place itself, 0: none
}

var sites = []site{
	{"wrapped", "", []string{"agent", "host", "nvim"}, func(*testing.T, string) (string, int) {
		return `{ wrap = { "env" }, paths = { { "/", "/" } } }`, 0
	}},
	{"ssh", "sshd", []string{"agent", "ssh", "host", "nvim"}, func(t *testing.T, dir string) (string, int) {
		if err := machine(dir); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{ kind = "ssh", host = "box", args = { "-F", %q }, paths = { { "/", "/" } } }`, dir+"/ssh/config"), 0
	}},
	{"container", "container", []string{"agent", "nsenter", "host", "nvim", ""}, func(t *testing.T, dir string) (string, int) {
		pid := container(t, dir)
		return fmt.Sprintf(`{ wrap = { "nsenter", "-t", "%d", "-U", "--preserve-credentials", "-m", "-p" }, paths = { { "{here}", "/mnt" } } }`, pid), pid
	}},
	{"sandbox", "sandbox", []string{"agent", "bwrap", "host", "nvim"}, func(*testing.T, string) (string, int) {
		return `{ kind = "bubblewrap", env = { "NVIM_ACP_STORY" } }`, 0 // by which its own process is found
	}},
}

// container starts a container of namespaces that has a folder as /mnt, and returns its first process. It ends with the test.
func container(t *testing.T, dir string) int {
	t.Helper()
	inside := fmt.Sprintf("mount --bind '%s' /mnt && echo there && exec sleep 100000", dir)
	cmd := exec.Command("unshare", "-rmpf", "--kill-child", "--mount-proc", "sh", "-c", inside)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // the other ends with it
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(children)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// Something of an agent elsewhere is killed at a random moment: nothing is left on either side (behaviour 447).
func TestPlaceKills(t *testing.T) {
	t.Parallel()
	seed := seedtest.Of(t)
	random := rand.New(rand.NewPCG(seed, seed))
	var can []site
	for _, s := range sites {
		if s.needs == "" || probes[s.needs]() {
			can = append(can, s)
			continue
		}
		t.Logf("left out: %s cannot be had here", s.name)
	}
	for i := range *placeKills {
		in, early := can[i%len(can)], random.IntN(4) == 0
		victim := in.victims[random.IntN(len(in.victims))]
		t.Run(fmt.Sprintf("%d %s %s early=%v", i, in.name, victim, early), func(t *testing.T) {
			s, run := scripted(t, unwilling)
			dir := filepath.Dir(s.agent)
			runIn, pid := in.runIn(t, dir)
			run(fmt.Sprintf(`local bin, script, mark = ...
				require("nvim-acp").setup({ agent = "a", agents = { a = {
					command = bin, args = { "agent", "--script", script }, env = { NVIM_ACP_STORY = mark }, run_in = %s } } })
				require("nvim-acp").prompt("go")`, runIn), agentProgram(), strings.Replace(s.agent, dir, there(in, dir), 1),
				strings.TrimPrefix(s.mark, "NVIM_ACP_STORY="))
			if !early {
				if err := s.editor.wait(`vim.uv.fs_stat("here")`); err != nil {
					t.Fatal(err)
				}
			}
			if victim == "ssh" { // else it would go on
				if err := os.Remove(filepath.Join(dir, "ssh", "up")); err != nil {
					t.Fatal(err)
				}
			}
			if victim == "" {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			} else if err := s.sigkill(nil, []string{victim}); err != nil && !early {
				t.Fatal(err)
			}
			keep := []string{"nvim", "host", "guard"}
			switch {
			case victim == "host":
				keep = keep[:1]
			case victim == "nvim":
				keep = nil
			case early: // it may have been started after that
				s.editor.close()
				keep = nil
			}
			alone(t, s, keep)
		})
	}
}

// there is the test's folder as the agent has it.
func there(in site, dir string) string {
	if in.name == "container" {
		return "/mnt"
	}
	return dir
}

// alone waits until nothing is left but some roles.
func alone(t *testing.T, s *story, keep []string) {
	t.Helper()
	var left []int
	err := poll(10*time.Second, func() (bool, error) {
		all, err := s.all()
		if err != nil {
			return false, err
		}
		left = all
		for _, role := range keep {
			pids, err := s.find(role)
			if err != nil {
				return false, err
			}
			left = slices.DeleteFunc(left, func(pid int) bool { return slices.Contains(pids, pid) })
		}
		return len(left) == 0, nil
	})
	if err != nil {
		for _, pid := range left {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			t.Logf("%d %q", pid, line)
		}
		t.Errorf("something is left: %v\n%s", err, s.scene())
	}
}
