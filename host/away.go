package host

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/programs"
)

// waits is what of a session waits for the user.
type waits struct {
	pending []permission.Waiting
	busy    bool // a turn runs
}

func (s *Session) waits() (w waits) {
	s.do(func(st *session.State) { w = waits{st.Waiting(), st.InTurn()} })
	return w
}

// liveAway ends the host when nothing has happened for long while no Neovim is attached.
func (h *Host) liveAway() {
	l := h.life
	for {
		most := h.settings().AwayTime()
		l.mu.Lock()
		began, left := l.since, most-time.Since(l.touched)
		l.mu.Unlock()
		if began.IsZero() || most <= 0 {
			return
		}
		if left <= 0 {
			l.end(nil)
			return
		}
		select {
		case <-time.After(left):
		case <-h.done:
			return
		}
	}
}

// notifyDetached is drawing while no Neovim is attached: nothing is drawn, and the user is called where something begins to wait for
// them. A Neovim that is attached later gets all of it.
func (r *renderer) notifyDetached(sessions []*Session) {
	h := r.host
	h.life.mu.Lock()
	h.life.touched = time.Now()
	h.life.mu.Unlock()
	for _, s := range sessions {
		s.do((*session.State).DropEvents)
		now := s.waits()
		h.life.mu.Lock()
		before, known := h.life.waits[s.id]
		if h.life.waits != nil {
			h.life.waits[s.id] = now
		}
		h.life.mu.Unlock()
		if known {
			h.callUser(s, before, now)
		}
	}
}

// callUser runs the user's command for each request that is new, and for a turn that has ended.
func (h *Host) callUser(s *Session, before, now waits) {
	notify := h.settings().Notify
	if len(notify.Command) == 0 {
		return
	}
	for _, p := range now.pending {
		if notify.Permission && !slices.ContainsFunc(before.pending, func(b permission.Waiting) bool { return b.ID == p.ID }) {
			h.notifyUser(fmt.Sprintf("%s asks: %s", s.spec().Title, p.Title))
		}
	}
	if notify.TurnEnd && before.busy && !now.busy {
		h.notifyUser(fmt.Sprintf("%s has finished: %s", s.spec().Title, ask(s, (*session.State).Title)))
	}
}

// maxNotify is how long the user's command for notifications may run.
const maxNotify = 10 * time.Second

// notifyUser runs the user's command for notifications, with the text as its last argument.
func (h *Host) notifyUser(text string) {
	argv := append(slices.Clone(h.settings().Notify.Command), text)
	caught.Go(func() { // ends with the command, after maxNotify at the latest
		ctx, stop := context.WithTimeout(context.Background(), maxNotify)
		defer stop()
		cmd := exec.CommandContext(ctx, programs.Word(argv[0]), argv[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		if err := cmd.Run(); err != nil {
			h.say("warn", "notify.command: "+err.Error())
		}
	})
}
