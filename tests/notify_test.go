package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestTerminalNotification runs Neovim in a terminal without focus: the terminal gets one notification for a permission
// and one for the end of a turn, without the control characters of a hostile title (behaviours 106, 240).
func TestTerminalNotification(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "agent.script")
	if err := os.WriteFile(script, []byte(`< initialize
> {"protocolVersion": 1}
< session/new
> {"sessionId": "s"}
wait unfocused
< session/prompt
> request session/request_permission {"sessionId": "s", "toolCall": {"toolCallId": "c1", "title": "Title \u0007\u001b]52;c;eA==\u0007 more"}, "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]}
< {"outcome": {"optionId": "yes"}}
> answer session/prompt {"stopReason": "end_turn"}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	setup := fmt.Sprintf(`lua
		require("nvim-acp").setup({ agent = "a", notify = { terminal = true, bell = true }, agents = { a = { command = %q, args = { "agent", "--script", %q } } } })
		vim.api.nvim_create_autocmd("User", { pattern = "AcpReady", callback = function() vim.api.nvim_echo({ { "all is ready" } }, false, {}) end })
		vim.api.nvim_create_autocmd("FocusLost", { callback = function() vim.fn.writefile({}, "unfocused") end })
		vim.api.nvim_create_autocmd("User", { pattern = "AcpPermission", callback = function() vim.schedule(function() require("nvim-acp").permit("yes") end) end })
		vim.api.nvim_create_autocmd("User", { pattern = "AcpTurnEnd", callback = function() vim.schedule(function() vim.cmd("qa!") end) end })
		require("nvim-acp").prompt("go")`, agentProgram(), script)
	cmd := exec.Command(nvimPath(), "--clean", "-n", "--cmd", "set rtp^="+strings.ReplaceAll(plugin(t), " ", `\ `),
		"--cmd", fmt.Sprintf("let g:nvim_acp_bin = '%s'", mustLook("nvim-acp")), "-c", strings.ReplaceAll(setup, "\n", " "))
	cmd.Dir = dir
	cmd.Env = append(cleanEnv(), "TERM=xterm-256color", "HOME="+filepath.Join(dir, "home"), "XDG_STATE_HOME="+dir)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	stuck := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }) // the test fails then by what is missing
	defer stuck.Stop()
	printed := terminal(tty, map[string]string{
		"\x1b[5n":      "\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62c\x1b[0n\x1b[0n", // what colour, what terminal, whether all is well
		"all is ready": "\x1b[O",                                                  // the focus goes
	})
	_ = cmd.Wait() // ended by us or by itself
	for text, want := range map[string]int{"\x1b]9;a asks: ": 1, "\x1b]9;a has finished: go\a": 1, "\x1b]52;c;eA==": 0} {
		if got := bytes.Count(printed, []byte(text)); got != want {
			t.Errorf("%q was printed %d times, want %d", text, got, want)
		}
	}
}

// terminal returns what is printed on a terminal until that is closed, and answers each text of answers once.
func terminal(tty *os.File, answers map[string]string) (printed []byte) {
	for chunk := make([]byte, 4096); ; {
		n, err := tty.Read(chunk)
		printed = append(printed, chunk[:n]...)
		if err != nil {
			return printed
		}
		for text, answer := range answers {
			if bytes.Contains(printed, []byte(text)) {
				delete(answers, text)
				_, _ = tty.WriteString(answer) // if nobody reads it the next read ends
			}
		}
	}
}
