package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A long text that an agent has written is not fetched from Neovim to be read again, as long as nothing else has changed it: neither
// an autocommand of the save nor the user (behaviour 1260).
func TestReadAfterWrite(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before string
		typed        string                   // text that the user has before the file's
		after        func(text string) string // what is read then
		changed      bool                     // by something else than the agent
	}{
		{"plain", "", "", func(text string) string { return text }, false},
		{"unsaved", `vim.fn.append(0, "typed")`, "typed\n", func(text string) string { return text }, false},
		{"hook", `vim.cmd("autocmd BufWritePost * call append(0, 'hook') | noautocmd write")`, "", func(text string) string { return "hook\n" + text }, true},
		{
			"hook and unsaved", `vim.fn.append(0, "typed") vim.cmd("autocmd BufWritePost * call append('$', 'hook') | noautocmd write")`,
			"typed\n", func(text string) string { return text + "hook\n" }, true,
		},
		{
			"reload", `vim.api.nvim_create_autocmd("BufWritePost", { nested = true, callback = function(a)
				vim.fn.system({ "sed", "-i", "1d", a.file })
				vim.cmd("edit!") end })`,
			"", func(text string) string { return text[strings.Index(text, "\n")+1:] }, true,
		},
		{
			"formatter", `require("nvim-acp.config").options.fs.format_on_write = true vim.cmd("autocmd BufWritePre * call append(0, 'formatted')")`,
			"", func(text string) string { return "formatted\n" + text }, true,
		},
		{"later", `vim.api.nvim_create_autocmd("BufWritePost", { callback = function(a)
			vim.schedule(function() vim.fn.appendbufline(a.buf, 0, "later") end) end })`, "", func(text string) string { return "later\n" + text }, true},
		{"NUL bytes", `vim.fn.append(0, "a\nb")`, "a\x00b\n", func(text string) string { return text }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var b strings.Builder
			for i := range 20_000 {
				fmt.Fprintf(&b, "%s %d\n", strings.Repeat("x", i%60), i)
			}
			text := b.String()
			written := tt.typed + strings.Replace(text, " 10000\n", " by the agent\n", 1)
			params := func(content string) string {
				data, err := json.Marshal(map[string]any{"content": content})
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			}
			read := `> request fs/read_text_file {"sessionId": "s", "path": "$CWD/big.txt"}` + "\n"
			play := "< initialize\n> {\"protocolVersion\": 1}\n< session/new\n> {\"sessionId\": \"s\"}\n< session/prompt\n" +
				read + "< {}\n> request fs/write_text_file " + strings.Replace(params(written), "{", `{"sessionId": "s", "path": "$CWD/big.txt", `, 1) + "\n< {}\n" +
				"> {\"stopReason\": \"end_turn\"}\n< session/prompt\n" + read + "< " + params(tt.after(written)) + "\n> {\"stopReason\": \"end_turn\"}\n"
			script := filepath.Join(dir, "agent.script")
			for path, data := range map[string]string{script: play, filepath.Join(dir, "big.txt"): text} {
				if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			e := raceEditor(t, dir, script)
			run := func(code string) string {
				t.Helper()
				got, err := e.lua(code)
				if err != nil {
					t.Fatal(err)
				}
				return got
			}
			run(`vim.cmd.edit("big.txt") vim.api.nvim_create_autocmd("User", { pattern = "AcpTurnEnd", callback = function(a) _G.ended = a.data.stop_reason end })`)
			if tt.before != "" {
				run(tt.before)
			}
			run(`fetched = 0
				local host = require("nvim-acp.host")
				local share = host.share
				host.share = function(buf, tick, first, path)
					local last = share(buf, tick, first, path)
					fetched = fetched + last - first
					return last
				end`)
			for i := range 2 {
				run(`_G.ended = nil require("nvim-acp").prompt("go")`)
				if err := e.wait(`_G.ended == "end_turn" or require("nvim-acp").status().state == "disconnected"`); err != nil {
					t.Fatal(err)
				}
				if got := run(`tostring(_G.ended)`); got != "end_turn" {
					t.Fatalf("turn %d: the agent got another text", i+1)
				}
			}
			if got := run(`fetched <= 20001`); got != "true" && !tt.changed {
				t.Errorf("of 20 000 lines %s were fetched, want each once", run(`fetched`))
			}
		})
	}
}
