package demo

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// sum is a file with a flaw that the agent knows.
const sum = `package shop

func sum(prices []int) (total int) {
	for i := 0; i < len(prices)-1; i++ {
		total += prices[i]
	}
	return total
}
`

var sumFixed = strings.Replace(sum, "len(prices)-1", "len(prices)", 1)

// link names a file in a prompt.
func link(path string) string {
	return fmt.Sprintf(`{"type":"resource_link","name":"x","uri":"file://%s"}`, path)
}

// A whole turn reads, explains, plans, proposes, asks, writes and checks, with the editor's text, not the disk's.
func TestTurn(t *testing.T) {
	folder := t.TempDir()
	path := file(t, folder, "sum.go", "package shop\n")
	c := open(t, folder, Options{})
	c.buffers[path] = sum
	if got, want := c.prompt("Fix this", link(path)), "end_turn"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := `available_commands_update
session_info_update
agent_thought: The prompt names sum.go, so I read that one.
plan
tool Read sum.go in_progress
fs/read_text_file
tool completed
agent_message: I read ` + "`sum.go`" + ` (8 lines) and found 1 thing:

- **line 4**: the loop leaves out the last element.

plan
tool Correct 1 line of sum.go pending
session/request_permission
tool in_progress
fs/read_text_file
fs/write_text_file
tool completed
plan
tool wc -l sum.go pending
terminal/create
tool in_progress
terminal/wait_for_exit
terminal/output
terminal/release
tool completed
plan
agent_message: Done: 1 line of ` + "`sum.go`" + ` corrected. The file on disk now has 7 lines.
usage_update`
	if got := c.story(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := c.buffers[path]; got != sumFixed {
		t.Errorf("got:\n%s\nwant:\n%s", got, sumFixed)
	}
	c.prompt("again @sum.go")
	if got := c.story(); !strings.Contains(got, "found none of the flaws") {
		t.Errorf("got:\n%s\nwant nothing found", got)
	}
}

// Text that the user types while the permission is pending stays.
func TestTurnKeepsWhatIsTyped(t *testing.T) {
	folder := t.TempDir()
	path := file(t, folder, "sum.go", sum)
	c := open(t, folder, Options{})
	c.buffers[path] = sum
	c.onAsk = func() { c.buffers[path] = "// typed\n" + sum }
	c.prompt("fix", link(path))
	if got, want := c.buffers[path], "// typed\n"+sumFixed; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A client without files and terminals gets the same from the disk and from a process of the agent.
func TestTurnWithoutClient(t *testing.T) {
	folder := t.TempDir()
	path := file(t, folder, "sum.go", sum)
	c := start(t, Options{})
	c.ok("initialize", `{"protocolVersion":1}`)
	c.newSession(folder)
	c.prompt("please fix my project")
	got := c.story()
	for _, want := range []string{"No file is named", "The file on disk now has 8 lines."} {
		if !strings.Contains(got, want) {
			t.Errorf("got:\n%s\nwant %q in it", got, want)
		}
	}
	if strings.Contains(got, "fs/") || strings.Contains(got, "terminal/") {
		t.Errorf("got:\n%s\nwant no request that was not offered", got)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != sumFixed {
		t.Errorf("got:\n%s%v\nwant:\n%s", text, err, sumFixed)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v, %v, want the mode kept", info.Mode(), err)
	}
}

// A rejected change is not made; one allowed for the session does not ask again.
func TestTurnPermission(t *testing.T) {
	folder := t.TempDir()
	path := file(t, folder, "sum.go", sum)
	c := open(t, folder, Options{})
	c.option = optionReject
	c.prompt("fix", link(path))
	if got := c.story(); !strings.Contains(got, "stays as it is") || strings.Contains(got, "fs/write") {
		t.Errorf("rejected: got:\n%s", got)
	}
	c.option = optionAlways
	c.prompt("fix", link(path))
	c.story()
	c.buffers[path] = sum
	c.prompt("fix", link(path))
	if got := c.story(); strings.Contains(got, "permission") || !strings.Contains(got, "fs/write") {
		t.Errorf("always: got:\n%s", got)
	}
}

// In plan mode, and for a question, nothing is changed.
func TestTurnChangesNothing(t *testing.T) {
	folder := t.TempDir()
	path := file(t, folder, "sum.go", sum)
	c := open(t, folder, Options{})
	c.prompt("what is wrong here?", link(path))
	c.prompt("/plan sum.go")
	c.ok("session/set_mode", fmt.Sprintf(`{"sessionId":%q,"modeId":"plan"}`, c.session))
	c.prompt("fix it", link(path))
	got := c.story()
	if strings.Count(got, "I changed nothing.") != 3 || strings.Contains(got, "permission") {
		t.Errorf("got:\n%s\nwant three explanations", got)
	}
}

// A cancellation ends a turn at any step, with the open tool call closed, and the next turn works.
func TestCancel(t *testing.T) {
	tests := []struct {
		name, prompt, at string
		here             bool // the agent runs commands itself
	}{
		{"streaming", "/slow 1000", "session/update", false},
		{"permission", "fix @sum.go", "session/request_permission", false},
		{"terminal", "/run sleep 1000", "terminal/wait_for_exit", false},
		{"process", "/run echo started; sleep 1000 & wait", "started", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			file(t, folder, "sum.go", sum)
			c := start(t, Options{})
			c.ok("initialize", fmt.Sprintf(`{"protocolVersion":1,"clientCapabilities":{"terminal":%t}}`, !test.here))
			c.newSession(folder)
			c.terminal = false
			if test.name == "permission" {
				c.option = ""
			}
			id := c.send("session/prompt", c.promptParams(test.prompt))
			c.until(func(m message) bool {
				return m.Method == test.at || strings.Contains(string(m.Params), `"text":"started`)
			})
			c.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, c.session))
			if got, want := c.stopReason(c.wait(id).Result), "cancelled"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			got := c.story()
			if test.name != "streaming" && !strings.Contains(got, "tool failed") {
				t.Errorf("got:\n%s\nwant the tool call closed", got)
			}
			if test.name == "terminal" && !strings.Contains(got, "terminal/release") {
				t.Errorf("got:\n%s\nwant the terminal released", got)
			}
			c.option = optionOnce
			if got, want := c.prompt("hello"), "end_turn"; got != want {
				t.Errorf("afterwards: got %s, want %s", got, want)
			}
		})
	}
}

// A permission outcome "cancelled" before the notification ends the turn as cancelled too.
func TestCancelledPermission(t *testing.T) {
	folder := t.TempDir()
	file(t, folder, "sum.go", sum)
	c := open(t, folder, Options{})
	c.option = ""
	id := c.send("session/prompt", c.promptParams("fix @sum.go"))
	m := c.until(func(m message) bool { return m.Method == "session/request_permission" })
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"cancelled"}}}`, m.ID))
	if got, want := c.stopReason(c.wait(id).Result), "cancelled"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Each command of the demo agent works.
func TestCommands(t *testing.T) {
	folder := t.TempDir()
	c := start(t, Options{})
	c.ok("initialize", `{"protocolVersion":1}`)
	c.newSession(folder)
	tests := []struct{ prompt, want string }{
		{"/help", "`/run command`: Runs a command, after asking"},
		{"/run echo out; echo err >&2; exit 3", "It ended with status 3."},
		{"/run", "needs a command"},
		{"/fail", "tool failed"},
		{"/nonsense x", "I know no command `/nonsense`"},
		{"/big 5", fmt.Sprintf("%-63d\n", 80)},
		{"/plan missing.go", "I could not read `missing.go`"},
		{"hello", "I am the demo agent"},
		{"look at this", "found none of the flaws that I know"},
	}
	for _, test := range tests {
		c.story()
		if got, want := c.prompt(test.prompt), "end_turn"; got != want {
			t.Errorf("%s: got %s, want %s", test.prompt, got, want)
		}
		if got := c.story(); !strings.Contains(got, test.want) {
			t.Errorf("%s: got:\n%s\nwant %q in it", test.prompt, got, test.want)
		}
	}
	c.fails(codeInternal, "session/prompt", c.promptParams("/error"))
}

// Lines are counted as an editor does: a last line without an end is one, also if two things are wrong with it (behaviour 1102).
func TestLinesAreCounted(t *testing.T) {
	folder := t.TempDir()
	path := file(t, folder, "notes.md", "# Shop\n\nteh end")
	c := start(t, Options{})
	c.ok("initialize", `{"protocolVersion":1}`)
	c.newSession(folder)
	c.prompt("fix", link(path))
	got := c.story()
	for _, want := range []string{
		"I read `notes.md` (3 lines) and found 2 things:", "tool Correct 1 line of notes.md",
		"Done: 1 line of `notes.md` corrected. The file on disk now has 3 lines.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got:\n%s\nwant %q in it", got, want)
		}
	}
}

// What the editor sends after the user's words, as a review or skills, is no part of them: neither of a command, nor of a title,
// nor does a hunk's "@@" name a file (behaviour 1101).
func TestWordsAlone(t *testing.T) {
	folder := t.TempDir()
	file(t, folder, "sum.go", sum)
	note := fmt.Sprintf(`{"type":"text","text":%q}`, "<review>\n```diff\n@@ -1 +1 @@\n-a\n+b\n```\n</review>")
	for _, test := range []struct{ name, prompt, want string }{
		{"a command", "/help", "agent_message: I am the demo agent"},
		{"a command with a file", "/plan sum.go", "I read `sum.go`"},
		{"a command and a line", "/plan\nsum.go", "I read `sum.go`"},
		{"words", "fix my project", "No file is named"},
		{"a greeting", "hello", "agent_message: Hello."},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := open(t, folder, Options{})
			c.option = optionReject
			c.prompt(test.prompt, note)
			if got := c.story(); !strings.Contains(got, test.want) || strings.Contains(got, "no such file") {
				t.Errorf("got:\n%s\nwant %q in it", got, test.want)
			}
		})
	}
}

// Lines of a buffer that it is asked to change are answered in a block, and a question about them without one; nothing is read
// or written.
func TestLines(t *testing.T) {
	const fence = "```"
	given := "lines 3 to 4 of /p/sum.go in the user's editor:\n\ndo it\n\nThe lines, as they are in the editor now:\n\n" + fence +
		"go\n\tfor i := 0; i < len(prices)-1; i++ {\n\t\ttotal += prices[i]\n" + fence + "\n\n"
	form := "Answer with one block of code, between lines of " + fence + ": the text"
	for prompt, want := range map[string]string{
		"Change " + given + form:                   "agent_message: - **line 3**: the loop leaves out the last element.\n\n" + fence + "\n\tfor i := 0; i < len(prices); i++ {\n\t\ttotal += prices[i]\n" + fence,
		"A question about " + given:                "agent_message: - **line 3**: the loop leaves out the last element.",
		strings.ReplaceAll(given, "-1", "") + form: "agent_message: These lines have none of the flaws that I know.",
	} {
		c := open(t, t.TempDir(), Options{})
		c.prompt(prompt)
		got := c.story()
		if !strings.Contains(got, want) || strings.Contains(got, "fs/") {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// A newcomer is shown around: a prompt is suggested from the beginning, and after each of the first turns there is one line more, and the
// next suggestion; without a tour there is neither.
func TestTour(t *testing.T) {
	folder := t.TempDir()
	file(t, folder, "cart.go", sum)
	for _, on := range []bool{true, false} {
		c := open(t, folder, Options{Tour: on})
		var suggested []string
		for i := range len(tour) + 1 {
			c.prompt("/help")
			for _, m := range c.seen {
				if text := string(m.Params); strings.Contains(text, "promptSuggestions") {
					suggested = append(suggested, text)
				}
			}
			got := c.story()
			for k, stop := range tour {
				if said := stop.line != "" && strings.Contains(got, stop.line); said != (on && k == i+1) {
					t.Errorf("tour %t, turn %d: line %d is said: %t", on, i+1, k, said)
				}
			}
		}
		if on && (len(suggested) != len(tour) || !strings.Contains(suggested[0], tour[0].next)) || !on && suggested != nil {
			t.Errorf("tour %t: suggested %q", on, suggested)
		}
	}
}
