package session

import (
	"cmp"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Titles are those of the session.
type Titles struct {
	screen  *Screen
	agent   string // the agent's
	listed  string // the same, as its list has it; newer than what is recorded
	user    string // the user's, which wins
	first   string // the first prompt, a title until there is one
	created int64  // unix, in milliseconds
	last    *Last  // the session before this one in its folder, shown while nothing is said here
}

// Last is what a new session says of the previous one in its folder.
type Last struct {
	ID    string `msgpack:"id"`
	Title string `msgpack:"title"`
	Time  int64  `msgpack:"time"` // unix
}

// Title is the user's title, else the agent's, else the beginning of the first prompt.
func (t *Titles) Title() string { return cmp.Or(t.user, t.told(), t.first) }

// told is the title that the agent has told, else the one that its list has.
func (t *Titles) told() string { return plain.Brief(cmp.Or(t.agent, t.listed)) }

// begin notes the first prompt.
func (t *Titles) begin(text string) {
	if t.first == "" {
		t.first = FirstLine(text)
	}
}

// learn applies what an update says of the title.
func (t *Titles) learn(u acp.SessionUpdate) {
	if info, ok := u.(*acp.SessionInfoUpdate); ok {
		t.agent = info.Title.Or(t.agent)
	}
}

// Rename gives the session the user's title, "" to have the agent's again.
func (t *Titles) Rename(name string) {
	t.user = plain.OneLine(name)
	t.screen.decided()
	t.screen.Refresh()
}

// ListedAs notes the title that the agent lists the session with, and returns the one that is shown.
func (t *Titles) ListedAs(title string) string {
	if t.listed != title {
		t.listed = title
		t.screen.restate()
	}
	return t.Title()
}

// SetLast notes the previous chat of the folder, nil if there is none.
func (t *Titles) SetLast(l *Last) {
	t.last = l
	t.screen.Refresh()
}

// FirstLine is the beginning of a prompt, as a title.
func FirstLine(text string) string {
	const longest = 80
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(plain.OneLine(line))
	if len(runes) > longest {
		runes = append(runes[:longest-1], '…')
	}
	return string(runes)
}
