//go:build race

package tests

import "time"

// patience is how long a story waits for what must come.
const patience = 60 * time.Second

// floodSize is how much TestTerminalFlood prints: the race detector makes each byte cost twenty times as much, and the run
// without it measures the memory.
const floodSize = 20_000_000

// playerTime is how long TestPlayer plays: the run without the race detector does.
const playerTime = 0
