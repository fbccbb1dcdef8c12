package attaching

import (
	"cmp"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// The functions of lua/nvim-acp/host.lua that are called here.
const (
	luaGiveBack = `return require("nvim-acp.host").give_back(...)`
	luaDetached = `require("nvim-acp.host").detached(...)`
	luaStays    = `require("nvim-acp.host").stays(...)`
	luaAttached = `require("nvim-acp.host").attached(...)`
	luaTaken    = `return require("nvim-acp.host").taken(...)`
)

// Unsent is a prompt that comes back to the user.
type Unsent struct {
	ID      string               `msgpack:"id"` // by which a Neovim knows it; "": it was typed
	Text    string               `msgpack:"text"`
	Context []session.Attachment `msgpack:"context,omitempty"` // absent: as the editor remembers it
}

// laterCall is a call that waits for a Neovim.
type laterCall struct {
	code string
	args []any
	back []Unsent // the prompts that it gives back
}

// maxLater is how many calls wait for a Neovim, the latest of them. Those that give back prompts all wait.
const maxLater = 100

// Tell calls Lua for its effect, now or, if no Neovim is attached or it is taken over meanwhile, in the next one. It waits for Neovim.
func (l *Life) Tell(code string, args ...any) { l.tellCall(laterCall{code: code, args: args}) }

// tellCall is Tell.
func (l *Life) tellCall(c laterCall) {
	var pid int
	var result any // if it has one
	if c.back != nil {
		result = &pid
	}

	g := l.seat.Guest()
	err := l.ed.ExecLua(c.code, result, c.args...)
	leaves := c.back != nil && err == nil && pid == 0 // and has it not
	l.mu.Lock()
	if !errors.Is(err, attach.ErrNobody) && !leaves { // if Neovim goes nobody looks
		for _, p := range c.back {
			if err == nil {
				l.given[p.ID] = pid
			}
		}
		l.mu.Unlock()
		return
	}

	l.later = append(l.later, c)
	if len(l.later) > maxLater {
		if i := slices.IndexFunc(l.later, func(c laterCall) bool { return c.back == nil }); i >= 0 {
			l.later = slices.Delete(l.later, i, i+1)
		}
	}

	next := l.seat.Guest() // else what waits is told once there is one
	l.mu.Unlock()

	if next != nil && (next != g || !leaves) {
		l.tellLater()
	}
}

// tellLater makes the calls that wait, in the Neovim that has the seat. It waits for Neovim.
func (l *Life) tellLater() {
	for _, c := range l.takeLater() {
		l.tellCall(c)
	}
}

// takeLater returns the calls that wait for a Neovim.
func (l *Life) takeLater() []laterCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := l.later
	l.later = nil
	return calls
}

// Waiting returns the prompts of a session that wait for a Neovim.
func (l *Life) Waiting(id string) (list []session.Prompt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.later {
		for _, p := range c.back {
			if c.args[0] == id {
				list = append(list, session.Prompt{ID: p.ID, Text: p.Text, Context: p.Context})
			}
		}
	}
	return list
}

// Home is where prompts are found whose session is closed by now.
type Home struct {
	Cwd  string `msgpack:"cwd"`
	Name string `msgpack:"name"` // of the agent
}

// GiveBack gives the prompts of a session back to the user. A Neovim that may have had them knows them by their ids, so that each
// is there once. It waits for Neovim.
func (l *Life) GiveBack(session string, list []Unsent, from Home) {
	l.tellCall(laterCall{luaGiveBack, []any{session, list, from, l.about.Mark}, list})
}

// leftPrompts are the prompts that a Neovim has of a session: those that came back and are as they were, and what was typed.
type leftPrompts struct {
	Session string   `msgpack:"session"`
	Home    Home     `msgpack:"home"`
	Prompts []Unsent `msgpack:"prompts"`
}

// tellTaken tells a Neovim that another process has its sessions now, and hands on what it has in its prompts and has not stored. It
// ends the connection, and waits for both.
func (l *Life) tellTaken(g *attach.Guest, pid int) {
	var has struct {
		PID  int           `msgpack:"pid"`
		Left []leftPrompts `msgpack:"left"`
	}
	_ = g.ExecLua(luaTaken, &has, pid, l.address()) // if it has ended its drafts are on disk
	for _, d := range has.Left {
		for i := range d.Prompts {
			d.Prompts[i].ID = cmp.Or(d.Prompts[i].ID, uuid.NewString())
		}
		if list := l.notGiven(d.Prompts, has.PID); len(list) > 0 {
			l.GiveBack(d.Session, list, d.Home)
		}
	}

	_ = g.Close()
}

// notGiven returns prompts without those that another Neovim than one has been given since.
func (l *Life) notGiven(list []Unsent, pid int) []Unsent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(list), func(p Unsent) bool {
		by, ok := l.given[p.ID]
		return ok && by != pid
	})
}
