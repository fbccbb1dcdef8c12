package host

import (
	"os"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// show opens text in a window of its own.
func (h *Host) show(name, text, filetype string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, "\x00", "␀")
	}
	go func() { _ = h.ed.ExecLua(luaShow, nil, name, lines, filetype) }() // ends when Neovim answers or goes away
}

// again puts a prompt of the transcript into the prompt buffer, to be changed and sent anew.
func (s *Session) again(a blockArgs) {
	s.mu.Lock()
	text, ok := s.log.Words(a.Block)
	s.mu.Unlock()
	if ok {
		s.giveBack(prompt{text: text})
	}
}

// export writes the transcript as Markdown, to a file or into a window.
func (s *Session) export(a exportArgs) {
	s.mu.Lock()
	text := s.log.Markdown()
	s.mu.Unlock()
	if a.Path == "" {
		s.host.show("export", text, "markdown")
		return
	}
	go func() { // ends when the file is written
		flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
		if a.Force {
			flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		}
		err := writeText(a.Path, flags, text)
		switch {
		case os.IsExist(err):
			s.host.say("error", "export: the file exists; :AcpExport! replaces it: "+a.Path)
		case err != nil:
			s.host.say("error", "export: "+err.Error())
		default:
			s.host.say("info", "exported to "+a.Path)
		}
	}()
}

func writeText(path string, flags int, text string) error {
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// log is the agent's log, nil until its process runs.
func (a *agent) log() *acp.Log {
	select {
	case <-a.ready:
	default:
		return nil
	}
	if a.proc == nil {
		return nil
	}
	return a.proc.Log()
}

func writeNew(path, text string) error {
	return writeText(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, text)
}
