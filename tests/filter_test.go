package tests

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
	pty "github.com/nvim-acp/nvim-acp/terminal"
)

var filterRounds = flag.Int("filter", 6000, "how many random control sequences TestFilter shows in Neovim's terminal")

// TestFilter shows random output of commands in terminals of a real Neovim, as it comes through the filter, while their windows get other
// sizes: it still answers (behaviour 805).
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
		narrowest := 1 + r.IntN(6) // Neovim ends at a wide character in a column
		size := func() []int { return []int{narrowest + r.IntN(20)*r.IntN(5), 1 + r.IntN(24)} }
		parts, sizes := []string{}, [][]int{size()}
		for range each {
			out := oddOutput(r)
			if narrowest > 1 || strings.IndexFunc(string(out), wide) < 0 {
				term.Feed(out)
			}
			chunk, _ := view.Next(8 << 10)
			parts, sizes = append(parts, string(chunk)), append(sizes, size())
		}
		view.Close()

		done := make(chan error, 1)
		go func() { // until Neovim has answered, or the test has ended
			done <- v.ExecLua(`
				local parts, sizes = ...
				local function config(size)
					return { relative = "editor", row = 0, col = 0, width = size[1], height = size[2] }
				end
				local buf = vim.api.nvim_create_buf(false, true)
				local win = vim.api.nvim_open_win(buf, false, config(sizes[1]))
				local chan = vim.api.nvim_open_term(buf, {})
				for _ = 1, 2 do
					for i, text in ipairs(parts) do
						vim.api.nvim_chan_send(chan, text)
						vim.api.nvim_win_set_config(win, config(sizes[i + 1]))
						vim.cmd.redraw()
					end
				end
				vim.cmd.redraw()
				vim.api.nvim_buf_delete(buf, { force = true })`, nil, parts, sizes)
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("Neovim has ended, or refuses: %v; it was sent %q in %v", err, parts, sizes)
			}
		case <-time.After(patience):
			t.Fatalf("Neovim hangs; it was sent %q in %v", parts, sizes)
		}
	}
}

// wide reports whether a character may take two cells.
func wide(r rune) bool { return r > 0x2fff || r == '\ufe0f' }

// oddOutput is a control sequence, most of them well formed, or other output.
func oddOutput(r *rand.Rand) []byte {
	text := []string{"a", "wide 世界", "e\u0301\u0301", "\u0301", "👩‍👩‍👧", "\ufe0f", "\t", "\r\n", "\b", "\x0e", "\xff", "\u009b9b", "line\n", "\x00",
		"a long line", "\n\n\n\n", "❤\ufe0f", "🇩🇪", "\u00ad", "\u0600", "\u1160", "\u3164", "\U000e0061", "\ufdd0", "\uffff", "\U0010ffff", "ﷺ", "⸻",
		"\u200b", "\u200d", "x\u200c", "\u2060", "\ufeff", "\u202e", "\u180e", "\ufff9", "\u070f"}
	number := func() string {
		return []string{"", "0", "1", "2", "9", "80", "255", "1000", "32767", "65536", "2147483647", "99999999999999999999"}[r.IntN(12)]
	}
	switch k := r.IntN(10); {
	case k < 2:
		return []byte(text[r.IntN(len(text))])
	case k < 6:
		seq := "\x1b[" + []string{"", "", "", "?", ">", "<", "="}[r.IntN(7)]
		for i := range r.IntN(4) {
			if i > 0 {
				seq += []string{";", ":"}[r.IntN(2)]
			}
			seq += number()
		}
		return fmt.Appendf(nil, "%s%s%c", seq, []string{"", "", "", "", " ", "!", "$", "\""}[r.IntN(8)], rune(0x40+r.IntN(0x3f)))
	case k < 8:
		return []byte([]string{"\x1b7", "\x1b8", "\x1b8", "\x1b[s", "\x1b[u", "\x1b[99;99H", "\x1b[?6h", "\x1b[?69h", "\x1b[?1047h", "\x1b[?1048l",
			"\x1b[?1049h", "\x1b[?1049l", "\x1b[5;9r", "\x1b[4;9s", "\x1b[4h", "\x1bH"}[r.IntN(16)])
	case k == 8:
		return []byte("\x1b" + []string{"", "#", "(", ")", "%", " "}[r.IntN(6)] + string(rune(0x30+r.IntN(0x4f))))
	}
	open := []string{"\x1b]8;;http://x", "\x1b]0;t", "\x1b]52;c;aGk=", "\x1b]4;1;?", "\x1bP$qm", "\x1b_a", "\x1b^p"}[r.IntN(7)]
	return []byte(open + []string{"\x1b\\", "\a", "", "\x18"}[r.IntN(4)])
}
