package host

import (
	"os"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

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

// again puts a prompt of the transcript into the prompt buffer, to be changed and sent anew.
func (s *Session) again(a blockArgs) {
	s.do(func(st *session.State) {
		if text, ok := st.Words(a.Block); ok {
			st.GiveBack(session.Prompt{Text: text})
		}
	})
}

func (s *Session) markdown() string {
	return ask(s, func(st *session.State) string { return st.Markdown(s.cwd) })
}

// export writes the transcript as Markdown, to a file or into a window. It waits for the disk.
func (s *Session) export(a exportArgs) {
	text := s.markdown()
	if a.Path == "" {
		s.host.show("export", text, "markdown")
		return
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if a.Force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	err := regular.WriteText(a.Path, flags, text)
	switch {
	case os.IsExist(err):
		s.host.say("error", "export: the file exists; :AcpExport! replaces it: "+a.Path)
	case err != nil:
		s.host.say("error", "export: "+err.Error())
	default:
		s.host.say("info", "exported to "+a.Path)
	}
}
