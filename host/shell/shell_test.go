package shell

import (
	"reflect"
	"strings"
	"testing"
)

func TestBreaks(t *testing.T) {
	tests := []struct{ name, command, want string }{
		{"one command", "make test", "make test"},
		{"lists", "rm -rf build && make release || echo no", "rm -rf build |&& make release ||| echo no"},
		{"semicolons", "cd x;  make; ls", "cd x;  |make; |ls"},
		{"a short pipeline", "ls | wc -l", "ls | wc -l"},
		{"a long pipeline", "grep -rn 'func Parse' --include='*.go' . | sort | uniq -c", "grep -rn 'func Parse' --include='*.go' . || sort || uniq -c"},
		{"quotes", "echo 'a && b; c' \"d || e\"", "echo 'a && b; c' \"d || e\""},
		{"a command in a word", "echo $(a && b)", "echo $(a && b)"},
		{"lines", "make &&\nls; pwd\n", "make |&&\nls; |pwd\n"},
		{"a loop", "for f in *; do echo $f; done", "for f in *; do echo $f; |done"},
		{"not a command", "if && then", "if && then"},
		{"too long", strings.Repeat("a && ", 20_000) + "b", strings.Repeat("a && ", 20_000) + "b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, last := "", 0
			for _, at := range Breaks(test.command) {
				got, last = got+test.command[last:at]+"|", at
			}
			if got += test.command[last:]; got != test.want {
				t.Errorf("got\n%q\nwant\n%q", got, test.want)
			}
		})
	}
}

func TestUnwrap(t *testing.T) {
	tests := []struct{ command, wrapper, script string }{
		{"bash -lc 'go test ./...'", "bash -lc", "go test ./..."},
		{"/bin/zsh -l -c \"ls -l\"", "/bin/zsh -l -c", "ls -l"},
		{"sh -c make", "sh -c", "make"},
		{"bash -c 'a\nb'", "bash -c", "a\nb"},
		{"bash -lc \"echo $HOME\"", "", ""},
		{"bash -c 'a' && b", "", ""},
		{"X=1 bash -c a", "", ""},
		{"bash -c a > f", "", ""},
		{"bash -xc a", "", ""},
		{"bash script -c a", "", ""},
		{"python -c a", "", ""},
		{"bash -c ''", "", ""},
		{"bash", "", ""},
	}
	for _, test := range tests {
		t.Run(test.command, func(t *testing.T) {
			want := test.script
			if test.wrapper == "" {
				want = test.command
			}
			if wrapper, script := Unwrap(test.command); wrapper != test.wrapper || script != want {
				t.Errorf("got %q, %q, want %q, %q", wrapper, script, test.wrapper, want)
			}
		})
	}
}

// A line that fits a row stays whole, a longer one is broken at its operators; each byte is in one row, but for line ends (behaviour 1063).
func TestRows(t *testing.T) {
	tests := []struct {
		name, command string
		want          []string
	}{
		{"short", "rm -rf build && make release", []string{"rm -rf build && make release"}},
		{"long", "rm -rf build && make release && scripts/publish --channel stable", []string{
			"rm -rf build ", "&& make release ", "&& scripts/publish --channel stable",
		}},
		{"a long line between short ones", "cd x; ls\nmake release && scripts/publish --channel stable --to example.org\nls; ls", []string{
			"cd x; ls", "make release ", "&& scripts/publish --channel stable --to example.org", "ls; ls",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, r := range Rows(tt.command) {
				got = append(got, tt.command[r.From:r.To])
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
