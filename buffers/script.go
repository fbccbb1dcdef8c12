package buffers

// script is a list of edits that grows from the first line of a text to its last.
type script struct {
	at    int // line of the old text
	edits []Edit
}

// keep goes on by n lines that stay.
func (s *script) keep(n int) { s.at += n }

// change goes on by the lines of a, which become those of b, and returns b.
func (s *script) change(a, b []string) []string {
	for _, e := range hunks(a, b) {
		s.add(Edit{s.at + e.Start, s.at + e.End, e.Lines})
	}
	s.at += len(a)
	return b
}

// enclose goes on by the lines of a, which become those of b, with a conflict around n of them from line head on: its first line
// comes above them, and the rest of it, the agent's side, below.
func (s *script) enclose(a, b []string, head, n int, conflict []string) {
	edits := hunks(a, b)
	first, last := before(edits, head), before(edits, head+n)
	s.change(a[:first], b[:head])
	s.add(Edit{s.at, s.at, conflict[:1]})
	s.change(a[first:last], b[head:head+n])
	s.add(Edit{s.at, s.at, conflict[1+n:]})
	s.change(a[last:], b[head+n:])
}

// before maps the border above a line of the edited text to one of the text before.
func before(edits []Edit, line int) int {
	shift := 0
	for _, e := range edits {
		start := e.Start + shift
		if line <= start {
			break
		}
		shift += len(e.Lines) - (e.End - e.Start)
		if line < start+len(e.Lines) {
			return e.End
		}
	}
	return line - shift
}

// add adds an edit. One that begins where the last ends becomes a part of it.
func (s *script) add(e Edit) {
	if n := len(s.edits); n > 0 && s.edits[n-1].End == e.Start {
		last := &s.edits[n-1]
		last.End = e.End
		last.Lines = append(last.Lines[:len(last.Lines):len(last.Lines)], e.Lines...)
		return
	}
	s.edits = append(s.edits, e)
}
