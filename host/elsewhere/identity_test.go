package elsewhere

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sandboxed opens a sandbox for a folder. Where there can be none it returns nil: then nothing runs without one.
func sandboxed(t *testing.T, dir string, write ...string) *Place {
	t.Helper()
	p, err := Open(t.Context(), Spec{Sandbox: true, Direct: true, Network: true, Write: write}, Needs{
		Run: "test", Cwd: dir, Program: []string{"sh"}, Watch: nobody{}, Say: func(string) {},
	})
	can := exec.Command("bwrap", "--unshare-user-try", "--ro-bind", "/", "/", "true").Run() == nil
	switch {
	case err == nil:
		t.Cleanup(p.Close)
	case can:
		t.Fatal(err)
	default:
		t.Log("without a sandbox: ", err)
		return nil
	}
	if can {
		return p
	}
	out := filepath.Join(dir, "ran")
	if started, err := p.Wrap(t.Context(), Command{Argv: []string{"touch", out}, Dir: dir}); err == nil {
		_, _ = runStarted(started) // an error is as good
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a command ran without a sandbox")
	}
	return nil
}

// runStarted runs what a place has made ready, and returns what it prints.
func runStarted(s Started) (string, error) {
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Env, cmd.Dir = s.Env, "/"
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// home is a folder that a test has as its home, outside of what each sandbox hides.
func home(t *testing.T) string {
	t.Helper()
	real, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(real, ".nvim-acp-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("HOME", filepath.Join(dir, "home"))
	mkdir(t, filepath.Join(dir, "home"))
	return dir
}

// Whatever comes in place of a folder that a sandbox shows, or on the way to it, whether before a command or while its sandbox is made,
// nothing runs (behaviour 851).
func TestLedElsewhere(t *testing.T) {
	for _, tt := range []struct{ name, script string }{
		{"a link to a folder outside", "mv sub x; ln -s ../outside sub"},
		{"a link to itself under another name", "mv sub x; ln -s x sub"},
		{"another folder", "mv sub x; cp -r x sub"},
		{"above", "mv deep x; ln -s ../outside deep"},
		{"the folder itself", "mv ../project ../x; ln -s outside ../project"},
		{"a link for a configuration", "mv sub/.git/config x; ln -s ../../../outside/key sub/.git/config"},
		{"a folder for a configuration", "mv sub/.git/config x; mkdir sub/.git/config"},
		{"a configuration that is gone", "rm sub/.git/config"},
		{"moved away", "mv sub x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := home(t)
			shell(t, dir, `mkdir -p outside/.git outside/er/.git project; echo secret | tee outside/key outside/.git/config >outside/er/.git/config
				cd project; git init -q sub; git init -q deep/er`)
			project := filepath.Join(dir, "project")
			p := sandboxed(t, project)
			if p == nil {
				return
			}
			command := Command{Argv: []string{"sh", "-c", "cat sub/.git/config deep/er/.git/config"}, Dir: project}
			started, err := p.Wrap(t.Context(), command)
			if err != nil {
				t.Fatal(err)
			}
			if out, err := runStarted(started); err != nil || strings.Count(out, "[core]") != 2 {
				t.Fatalf("before: %v, %s", err, out)
			}

			shell(t, project, tt.script)
			if out, err := runStarted(started); err == nil || strings.Contains(out, "secret") || strings.Contains(out, "[core]") {
				t.Errorf("it was led elsewhere while a sandbox was made: %v, %s", err, out)
			}
			if _, err := p.Wrap(t.Context(), command); err == nil || !strings.Contains(err.Error(), "no longer what it was") {
				t.Errorf("it was led elsewhere before: %v", err)
			}
		})
	}
}

// A project, and an agent's own folder, that have another name through a link are protected under that name too (behaviour 851).
func TestNamedByLinks(t *testing.T) {
	dir := home(t)
	shell(t, dir, `mkdir -p data/own data/code home/hidden; git init -q data/code; echo {} >data/own/settings.json
		ln -s ../data/code home/code; ln -s ../data/own home/.claude`)
	name := filepath.Join(dir, "home", "code")
	p := sandboxed(t, name, "~/.claude/")
	if p == nil {
		return
	}
	started, err := p.Wrap(t.Context(), Command{Dir: name, Argv: []string{"sh", "-c", `cd ~/code && touch file ~/.claude/login && echo writable
		for f in ~/code/.git/config .git/config ~/.claude/settings.json; do echo x 2>/dev/null >>$f || echo denied; done; ls ~`}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := runStarted(started)
	if want := "writable\ndenied\ndenied\ndenied\ncode\n"; err != nil || out != want {
		t.Errorf("%v, %q; want %q", err, out, want)
	}
}
