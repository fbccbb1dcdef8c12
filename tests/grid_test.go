package tests

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// grid is the screen of an attached UI, from the redraw stream (ext_linegrid). Safe for concurrent use.
type grid struct {
	mu    sync.Mutex // guards all below
	cells [][]cell
	cols  int
	// frozen is what stood on the screen at the last flush.
	frozen [][]cell
	styles map[int]style
	colors style // of what has none of its own
}

// cell is one of the screen's; the right half of a wide character has no text.
type cell struct {
	text  string
	style int
}

func newGrid() *grid { return &grid{styles: map[int]style{0: {fg: -1, bg: -1}}} }

// redraw handles one redraw notification.
func (g *grid) redraw(events ...[]any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range events {
		name, _ := e[0].(string)
		for _, args := range e[1:] {
			if a, ok := args.([]any); ok {
				g.event(name, a)
			}
		}
	}
}

func (g *grid) event(name string, a []any) {
	switch name {
	case "grid_resize":
		g.resize(number(a[1]), number(a[2]))
	case "grid_clear":
		g.resize(g.cols, len(g.cells))
	case "grid_line":
		g.line(number(a[1]), number(a[2]), a[3].([]any))
	case "grid_scroll":
		g.scroll(number(a[1]), number(a[2]), number(a[3]), number(a[4]), number(a[5]))
	case "flush":
		g.frozen = g.frozen[:0]
		for _, row := range g.cells {
			g.frozen = append(g.frozen, untimedTurn(untimed(slices.Clone(row))))
		}
	case "default_colors_set":
		g.colors = style{fg: number(a[0]), bg: number(a[1])}
	case "hl_attr_define":
		g.styles[number(a[0])] = newStyle(a[1].(map[string]any), a[3].([]any))
	}
}

// untimed removes from a row how long its call has taken, at the right: on a busy machine that is a second or more.
func untimed(row []cell) []cell {
	end := len(row)
	for end > 0 && row[end-1].text == " " {
		end--
	}
	at := end
	for at > 0 && (row[at-1].text != " " || at > 1 && row[at-2].text != " ") {
		at--
	}
	var words strings.Builder
	for _, c := range row[at:end] {
		words.WriteString(c.text)
	}
	if at > 0 && seconds.MatchString(words.String()) {
		for i := at; i < end; i++ {
			row[i] = row[at-1]
		}
	}
	return row
}

var seconds = regexp.MustCompile(`^\d{1,2} s$`)

// untimedTurn removes from the line at the end of a turn how long that has taken, which it says from 10 s on.
func untimedTurn(row []cell) []cell {
	begin := slices.IndexFunc(row, func(c cell) bool { return c.text == "✓" })
	if begin < 0 {
		return row
	}

	var words strings.Builder
	var places []int // of the cell of each byte
	for i, c := range row[begin:] {
		words.WriteString(c.text)
		places = append(places, slices.Repeat([]int{begin + i}, len(c.text))...)
	}
	m := turnTook.FindStringSubmatchIndex(words.String())
	if m == nil {
		return row
	}
	from, to := places[m[2]], places[m[3]]
	blank := cell{text: " ", style: row[len(row)-1].style}
	return append(slices.Delete(row, from, to), slices.Repeat([]cell{blank}, to-from)...)
}

var turnTook = regexp.MustCompile(`^✓ (?:\S[^│]* · )?(\d{1,2} s · )`)

func (g *grid) resize(cols, rows int) {
	g.cols = cols
	g.cells = make([][]cell, rows)
	for i := range g.cells {
		g.cells[i] = slices.Repeat([]cell{{text: " "}}, cols)
	}
}

func (g *grid) line(row, col int, cells []any) {
	style := 0
	for _, c := range cells {
		c := c.([]any)
		repeat := 1
		if len(c) > 1 {
			style = number(c[1])
		}
		if len(c) > 2 {
			repeat = number(c[2])
		}
		for range repeat {
			g.cells[row][col] = cell{c[0].(string), style}
			col++
		}
	}
}

func (g *grid) scroll(top, bottom, left, right, rows int) {
	move := func(to, from int) { copy(g.cells[to][left:right], g.cells[from][left:right]) }
	if rows > 0 {
		for r := top; r < bottom-rows; r++ {
			move(r, r+rows)
		}
		return
	}
	for r := bottom - 1; r >= top-rows; r-- {
		move(r, r+rows)
	}
}

// text is the screen at its last flush.
func (g *grid) text() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var b strings.Builder
	for _, row := range g.frozen {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.text)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func number(v any) int {
	switch v := v.(type) {
	case int64:
		return int(v)
	case uint64:
		return int(v)
	}
	return 0
}

// What stories compare says nothing of how long turns took.
func TestGridTimes(t *testing.T) {
	for _, test := range []struct{ name, row, want string }{
		{"turn", "│ ✓ 12 s · $0.04     ", "│ ✓ $0.04            "},
		{"files", "✓ 3 files +24 −7 · 12 s · $0.04", "✓ 3 files +24 −7 · $0.04       "},
		{"short", "✓ $0.04    ", "✓ $0.04    "},
		{"call", "› Read 3 files     2 s", "› Read 3 files        "},
		{"words", "it took 12 s · or so", "it took 12 s · or so"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var row []cell
			for _, r := range test.row {
				row = append(row, cell{text: string(r)})
			}
			var got strings.Builder
			for _, c := range untimedTurn(untimed(row)) {
				got.WriteString(c.text)
			}
			if got.String() != test.want {
				t.Errorf("got %q, want %q", got.String(), test.want)
			}
		})
	}
}
