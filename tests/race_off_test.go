//go:build !race

package tests

import "time"

// patience is how long a story waits for what must come.
const patience = 30 * time.Second

// floodSize is how much TestTerminalFlood prints, and floodMemory by how much the host may grow.
const (
	floodSize   = 200_000_000
	floodMemory = 64 << 20
)

// playerTime is how long TestPlayer plays.
const playerTime = 30 * time.Second
