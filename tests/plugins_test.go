//go:build plugins

package tests

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var checkouts = flag.String("plugins", "", "the folder of checkouts of other plugins, for TestPlugins")

// needed matches the line of a story that names the plugins it needs.
var needed = regexp.MustCompile(`(?m)^plugin (.+)$`)

// TestPlugins plays testdata/plugins with real plugins, checkouts of which are in the folder -plugins; see
// scripts/plugins. A story whose plugins are not there is left out, and named. Its name is that of the plugin and the case. Its words
// are those of other stories, and one more:
//
//	plugin NAME …    puts checkouts on the runtimepath; before nvim
//
// and one more condition: [nvim:0.11], of a Neovim of that series or a later one.
func TestPlugins(t *testing.T) {
	if *checkouts == "" {
		t.Fatal("-plugins names no folder of checkouts")
	}
	files, err := filepath.Glob("testdata/plugins/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}

	p := words(t)
	p.Cmds["plugin"] = word((*story).beside)
	p.Condition = since
	p.Setup = limited(p.Setup)
	for _, file := range files {
		if missing := missing(t, file); missing == "" {
			p.Files = append(p.Files, file)
		} else {
			t.Logf("left out: %s: %s", strings.TrimSuffix(filepath.Base(file), ".txtar"), missing)
		}
	}
	if len(p.Files) == 0 {
		t.Fatalf("%s has the plugins of no story", *checkouts)
	}
	testscript.Run(t, p)
}

// pluginLimit is how long one story may take.
const pluginLimit = 2 * time.Minute

// limited has the Neovims of a story killed when it has taken too long: what waits for them then fails, and the next story begins.
func limited(setup func(*testscript.Env) error) func(*testscript.Env) error {
	return func(env *testscript.Env) error {
		if err := setup(env); err != nil {
			return err
		}
		s := env.Values["story"].(*story)
		timer := time.AfterFunc(pluginLimit, func() {
			s.t.Errorf("%s: longer than %v", filepath.Base(env.WorkDir), pluginLimit)
			pids, _ := s.find("nvim") // without /proc there are none to be found
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
		env.Defer(func() { timer.Stop() })
		return nil
	}
}

// missing returns why a story cannot be played, "" if it can.
func missing(t *testing.T, file string) string {
	t.Helper()
	for _, line := range needed.FindAllStringSubmatch(read(t, "tests/"+file), -1) {
		for _, name := range strings.Fields(line[1]) {
			if info, err := os.Stat(filepath.Join(*checkouts, name)); err != nil || !info.IsDir() {
				return fmt.Sprintf("no checkout of %s", name)
			}
		}
	}
	return ""
}

// since answers the conditions of stories with plugins.
func since(name string) (bool, error) {
	least, ok := strings.CutPrefix(name, "nvim:")
	if !ok {
		return condition(name)
	}
	now, err := series()
	return now >= least, err // both have two digits
}

// beside has the next Neovim start with plugins on its runtimepath.
func (s *story) beside(_ *testscript.TestScript, names []string) error {
	for _, name := range names {
		path := strings.NewReplacer(" ", `\ `, ",", `\,`).Replace(filepath.Join(*checkouts, name))
		s.args = append(s.args, "--cmd", fmt.Sprintf("set rtp+=%s,%[1]s/after", path))
	}
	return nil
}
