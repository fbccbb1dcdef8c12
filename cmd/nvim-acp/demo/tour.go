package demo

// tour is what the agent says at the end of its first turns when it shows a newcomer around, a line at a time, and what it suggests to be
// sent next: at the beginning, and after each of them.
var tour = []struct{ line, next string }{
	{"", "Please fix what is wrong in @cart.go while I type in it"},
	{
		"What you type in `cart.go` merges with my edits. There, `]h` goes to a change, `dp` keeps it, `do` reverts it, and `u` takes back mine alone.",
		"Please fix what is wrong in @notes.md",
	},
	{"`:AcpUndo` takes back a whole turn, also what my commands have done.", "/show"},
	{"Lines change without a chat, too: `:edit report.lua`, then `:%AcpEdit fix it`.", "/help"},
	{"`:AcpDetach` lets me work on without Neovim, `:AcpAttach` comes back. That was the tour.", ""},
}

// guide says the next line of the tour.
func (t *turn) guide() error {
	if !t.agent.opts.Tour || t.session.toured+1 >= len(tour) {
		return nil
	}
	t.session.toured++
	stop := tour[t.session.toured]
	t.session.suggest(stop.next)
	return t.say("%s", stop.line)
}

// suggest has the client offer a prompt, "" for none.
func (s *session) suggest(prompt string) {
	list := []object{}
	if prompt != "" {
		list = append(list, object{"text": prompt})
	}
	s.tell(object{"sessionUpdate": "session_info_update", "_meta": object{"promptSuggestions": object{"suggestions": list}}})
}
