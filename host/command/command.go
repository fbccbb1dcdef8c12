// Package command runs commands whose output is wanted, for a short time.
//
// It is called from any goroutine, and leaves none behind.
package command

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/internal/group"
)

// head keeps the first bytes of what is written to it, and calls full when there are more.
type head struct {
	text []byte
	most int
	full func()
	cut  bool
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.most-len(h.text))
	h.text = append(h.text, p[:n]...)
	if n < len(p) && !h.cut {
		h.cut = true
		h.full()
	}
	return len(p), nil
}

// maxTime is how long a command may take.
const maxTime = 10 * time.Second

// Output runs a program and returns what it prints, at most so many bytes; env nil is that of this process; cut says that there was more.
// It and what it has started are killed when ctx ends, or when it takes too long. An error is the first line of its stderr, if it has any.
func Output(ctx context.Context, dir string, env []string, most int, args ...string) (text []byte, cut bool, err error) {
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = env
	group.Own(cmd)
	out, said := head{most: most, full: stop}, head{most: 4 << 10, full: func() {}}
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	switch {
	case out.cut:
		return out.text, true, nil
	case err == nil:
		return out.text, false, nil
	}

	if line, _, _ := bytes.Cut(said.text, []byte("\n")); len(line) > 0 {
		err = errors.New(plain.OneLine(string(line)))
	}

	return nil, false, err
}
