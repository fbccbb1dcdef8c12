package terminal

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

// maxSequence is how long a control sequence may be that is passed on; longer ones are dropped.
const maxSequence = 512

// sink receives the complete units of a scanner.
type sink interface {
	text(p []byte)                               // printable characters in valid UTF-8
	control(b byte)                              // a C0 control or DEL
	csi(seq []byte, cmd ansi.Cmd, p ansi.Params) // seq is the sequence itself, nil if it was too long
	esc(seq []byte, cmd ansi.Cmd)
	osc(cmd int, data []byte)
	dcs(cmd ansi.Cmd, data []byte)
	lost() // text was taken for a part of a string that does not end as strings do
}

// scanner splits a terminal stream into text, controls and sequences, wherever the reads split it, in bounded memory. Bytes
// that are not UTF-8 become U+FFFD. C1 controls do not exist here, neither as bytes, which are no UTF-8, nor as characters,
// which are dropped: libvterm, which shows the stream, has none in UTF-8 either.
type scanner struct {
	parser *ansi.Parser
	sinks  []sink
	part   []byte // the beginning of a character
	seq    []byte // the sequence so far, from ESC on, without controls inside it
	long   bool   // seq has more than is kept
	ending bool   // ESC has ended a string, which is to be followed by a backslash
}

func newScanner(sinks ...sink) *scanner {
	s := &scanner{parser: ansi.NewParser(), sinks: sinks}
	s.parser.SetHandler(ansi.Handler{
		Execute:   func(b byte) { s.each(func(k sink) { k.control(b) }) },
		HandleCsi: func(c ansi.Cmd, p ansi.Params) { s.each(func(k sink) { k.csi(s.sequence(), c, p) }) },
		HandleEsc: func(c ansi.Cmd) { s.each(func(k sink) { k.esc(s.sequence(), c) }) },
		HandleOsc: func(c int, data []byte) { s.each(func(k sink) { k.osc(c, data) }) },
		HandleDcs: func(c ansi.Cmd, _ ansi.Params, data []byte) { s.each(func(k sink) { k.dcs(c, data) }) },
	})
	return s
}

func (s *scanner) each(f func(sink)) {
	for _, k := range s.sinks {
		f(k)
	}
}

// sequence is the sequence just found, nil if it is too long to be honest.
func (s *scanner) sequence() []byte {
	if s.long {
		return nil
	}
	return s.seq
}

// feed takes the next bytes of the stream. It keeps none of p.
func (s *scanner) feed(p []byte) {
	if len(s.part) > 0 {
		p = append(s.part, p...)
		s.part = nil
	}
	for len(p) > 0 {
		if s.parser.State() != parser.GroundState {
			p = p[s.step(p[0]):]
			continue
		}
		n := s.ground(p)
		if n == 0 {
			s.part = append([]byte(nil), p...)
			return
		}
		p = p[n:]
	}
}

// flush ends the stream: a character that was begun is one no more.
func (s *scanner) flush() {
	if s.ending || s.inString() {
		s.each(sink.lost)
	}
	if len(s.part) > 0 {
		s.part = nil
		s.each(func(k sink) { k.text([]byte("\ufffd")) })
	}
}

// ground takes text or one other thing from the beginning of p and returns its length, 0 if p is the beginning of a
// character.
func (s *scanner) ground(p []byte) int {
	if n := textLen(p); n > 0 {
		s.each(func(k sink) { k.text(p[:n]) })
		return n
	}
	if p[0] < utf8.RuneSelf {
		return s.step(p[0])
	}
	if !utf8.FullRune(p) {
		return 0
	}

	r, n := utf8.DecodeRune(p)
	if r == utf8.RuneError {
		s.each(func(k sink) { k.text([]byte("\ufffd")) })
	}

	return n
}

// textLen is how many bytes at the beginning of p are printable characters.
func textLen(p []byte) int {
	for i := 0; i < len(p); {
		switch b := p[i]; {
		case b >= 0x20 && b < 0x7f:
			i++
			continue
		case b < utf8.RuneSelf:
			return i
		}
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 || r < 0xa0 {
			return i
		}
		i += n
	}

	return len(p)
}

// step gives the parser a byte that is not text and returns 1, or 0 if it only ended a broken sequence.
//
// The parser takes bytes over 0x7f for C1 controls in some states, also those inside a character of a title, so it does
// not get to see them.
func (s *scanner) step(b byte) int {
	if b >= utf8.RuneSelf {
		switch s.parser.State() {
		case parser.OscStringState, parser.DcsStringState:
			if b == 0x9c {
				b = '?'
			}
		case parser.SosStringState, parser.PmStringState, parser.ApcStringState:
			b = '?'
		default:
			s.parser.Reset()
			return 0
		}
	}
	if b < 0x20 && s.between() && b != ansi.ESC && b != ansi.CAN && b != ansi.SUB {
		s.each(func(k sink) { k.control(b) }) // the parser would forget the prefix of the sequence that b is in
		return 1
	}

	s.watch(b)
	s.record(b)
	s.parser.Advance(b)
	return 1
}

// watch looks for a string that is none, given the next byte: one with a line break in it, or without its end.
func (s *scanner) watch(b byte) {
	inside := s.inString()
	if s.ending && b != '\\' || inside && b == '\n' {
		s.each(sink.lost)
	}
	s.ending = inside && b == ansi.ESC
}

// inString reports whether the parser is inside a title, a link, an image or the like.
func (s *scanner) inString() bool {
	switch s.parser.State() {
	case parser.OscStringState, parser.SosStringState, parser.PmStringState, parser.ApcStringState,
		parser.DcsEntryState, parser.DcsParamState, parser.DcsIntermediateState, parser.DcsStringState:
		return true
	}
	return false
}

// between reports whether the parser is inside a sequence that controls do not end.
func (s *scanner) between() bool {
	switch s.parser.State() {
	case parser.EscapeState, parser.EscapeIntermediateState,
		parser.CsiEntryState, parser.CsiParamState, parser.CsiIntermediateState:
		return true
	}
	return false
}

// record keeps b for [scanner.sequence].
func (s *scanner) record(b byte) {
	switch {
	case b == ansi.ESC:
		s.seq, s.long = append(s.seq[:0], b), false
	case b < 0x20 || b == 0x7f:
	case len(s.seq) == maxSequence:
		s.long = true
	default:
		s.seq = append(s.seq, b)
	}
}
