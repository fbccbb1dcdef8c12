package elsewhere

import (
	"context"
	"os/exec"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/programs"
)

// Lost returns why the line to the other side is broken, nil if there is none or it is not. It waits a moment for that, since a
// program that used the connection may end before the one that held it.
func (p *Place) Lost() error {
	if p == nil || p.line == nil {
		return nil
	}
	select {
	case <-p.line.ended:
		if why := p.master.awaitLost(lostTime); why != nil {
			return why // the line has only seen that it is gone
		}
		return p.line.err
	case <-time.After(lostTime):
		return nil
	}
}

const lostTime = 300 * time.Millisecond

// The times between tries to reach a place again.
const (
	firstTry = time.Second
	lastTry  = 30 * time.Second
)

// AwaitReturn waits until the place can be reached again, and reports false if done was closed before.
func (p *Place) AwaitReturn(done <-chan struct{}) bool {
	words := p.expand(p.spec.Check, "")
	if !p.spec.Reconnect || len(words) == 0 {
		return false
	}
	for wait := firstTry; ; wait = min(2*wait, lastTry) {
		select {
		case <-done:
			return false
		case <-time.After(wait):
		}

		ctx, stop := context.WithTimeout(context.Background(), lastTry)
		cmd := exec.CommandContext(ctx, programs.Word(words[0]), words[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		err := cmd.Run()
		stop()
		if err == nil {
			return true
		}
	}
}
