package terminals

// The functions of lua/nvim-acp/host.lua that are called here.
const (
	luaTerminals = `require("nvim-acp.host").terminals(...)`
	luaFeed      = `return require("nvim-acp.host").feed(...)`
)

// Editor is Neovim. A call may not return for as long as that waits for a key.
type Editor interface {
	ExecLua(code string, result any, args ...any) error
}

// shown is a terminal as Lua has it.
type shown struct {
	ID      string `msgpack:"id"`
	Number  int    `msgpack:"number"` // in the order of their starts
	Session string `msgpack:"session"`
	Command string `msgpack:"command"`
	Running bool   `msgpack:"running"`
	Waiting bool   `msgpack:"waiting"` // it seems to wait for the user
	Exit    string `msgpack:"exit"`
	Input   bool   `msgpack:"input"`   // the user can type into it
	Started bool   `msgpack:"started"` // it is new
	Gone    bool   `msgpack:"gone"`    // its session is closed
}

// describe describes a terminal to Neovim, for which it waits.
func (s *Set) describe(t shown) {
	_ = s.editor.ExecLua(luaTerminals, nil, []shown{t}) // Neovim gone: nobody to show it to
}

// send sends output to the buffer of a terminal, and reports whether that is still there. It waits for Neovim.
func (s *Set) send(id string, buffer int, data string) bool {
	taken := false
	err := s.editor.ExecLua(luaFeed, &taken, id, buffer, data)
	return err == nil && taken
}

// args are what a user does with a terminal.
type args struct {
	Terminal string `msgpack:"terminal"` // our id of it
	Data     string `msgpack:"data"`
	Cols     int    `msgpack:"cols"`
	Rows     int    `msgpack:"rows"`
	Window   int    `msgpack:"window"` // number of the buffer that shows it
	On       bool   `msgpack:"on"`
}

// Verbs are what a user can do with terminals, by their names.
func (s *Set) Verbs() map[string]any {
	return map[string]any{
		"terminal_input":  s.onTerm(func(t *Term, a args) { t.Write([]byte(a.Data)) }),
		"terminal_resize": s.onTerm(func(t *Term, a args) { t.Resize(uint16(a.Cols), uint16(a.Rows)) }),
		"terminal_kill":   s.onTerm(func(t *Term, _ args) { t.Kill() }),
		"terminal_view":   s.onTerm(func(t *Term, a args) { t.Watch(a.Window, a.On) }),
	}
}

// onTerm makes a verb of a terminal. Nothing is done for one that is gone.
func (s *Set) onTerm(do func(*Term, args)) func(args) {
	return func(a args) {
		if t := s.Find(a.Terminal); t != nil {
			do(t, a)
		}
	}
}
