package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fakeNPM puts a program named npm, and nothing else but the system's own folders, on $PATH.
func fakeNPM(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

// good installs as npm does: $3 is the folder.
const good = `
test "$1 $2" = "install --prefix" || exit 9
echo "$@" >args
cd "$3" || exit 8
echo "npm http fetch GET 200 https://example.com/thing 3ms" >&2
mkdir -p node_modules/@x/thing node_modules/.bin
echo '{"bin": {"thing-acp": "cli.js"}}' >node_modules/@x/thing/package.json
echo '#!/bin/sh' >node_modules/@x/thing/cli.js
chmod +x node_modules/@x/thing/cli.js
ln -s ../@x/thing/cli.js node_modules/.bin/thing-acp
`

// engines is what npm says where packages want another Node.js.
const engines = `cat >&2 <<'END'
npm warn EBADENGINE Unsupported engine {
npm warn EBADENGINE   package: 'other@1.0.0',
npm warn EBADENGINE   required: { node: '>=99' },
npm warn EBADENGINE   current: { node: 'v20.1.0', npm: '10.0.0' }
npm warn EBADENGINE }
npm warn EBADENGINE Unsupported engine {
npm warn EBADENGINE   package: '@x/thing@1.2.3',
npm warn EBADENGINE   required: { node: '>=22' },
npm warn EBADENGINE   current: { node: 'v20.1.0', npm: '10.0.0' }
npm warn EBADENGINE }
END
`

func npmPlan(t *testing.T, root string) *Plan {
	t.Helper()
	return planned(t, root, Agent{
		ID: "thing", Name: "Thing", Version: "1.2.3",
		Distribution: Distribution{NPX: &Package{Package: "@x/thing@1.2.3", Args: []string{"--acp"}, Env: map[string]string{"A": "1"}}},
	})
}

// npm is run as the plan says, without scripts of packages, and what it has installed is found (behaviour 381).
func TestNPM(t *testing.T) {
	fakeNPM(t, good+engines)
	root := t.TempDir()
	p := npmPlan(t, root)
	var told []string
	m, err := p.Do(t.Context(), root, func(text string) { told = append(told, text) })
	if err != nil {
		t.Fatal(err)
	}
	args, err := os.ReadFile(filepath.Join(p.Folder, "args"))
	if want := strings.Join(p.Run[0][1:], " ") + " --loglevel=http\n"; err != nil || string(args) != want {
		t.Errorf("npm got %q, %v, the plan says %q", args, err, want)
	}
	if len(p.Run) != 1 || !slices.Contains(p.Run[0], "--ignore-scripts") || p.Run[0][len(p.Run[0])-1] != "@x/thing@1.2.3" {
		t.Errorf("the plan says %q", p.Run)
	}
	if m.Program != "node_modules/.bin/thing-acp" || !slices.Equal(m.Args, []string{"--acp"}) || m.Env["A"] != "1" {
		t.Errorf("got %+v", m)
	}
	if _, err := os.Stat(filepath.Join(p.Folder, m.Program)); err != nil {
		t.Error(err)
	}
	if !slices.Equal(told, []string{"1 files from npm"}) || !slices.Equal(m.Notes, []string{"it requires Node.js >=22, and this is v20.1.0"}) {
		t.Errorf("told %q, notes %q", told, m.Notes)
	}
}

// Of a package that needs it, its own scripts run and nobody else's (behaviour 381).
func TestScripts(t *testing.T) {
	p := planned(t, "/root", Agent{ID: "a", Version: "1", Distribution: Distribution{NPX: &Package{Package: "opencode-ai"}}})
	if len(p.Run) != 2 || !slices.Contains(p.Run[0], "--ignore-scripts") || !slices.Equal(p.Run[1][:2], []string{"npm", "rebuild"}) ||
		p.Run[1][len(p.Run[1])-1] != "opencode-ai" {
		t.Errorf("got %q", p.Run)
	}
}

// An npm that is missing, fails, or installs something else leaves nothing (behaviour 383).
func TestNPMFails(t *testing.T) {
	for _, test := range []struct{ name, script, want string }{
		{"fails", "echo 'npm error code ENOSPC' >&2; echo 'npm error nospc no space left on device' >&2; mkdir half; exit 1", "exit status 1: code ENOSPC; nospc no space"},
		{"has no program", "mkdir -p \"$3/node_modules/@x/thing\"; echo '{}' >\"$3/node_modules/@x/thing/package.json\"", "has no program"},
		{"odd bin", "mkdir -p \"$3/node_modules/@x/thing\"; echo '{\"bin\":{\"../../../sh\":\"x\"}}' >\"$3/node_modules/@x/thing/package.json\"", "has no program"},
		{"has others' programs", "cd \"$3\"; mkdir -p node_modules/@x/thing node_modules/.bin; touch node_modules/.bin/a node_modules/.bin/b" +
			"; echo '{\"bin\":{\"a\":\"a\",\"b\":\"b\"}}' >node_modules/@x/thing/package.json", "has no program thing"},
		{"has no package", "exit 0", "no such file"},
		{"kills itself", "kill -9 $$", "killed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fakeNPM(t, test.script)
			root := t.TempDir()
			if _, err := npmPlan(t, root).Do(t.Context(), root, quiet); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			nothing(t, root)
		})
	}
	t.Setenv("PATH", t.TempDir())
	root := t.TempDir()
	if _, err := npmPlan(t, root).Do(t.Context(), root, quiet); err == nil || !strings.Contains(err.Error(), "not on $PATH") {
		t.Errorf("got %v", err)
	}
	nothing(t, root)
}

// The command answers a request, and stops with its input: npm and what it has started too (behaviour 383).
func TestMainStops(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	t.Setenv("PIDFILE", pid)
	fakeNPM(t, `mkdir half
sh -c 'trap "" TERM; echo $$ >"$PIDFILE"; sleep 60' >/dev/null 2>&1 &
until test -s "$PIDFILE"; do :; done
echo 'npm http fetch GET' >&2
wait
`)
	root := t.TempDir()
	request, err := json.Marshal(Request{Do: "install", Root: root, Plan: npmPlan(t, root)})
	if err != nil {
		t.Fatal(err)
	}
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	status := make(chan int, 1)
	go func() { // ends with in
		status <- Main(in, out)
		_ = out.Close()
	}()
	if _, err := toIn.Write(append(request, '\n')); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(fromOut)
	var l Line
	if err := answers.Decode(&l); err != nil || l.Progress == "" {
		t.Fatalf("got %+v, %v", l, err)
	}
	_ = toIn.Close()
	if err := answers.Decode(&l); err != nil || l.Error != "stopped" {
		t.Errorf("got %+v, %v", l, err)
	}
	if got := <-status; got != 1 {
		t.Errorf("status %d", got)
	}
	text, err := os.ReadFile(pid)
	child, convErr := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || convErr != nil {
		t.Fatal(err, convErr)
	}
	for deadline := time.Now().Add(5 * time.Second); syscall.Kill(child, 0) == nil && !zombie(child); {
		if time.Now().After(deadline) {
			t.Fatalf("process %d, which npm has started, still runs", child)
		}
		runtime.Gosched()
	}
	nothing(t, root)
}

// zombie reports that a process has ended and nobody has asked how.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// A plan that comes back is checked again: what was not planned is not done (behaviour 384).
func TestForgedPlans(t *testing.T) {
	fakeNPM(t, good)
	root := t.TempDir()
	for _, forge := range []func(*Plan){
		func(p *Plan) { p.Folder = filepath.Join(root, "elsewhere", "1.2.3") },
		func(p *Plan) { p.ID = "../thing" },
		func(p *Plan) { p.Version = "../1" },
		func(p *Plan) { p.Source = "--global" },
		func(p *Plan) { p.Source = "@x/thing" },
		func(p *Plan) { p.How = "shell" },
		func(p *Plan) { p.How, p.Source, p.Program = Archive, "http://127.0.0.1:1/a", "a" },
	} {
		p := npmPlan(t, root)
		forge(p)
		if _, err := p.Do(t.Context(), root, quiet); err == nil || strings.Contains(err.Error(), "connection refused") {
			t.Errorf("%+v: got %v", p, err)
		}
		nothing(t, root)
	}
	p := npmPlan(t, root)
	p.Run = [][]string{{"rm", "-rf", root}} // only shown
	if m, err := p.Do(t.Context(), root, quiet); err != nil || m.Program == "" {
		t.Errorf("got %+v, %v", m, err)
	}
	for _, version := range []string{"..", ".", "", "../thing/1.2.3"} {
		if err := Remove(root, "thing", version); err == nil {
			t.Errorf("%q is removed", version)
		}
	}
	for _, id := range []string{"..", ".", "", "other/../thing", "../" + filepath.Base(root) + "/thing"} {
		if err := Remove(root, id, "1.2.3"); err == nil || !strings.Contains(err.Error(), "is not an agent") {
			t.Errorf("%q is removed: %v", id, err)
		}
	}
}

// What is newer in a registry is said with what changes; where none can be had, the file is compared (behaviour 385).
func TestNewerAgents(t *testing.T) {
	fakeNPM(t, good)
	root := t.TempDir()
	if _, err := npmPlan(t, root).Do(t.Context(), root, quiet); err != nil {
		t.Fatal(err)
	}
	list := `{"version": "1.0.0", "agents": [{"id": "thing", "name": "Thing", "version": "1.3.0",
		"distribution": {"npx": {"package": "@x/thing@1.3.0", "args": ["acp"], "env": {"B": "2"}}}}]}`
	file := filepath.Join(t.TempDir(), "registry.json")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(list, "1.3.0", "1.2.3")), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &Request{Do: "newer", Root: root, Registry: file, Address: served(t, "registry.json", []byte(list)), IDs: []string{"thing", "other"}}
	l, err := r.answer(t.Context(), quiet)
	if err != nil || l.Old || len(l.Updates) != 1 {
		t.Fatalf("got %+v, %v", l, err)
	}
	want := []string{"version: 1.2.3 → 1.3.0", "source: @x/thing@1.2.3 → @x/thing@1.3.0", "arguments: --acp → acp", "variable: B=2"}
	if got := l.Updates[0].Changes; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Address = "http://127.0.0.1:1/"
	if l, err := r.answer(t.Context(), quiet); err != nil || !l.Old || len(l.Updates) != 0 {
		t.Errorf("got %+v, %v", l, err)
	}
}

// uvx loads the pinned package when the agent first starts, so nothing is installed but that it is to be; without uvx not even
// that (behaviour 381).
func TestUVX(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	t.Setenv("PATH", dir)
	p := planned(t, root, Agent{ID: "a", Version: "1.2", Distribution: Distribution{UVX: &Package{Package: "a-acp==1.2", Args: []string{"-x"}}}})
	if _, err := p.Do(t.Context(), root, quiet); err == nil || !strings.Contains(err.Error(), "not on $PATH") {
		t.Errorf("got %v", err)
	}
	nothing(t, root)
	if err := os.WriteFile(filepath.Join(dir, "uvx"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("the user has stopped it"))
	if _, err := p.Do(stopped, root, quiet); err == nil || err.Error() != "the user has stopped it" {
		t.Errorf("stopped: got %v", err)
	}
	nothing(t, root)
	m, err := p.Do(t.Context(), root, quiet)
	if err != nil || m.Program != "uvx" || !slices.Equal(m.Args, []string{"a-acp@1.2", "-x"}) {
		t.Errorf("got %+v, %v", m, err)
	}
}
