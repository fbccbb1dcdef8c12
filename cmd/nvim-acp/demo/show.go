package demo

import "path/filepath"

// shownText has everything that a text can hold.
const shownText = "## What a chat shows\n\n" +
	"Words can be **bold**, *italic*, ~~gone~~ or `code`; [a link](https://agentclientprotocol.com) " +
	"leads on, and src/parser.go:3 too.\n\n" +
	"1. A list\n   - within a list\n   - with 日本語 and 👩‍💻 in it\n2. and on\n\n" +
	"> A quote\n> on two lines\n\n" +
	"| tool | calls |\n|------|-------|\n| read | 3     |\n\n" +
	"```go\n// Parse calls emit for each line.\nfunc Parse(lines []string, emit func(string)) int {\n" +
	"\tfor i := range lines {\n\t\temit(lines[i] + \"\\n\") // 1, 2, 3\n\t}\n\treturn len(lines)\n}\n```\n\n" +
	"```python\n@cached\ndef parse(lines: list[str]) -> int:\n    \"\"\"Returns how many.\"\"\"\n" +
	"    return len(lines) if lines else None\n```\n"

// show plays what a chat can hold, without touching anything.
func (t *turn) show(string) error {
	steps := []string{"Look around", "Change something", "Say what there is to see"}
	t.plan(0, steps...)
	if err := t.think("First I look around. Then I change something, in words only."); err != nil {
		return err
	}

	path := func(name string) string { return filepath.Join(t.session.cwd, "src", name) }
	for _, name := range []string{"parser.go", "parser_test.go", "lines.go"} {
		t.begin("Read src/"+name, "read", object{"status": "in_progress", "locations": []object{{"path": path(name), "line": 3}}})
		if err := t.pause(3 * t.agent.opts.Pace); err != nil {
			return err
		}
		t.finish(object{"content": []object{textContent("the text of " + name)}})
	}

	t.begin("Search for emit", "search", object{})
	t.fail("Nothing was found, as this is only shown.")
	t.plan(1, steps...)
	t.begin("Edit src/parser.go", "edit", object{"content": []object{{
		"type": "diff", "path": path("parser.go"),
		"oldText": "package parser\n\n// Parse calls emit for each line.\nfunc Parse(lines []string, emit func(string)) {\n" +
			"\tfor i := 0; i < len(lines)-1; i++ {\n\t\temit(lines[i])\n\t}\n}\n",
		"newText": "package parser\n\n// Parse calls emit for each line.\nfunc Parse(lines []string, emit func(string)) {\n" +
			"\tfor i := range lines {\n\t\temit(lines[i] + \"\\n\")\n\t}\n}\n",
	}}})
	if err := t.pause(3 * t.agent.opts.Pace); err != nil {
		return err
	}

	t.finish(nil)
	t.plan(2, steps...)
	if err := t.say("%s", shownText); err != nil {
		return err
	}

	t.plan(len(steps), steps...)
	return nil
}
