package transcript

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/markdown"
)

var icons = Icons{Bullet: "•", Quote: "│", Rule: "─", Done: "✓", Pending: "○"}

func newAnswer() *Transcript { return New(Options{Icons: icons, Width: 60}) }

func say(t *Transcript, text string) {
	t.Apply(&acp.AgentMessageChunk{Content: acp.Text(text)})
}

// An answer in however many chunks is rendered as the whole of it, and the source stays what the agent has said
// (behaviour 281).
func TestAnswerIsRendered(t *testing.T) {
	source, err := os.ReadFile("../markdown/testdata/answer.md")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		tr, screen := newAnswer(), newPaper()
		for rest := string(source); rest != ""; {
			n := min(1+r.IntN(200), len(rest))
			say(tr, rest[:n])
			rest = rest[n:]
			if r.IntN(3) == 0 {
				screen.apply(t, tr.drawing.Frame(1+r.IntN(2000)))
			}
			if r.IntN(4) == 0 {
				settle(t, tr, screen)
			}
		}
		tr.EndTurn(acp.StopEndTurn, "")
		settle(t, tr, screen)

		want := []string{}
		for _, row := range markdown.Render(string(source), markdown.Options{Width: 60, Glyphs: tr.opts.Icons.glyphs()}).Rows {
			want = append(want, row.Text)
		}
		got := screen.text()
		for _, line := range want {
			if line == "" || strings.HasPrefix(line, "2. ") {
				continue // each item has its own number
			}
			if !strings.Contains(got, line) {
				t.Fatalf("seed %d: no %q in\n%s", seed, line, got)
			}
		}
		if whole, _ := tr.blocks.Whole(tr.blocks.list[0].ID, ""); whole != string(source) {
			t.Fatalf("seed %d: the source is another:\n%s", seed, whole)
		}
	}
}

// A link is resolved wherever in the answer it is defined, and what only looks like a definition is shown once, where it is.
func TestReferences(t *testing.T) {
	source := "See [the manual][m] and [1].\n\n```\n[INFO]: server started on port 80\n```\n\n- [later]\n\n[^note]: Two words.\n\n" +
		"[m]: https://example.org/manual\n[later]: https://example.org/later\n\nThe end.\n"
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		tr, screen := newAnswer(), newPaper()
		for rest := source; rest != ""; {
			n := min(1+r.IntN(40), len(rest))
			say(tr, rest[:n])
			rest = rest[n:]
			if r.IntN(3) == 0 {
				settle(t, tr, screen)
			}
		}
		if seed%2 == 0 { // all is rendered before the end
			say(tr, "\n")
			settle(t, tr, screen)
		}
		tr.EndTurn(acp.StopEndTurn, "")
		settle(t, tr, screen)

		got := screen.text()
		for _, text := range []string{"server started", "Two words.", "example.org/manual", "example.org/later", "The end."} {
			if n := strings.Count(got, text); n != 1 {
				t.Fatalf("seed %d: %q is there %d times:\n%s", seed, text, n, got)
			}
		}
		row := slices.IndexFunc(strings.Split(got, "\n"), func(line string) bool { return strings.Contains(line, "later") })
		for row, text := range map[int]string{0: "manual", row: "later"} {
			s, _ := tr.blocks.Source(tr.blocks.list[0].ID, row)
			line := strings.Split(got, "\n")[row]
			if link := s.Link(strings.Index(line, text)); link != "https://example.org/"+text {
				t.Fatalf("seed %d: row %d, %q, leads to %q", seed, row, line, link)
			}
		}
	}
}

// An opened thought is rendered as an answer is, all of it dim, and so is the plan of a call that asks to begin with it.
func TestThoughtsAndPlans(t *testing.T) {
	text := "**Looking** at `x`.\n\n```go\nvar a int\n\nvar b int\n```\n\n- one\n"
	want := "Looking at x.\n\nvar a int\n\nvar b int\n\n• one"
	tr, screen := newAnswer(), newPaper()
	tr.Apply(&acp.AgentThoughtChunk{Content: acp.Text(text[:30])})
	settle(t, tr, screen)
	tr.Apply(&acp.AgentThoughtChunk{Content: acp.Text(text[30:])})
	tr.Apply(&acp.ToolCall{
		ToolCallID: "c", Title: "Ready", Kind: acp.ToolKindSwitchMode, Status: acp.ToolCallInProgress,
		Content: []acp.ToolCallContent{&acp.Content{Content: acp.Text(text)}},
	})
	list := tr.drawing.Prepare()
	for _, p := range list {
		p.Do()
	}
	tr.drawing.Prepared(list)
	settle(t, tr, screen)
	got := screen.text()
	if !strings.Contains(got, want) || !strings.Contains(got, strings.ReplaceAll("\n"+want, "\n", "\n    ")) || strings.Contains(got, "**") {
		t.Errorf("got\n%s\nwant twice\n%s", got, want)
	}
	if whole, _ := tr.blocks.Whole(tr.blocks.list[0].ID, ""); whole != text {
		t.Errorf("the source is another:\n%s", whole)
	}
}

// A part that is rendered while its answer grows beyond what is shown whole is not drawn into it: of the long one only head and tail are shown.
func TestRenderedTooLate(t *testing.T) {
	const first = "**one**\n\n- two\n- three\n\n"
	rest := strings.Repeat("word ", longBlock/5) + "\n\n**end**\n"
	tr, screen := newAnswer(), newPaper()
	say(tr, first+"more")
	for tr.drawing.Dirty() {
		screen.apply(t, tr.drawing.Frame(1<<20))
	}
	j := tr.drawing.Job()
	if j == nil {
		t.Fatal("nothing is to be rendered")
	}
	j.Do()
	say(tr, rest)
	tr.drawing.Done(j)
	settle(t, tr, screen)

	whole, paper := newAnswer(), newPaper()
	say(whole, first+"more"+rest)
	settle(t, whole, paper)
	if got, want := screen.text(), paper.text(); got != want {
		t.Errorf("got\n%.300s\nwant\n%.300s", got, want)
	}
}

// What a child says is rendered once it says or does something else, though it has been drawn before.
func TestChildIsRendered(t *testing.T) {
	tr, screen := newAnswer(), newPaper()
	run := Run{ID: "r", Title: "Look", Status: string(acp.ToolCallInProgress)}
	tr.Runs().ShowRun(run)
	draw := func(want string) {
		t.Helper()
		prepare(tr)
		settle(t, tr, screen)
		if got := screen.text(); !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q", got, want)
		}
	}
	tr.Runs().Under("r", &acp.AgentMessageChunk{Content: acp.Text("**One**")})
	draw("**One**")
	tr.Runs().Under("r", &acp.ToolCall{ToolCallID: "c", Title: "ls", Status: acp.ToolCallCompleted})
	draw(" One\n")
	tr.Runs().Under("r", &acp.AgentMessageChunk{Content: acp.Text("**Two**")})
	draw("**Two**")
	run.Status = string(acp.ToolCallCompleted)
	tr.Runs().ShowRun(run)
	draw(" Two")
}

// What is over is rendered while the rest still comes.
func TestPartsWhileItGrows(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a paragraph", "**a**\n\n**b", "a\n\n**b"},
		{"not before its end", "**a**\n**b**", "**a**\n**b**"},
		{"code", "x\n```go\ny\n```\n**z**", "x\ny\n**z**"},
		{"code and a blank line", "```\ny\n```\n\n\nz\n", "y\n\nz"},
		{"code that is open", "`x`\n```go\ny\n", "x\n```go\ny"},
		{"items", "- **a**\n- **b**\n- **c**", "• a\n- **b**\n- **c**"},
		{"items and blank lines", "- **a**\n\n  more\n\n- **b**\n- c\nx", "• a\n\n  more\n\n• b\n- c\nx"},
		{"a list and text", "- **a**\n\n**b**\n\n**c**", "• a\n\nb\n\n**c**"},
		{"code in a list", "- a\n\n  ```go\n  x\n\n  y\n  ```\n- **b**\nx", "• a\n\n  x\n  \n  y\n- **b**\nx"},
		{"a table", "|a|b|\n|-|-|\n|c|d|\n\n", "|a|b|\n|-|-|\n|c|d|"},
		{"a table and more", "|a|b|\n|-|-|\n|c|d|\n\nx", "a  b\n────\nc  d\n\nx"},
		{"blank lines", "\n\n\na\n\n\n\nb\n\nc", "a\n\nb\n\nc"},
		{"numbers", "1. **a**\n1. b\n2. c", "1. a\n1. b\n2. c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr, screen := newAnswer(), newPaper()
			for _, c := range test.text {
				say(tr, string(c))
				settle(t, tr, screen)
			}
			if got := screen.text(); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// Each line of an answer is drawn once as it comes, and once when its part is over, whatever comes before and after.
func TestPartsCostTwice(t *testing.T) {
	tr, screen := newAnswer(), newPaper()
	lines := 0
	const paragraphs = 500
	for i := range paragraphs {
		say(tr, fmt.Sprintf("paragraph **%d**\nof two lines\n\n", i))
		for tr.drawing.Dirty() {
			ops := tr.drawing.Frame(1 << 20)
			for _, op := range ops {
				lines += len(op.Lines)
			}
			screen.apply(t, ops)
			for j := tr.drawing.Job(); j != nil; j = tr.drawing.Job() {
				j.Do()
				tr.drawing.Done(j)
			}
		}
	}
	if most := paragraphs * (3 + 3 + 1); lines > most { // as they come, rendered, and the last of them before its end
		t.Errorf("%d lines are drawn for %d, want at most %d", lines, paragraphs*3, most)
	}
}

// Tables are laid out anew for another width, other text is not (behaviour 282).
func TestWidth(t *testing.T) {
	tr, screen := newAnswer(), newPaper()
	say(tr, "before\n\n| head | another |\n|-|-|\n| "+strings.Repeat("words ", 20)+"| x |\n\nafter\n\n***\n")
	tr.EndTurn(acp.StopEndTurn, "")
	settle(t, tr, screen)
	for _, width := range []int{30, 50, 200, 60} {
		tr.drawing.SetWidth(width)
		jobs := len(tr.pending.jobs)
		if jobs != 2 {
			t.Errorf("%d parts are rendered anew", jobs)
		}
		settle(t, tr, screen)
		want := newPaper()
		tr.drawing.Redraw()
		settle(t, tr, want)
		if got := screen.text(); got != want.text() {
			t.Errorf("%d cells: got\n%s\nwant\n%s", width, got, want.text())
		}
		for _, line := range strings.Split(screen.text(), "\n") {
			if n := len([]rune(line)); n > width {
				t.Errorf("%d cells in %d: %q", n, width, line)
			}
		}
	}
	tr.drawing.SetWidth(60)
	if len(tr.pending.jobs) != 0 {
		t.Error("the width is the same")
	}
}

// The source of a row has its links and its code.
func TestSource(t *testing.T) {
	tr, screen := newAnswer(), newPaper()
	tr.Prompt("go", nil)
	say(tr, "see [this](a.go#L3)\n\n```go\nx\n```\n\nend")
	settle(t, tr, screen)
	id := tr.blocks.list[1].ID
	rows := screen.blocks[id]
	row := func(text string) int {
		for i, line := range rows {
			if line == text {
				return i
			}
		}
		t.Fatalf("no row %q of %q", text, rows)
		return 0
	}
	source, ok := tr.blocks.Source(id, row("see this"))
	if got := source.Link(5); !ok || got != "a.go#L3" || source.Link(1) != "" || source.Code() != nil {
		t.Errorf("link %q, %v", got, ok)
	}
	if source, ok := tr.blocks.Source(id, row("x")); !ok || strings.Join(source.Code(), "|") != "x" {
		t.Errorf("code %q, %v", source.Code(), ok)
	}
	if _, ok := tr.blocks.Source(id, row("end")); ok {
		t.Error("what is not over has a source")
	}
}
