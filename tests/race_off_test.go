//go:build !race

package tests

// floodSize is how much TestTerminalFlood prints.
const floodSize = 200_000_000
