package shell

import "strings"

// Row is a part of a command that is shown in a row: its bytes, without the line end after it.
type Row struct {
	From, To int
	Within   bool // it continues the line of the row before
	Broken   bool // its line continues in the next row
}

// fits is how many bytes a line has that needs no second row: a float and a chat beside the code have room for it.
const fits = 60

// Rows returns the rows of a command: its lines, long ones broken at operators.
func Rows(command string) []Row {
	breaks := Breaks(command)
	var rows []Row
	from := 0
	for _, line := range strings.SplitAfter(command, "\n") {
		end := from + len(line)
		stop := from + len(strings.TrimSuffix(line, "\n"))
		within := false
		for stop-from <= fits && len(breaks) > 0 && breaks[0] < end {
			breaks = breaks[1:]
		}
		for len(breaks) > 0 && breaks[0] < end {
			rows = append(rows, Row{from, breaks[0], within, true})
			from, breaks, within = breaks[0], breaks[1:], true
		}
		rows = append(rows, Row{from, stop, within, false})
		from = end
	}

	return rows
}
