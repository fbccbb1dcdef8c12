package tests

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the golden parts of stories anew")

// TestStories plays testdata/stories. Besides the words of testscript a story has:
//
//	agent FILE            what the scripted agent plays; before nvim
//	config LUA            options for setup, as a Lua table; before nvim
//	nvim [ARG …]          starts a Neovim
//	to N                  goes to the Nth Neovim that was started
//	ui COLUMNS ROWS       attaches a screen to it
//	lua CODE              runs Lua; the result goes to stdout. A longer program is a file of the story: lua 'dofile("name.lua")'
//	keys KEYS             types
//	sees TEXT             waits until the screen shows what matches a regular expression
//	until EXPR            polls a Lua expression; "idle" waits for the end of the turn, and a moment for what it has changed
//	appears FILE [TEXT]   waits for a file, with text that matches the regular expression TEXT
//	chat                  prints the transcript to stdout
//	screen                prints the attached screen to stdout; in it all clocks are at 0:00, and spinners stand still
//	paint [BACKGROUND]    prints how that screen is coloured, with 'background' set first if it is given
//	sigkill ROLE          sends SIGKILL to the processes of a role: nvim, host, agent, guard
//	runs ROLE             waits for a process of a role
//	processes             prints how many processes of this story run
//	gone [ROLE …]         waits until none is left but those of these roles, at most 2 s
//
//	ssh                   makes a machine "box" that `ssh -F ssh/config` reaches as long as there is a file ssh/up
//
// Conditions say what this machine can do: [sandbox] bubblewrap, [container] a container made of namespaces, [sshd] a server of ssh.
//
// $SERIES is that of the Neovim under test, "0.12" or "0.10", for what the two draw in different ways.
func TestStories(t *testing.T) {
	p := words(t)
	p.Dir = "testdata/stories"
	testscript.Run(t, p)
}

// TestProcesses plays testdata/processes, one story at a time: they measure how long processes live.
func TestProcesses(t *testing.T) {
	files, err := filepath.Glob("testdata/processes/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run("", func(t *testing.T) {
			p := words(t)
			p.Files = []string{file}
			testscript.Run(t, p)
		})
	}
}

// words are the parameters of all stories, with their words.
func words(t *testing.T) testscript.Params {
	root := plugin(t)
	return testscript.Params{
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Values["story"] = &story{t: t, root: root, mark: "NVIM_ACP_STORY=" + filepath.Base(env.WorkDir) + strconv.Itoa(os.Getpid())}
			for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
				env.Setenv(name, filepath.Join(env.WorkDir, ".home", strings.ToLower(name)))
			}
			// A user's own files are not below their projects.
			ignore := filepath.Join(env.Getenv("XDG_CONFIG_HOME"), "git", "ignore")
			if err := os.MkdirAll(filepath.Dir(ignore), 0o777); err != nil {
				return err
			}
			scripts, err := agents(env.WorkDir)
			if err != nil {
				return err
			}
			if err := os.WriteFile(ignore, []byte("/.home/\n"+scripts), 0o666); err != nil {
				return err
			}
			run, err := os.MkdirTemp("/tmp", "acp") // the path of a socket must be short
			if err != nil {
				return err
			}
			env.Defer(func() { _ = os.RemoveAll(run) })
			env.Defer(env.Values["story"].(*story).killDetached)
			env.Setenv("XDG_RUNTIME_DIR", run)
			env.Setenv("NVIM_ACP_DEMO_PACE", "0s")
			series, err := series()
			if err != nil {
				return err
			}
			env.Setenv("SERIES", series)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // else each process of ours lives a second longer
			impossible := filepath.Join(run, "impossible")
			env.Setenv("NVIM_ACP_CHECK", impossible)
			env.Defer(func() {
				if text, err := os.ReadFile(impossible); err == nil {
					t.Errorf("a session is in an impossible state: %s", text)
				}
			})
			env.Setenv("NVIM_ACP_STORY", strings.TrimPrefix(env.Values["story"].(*story).mark, "NVIM_ACP_STORY="))
			return nil
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"agent": word(func(s *story, ts *testscript.TestScript, args []string) error {
				s.agent = ts.MkAbs(args[0])
				return nil
			}),
			"config":    word(func(s *story, _ *testscript.TestScript, args []string) error { s.config = args[0]; return nil }),
			"nvim":      word((*story).nvim),
			"to":        word((*story).to),
			"ui":        word((*story).ui),
			"lua":       word((*story).lua),
			"keys":      word((*story).keys),
			"sees":      word((*story).sees),
			"until":     word((*story).until),
			"appears":   word((*story).appears),
			"chat":      word((*story).chat),
			"screen":    word((*story).screen),
			"paint":     word((*story).paint),
			"sigkill":   word((*story).sigkill),
			"sigstop":   word((*story).sigstop),
			"runs":      word((*story).runs),
			"processes": word((*story).processes),
			"gone":      word((*story).gone),
			"ssh":       word((*story).ssh),
		},
	}
}

// story is what the words of one story share.
type story struct {
	t      *testing.T // nil outside of stories
	root   string
	mark   string // in the environment of every process of the story
	agent  string
	config string
	args   []string // of Neovim, before those of the word
	editor *editor

	editors []*editor // all that were started
	neovims []int     // their processes
}

// word makes a word of a method. A failure shows what was going on.
func word(do func(*story, *testscript.TestScript, []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		s := ts.Value("story").(*story)
		err := do(s, ts, args)
		switch {
		case neg && err == nil:
			ts.Fatalf("it worked, and must not")
		case !neg && err != nil:
			ts.Logf("%s", s.scene())
			ts.Fatalf("%v", err)
		}
	}
}

func (s *story) scene() string {
	if s.editor == nil {
		return ""
	}
	return s.editor.scene()
}

// agents returns patterns of what a story's agents play: files that begin with a message which an agent gets. They are no files of the
// project, since a story may exchange them while a turn goes on.
func agents(dir string) (patterns string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return "", err
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err == nil && bytes.HasPrefix(text, []byte("< initialize")) {
			patterns += "/" + filepath.Base(path) + "\n"
		}
	}
	return patterns, nil
}

func (s *story) nvim(ts *testscript.TestScript, args []string) error {
	env := cleanEnv()
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "PATH", "HOME", "NVIM_ACP_DEMO_PACE", "NVIM_ACP_STORY", "NVIM_ACP_CHECK", "GORACE"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	e, err := startEditor(s.root, ts.Getenv("WORK"), env, append(slices.Clone(s.args), args...)...)
	if err != nil {
		return err
	}
	ts.Defer(e.close)
	ts.Defer(func() { s.faults(e) })
	s.editor, s.editors = e, append(s.editors, e)
	config := s.config
	if config == "" {
		config = "{}"
	}
	pid, err := e.lua(`
		local own, bin, script = ...
		local opts = assert(loadstring("return " .. own))()
		opts.agents = opts.agents or {}
		opts.agents.scripted = vim.tbl_extend("keep", opts.agents.scripted or {}, { command = bin, args = { "agent", "--script", script } })
		opts.agent = opts.agent or (script ~= "" and "scripted" or "demo")
		require("nvim-acp").setup(opts)
		local over = {}
		vim.api.nvim_create_autocmd("User", {
			pattern = { "AcpReady", "AcpTurnStart", "AcpTurnEnd", "AcpTurnSettled", "AcpDisconnected" },
			callback = function(args) over[args.data.session] = args.match == "AcpTurnEnd" or nil end,
		})
		function _G.settled()
			return not vim.iter(over):any(function(id) return require("nvim-acp.state").sessions[id] ~= nil end)
		end
		return vim.fn.getpid()`, config, agentProgram(), s.agent)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(pid)
	s.neovims = append(s.neovims, n)
	return err
}

// series is the release series of the Neovim under test: "0.12".
var series = sync.OnceValues(func() (string, error) {
	out, err := exec.Command(nvimPath(), "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s (set NVIM_ACP_TEST_NVIM): %w", nvimPath(), err)
	}
	m := regexp.MustCompile(`^NVIM v(\d+\.\d+)`).FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("%s has no version", nvimPath())
	}
	return string(m[1]), nil
})

// cleanEnv is the environment without what is of the user's Neovim.
func cleanEnv() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "NVIM") || strings.HasPrefix(v, "XDG_")
	})
}

// agentProgram is the program whose agents play the scripts: NVIM_ACP_TEST_AGENT, else the program under test. A build without
// the race detector starts in a third of the time. It must be named nvim-acp: the stories find processes by that.
func agentProgram() string {
	if path := os.Getenv("NVIM_ACP_TEST_AGENT"); path != "" {
		return path
	}
	return mustLook("nvim-acp")
}

func mustLook(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		panic(err)
	}
	return path
}

func (s *story) ui(_ *testscript.TestScript, args []string) error {
	cols, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	rows, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	return s.editor.AttachUI(cols, rows, map[string]any{"ext_linegrid": true, "ext_hlstate": true, "rgb": true})
}

func (s *story) lua(ts *testscript.TestScript, args []string) error {
	out, err := s.editor.lua(strings.Join(args, " "))
	fmt.Fprintln(ts.Stdout(), out)
	return err
}

func (s *story) keys(_ *testscript.TestScript, args []string) error {
	keys := strings.Join(args, " ")
	if strings.Contains(keys, "<C-c>") { // typed while Neovim runs Lua it would interrupt that, and be lost
		return s.editor.ExecLua(`vim.api.nvim_feedkeys(vim.keycode(...), "mt", false)`, nil, keys)
	}
	_, err := s.editor.Input(keys)
	return err
}

func (s *story) until(_ *testscript.TestScript, args []string) error {
	expr := strings.Join(args, " ")
	if expr == "idle" {
		expr = `(function() local st = require("nvim-acp").status() return st and st.state == "idle" and #st.queue == 0 end)()`
	}
	err := s.editor.wait(expr)
	if err == nil && args[0] == "idle" {
		s.settle()
	}
	return err
}

func (s *story) appears(ts *testscript.TestScript, args []string) error {
	text := regexp.MustCompile("")
	if len(args) > 1 {
		text = regexp.MustCompile(args[1])
	}
	err := poll(patience, func() (bool, error) {
		got, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && text.Match(got), nil
	})
	if err != nil {
		return fmt.Errorf("no %s: %w", args[0], err)
	}
	return nil
}

func (s *story) chat(ts *testscript.TestScript, _ []string) error {
	s.settle()
	out, err := s.editor.lua(`table.concat(vim.api.nvim_buf_get_lines(require("nvim-acp").status().bufnr, 0, -1, false), "\n")`)
	fmt.Fprintln(ts.Stdout(), out)
	return err
}

// screen prints the screen once it has not changed for a moment.
func (s *story) screen(ts *testscript.TestScript, _ []string) error {
	s.settle()
	text, err := s.rest(func() string {
		return spinning.ReplaceAllString(ticking.ReplaceAllString(s.editor.screen.text(), "${1}0:00"), "⠋")
	})
	fmt.Fprint(ts.Stdout(), text)
	return err
}

// paint prints how the screen is coloured, on a background that may be given, once all groups that may be given are on it.
func (s *story) paint(ts *testscript.TestScript, args []string) error {
	if len(args) > 0 && (args[0] == "dark" || args[0] == "light") {
		before := s.editor.screen.background()
		was, err := s.editor.lua("local was = vim.o.background vim.o.background = ... vim.cmd.redraw() return was", args[0])
		if err != nil {
			return err
		}
		err = s.editor.poll(func() (bool, error) { return was == args[0] || s.editor.screen.background() != before, nil })
		if err != nil {
			return fmt.Errorf("background %s is not seen: %w", args[0], err)
		}
		args = args[1:]
	}
	for _, group := range args {
		if err := s.editor.poll(func() (bool, error) { return s.editor.screen.shows(group), nil }); err != nil {
			return fmt.Errorf("nothing on the screen has the group %s: %w", group, err)
		}
	}
	paint, err := s.rest(s.editor.screen.paint) // colours come after their text
	fmt.Fprint(ts.Stdout(), paint)
	return err
}

// ticking is what the clocks of running calls say.
var ticking = regexp.MustCompile(`(\W)[0-9]:[0-9][0-9]\b`)

// spinning is what the spinners show.
var spinning = regexp.MustCompile("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]")

// rest returns what is seen once it has not changed for a moment, and Neovim is not at work on what will be seen next.
func (s *story) rest(see func() string) (string, error) {
	last, since, asked := "", time.Now(), false
	err := poll(patience, func() (bool, error) {
		if text := see(); text != last {
			last, since, asked = text, time.Now(), false
		}
		if time.Since(since) <= 150*time.Millisecond {
			return false, nil
		}
		if asked {
			return true, nil
		}
		asked = true
		return false, s.editor.answers()
	})
	if err != nil {
		return last, fmt.Errorf("the screen does not come to rest: %w", err)
	}
	return last, nil
}
