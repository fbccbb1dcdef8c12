package elsewhere

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// variable is a name that a shell can export.
var variable = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)

// runScript is a shell script that runs a command in a folder there. It removes itself first, so what it has of the environment is
// on no command line and not long on the disk.
func runScript(c Command, dir, place string, env map[string]string) (string, error) {
	var b strings.Builder
	mark := env[guard.RunVar]
	b.WriteString(`began=$(sed -n "s/.*) [^ZX] //p" "/proc/$$/stat" 2>/dev/null | cut -d" " -f19)` + "\n")
	fmt.Fprintf(&b, "echo %s \"$$ $began\" >\"$0.pid\"\nrm -f \"$0\"\n", mark)
	set, err := exports(env, "")
	if err != nil {
		return "", err
	}

	b.WriteString(set)
	fmt.Fprintf(&b, "cd -- %s || { echo \"nvim-acp: there is no such folder on \"%s >&2; exit 126; }\n", quote(dir), quote(place))
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return "", fmt.Errorf("there is no command")
	}

	program := quote(c.Argv[0])
	if c.Line {
		fmt.Fprintf(&b, "command -v -- %s >/dev/null 2>&1 && exec %s\n", program, program)
		fmt.Fprintf(&b, "case ${SHELL##*/} in bash | zsh) exec \"$SHELL\" -c %s ;; esac\nexec /bin/sh -c %s\n", program, program)
		return b.String(), nil
	}

	fmt.Fprintf(&b, "command -v -- %s >/dev/null 2>&1 || { echo %s\" is not installed on \"%s >&2; exit 127; }\nexec",
		program, program, quote(place))
	for _, word := range c.Argv {
		b.WriteString(" " + quote(word))
	}

	b.WriteByte('\n')
	return b.String(), nil
}

// exports is a shell script that sets variables; prefix is before each command.
func exports(env map[string]string, prefix string) (string, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !variable().MatchString(name) {
			return "", fmt.Errorf("%q is no name of a variable", name)
		}
		fmt.Fprintf(&b, "%sexport %s=%s\n", prefix, name, quote(env[name]))
	}
	return b.String(), nil
}

// loginScript is a shell script that runs a command here with its environment, and removes itself first.
func loginScript(s Started) string {
	var b strings.Builder
	b.WriteString("rm -f \"$0\"\n")
	for _, v := range s.Env {
		name, value, _ := strings.Cut(v, "=")
		if variable().MatchString(name) {
			fmt.Fprintf(&b, "export %s=%s\n", name, quote(value))
		}
	}

	b.WriteString("exec")
	for _, word := range s.Argv {
		b.WriteString(" " + quote(word))
	}

	b.WriteByte('\n')
	return b.String()
}
