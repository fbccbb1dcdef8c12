package host

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
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
		s.returnPrompts([]string{text})
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

// entries are the messages of all agents in the order of their times, each with its agent's name.
func (h *Host) entries() (names []string, entries []acp.Entry) {
	type named struct {
		name string
		acp.Entry
	}
	h.mu.Lock()
	agents := slices.Clone(h.recent)
	h.mu.Unlock()
	var all []named
	for _, a := range agents {
		if a.log() == nil {
			continue
		}
		for _, e := range a.log().Snapshot() {
			all = append(all, named{a.spec.Name, e})
		}
	}
	slices.SortStableFunc(all, func(x, y named) int { return x.Time.Compare(y.Time) })
	for _, e := range all {
		names, entries = append(names, e.name), append(entries, e.Entry)
	}
	return names, entries
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

// showLog opens the last messages of all agents, a line each.
func (h *Host) showLog() {
	names, entries := h.entries()
	var b strings.Builder
	for i, e := range entries {
		took := ""
		if e.Took > 0 {
			took = fmt.Sprintf("%d ms", e.Took.Milliseconds())
		}
		fmt.Fprintf(&b, "%s %-8s %-6s %-28s %-6s %8d %8s  %s\n", e.Time.Format("15:04:05.000"), names[i], e.Dir,
			transcript.OneLine(e.Method), transcript.OneLine(e.ID), e.Size, took, transcript.OneLine(e.Text))
	}
	if len(entries) == 0 {
		b.WriteString("no agent has run yet")
	}
	h.show("log", b.String(), "acp-log")
}

// saveLog writes the messages as a recording that `nvim-acp agent --replay` plays.
func (h *Host) saveLog(path string) {
	_, entries := h.entries()
	var b strings.Builder
	for _, e := range entries {
		line, err := json.Marshal(map[string]any{"t": e.Time.Sub(entries[0].Time).Milliseconds(), "dir": string(e.Dir), "raw": e.Text})
		if err != nil {
			continue // a map of strings can be written
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	if err := writeText(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, b.String()); err != nil {
		h.say("error", "save the log: "+err.Error())
		return
	}
	h.say("info", "saved to "+path)
}
