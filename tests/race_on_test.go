//go:build race

package tests

import "time"

// patience is how long a story waits for what must come.
const patience = 60 * time.Second

// floodSize is how much TestTerminalFlood prints, and floodMemory by how much the host may grow: the race detector makes each byte
// cost twenty times as much, and what it notes for each byte of memory counts too.
const (
	floodSize   = 20_000_000
	floodMemory = 192 << 20
)

// playerTime is how long TestPlayer plays: the run without the race detector does.
const playerTime = 0
