package tests

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// TestLargeRead reads texts of several slices, exactly: with NUL bytes, empty lines, wide characters, one very long
// line, and with a change between two reads (behaviours 24, 117).
func TestLargeRead(t *testing.T) {
	seed := seedtest.Of(t)
	for i, odd := range []struct{ name, text string }{
		{"plain", "code"}, {"nul", "a\x00b"}, {"nul at the end", "a\x00"}, {"wide", "größer 漢字 🙂"}, {"empty", ""}, {"long", strings.Repeat("long ", 200_000)},
	} {
		t.Run(odd.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			lines := make([]string, 20_000+random.IntN(1000))
			for i := range lines {
				lines[i] = fmt.Sprintf("%s %d", strings.Repeat("x", i%60), i)
			}
			for range 5 {
				lines[random.IntN(len(lines))] = odd.text
			}
			lines[len(lines)-1] = odd.text
			checkReads(t, lines)
		})
	}
}

func checkReads(t *testing.T, lines []string) {
	dir := t.TempDir()
	text := strings.Join(lines, "\n") + "\n"
	read := func(want string) string {
		content, _ := json.Marshal(want)
		return fmt.Sprintf("< session/prompt\n> request fs/read_text_file {\"sessionId\": \"s\", \"path\": \"$CWD/big.txt\"}\n"+
			"< {\"content\": %s}\n> {\"stopReason\": \"end_turn\"}\n", content)
	}
	script := filepath.Join(dir, "agent.script")
	play := "< initialize\n> {\"protocolVersion\": 1}\n< session/new\n> {\"sessionId\": \"s\"}\n" +
		read(text) + read(text) + read("typed\n"+text)
	for path, data := range map[string]string{script: play, filepath.Join(dir, "big.txt"): text} {
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e := raceEditor(t, dir, script)
	for _, before := range []string{"vim.cmd.edit('big.txt')", "", "vim.fn.append(0, 'typed')"} {
		if _, err := e.lua(before); err != nil {
			t.Fatal(err)
		}
		if _, err := e.lua(`_G.ended = nil
			vim.api.nvim_create_autocmd("User", { pattern = "AcpTurnEnd", once = true, callback = function(a) _G.ended = a.data.stop_reason end })
			require("nvim-acp").prompt("read")`); err != nil {
			t.Fatal(err)
		}
		if err := e.wait(`_G.ended == "end_turn" or require("nvim-acp").status().state == "disconnected"`); err != nil {
			t.Fatal(err)
		}
		if got, err := e.lua(`tostring(_G.ended)`); got != "end_turn" || err != nil {
			t.Fatalf("after %q the agent got another text (%v)", before, err)
		}
	}
}
