package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// offers are what the agent offers beside options, and what was said of that.
type offers struct {
	screen     *Screen
	commands   []acp.AvailableCommand
	suggestion string   // what the agent expects as the next prompt
	leftOut    bool     // it was said that commands are left out
	unreadable []string // what was said of updates that cannot be read
}

// Command is a slash command of the agent's.
type Command struct {
	Name        string `msgpack:"name"`
	Description string `msgpack:"description"`
	Hint        string `msgpack:"hint"`
}

// isCommand reports whether a prompt calls a command of the agent's.
func (o *offers) isCommand(text string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	name, ok := strings.CutPrefix(word, "/")
	return ok && slices.ContainsFunc(o.commands, func(c acp.AvailableCommand) bool { return c.Name == name })
}

// learn applies what an update says of offers.
func (o *offers) learn(u acp.SessionUpdate) {
	switch u := u.(type) {
	case *acp.AvailableCommandsUpdate:
		commands, left := bounds.First(u.AvailableCommands, bounds.Commands)
		o.commands = commands
		if left > 0 && !o.leftOut {
			o.leftOut = true
			all := bounds.Number(len(u.AvailableCommands), len(u.AvailableCommands))
			o.screen.note(fmt.Sprintf("the agent has %s commands: the first %d are offered", all, len(commands)), "AcpWarning")
		}
	case *acp.SessionInfoUpdate:
		if text, found := suggestionOf(u.Meta); found {
			o.suggestion = text
		}
	case *acp.UnknownUpdate:
		if u.Why != "" {
			o.sayUnreadable(u)
		}
	}
}

// sayUnreadable says that an update cannot be shown, once for each reason.
func (o *offers) sayUnreadable(u *acp.UnknownUpdate) {
	const most = 20
	text := fmt.Sprintf("an update of the agent cannot be read (%s): :AcpLog has it", plain.Brief(u.Why))
	if len(o.unreadable) < most && !slices.Contains(o.unreadable, text) {
		o.unreadable = append(o.unreadable, text)
		o.screen.note(text, "AcpWarning")
	}
}

// shown is the agent's commands, as Lua has them.
func (o *offers) shown() []Command {
	list := []Command{}
	for _, c := range o.commands {
		shown := Command{Name: plain.Brief(c.Name), Description: plain.Brief(c.Description)}
		if c.Input != nil {
			shown.Hint = plain.Brief(c.Input.Hint)
		}
		list = append(list, shown)
	}
	return list
}

// suggestionOf returns the prompt that an update suggests as the next one (_meta "promptSuggestions"), "" for none, and whether
// it says anything of that.
func suggestionOf(meta acp.Meta) (string, bool) {
	var list struct {
		Suggestions []struct {
			Text string `json:"text"`
		} `json:"suggestions"`
	}
	raw, found := meta["promptSuggestions"]
	if !found || acp.Unmarshal(raw, &list) != nil {
		return "", false
	}
	for _, one := range list.Suggestions {
		if text := plain.OneLine(strings.TrimSpace(one.Text)); text != "" {
			return text, true
		}
	}

	return "", true
}
