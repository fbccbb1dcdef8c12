//go:build !race

package tests

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A door is the one place through which something is done, because of what has to be checked there.
type door struct {
	ext     string
	pattern string            // of code that does it
	places  []string          // files and folders that have the door
	others  map[string]string // files that need none, and why
}

// bypasses visits all lines of the program's code that do not go through a door.
func (d door) bypasses(t *testing.T, found func(path string, line int, text string)) {
	t.Helper()
	pattern := regexp.MustCompile(d.pattern)
	needed := map[string]bool{}
	walk(t, func(path string) {
		test := strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "tests/")
		if filepath.Ext(path) != d.ext || test || slices.ContainsFunc(d.places, func(p string) bool { return strings.HasPrefix(path, p) }) {
			return
		}
		for i, line := range strings.Split(read(t, path), "\n") {
			code, _, _ := strings.Cut(line, "// ")
			if !pattern.MatchString(code) {
				continue
			}
			if _, ok := d.others[path]; ok {
				needed[path] = true
				continue
			}
			found(path, i+1, strings.TrimSpace(line))
		}
	})
	for path := range d.others {
		if !needed[path] {
			t.Errorf("%s is excepted, and need not be", path)
		}
	}
}

// Unix sockets are made and reached, and RPC is begun, where it is checked whose they are (behaviour 750).
func TestSocketsHaveOneDoor(t *testing.T) {
	for _, d := range []door{
		{
			ext: ".go", pattern: `\bnet\.(Dial|Listen|FileConn)\w*\(|\bnet\.Dialer\b|\b(syscall|unix)\.(Connect|Bind|Listen)\(`,
			places: []string{"internal/private/"},
		},
		{
			ext: ".go", pattern: `\bos\.TempDir\(|"/tmp|"TMPDIR"`, // a name in a folder that is shared can be another user's
			places: []string{"internal/private/"},
			others: map[string]string{
				"host/elsewhere/folder.go":     "made by MkdirTemp; those of before are checked",
				"host/elsewhere/ways.go":       "what a sandbox hides",
				"host/elsewhere/bubblewrap.go": "of the sandbox",
				"host/agents/servers.go":       "a variable that a project may use",
			},
		},
		{
			ext: ".lua", pattern: `sockconnect|new_pipe|new_tcp|serverstart`,
			others: map[string]string{"lua/nvim-acp/prompt/draft.lua": "bytes, to a socket of this user's: who lives"},
		},
		{ext: ".lua", pattern: `\brpc = true`, places: []string{"lua/nvim-acp/rpc.lua"}},
		{
			ext: ".lua", pattern: `TMPDIR|"/tmp|XDG_RUNTIME_DIR`,
			others: map[string]string{
				"lua/nvim-acp/attach/hosts.lua": "whether to ask nvim-acp ps, which checks",
				"lua/nvim-acp/config/trust.lua": "a variable that a project may use",
			},
		},
	} {
		d.bypasses(t, func(path string, line int, text string) {
			t.Errorf("%s:%d does not go through internal/private: %s", path, line, text)
		})
	}
}

// Files that others have named, or could have replaced, are opened by a package that opens no pipe or device, and waits for none
// (behaviour 758).
func TestFilesHaveOneDoor(t *testing.T) {
	door{
		ext:     ".go",
		pattern: `\bos\.(Open|OpenFile|ReadFile|Create)\(|[rR]oot\.(Open|OpenFile|ReadFile|Create)\(|\bioutil\.`,
		places:  []string{"internal/regular/", "internal/release/", "host/highlight/lexers/make/", "acp/internal/", "cmd/nvim-acp/demo/"},
		others: map[string]string{
			"buffers/write.go":              "below a root, and looked at before",
			"buffers/folder.go":             "a folder, which is asked for, without waiting",
			"host/attach/seat.go":           "/proc",
			"cmd/nvim-acp/program/agent.go": "the script of an agent, named on its command line",
			"host/guard/marked_linux.go":    "/proc",
			"host/elsewhere/identity.go":    "a folder",
			"host/elsewhere/sockets.go":     "/proc",
			"terminal/waiting_linux.go":     "/proc",
			"internal/private/folder.go":    "/proc",
			"internal/private/tcp_linux.go": "/proc",
			"host/install/unpack.go":        "new files only, below a root",
			"host/attaching/stdio.go":       "/dev/null",
		},
	}.bypasses(t, func(path string, line int, text string) {
		t.Errorf("%s:%d does not go through internal/regular: %s", path, line, text)
	})
}

// Programs that the host runs itself are looked for by internal/programs, which leaves out folders that agents in sandboxes write
// (behaviour 854).
func TestProgramsHaveOneDoor(t *testing.T) {
	door{
		ext:     ".go",
		pattern: `\bexec\.(LookPath|Command|CommandContext)\(|"env", "-i"`,
		places:  []string{"internal/programs/", "internal/release/", "host/highlight/lexers/make/", "cmd/nvim-acp/demo/", "acp/acptest/", "tests/"},
		others: map[string]string{
			"acp/process.go":               "an agent, and what leads into its place, which are looked for before",
			"host/agents/servers.go":       "a server that the agent starts",
			"host/agents/start.go":         "an agent, which is looked for again where it runs",
			"host/elsewhere/bubblewrap.go": "an agent's program, which runs inside",
			"host/elsewhere/runs.go":       "words of internal/git",
			"host/checkpoint/git.go":       "words of internal/git",
			"host/find/index.go":           "words of internal/git",
			"host/command/command.go":      "words of internal/git, or of a place",
			"internal/git/diff.go":         "words of internal/git",
			"host/install/main.go":         "a process of its own, which the user starts",
			"host/install/npm.go":          "a process of its own, which the user starts",
			"host/install/run.go":          "a process of its own, which the user starts",
		},
	}.bypasses(t, func(path string, line int, text string) {
		if strings.Contains(text, "programs.Word(") {
			return
		}
		t.Errorf("%s:%d does not go through internal/programs: %s", path, line, text)
	})
}

// Goroutines and timers begin where a panic in them is caught (behaviour 870).
func TestGoroutinesHaveOneDoor(t *testing.T) {
	door{
		ext: ".go", pattern: `^\s*go (func\b|[A-Za-z_])|\btime\.AfterFunc\(|\bsync\.WaitGroup\b|\berrgroup\.`,
		places: []string{"internal/caught/", "acp/acptest/", "cmd/nvim-acp/demo/"},
	}.bypasses(t, func(path string, line int, text string) {
		t.Errorf("%s:%d: internal/caught starts goroutines and timers: %s", path, line, text)
	})
}

// A user's answer leaves where it is known what was on the screen (behaviour 1180).
func TestAnswersHaveOneDoor(t *testing.T) {
	door{
		ext: ".lua", pattern: `"(permit|rule_add|propose)"`,
		places: []string{"lua/nvim-acp/permission/door.lua", "scripts/"},
	}.bypasses(t, func(path string, line int, text string) {
		t.Errorf("%s:%d does not go through permission/door.lua: %s", path, line, text)
	})
}

// A window of ours is closed where it is known whence the user came to it, and windows and buffers go as soon as Neovim lets them
// (behaviours 1103, 1686).
func TestWindowsCloseThroughOneDoor(t *testing.T) {
	door{
		ext: ".lua", pattern: `nvim_win_(close|hide)\b|deferred"\)\.close\b`,
		places: []string{"lua/nvim-acp/ui/origin.lua", "lua/nvim-acp/ui/deferred.lua", "scripts/"},
		others: map[string]string{
			"lua/nvim-acp/ui/window.lua":           "the tab page of one, which leads back by itself",
			"lua/nvim-acp/ui/exit.lua":             "another takes its place",
			"lua/nvim-acp/chat/init.lua":           "empty ones of :mksession",
			"lua/nvim-acp/chat/window_pair.lua":    "the two of a chat, which know whence, and are deferred",
			"lua/nvim-acp/permission/answers.lua":  "nobody can be in it",
			"lua/nvim-acp/permission/proposal.lua": "a tab page of its own",
		},
	}.bypasses(t, func(path string, line int, text string) {
		t.Errorf("%s:%d does not go through ui/origin.lua: %s", path, line, text)
	})
	door{
		ext: ".lua", pattern: `nvim_buf_delete\b`,
		places: []string{"lua/nvim-acp/ui/deferred.lua", "scripts/"},
		others: map[string]string{
			"lua/nvim-acp/files/saved.lua":       "a buffer for a moment, which nothing shows",
			"lua/nvim-acp/knowledge/servers.lua": "where it is refused, the buffer stays",
			"lua/nvim-acp/ui/bufname.lua":        "where it is refused, the buffer stays",
		},
	}.bypasses(t, func(path string, line int, text string) {
		t.Errorf("%s:%d does not go through ui/deferred.lua: %s", path, line, text)
	})
}

// Quickfix lists are made where their windows are guarded, and a buffer of ours where Neovim's keys for what is named in it are, or it has
// no foreign text (behaviours 873, 1170).
func TestForeignTextHasOneDoor(t *testing.T) {
	door{
		ext: ".lua", pattern: `\bset(qf|loc)list\(|\b(copen|lopen|cwindow)\b`,
		places: []string{"lua/nvim-acp/ui/quickfix.lua", "scripts/"},
	}.bypasses(t, func(path string, line int, text string) {
		t.Errorf("%s:%d does not go through ui/quickfix.lua: %s", path, line, text)
	})
	guarded := regexp.MustCompile(`ui\.keys"\)\.(map|protect)\(|\bM\.protect\(buf`)
	door{
		ext: ".lua", pattern: `nvim_create_buf\(`,
		places: []string{"scripts/"},
		others: map[string]string{
			"lua/nvim-acp/files/saved.lua":        "is in no window",
			"lua/nvim-acp/chat/stray_buffers.lua": "is empty",
			"lua/nvim-acp/chat/window_pair.lua":   "is empty",
			"lua/nvim-acp/permission/float.lua":   "keys: commands/keys.lua",
			"lua/nvim-acp/state/buffers.lua":      "keys: commands/keys.lua",
		},
	}.bypasses(t, func(path string, line int, text string) {
		if !guarded.MatchString(read(t, path)) {
			t.Errorf("%s:%d makes a buffer whose keys are not guarded: %s", path, line, text)
		}
	})
}
