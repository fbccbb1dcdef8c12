package host

import (
	"regexp"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// refusal is a line in which an agent says that a server of the Model Context Protocol did not start. The protocol has no place
// for that; some agents say it on stderr.
var refusal = regexp.MustCompile(`(?i)\bmcp\b.*(fail|refus|reject|error|could not|cannot|unable|timed? ?out|disconnect)`)

// refused are the lines in which the agent has said so of a server that this session has told it of, since the last call. It
// copies the agent's log.
func (s *Session) refused() []string {
	s.mu.Lock()
	a, names, from := s.agent, s.serverNames, s.heard
	s.mu.Unlock()
	if a == nil || len(names) == 0 {
		return nil
	}
	var lines []string
	for _, e := range a.log.Since(from) {
		from = e.Seq
		if e.Dir != acp.DirStderr {
			continue
		}
		for line := range strings.Lines(e.Text) {
			named := slices.ContainsFunc(names, func(name string) bool { return strings.Contains(line, name) })
			if named && refusal.MatchString(line) {
				lines = append(lines, s.spec().Title+" says: "+transcript.OneLine(strings.TrimSpace(line)))
			}
		}
	}
	s.mu.Lock()
	s.heard = max(from, 1) - 1 // the last one may grow, if it is of stderr
	s.mu.Unlock()
	return lines
}
