package rules

import (
	"fmt"
	"slices"
	"strings"
)

// number makes a command with a name where a number may stand.
func (m maker) number() string {
	one := pick(m, []string{"[ N -eq N ]", "[ N -lt 1 ]", "[ $? -eq N ]", "test N -ne 0", "test -t N", "[ -t N -o a = b ]", "printf %d N", "printf '%s%d' a N", "printf '%.*s' N a", "printf '%*d' N 1", "printf '\\045d' N",
		"printf '%s\n' N", "printf '%c%x' N N", "exit N", "return N", "shift N", "break N", "continue N", "kill N", "kill -s N 0", "kill -N", "wait N", "wait %N", "sleep N", "cd N", "cd +N", "popd +N", "dirs +N", "pushd +N",
		"print N", "echo N", "logout N", "bye N", "fg N", "bg %N", "disown N", "history N", "head -n N", "times N", "suspend N", "command -v N", "set N", "read -r N", "ls \"$x[N]\"", "[ N ]", "[ -n N ]", "[ a -nt N ]", "[ -v N ]", "ulimit N", "umask N"})
	for strings.Contains(one, "N") {
		one = strings.Replace(one, "N", pick(m, []string{"x", "x", "x", "1", "y", "-x", "x+1", "$x", "\"$x\"", "$?"}), 1)
	}
	return one
}

// setting makes an assignment to a variable that a rule may know, in some way.
func (m maker) setting() string {
	var names []string
	for _, list := range variables() {
		names = append(names, list...)
	}
	slices.Sort(names)
	name, value, fixed := strings.Cut(pick(m, names), "=")
	if !fixed || m.IntN(3) == 0 {
		value = pick(m, []string{"1", "x", "'a[$(PWN)]'", "x[1]", "'$(PWN)'", "\"$x\"", "$(PWN)", "*", "~", "a,b", "{a,b}", "'`PWN`'", "''", "x'y'", "=ls"})
	}
	return fmt.Sprintf(pick(m, []string{"%s=%s ", "%s=%s; ", "export %s=%s; ", "for %s in %s; do "}), name, value)
}

// document makes a command with a here-document.
func (m maker) document() string {
	end := pick(m, delimiters)
	var b strings.Builder
	b.WriteString(pick(m, []string{"cat", "cat", "cat a", "ls | cat", "echo \"$(cat", "git commit -m \"$(cat"}))
	closing := strings.Contains(b.String(), "$(")
	b.WriteString(pick(m, []string{" <<", " <<", " <<-", "<<", " << ", " 0<<"}) + end)
	b.WriteString(pick(m, []string{"", "", "", "; ls", " | cat", " && ls", " > allowed/f", " # x", " \\\n", " <<F", " 2>&1", " &", " 'a\nb'"}) + "\n")
	for range m.IntN(4) {
		b.WriteString(pick(m, bodyLines) + "\n")
	}
	b.WriteString(pick(m, []string{"E", "E", "E", "E", "\tE", "E1", "é", "E F"}))
	b.WriteString(pick(m, []string{"", "\n", "\n", "\nls", "\nls\nF\n", "\n# x\n", ";", " "}))
	if closing {
		b.WriteString(pick(m, []string{"\n)\"", ")\"", "\n)\"; ls"}))
	}
	return b.String()
}
