package host

import (
	"fmt"
	"os"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// The functions of lua/nvim-acp/host.lua that are called here.
const (
	luaSay      = `require("nvim-acp.host").say(...)`
	luaShow     = `require("nvim-acp.host").show(...)`
	luaSnapshot = `return require("nvim-acp.host").snapshot(...)`
	luaLines    = `return require("nvim-acp.host").lines(...)`
	luaShare    = `return require("nvim-acp.host").share(...)`
	luaDecode   = `return require("nvim-acp.host").decode(...)`
	luaEdit     = `return require("nvim-acp.host").edit(...)`
	luaStage    = `require("nvim-acp.host").stage(...)`
	luaUnstage  = `require("nvim-acp.host").unstage(...)`
	luaInspect  = `return require("nvim-acp.host").inspect(...)`
	luaDeleted  = `require("nvim-acp.host").deleted(...)`
	luaChanged  = `require("nvim-acp.host").disk_changed(...)`
	luaSave     = `return require("nvim-acp.host").save(...)`
	luaSettled  = `require("nvim-acp.host").settled(...)`
)

// say shows the user a message that belongs to no session.
func (h *Host) say(level, text string) {
	text = plain.Visible(bounds.Cut(text, bounds.Message))
	caught.GoOr(func() { h.life.Tell(luaSay, level, text) }, h.logFault) // ends when Neovim answers or goes away
}

// show opens text in a window of its own.
func (h *Host) show(name, text, filetype string) {
	caught.Go(func() { // ends when Neovim answers or goes away
		lines := strings.Split(bounds.Cut(strings.TrimRight(text, "\n"), bounds.Text), "\n")
		for i, line := range lines {
			lines[i] = strings.ReplaceAll(line, "\x00", "␀")
		}
		_ = h.ed.ExecLua(luaShow, nil, name, lines, filetype)
	})
}

// logFault writes where the program has failed, with the stack, to stderr: Neovim has the last lines of that, a detached host a file.
func (h *Host) logFault(fault *caught.Error) {
	fmt.Fprintf(os.Stderr, "%v\n%s\n", fault, fault.Stack)
}

// fault is what is done where the program has failed outside of any session.
func (h *Host) fault(fault *caught.Error) {
	h.logFault(fault)
	h.say("error", fault.Error()+": what it was at is not done; everything else goes on")
}
