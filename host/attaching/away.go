package attaching

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/programs"
)

// waits is what of a session waits for the user.
type waits struct {
	pending []permission.Waiting
	busy    bool   // a turn runs
	outcome string // of the latest one
}

func waitsOf(s feature.Session) (w waits) {
	s.Do(func(st *session.State) { w = waits{st.Requests().Waiting(), st.Turn() != nil, session.Outcome(st)} })
	return w
}

// liveAway ends the host when nothing has happened for long while no Neovim is attached.
func (l *Life) liveAway(taken <-chan struct{}) {
	for {
		most := l.host.Settings().AwayTime()
		l.mu.Lock()
		left := most - time.Since(l.touched)
		away := !l.since.IsZero() && most > 0
		if away && left <= 0 {
			l.endLocked(nil)
		}
		l.mu.Unlock()

		if !away || left <= 0 {
			return
		}
		select {
		case <-time.After(left):
		case <-taken:
			return
		case <-l.host.Done():
			return
		}
	}
}

// away notes that nobody has the seat. mu is held.
func (l *Life) away() {
	l.here()
	l.since, l.touched = time.Now(), time.Now()
	taken := make(chan struct{})
	l.taken = taken
	caught.Go(func() { l.liveAway(taken) }) // until a Neovim is attached, or the host ends
}

// here notes that a Neovim has the seat. mu is held.
func (l *Life) here() {
	l.since = time.Time{}
	if l.taken != nil {
		close(l.taken)
		l.taken = nil
	}
}

// Drawn is drawing sessions while no Neovim is attached: nothing is drawn, and the user is called where something begins to wait for
// them. A Neovim that is attached later gets all of it.
func (l *Life) Drawn(sessions []feature.Session) {
	l.mu.Lock()
	l.touched = time.Now()
	l.mu.Unlock()

	for _, s := range sessions {
		s.Do(func(st *session.State) { st.Screen().DropEvents() })
		now := waitsOf(s)
		l.mu.Lock()
		before, known := l.waits[s.LocalID()]
		if l.waits != nil {
			l.waits[s.LocalID()] = now
		}
		l.mu.Unlock()
		if known {
			l.callUser(s, before, now)
		}
	}
}

// callUser runs the user's command for each request that is new, and for a turn that has ended without them.
func (l *Life) callUser(s feature.Session, before, now waits) {
	notify := l.host.Settings().Notify
	if len(notify.Command) == 0 {
		return
	}
	for _, p := range now.pending {
		if notify.Permission && !slices.ContainsFunc(before.pending, func(b permission.Waiting) bool { return b.ID == p.ID }) {
			l.notifyUser(fmt.Sprintf("%s asks: %s", s.Spec().Title, p.Title))
		}
	}
	if notify.TurnEnd && before.busy && !now.busy && now.outcome != "" {
		l.notifyUser(now.outcome)
	}
}

// maxNotify is how long the user's command for notifications may run.
const maxNotify = 10 * time.Second

// notifyUser runs the user's command for notifications, with the text as its last argument.
func (l *Life) notifyUser(text string) {
	argv := append(slices.Clone(l.host.Settings().Notify.Command), text)
	caught.Go(func() { // ends with the command, after maxNotify at the latest
		ctx, stop := context.WithTimeout(context.Background(), maxNotify)
		defer stop()
		cmd := exec.CommandContext(ctx, programs.Word(argv[0]), argv[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		if err := cmd.Run(); err != nil {
			l.host.Say("warn", "notify.command: "+err.Error())
		}
	})
}
