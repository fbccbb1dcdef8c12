package terminal

import (
	"maps"
	"slices"
	"strings"
)

// hidden are variables a command does not inherit (behaviour 226): those that lead to the editor it runs in, and those
// that say which terminal the editor runs in.
var hidden = []string{
	"NVIM", "NVIM_LISTEN_ADDRESS", "VIM", "VIMRUNTIME", "MYVIMRC", "CLAUDECODE",
	"TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VTE_VERSION", "LINES", "COLUMNS",
}

// defaults keep commands from waiting for a human: pagers print, editors accept what they are given. A question for a
// password is left to the user, who can type into the terminal.
var defaults = map[string]string{
	"TERM":                "xterm-256color",
	"PAGER":               "cat",
	"MANPAGER":            "cat",
	"GIT_PAGER":           "cat",
	"GH_PAGER":            "cat",
	"SYSTEMD_PAGER":       "cat",
	"AWS_PAGER":           "",
	"EDITOR":              "true",
	"VISUAL":              "true",
	"GIT_EDITOR":          "true",
	"GIT_SEQUENCE_EDITOR": "true",
}

// Env is the environment of a command: base, which is in the form of os.Environ, without what leads back to the editor;
// then the defaults; then what is configured; then what the request has, each over the one before. Only a configured or
// requested value brings back a hidden variable. The result is sorted.
func Env(base []string, configured, request map[string]string) []string {
	env := make(map[string]string, len(base))
	for _, entry := range base {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}

	for _, name := range hidden {
		delete(env, name)
	}

	maps.Copy(env, defaults)
	maps.Copy(env, configured)
	maps.Copy(env, request)
	out := make([]string, 0, len(env))
	for name, value := range env {
		out = append(out, name+"="+value)
	}

	slices.Sort(out)
	return out
}
