package tests

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
	pty "github.com/nvim-acp/nvim-acp/terminal"
)

var filterRounds = flag.Int("filter", 6000, "how many random control sequences TestFilter shows in Neovim's terminal")

// TestFilter shows random output of commands in terminals of a real Neovim, as it comes through the filter, with skips: it still answers
// (behaviour 805).
func TestFilter(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(seedtest.Of(t), 0))
	ctx, kill := context.WithCancel(context.Background())

	v, err := nvim.NewChildProcess(nvim.ChildProcessCommand(nvimPath()),
		nvim.ChildProcessArgs("--embed", "--headless", "--clean", "-n"), nvim.ChildProcessContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { kill(); _ = v.Close() }() // it may hang

	const each = 12 // of a terminal, so that many have just begun
	for n := 0; n < *filterRounds; n += each {
		term := pty.NewDisplay(pty.Options{})
		view := term.View()
		var sent []byte
		for range each {
			term.Feed(oddOutput(r))
			chunk, _ := view.Next(8 << 10)
			sent = append(sent, chunk...)
		}
		view.Close()

		done := make(chan error, 1)
		go func() { // until Neovim has answered, or the test has ended
			done <- v.ExecLua(`
				local text, cols, rows = ...
				local buf = vim.api.nvim_create_buf(false, true)
				local win = vim.api.nvim_open_win(buf, false, { relative = "editor", row = 0, col = 0, width = cols, height = rows })
				local chan = vim.api.nvim_open_term(buf, {})
				vim.api.nvim_chan_send(chan, text)
				vim.api.nvim_win_set_config(win, { relative = "editor", row = 0, col = 0, width = rows, height = cols })
				vim.api.nvim_chan_send(chan, text)
				vim.cmd.redraw()
				vim.api.nvim_buf_delete(buf, { force = true })`, nil, string(sent), 2+r.IntN(80), 2+r.IntN(24))
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("Neovim has ended, or refuses: %v; it was sent %q", err, sent)
			}
		case <-time.After(patience):
			t.Fatalf("Neovim hangs; it was sent %q", sent)
		}
	}
}

// oddOutput is a control sequence, most of them well formed, or other output.
func oddOutput(r *rand.Rand) []byte {
	text := []string{"a", "wide 世界", "e\u0301\u0301", "\u0301", "👩‍👩‍👧", "\ufe0f", "\t", "\r\n", "\b", "\x0e", "\xff", "\u009b9b", "line\n", "\x00"}
	number := func() string {
		return []string{"", "0", "1", "2", "9", "80", "255", "1000", "32767", "65536", "2147483647", "99999999999999999999"}[r.IntN(12)]
	}
	switch k := r.IntN(10); {
	case k < 2:
		return []byte(text[r.IntN(len(text))])
	case k < 8:
		seq := "\x1b[" + []string{"", "", "", "?", ">", "<", "="}[r.IntN(7)]
		for i := range r.IntN(4) {
			if i > 0 {
				seq += []string{";", ":"}[r.IntN(2)]
			}
			seq += number()
		}
		return fmt.Appendf(nil, "%s%s%c", seq, []string{"", "", "", "", " ", "!", "$", "\""}[r.IntN(8)], rune(0x40+r.IntN(0x3f)))
	case k == 8:
		return []byte("\x1b" + []string{"", "#", "(", ")", "%", " "}[r.IntN(6)] + string(rune(0x30+r.IntN(0x4f))))
	}
	open := []string{"\x1b]8;;http://x", "\x1b]0;t", "\x1b]52;c;aGk=", "\x1b]4;1;?", "\x1bP$qm", "\x1b_a", "\x1b^p"}[r.IntN(7)]
	return []byte(open + []string{"\x1b\\", "\a", "", "\x18"}[r.IntN(4)])
}
