package host

import (
	"errors"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/attach"
)

// laterCall is a call that waits for a Neovim.
type laterCall struct {
	code string
	args []any
}

// maxLater is how many calls wait for a Neovim, the latest of them.
const maxLater = 100

// tell calls Lua for its effect, now or, if no Neovim is attached or it is taken over meanwhile, in the next one. It waits for Neovim.
func (h *Host) tell(code string, args ...any) {
	l := h.life
	g := l.seat.Guest()
	if err := h.ed.ExecLua(code, nil, args...); !errors.Is(err, attach.ErrNobody) {
		return // if Neovim goes nobody looks
	}
	l.mu.Lock()
	c := laterCall{code, args}
	l.later = append(l.later, c)
	if extra := len(l.later) - maxLater; extra > 0 {
		l.later = l.later[extra:]
	}
	if l.taken[g] != nil {
		l.taken[g] = append(l.taken[g], c)
	}
	next := l.seat.Guest() // else what waits is told once there is one
	l.mu.Unlock()
	if next != nil {
		h.tellLater()
	}
}

// tellLater makes the calls that wait, in the Neovim that has the seat. It waits for Neovim.
func (h *Host) tellLater() {
	for _, c := range h.life.takeLater() {
		h.tell(c.code, c.args...)
	}
}

// takeLater returns the calls that wait for a Neovim.
func (l *life) takeLater() []laterCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := l.later
	l.later = nil
	return calls
}

// tellTaken tells a Neovim that another process has its sessions now, and hands on what was typed there and not stored. It ends the
// connection, and waits for both. taken[g] is there.
func (h *Host) tellTaken(g *attach.Guest, pid int) {
	var left []struct {
		Session string   `msgpack:"session"`
		Prompts []unsent `msgpack:"prompts"`
	}
	_ = g.ExecLua(luaTaken, &left, pid) // if it has ended its drafts are on disk
	l := h.life
	l.mu.Lock()
	again := l.taken[g]
	delete(l.taken, g)
	l.mu.Unlock()
	for _, d := range left {
		if list := withoutGivenBack(d.Session, d.Prompts, again); len(list) > 0 {
			h.tell(luaGiveBack, d.Session, list)
		}
	}
	_ = g.Close()
}

// withoutGivenBack returns the prompts of a session without what some calls have put above them, in any order, which another Neovim
// gets as well.
func withoutGivenBack(session string, prompts []unsent, calls []laterCall) []unsent {
	calls = slices.DeleteFunc(slices.Clone(calls), func(c laterCall) bool { return c.code != luaGiveBack || c.args[0] != session })
	var list []unsent
	for _, p := range prompts {
		for left := calls; ; {
			at := slices.IndexFunc(left, func(c laterCall) bool { return below(p.Text, c.args[1].([]unsent)) != p.Text })
			if at < 0 {
				break
			}
			p.Text = below(p.Text, left[at].args[1].([]unsent))
			left = slices.Delete(slices.Clone(left), at, at+1)
		}
		if strings.TrimSpace(p.Text) != "" {
			list = append(list, p)
		}
	}
	return list
}

// below returns the text below prompts that came back to its top; all of it if they are not there.
func below(text string, back []unsent) string {
	rest := text
	for i, p := range back {
		after, ok := strings.CutPrefix(rest, p.Text)
		if !ok {
			return text
		}
		if i < len(back)-1 {
			after, ok = strings.CutPrefix(after, "\n\n")
		} else if after != "" {
			after, ok = strings.CutPrefix(after, "\n")
		}
		if !ok {
			return text
		}
		rest = after
	}
	return rest
}
