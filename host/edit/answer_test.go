package edit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func split(text string) []string { return strings.Split(text, "\n") }

// place returns a place at which lines were asked about, with the answer as a whole.
func answered(lines []string, text string, cut bool) *Place {
	p := &Place{}
	p.Begin(Request{Kind: Edit, Lines: lines, Before: []string{"package a", "", "// F does it."}, After: []string{"", "var x int"}})
	p.Write(text)
	p.End(cut, "")
	return p
}

// Answers of every shape become lines for the buffer, words, or nothing (behaviour 415).
func TestAnswers(t *testing.T) {
	base := split("\tif a {\n\t\tb()\n\t}")
	spaces := split("    if a:\n        b()")
	tests := []struct {
		name, text string
		base       []string
		cut        bool
		phase      Phase
		want       string // the lines of the version that is shown
		of         int
	}{
		{"a block", "Here:\n```go\n\tif a {\n\t\tc()\n\t}\n```\nDone.", base, false, Ready, "\tif a {\n\t\tc()\n\t}", 1},
		{"the same", "```\n\tif a {\n\t\tb()\n\t}\n```", base, false, Same, "", 1},
		{"none", "I cannot do that.", base, false, Words, "", 0},
		{"nothing", "", base, false, Words, "", 0},
		{"an empty one removes", "```\n```", base, false, Ready, "", 1},
		{"several: the one that is nearest to the lines", "```sh\ngo test\n```\n```go\n\tif a {\n\t\tc()\n\t}\n```\n```sh\nls\n```", base, false, Ready, "\tif a {\n\t\tc()\n\t}", 3},
		{"several alike: the last", "```go\n\tx()\n```\nOr better:\n```go\n\ty()\n```", base, false, Ready, "\ty()", 2},
		{"not closed", "```go\n\tif a {\n\t\tc()\n\t}\n", base, false, Ready, "\tif a {\n\t\tc()\n\t}", 1},
		{"not closed, and no line end", "```go\n\tif a {\n\t\tc()\n\t}", base, false, Ready, "\tif a {\n\t\tc()\n\t}", 1},
		{"cut off", "```go\n\tif a {\n\t\tc()\n", base, true, Ready, "\tif a {\n\t\tc()", 1},
		{"CRLF", "```go\r\n\tif a {\r\n\t\tc()\r\n\t}\r\n```\r\n", base, false, Ready, "\tif a {\n\t\tc()\n\t}", 1},
		{"without the indent", "```go\nif a {\n\tc()\n\tb()\n}\n```", base, false, Ready, "\tif a {\n\t\tc()\n\t\tb()\n\t}", 1},
		{"spaces for tabs", "```go\n    if a {\n        c()\n        b()\n    }\n```", base, false, Ready, "\tif a {\n\t\tc()\n\t\tb()\n\t}", 1},
		{"spaces for tabs, without the indent", "```go\nif a {\n  c()\n  b()\n}\n```", base, false, Ready, "\tif a {\n\t\tc()\n\t\tb()\n\t}", 1},
		{"spaces for tabs, and no line as it was", "```go\n    if c {\n        d()\n    } else if e {\n        f()\n    }\n```", base, false, Ready, "\tif c {\n\t\td()\n\t} else if e {\n\t\tf()\n\t}", 1},
		{"two spaces for tabs, and no line as it was", "```go\n  if c {\n    d()\n  }\n```", base, false, Ready, "\tif c {\n\t\td()\n\t}", 1},
		{"spaces for tabs, without the indent, and no line as it was", "```go\nif c {\n  d()\n}\n```", base, false, Ready, "\tif c {\n\t\td()\n\t}", 1},
		{"spaces for tabs, without the indent, and nothing of the lines is left", "```lua\nif c then\n  d()\nend\n```", base, false, Ready, "\tif c then\n\t\td()\n\tend", 1},
		{"eight spaces for a tab", "```go\n        if c {\n                d()\n        }\n```", base, false, Ready, "\tif c {\n\t\td()\n\t}", 1},
		{"eight spaces for a tab, and no line as it was", "```lua\n        if c then\n                d()\n        end\n```", base, false, Ready, "\tif c then\n\t\td()\n\tend", 1},
		{"spaces for tabs below a line as it was", "```go\nfunc f() int {\n    return 1\n}\n```", split("func f() int {\n\tn := 0\n\treturn n\n}"), false, Ready, "func f() int {\n\treturn 1\n}", 1},
		{"partly without the indent", "```go\n    if c {\n        d()\n    }\n```", split("\t\tx()"), false, Ready, "\t\tif c {\n\t\t\td()\n\t\t}", 1},
		{"a part that is indented", "```py\n    if c:\n        d()\n```", split("def f():\n\tx()"), false, Ready, "\tif c:\n\t\td()", 1},
		{"spaces stay spaces", "```py\n    if c:\n        d()\n```", spaces, false, Ready, "    if c:\n        d()", 1},
		{"the first line has the indent", "```c\n\tz = 3;\n#ifdef A\n\tw = 4;\n#endif\n```", split("\tx = 1;\n\ty = 2;"), false, Ready, "\tz = 3;\n#ifdef A\n\tw = 4;\n#endif", 1},
		{"text in quotes stays", "```go\nconst doc = `\nkey:\n  sub: 1\n    deep: 2\n`\n```", split("var x = T{\n\ta: 1,\n}"), false, Ready, "const doc = `\nkey:\n  sub: 1\n    deep: 2\n`", 1},
		{"alignment stays", "```py\nx = call(a,\n         b)\n```", split("def f():\n\treturn 1"), false, Ready, "x = call(a,\n         b)", 1},
		{"deep alignment stays", "```go\nx := call(a,\n            b)\nif c {\n    d()\n}\n```", split("func f() {\n\treturn\n}"), false, Ready, "x := call(a,\n            b)\nif c {\n    d()\n}", 1},
		{"tabs among continued lines stay", "```make\nall:\n\tcc -o x a.c\n```", split("SRC = a.c \\\n      b.c"), false, Ready, "all:\n\tcc -o x a.c", 1},
		{"mixed indentation stays", "```go\n    if c {\n\t\td()\n    } // c\n```", base, false, Ready, "    if c {\n\t\td()\n    } // c", 1},
		{"tabs for spaces", "```py\n\tif a:\n\t\tc()\n\t\tb()\n```", spaces, false, Ready, "    if a:\n        c()\n        b()", 1},
		{"nothing of the lines is left, without the indent", "```go\nreturn c()\n```", base, false, Ready, "\treturn c()", 1},
		{"less indent, as it was asked for", "```go\nif a {\n\t\tb()\n\t}\n```", base, false, Ready, "if a {\n\t\tb()\n\t}", 1},
		{"an indented block", "1. This:\n   ```go\n   \tif a {\n   \t\tc()\n   \t}\n   ```", base, false, Ready, "\tif a {\n\t\tc()\n\t}", 1},
		{"a fence in the lines", "````md\n```go\nx\n```\nmore\n````", split("```go\ny\n```"), false, Ready, "```go\nx\n```\nmore", 1},
		{"a fence in the lines, like that of the block", "```md\nRun:\n```sh\nmake\n```\nThen go on.\n```", split("Run:\nit"), false, Ready, "Run:\n```sh\nmake\n```\nThen go on.", 1},
		{"a fence behind words", "Here it is: ```\nx\n```", base, false, Words, "", 0},
		{"an empty one beside another", "```\nx\n```\nand\n```\n```", split("y"), false, Ready, "x", 1},
		{"tildes", "~~~\nx\n~~~", split("y"), false, Ready, "x", 1},
		{"with the lines above and below", "```go\npackage a\n\n// F does it.\n\tif a {\n\t\tc()\n\t}\n\nvar x int\n```", base, false, Ready, "\tif a {\n\t\tc()\n\t}", 1},
		{"a first line that is also above stays", "```go\n// F does it.\n\tif a {\n\t\tc()\n\t}\n```", base, false, Ready, "// F does it.\n\tif a {\n\t\tc()\n\t}", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := answered(test.base, test.text, test.cut).Snapshot()
			got := strings.Join(s.Version.Lines, "\n")
			if s.Phase != test.phase || got != test.want || s.Of != test.of {
				t.Errorf("got %s, %d versions\n%s\nwant %s, %d\n%s", s.Phase, s.Of, got, test.phase, test.of, test.want)
			}
		})
	}
}

// An answer is the same however it is cut into pieces.
func TestPieces(t *testing.T) {
	text := "Here:\r\n\n```go\n\tif a {\r\n\t\tc()\n\t}\n```\nand\n~~~\nx\n~~~\nend"
	base := split("\tif a {\n\t\tb()\n\t}")
	want := answered(base, text, false).Snapshot()
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 1))
		p := &Place{}
		p.Begin(Request{Kind: Edit, Lines: base})
		for rest := text; rest != ""; {
			n := 1 + random.IntN(min(len(rest), 12))
			p.Write(rest[:n])
			rest = rest[n:]
			p.Snapshot()
		}
		p.End(false, "")
		got := p.Snapshot()
		if !slices.Equal(got.Version.Lines, want.Version.Lines) || got.Words != want.Words {
			t.Fatalf("seed %d: got %q, %q", seed, got.Version.Lines, got.Words)
		}
	}
}

// As an answer grows, lines that it has not reached are not shown as removed, and at its end the diff is that of the whole.
func TestGrowing(t *testing.T) {
	base := split("a\nb\n}\nc\nd\n}\ne")
	answer := split("a\nB\n}\nc\nnew\nd\n}\nE")
	p := &Place{}
	p.Begin(Request{Kind: Edit, Lines: base, Tab: 4})
	p.Write("```\n")
	var differ Differ
	var steps []string
	for _, line := range answer {
		p.Write(line + "\n")
		d := differ.Diff(p.Snapshot(), nil)
		steps = append(steps, fmt.Sprintf("+%d-%d", d.Added, d.Removed))
	}
	p.Write("```\n")
	p.End(false, "")
	d := differ.Diff(p.Snapshot(), nil)
	steps = append(steps, fmt.Sprintf("+%d-%d", d.Added, d.Removed))
	if got, want := strings.Join(steps, " "), "+0-0 +1-0 +1-1 +1-1 +2-1 +2-1 +2-1 +3-1 +3-2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !slices.Equal(d.Lines, answer) {
		t.Errorf("got %q", d.Lines)
	}
}

// A version that is cut off leaves the rest of the lines as it is.
func TestCut(t *testing.T) {
	s := answered(split("a\nb\nc\nd\ne"), "```\na\nB\nc\n", true).Snapshot()
	got := s.Version.Accept(s.Ours)
	if lines := apply(s.Ours, got); !slices.Equal(lines, split("a\nB\nc\nd\ne")) {
		t.Errorf("got %q", lines)
	}
}

// What is typed before the agent is asked stays.
func TestTypedBefore(t *testing.T) {
	p := &Place{}
	p.Typed(split("a\ntyped\nb"), 2)
	p.Begin(Request{Kind: Edit, Lines: split("a\nb"), Seen: 1})
	p.Write("```\na\nB\n```")
	p.End(false, "")
	s := p.Snapshot()
	if lines := apply(s.Ours, s.Version.Accept(s.Ours)); s.Seen != 2 || !slices.Equal(lines, split("a\ntyped\nB")) {
		t.Errorf("got %d %q", s.Seen, lines)
	}
}

// Versions are gone through in a circle, over all rounds.
func TestVersions(t *testing.T) {
	p := answered([]string{"a"}, "```\nb\n```\n```\nc\n```", false)
	p.Begin(Request{Kind: Edit, Lines: []string{"a"}, Again: true, Seen: 1})
	p.Write("```\nd\n```")
	p.End(false, "")
	var seen []string
	for _, by := range []int{0, 1, 1, 1, -1} {
		p.Step(by)
		s := p.Snapshot()
		seen = append(seen, fmt.Sprintf("%s %d/%d", s.Version.Lines[0], s.At, s.Of))
	}
	p.Begin(Request{Kind: Edit, Lines: []string{"a"}, Again: true, Seen: 2})
	p.Write("I will not.")
	p.End(false, "")
	seen = append(seen, string(p.Snapshot().Phase))
	p.Step(-1)
	seen = append(seen, p.Snapshot().Version.Lines[0])
	if got, want := strings.Join(seen, ", "), "d 3/3, b 1/3, c 2/3, d 3/3, c 2/3, words, d"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Parts have at most so many lines, or one mark.
func TestParts(t *testing.T) {
	lines := func(n int) Mark { return Mark{Lines: make([]Line, n)} }
	for _, tt := range []struct {
		marks []Mark
		want  []int
	}{
		{nil, []int{0}},
		{[]Mark{lines(1), lines(1), lines(1)}, []int{3}},
		{[]Mark{lines(3), lines(2), lines(9), {Gone: 5}, lines(1)}, []int{1, 1, 1, 2}},
		{[]Mark{{Gone: 2}, lines(2), {Gone: 1, Words: make([][3]int, 2)}, lines(2), lines(2), lines(2), lines(2), lines(2)}, []int{2, 1, 3, 2}},
	} {
		var got []int
		for _, p := range (Patch{Marks: tt.marks}).Parts(6, 4) {
			got = append(got, len(p.Marks))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: got parts of %v marks, want %v", tt.marks, got, tt.want)
		}
	}
}
