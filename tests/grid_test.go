package tests

import (
	"strings"
	"sync"
)

// grid is the screen of an attached UI, from the redraw stream (ext_linegrid). Safe for concurrent use.
type grid struct {
	mu    sync.Mutex // guards all below
	cells [][]string
	cols  int
	// frozen is what stood on the screen at the last flush.
	frozen []string
}

func newGrid() *grid { return &grid{} }

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
			g.frozen = append(g.frozen, strings.TrimRight(strings.Join(row, ""), " "))
		}
	}
}

func (g *grid) resize(cols, rows int) {
	g.cols = cols
	g.cells = make([][]string, rows)
	for i := range g.cells {
		g.cells[i] = make([]string, cols)
		for j := range g.cells[i] {
			g.cells[i][j] = " "
		}
	}
}

func (g *grid) line(row, col int, cells []any) {
	for _, c := range cells {
		cell := c.([]any)
		text, repeat := cell[0].(string), 1
		if len(cell) > 2 {
			repeat = number(cell[2])
		}
		for range repeat {
			g.cells[row][col] = text
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
	return strings.TrimRight(strings.Join(g.frozen, "\n"), "\n") + "\n"
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
