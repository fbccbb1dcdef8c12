package install

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// fillNPM has npm install the package, with the user's own configuration.
func (p *Plan) fillNPM(ctx context.Context, folder string, m *Manifest, progress func(string)) error {
	name, _ := splitPackage(p.Source, "")
	program, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("npm: %w: install Node.js, which it comes with", errNoProgram)
	}

	r := newNPMReader(m, progress)
	for _, run := range p.npmCommands(name) {
		// Its progress is said as messages of this level, which its other settings may not hide.
		if err := command(ctx, program, append(run[1:], "--loglevel=http"), folder, r); err != nil {
			return err
		}
	}

	m.Program, err = npmProgram(folder, name)
	return err
}

// npmReader reads what npm says.
type npmReader struct {
	manifest *Manifest
	progress func(string)
	fetched  int
	reported time.Time
	errors   []string
	own      bool   // a warning is about the agent's own package, not about one that it depends on …
	wants    string // … which requires this Node.js
}

func newNPMReader(m *Manifest, progress func(string)) *npmReader {
	return &npmReader{manifest: m, progress: progress}
}

// between is the least time between two lines of progress.
const between = time.Second

func (r *npmReader) line(line string) {
	switch {
	case strings.HasPrefix(line, "npm http fetch"):
		r.fetched++
		if time.Since(r.reported) >= between {
			r.reported = time.Now()
			r.progress(fmt.Sprintf("%d files from npm", r.fetched))
		}
	case strings.HasPrefix(line, "npm error") && len(r.errors) < 5:
		if text := strings.TrimSpace(strings.TrimPrefix(line, "npm error")); text != "" {
			r.errors = append(r.errors, text)
		}
	case strings.HasPrefix(line, "npm warn EBADENGINE"):
		r.engine(line)
	}
}

// engine reads a warning of several lines: a package, the Node.js that it requires, and the current one.
func (r *npmReader) engine(line string) {
	value := quoted().FindStringSubmatch(line)
	switch {
	case value == nil:
	case value[1] == "package":
		r.wants = ""
		r.own = value[2] == r.manifest.Source
	case r.own && strings.Contains(line, "required:"):
		r.wants = value[2]
	case r.own && strings.Contains(line, "current:"):
		r.manifest.Notes = append(r.manifest.Notes, fmt.Sprintf("it requires Node.js %s, and this is %s", r.wants, value[2]))
	}
}

// quoted matches the first value in a line of such a warning, and its name.
var quoted = lazy.Regexp(`(package|node): '([^']*)'`)

func (r *npmReader) reason() string { return strings.Join(r.errors, "; ") }

// reader takes the lines that a command writes.
type reader interface {
	line(text string)
	reason() string // why the command failed, as far as it said so
}

// command runs a program in a process group of its own, which ends with ctx.
func command(ctx context.Context, program string, args []string, dir string, r reader) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = stopPatience
	out := &lines{take: r.line}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return err
	}

	err := cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it has started; mostly nothing
	if out.rest != "" {
		r.line(out.rest)
	}
	if err != nil && r.reason() != "" {
		return fmt.Errorf("%s: %w: %s", filepath.Base(program), err, r.reason())
	} else if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(program), err)
	}

	return nil
}

// npmProgram returns the program of a package: its only one, else the one that has its name.
func npmProgram(folder, name string) (string, error) {
	text, err := regular.ReadFile(filepath.Join(folder, "node_modules", name, "package.json"))
	if err != nil {
		return "", err
	}

	var pkg struct {
		Bin json.RawMessage `json:"bin"`
	}
	if err := json.Unmarshal(text, &pkg); err != nil {
		return "", fmt.Errorf("%s: package.json: %w", name, err)
	}

	own := path.Base(name)
	bins := map[string]string{}
	if json.Unmarshal(pkg.Bin, &bins) != nil { // one path
		bins = map[string]string{own: ""}
	}

	bin := own
	if _, ok := bins[own]; !ok && len(bins) == 1 {
		for only := range bins {
			bin = only
		}
	}

	program := filepath.Join("node_modules", ".bin", bin)
	if info, err := os.Stat(filepath.Join(folder, program)); err != nil || !info.Mode().IsRegular() || !filepath.IsLocal(program) {
		return "", fmt.Errorf("the package %s has no program %s", name, bin)
	}

	return program, nil
}
