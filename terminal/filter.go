package terminal

import (
	"bytes"
	"fmt"
	"image/color"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// What of a stream the view gets: controls, control functions without and with the prefix '?', and escapes by their
// intermediate and final byte. Everything else is dropped: the bell, queries, window operations, key protocols, and the
// strings (behaviour 224). A repetition is written out: Neovim's terminal loops for ever on one that has nothing to repeat, as at the
// beginning of a view, or after a skip.
const (
	viewControls = "\b\t\n\v\f\r\x0e\x0f"
	viewCSI      = "@ABCDEFGHIJKLMPSTXZ`adefghlmrs"
	viewPrivate  = "hlJK"
)

// maxLink is how long a link may be.
const maxLink = 2048

var viewEscapes = []string{"7", "=", ">", "D", "E", "H", "M", "c", "#8", "(0", "(A", "(B", ")0", ")A", ")B"}

// saveCursor and restoreCursor are what views get for all ways to do so. ESC 8 would take the cursor below a window that has become lower,
// and then end Neovim; after a control function it is within the window. CSI s and CSI u alone mean nothing to Neovim's terminal.
const saveCursor, restoreCursor = "\x1b7", "\x1b[?1048l"

// filter passes on what a view may show, and answers what a program asks its terminal.
type filter struct {
	emit   func(unit []byte)  // takes whole characters and sequences, and keeps none
	answer func(reply string) // nil if nobody asks
	cursor func() (y, x int)  // from 1
	size   func() (y, x int)
	colors [2]color.Color // foreground and background
	osc52  bool
	last   rune // the last character, for a repetition
}

// format are the characters without cells that Neovim shows as <200b> and the like: 0.12 gives each six cells in a terminal, and ends
// where that has fewer. Joiners among them are drawn with the character before them, but not if that came in a part of its own.
var format = &unicode.RangeTable{R16: []unicode.Range16{
	{0x070f, 0x070f, 1},
	{0x180b, 0x180e, 1},
	{0x200b, 0x200f, 1},
	{0x202a, 0x202e, 1},
	{0x2060, 0x206f, 1},
	{0xfeff, 0xfeff, 1},
	{0xfff9, 0xfffb, 1},
}}

// text passes on all characters but those of format.
func (f *filter) text(p []byte) {
	isFormat := func(r rune) bool { return unicode.Is(format, r) }
	for len(p) > 0 {
		n := bytes.IndexFunc(p, isFormat)
		if n < 0 {
			n = len(p)
		}
		if n > 0 {
			f.last, _ = utf8.DecodeLastRune(p[:n])
			f.emit(p[:n])
		}
		p = bytes.TrimLeftFunc(p[n:], isFormat)
	}
}

// region sets the scrolling region of a view. It always begins at the top: Neovim crashes at a region that begins below its window, which
// the user may make smaller at any time.
func region(p ansi.Params) []byte {
	top, _, _ := p.Param(0, 1)
	if bottom := count(p, 1); top <= 1 && bottom > 1 {
		return fmt.Appendf(nil, "\x1b[1;%dr", bottom)
	}
	return []byte("\x1b[r")
}

// repeat writes the last character n more times, at most a screen of it.
func (f *filter) repeat(n int) {
	if f.last == 0 || width(f.last) == 0 {
		return
	}
	y, x := f.size()
	f.emit([]byte(strings.Repeat(string(f.last), max(min(n, y*x), 0))))
}

func (f *filter) control(b byte) {
	if strings.IndexByte(viewControls, b) >= 0 {
		f.emit([]byte{b})
	}
}

func (f *filter) csi(seq []byte, cmd ansi.Cmd, p ansi.Params) {
	if f.query(cmd, p) || !wellFormed(seq) {
		return
	}

	allowed := viewCSI
	switch {
	case cmd.Intermediate() != 0:
		if s := string(seq[len(seq)-2:]); s == " q" || s == "!p" && cmd.Prefix() == 0 {
			f.emit(seq)
		}
		return
	case cmd.Prefix() == '?':
		allowed = viewPrivate
	case cmd.Prefix() != 0:
		return
	}

	switch {
	case cmd.Prefix() != 0:
	case cmd.Final() == 'b':
		f.repeat(count(p, 0))
		return
	case cmd.Final() == 'r':
		f.emit(region(p))
		return
	case cmd.Final() == 's' && len(p) == 0:
		f.emit([]byte(saveCursor))
		return
	case cmd.Final() == 'u':
		f.emit([]byte(restoreCursor))
		return
	}

	if strings.IndexByte(allowed, cmd.Final()) >= 0 && !synchronized(cmd, p) {
		f.emit(seq)
	}
}

// csiForm is a control function with nothing out of place, which terminals would read in different ways.
var csiForm = lazy.Regexp(`^\x1b\[[<-?]?[0-9:;]*[ -/]?[@-~]$`)

// wellFormed reports whether seq, which may be nil, is a whole control function. Most are plain colours.
func wellFormed(seq []byte) bool {
	for i := 2; i < len(seq); i++ {
		if b := seq[i]; b < '0' || b > ';' {
			return i == len(seq)-1 && b >= '@' || csiForm().Match(seq)
		}
	}
	return false
}

// synchronized is the mode that holds drawing back until it is reset, which a skip could lose.
func synchronized(cmd ansi.Cmd, p ansi.Params) bool {
	mode, _, _ := p.Param(0, 0)
	return cmd.Prefix() == '?' && mode == 2026
}

func (f *filter) esc(seq []byte, _ ansi.Cmd) {
	if string(seq) == "\x1b8" {
		f.emit([]byte(restoreCursor))
	}
	for _, e := range viewEscapes {
		if len(seq) > 1 && string(seq[1:]) == e {
			f.emit(seq)
		}
	}
}

func (f *filter) lost() {}

// osc passes links, and the clipboard if that is wanted.
func (f *filter) osc(cmd int, data []byte) {
	switch cmd {
	case 8:
		if len(data) > maxLink || !printable(data) || !bytes.HasPrefix(data, []byte("8;")) {
			data = []byte("8;;")
		}
		f.emit(fmt.Appendf(nil, "\x1b]%s\x1b\\", data))
	case 52:
		if f.osc52 && len(data) < 64<<10 && printable(data) && !bytes.HasSuffix(data, []byte(";?")) {
			f.emit(fmt.Appendf(nil, "\x1b]%s\x1b\\", data))
		}
	case 4, 10, 11:
		f.queryColor(cmd, strings.Split(string(data), ";"))
	}
}

// printable reports whether data is text without controls, so that it cannot end the string that it is put in.
func printable(data []byte) bool { return utf8.Valid(data) && textLen(data) == len(data) }

// query answers a control function that asks something, and reports whether it was one.
func (f *filter) query(cmd ansi.Cmd, p ansi.Params) bool {
	n, _, _ := p.Param(0, 0)
	prefix := ""
	if c := cmd.Prefix(); c != 0 {
		prefix = string(rune(c))
	}
	switch string(rune(cmd.Final())) {
	case "c":
		f.attributes(prefix, n)
	case "n":
		f.status(prefix, n)
	case "p":
		if cmd.Intermediate() != '$' {
			return false
		}
		f.reply("\x1b[%s%d;0$y", prefix, n) // mode not recognised
	case "q":
		if prefix != ">" {
			return false
		}
		f.reply("\x1bP>|nvim-acp\x1b\\")
	case "t":
		if n == 18 {
			y, x := f.size()
			f.reply("\x1b[8;%d;%dt", y, x)
		}
	default:
		return false
	}

	return true
}

// attributes answers the question what terminal this is.
func (f *filter) attributes(prefix string, n int) {
	switch {
	case n != 0:
	case prefix == "":
		f.reply("\x1b[?62;22c") // a VT220 with colour
	case prefix == ">":
		f.reply("\x1b[>0;100;0c")
	case prefix == "=":
		f.reply("\x1bP!|00000000\x1b\\")
	}
}

// status answers whether all is well and where the cursor is.
func (f *filter) status(prefix string, n int) {
	switch {
	case n == 5 && prefix == "":
		f.reply("\x1b[0n")
	case n == 6 && (prefix == "" || prefix == "?"):
		y, x := f.cursor()
		f.reply("\x1b[%s%d;%dR", prefix, y, x)
	}
}

// queryColor answers questions for the foreground (10), the background (11) and the palette (4); setting them does nothing.
func (f *filter) queryColor(cmd int, args []string) {
	if args[len(args)-1] != "?" {
		return
	}
	if cmd == 10 || cmd == 11 {
		f.reply("\x1b]%d;%s\x1b\\", cmd, rgb(f.colors[cmd-10]))
		return
	}
	for i := 1; i+1 < len(args) && i < 32; i += 2 {
		if n, err := strconv.ParseUint(args[i], 10, 8); err == nil && args[i+1] == "?" {
			f.reply("\x1b]4;%d;%s\x1b\\", n, rgb(ansi.IndexedColor(n)))
		}
	}
}

func rgb(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("rgb:%04x/%04x/%04x", r, g, b)
}

// dcs answers questions for settings and for capabilities with "no".
func (f *filter) dcs(cmd ansi.Cmd, _ []byte) {
	switch {
	case cmd.Final() == 'q' && cmd.Intermediate() == '$':
		f.reply("\x1bP0$r\x1b\\")
	case cmd.Final() == 'q' && cmd.Intermediate() == '+':
		f.reply("\x1bP0+r\x1b\\")
	}
}

func (f *filter) reply(format string, args ...any) {
	if f.answer != nil {
		f.answer(fmt.Sprintf(format, args...))
	}
}
