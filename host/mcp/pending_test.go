package mcp

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const asks = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"ask","arguments":{"question":"?"}}}
`

// socketPair returns both ends of a connection over a Unix socket.
func socketPair(t *testing.T) (ours, theirs *net.UnixConn) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	theirs, err = net.DialUnix("unix", nil, l.Addr().(*net.UnixAddr))
	if err == nil {
		ours, err = l.AcceptUnix()
	}
	if err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}

// An agent that closes its stdin has the answers to what it has asked before; one that has gone has nothing more done for it
// (behaviour 762).
func TestEndOfInput(t *testing.T) {
	ours, theirs := socketPair(t)
	go Serve(context.Background(), slowDesk{after: 100 * time.Millisecond}, "test", ours) // until the end of its input
	if _, err := io.WriteString(theirs, asks); err != nil {
		t.Fatal(err)
	}
	if err := theirs.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.SetReadDeadline(time.Now().Add(10 * time.Second))
	answers, err := io.ReadAll(theirs)
	if err != nil || !strings.Contains(string(answers), `"id":"two"`) || !strings.Contains(string(answers), "yes") {
		t.Errorf("got %s, %v", answers, err)
	}

	ours, theirs = socketPair(t)
	done := make(chan struct{})
	go func() { // until the other end is closed
		defer close(done)
		Serve(context.Background(), slowDesk{after: time.Hour}, "test", ours)
	}()
	if _, err := io.WriteString(theirs, asks); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("it goes on for an agent that has gone")
	}
}

// The end comes though nothing is answered, after a while, and at once where the agent has cancelled all.
func TestDrainIsBounded(t *testing.T) {
	before := maxDrain
	defer func() { maxDrain = before }()
	for _, test := range []struct {
		name, more string
		limit      time.Duration
	}{
		{"silent", "", 50 * time.Millisecond},
		{"cancelled", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"two"}}` + "\n", time.Hour},
	} {
		maxDrain = test.limit
		ours, theirs := socketPair(t)
		done := make(chan struct{})
		go func() { // until the end of its input, and a moment
			defer close(done)
			Serve(context.Background(), slowDesk{after: time.Hour}, "test", ours)
		}()
		if _, err := io.WriteString(theirs, asks+test.more); err != nil {
			t.Fatal(err)
		}
		if err := theirs.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Errorf("%s: it has no end", test.name)
		}
		_ = theirs.Close()
	}
}
