package guard

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guard" {
		Main(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// A process group that is registered as the host goes, or while no Neovim sees to it, has a guard at once, which ends it with the host.
func TestAtOnce(t *testing.T) {
	for name, before := range map[string]func(*Guard){"as the host goes": (*Guard).Leave, "without a Neovim": (*Guard).Alone} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("sleep", "1000")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			defer func() { _ = cmd.Process.Kill() }() // where the guard does not

			g := New([]string{os.Args[0], "guard"}, "", func(err error) { t.Error(err) })
			before(g)
			g.Add(cmd.Process.Pid)
			g.mu.Lock()
			g.left = true // it is not replaced
			pipe := g.pipe
			g.mu.Unlock()
			if pipe == nil {
				t.Fatal("no guard")
			}
			if err := pipe.Close(); err != nil { // as the host's end does
				t.Fatal(err)
			}
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				t.Error("the process still runs")
			}
		})
	}
}

// A process group that has been unregistered is not the guard's any more: its number may be that of another by then.
func TestRemoved(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	g := New([]string{os.Args[0], "guard"}, "", func(err error) { t.Error(err) })
	g.Alone()
	g.Add(cmd.Process.Pid)
	g.Remove(cmd.Process.Pid)
	g.mu.Lock()
	g.left = true // it is not replaced
	pipe, took := g.pipe, g.took
	g.mu.Unlock()
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(took); err != nil { // until the guard has ended
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if status := cmd.Wait(); status.Error() != "signal: killed" {
		t.Errorf("the process was ended: %v", status)
	}
}
