// Package acp speaks version 1 of the Agent Client Protocol, client side, to one agent: JSON-RPC 2.0, one message a line.
//
// Package host is its caller: it starts an agent with [Start] and implements [Client]. A [Conn] owns one read and one write
// goroutine and one goroutine for each open request of the agent; an [Agent] owns two more, which read the agent's standard
// error and wait for its process. All of them end with the connection.
//
// Decoding follows the leniency of the official schema. In the types, the tag `acp:"required"` marks a field whose absence
// fails the message, and `acp:"lax"` one whose malformed value reads as absent and whose malformed items are skipped.
// Names match exactly; of duplicate names the last counts, of a union's tag the first; unknown names are ignored; invalid
// UTF-8 becomes U+FFFD; null reads as absent. Enumerations keep values that are not known.
//
// JSON is read and written by github.com/go-json-experiment/json: against encoding/json a session/update takes less than
// half the time at 100 bytes and a fifth at 64 KiB (see the benchmarks), and it never escapes for HTML.
package acp
