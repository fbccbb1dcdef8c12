package host

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// mostShown is how many lines of a diff a float holds: Neovim lays all of them out at once.
const mostShown = 2000

// showDiffs shows one of the files that would be edited. s.mu is held.
func (s *Session) showDiffs(p *permission, a *ask, diffs []*acp.Diff) (does string) {
	maps.DeleteFunc(a.views, func(d *acp.Diff, _ *transcript.DiffView) bool { return !slices.Contains(diffs, d) })
	added, deleted := 0, 0
	for _, d := range diffs {
		x, y := s.viewDiff(a, d).Count()
		added, deleted = added+x, deleted+y
	}
	p.Label = strings.TrimSpace(fmt.Sprintf("%s +%d −%d", p.Label, added, deleted))
	if added+deleted == 0 {
		p.addDim("  no line is changed; an empty file stays, or becomes, empty")
	}
	n := len(diffs)
	i := fileShown(a, n)
	does = "edit " + s.short(diffs[i].Path)
	if n > 1 {
		does = fmt.Sprintf("edit %d files", n)
		p.Files = n
		p.addDim(fmt.Sprintf("  %s, %d of %d", s.short(diffs[i].Path), i+1, n))
	}
	c := s.log.Call(a.call)
	s.colour(a, diffs[i])
	p.addDiff(s.viewDiff(a, diffs[i]), c == nil || len(c.Locations) == 0)
	return does
}

// addDiff adds the lines of a diff; numbered says that its texts are whole files.
func (p *permission) addDiff(v *transcript.DiffView, numbered bool) {
	lines, marks, numbers := v.Rows(mostShown)
	for m := 0; m < len(marks); m += 4 {
		p.Marks = append(p.Marks, marks[m].(int)+len(p.Lines), marks[m+1], marks[m+2], marks[m+3])
	}
	for i, line := range lines {
		if numbered && numbers[i] > 0 {
			p.Numbers = append(p.Numbers, len(p.Lines), numbers[i])
		}
		p.add(line)
	}
	if left := v.Len() - len(lines); left > 0 {
		p.addDim(fmt.Sprintf("… %d more lines: <CR> on the call in the chat shows them", left))
	}
}

// viewDiff works a diff out once for an ask. s.mu is held.
func (s *Session) viewDiff(a *ask, d *acp.Diff) *transcript.DiffView {
	if v := a.views[d]; v != nil {
		return v
	}
	v := transcript.ViewDiff(d, 3)
	if a.views == nil {
		a.views = map[*acp.Diff]*transcript.DiffView{}
	}
	a.views[d] = v
	return v
}

// colour has the diff that is shown highlighted, once. s.mu is held.
func (s *Session) colour(a *ask, d *acp.Diff) {
	v := s.viewDiff(a, d)
	if v.Asked {
		return
	}
	v.Asked = true
	go func() { // ends when the diff is highlighted
		var spans [][]highlight.Span
		safely(func() { spans = v.Highlight() })
		s.change(func() {
			v.Colour(spans)
			s.askNew = true
		})
	}()
}

// short cuts a line that no screen holds.
func short(line string) string {
	if len(line) <= 4<<10 {
		return line
	}
	return strings.ToValidUTF8(line[:4<<10], "") + "…"
}

// showCommand shows every byte of a command, and where it runs. s.mu is held.
func (s *Session) showCommand(p *permission, a *ask, c *transcript.Call) (does string) {
	command, dir := c.Command(), c.Dir()
	if dir == "" {
		dir = s.cwd
	}
	s.doubt(a, command)
	p.addCommand(command, a.doubts)
	p.addDim("  in " + transcript.OneLine(dir))
	p.Whole = true
	if len(command) > 100 {
		p.Label = fmt.Sprintf("%d bytes", len(command))
	}
	return "run a command"
}

// doubt finds what of a command asks for a look, once for each command. s.mu is held.
func (s *Session) doubt(a *ask, command string) {
	if a.parsed == command {
		return
	}
	a.parsed, a.doubts = command, nil
	if r, ok := s.ruleRequest(a); ok {
		a.doubts = rules.Doubtful(a.rules, r)
	}
}

func (p *permission) addCommand(command string, doubts [][2]int) {
	const indent = "  "
	at := 0 // of the line, in the command
	for _, line := range strings.Split(command, "\n") {
		for _, d := range doubts {
			from, to := max(d[0]-at, 0), min(d[1]-at, len(line))
			if from < to {
				shift := func(n int) int { return len(indent) + len(transcript.Visible(line[:n])) }
				p.Marks = append(p.Marks, len(p.Lines), shift(from), shift(to), "AcpDoubt")
			}
		}
		p.add(indent + transcript.Visible(line))
		at += len(line) + 1
	}
}
