package demo

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A slashCommand is one of the commands that the user types as /name.
type slashCommand struct {
	name, description, hint string
	run                     func(t *turn, rest string) error
}

var slashCommands []slashCommand

func init() {
	slashCommands = []slashCommand{
		{"help", "Lists these commands", "", (*turn).help},
		{"plan", "Explains a file and changes nothing", "file", (*turn).explainOnly},
		{"run", "Runs a command, after asking", "command", (*turn).runCommand},
		{"slow", "Streams for some seconds, to be cancelled", "seconds", (*turn).slow},
		{"big", "Streams a long message at full speed", "KiB", (*turn).big},
		{"show", "Shows what a chat can hold", "", (*turn).show},
		{"fail", "Makes a tool call that fails", "", (*turn).failing},
		{"error", "Ends the turn with an error", "", (*turn).broken},
	}
}

// commandList is what the client is told of the commands.
func commandList() []object {
	var all []object
	for _, c := range slashCommands {
		command := object{"name": c.name, "description": c.description}
		if c.hint != "" {
			command["input"] = object{"hint": c.hint}
		}
		all = append(all, command)
	}
	return all
}

// slash runs the command that a prompt begins with.
func (t *turn) slash(text string) error {
	name, rest := text, ""
	if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
		name, rest = text[:end], strings.TrimSpace(text[end:])
	}
	for _, c := range slashCommands {
		if c.name == name {
			return c.run(t, rest)
		}
	}
	return t.say("I know no command `/%s`; `/help` lists those that I know.", name)
}

func (t *turn) help(string) error {
	var b strings.Builder
	b.WriteString("I am the demo agent: no model, no network. I look for loops that leave out the last element, for misspelt words in " +
		"comments and prose, and for a missing end of the last line.\n\n")
	for _, c := range slashCommands {
		fmt.Fprintf(&b, "- `%s`: %s\n", strings.TrimSpace("/"+c.name+" "+c.hint), c.description)
	}
	return t.say("%s", b.String())
}

func (t *turn) explainOnly(rest string) error {
	if rest != "" && len(t.request.files) == 0 {
		if !filepath.IsAbs(rest) {
			rest = filepath.Join(t.session.cwd, rest)
		}
		t.request.files = []string{rest}
	}
	return t.inspect(false)
}

func (t *turn) runCommand(rest string) error {
	if rest == "" {
		return t.say("`/run` needs a command, as in `/run ls -l`.")
	}
	if t.session.view().Mode == modePlan {
		return t.say("In the mode *Plan* I run nothing.")
	}

	call := object{"title": rest, "kind": "execute", "rawInput": object{"command": rest}}
	t.begin(rest, "execute", call)
	err := t.ask(call)
	var ended exit
	if err == nil {
		_, ended, err = t.execute(command{name: rest})
	}
	switch {
	case t.ctx.Err() != nil:
		return t.ctx.Err()
	case errors.Is(err, errRejected):
		t.fail("Rejected by the user.")
		return t.say("Then I do not run it.")
	case err != nil:
		t.fail(err.Error())
		return t.say("It did not run: %v.", err)
	}

	t.conclude(ended)
	if ended.ExitCode == nil {
		return t.say("A signal ended it.")
	}

	return t.say("It ended with status %d.", *ended.ExitCode)
}

// slow streams ten pieces a second.
func (t *turn) slow(rest string) error {
	seconds, err := strconv.Atoi(rest)
	if err != nil || seconds < 1 {
		seconds = 10
	}
	id := newID()
	for i := range seconds * 10 {
		t.chunk("agent_message_chunk", id, fmt.Sprintf("%d ", i+1))
		if err := t.pause(100 * time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// big streams lines of 64 bytes, 4 KiB to a piece.
func (t *turn) big(rest string) error {
	const most = 64 << 10
	size, err := strconv.Atoi(rest)
	if err != nil || size < 1 {
		size = 64
	}

	id, lines := newID(), 16*min(size, most)
	for from := 0; from < lines; from += 64 {
		if t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		var b strings.Builder
		for i := from; i < min(from+64, lines); i++ {
			fmt.Fprintf(&b, "%-63d\n", i+1)
		}
		t.chunk("agent_message_chunk", id, b.String())
	}

	return nil
}

func (t *turn) failing(string) error {
	missing := filepath.Join(t.session.cwd, "no such file")
	t.begin("Read no such file", "read", object{"locations": []object{{"path": missing}}})
	t.fail("There is no such file, as you asked.")
	return t.say("That failed, as you asked.")
}

func (t *turn) broken(string) error {
	return failure(codeInternal, "an error, as you asked")
}
