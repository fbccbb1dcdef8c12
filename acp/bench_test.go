package acp

import (
	jsonv1 "encoding/json"
	"io"
	"strings"
	"testing"
)

// plainNotification is a session/update as encoding/json would have it: two passes, the variant by its tag.
type plainNotification struct {
	Method string `json:"method"`
	Params struct {
		SessionID string            `json:"sessionId"`
		Update    jsonv1.RawMessage `json:"update"`
	} `json:"params"`
}

type plainTag struct {
	Kind string `json:"sessionUpdate"`
}

type plainChunk struct {
	Content jsonv1.RawMessage `json:"content"`
}

type plainText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

var benchLines = []struct {
	name string
	line []byte
}{
	{"100B", []byte(strings.TrimSpace(chunk("hello")))},
	{"64KiB", []byte(strings.TrimSpace(chunk(strings.Repeat(`some text, \"quoted\"\n`, 3000))))},
}

// BenchmarkUpdate is a session/update from the line to the client, without the log.
func BenchmarkUpdate(b *testing.B) {
	for _, l := range benchLines {
		b.Run("ours/"+l.name, func(b *testing.B) {
			b.SetBytes(int64(len(l.line)))
			b.ReportAllocs()
			for b.Loop() {
				m, err := parseMessage(l.line)
				if err != nil {
					b.Fatal(err)
				}
				if m.read == nil {
					b.Fatal("not read in one pass")
				}
			}
		})
		b.Run("v1/"+l.name, func(b *testing.B) {
			b.SetBytes(int64(len(l.line)))
			b.ReportAllocs()
			for b.Loop() {
				var n plainNotification
				var tag plainTag
				var c plainChunk
				var text plainText
				for _, step := range []struct {
					raw  []byte
					into any
				}{{l.line, &n}, {nil, &tag}, {nil, &c}, {nil, &text}} {
					switch step.into {
					case &tag, &c:
						step.raw = n.Params.Update
					case &text:
						step.raw = c.Content
					}
					if err := jsonv1.Unmarshal(step.raw, step.into); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkConn is the same through a connection, with the log.
func BenchmarkConn(b *testing.B) {
	for _, l := range benchLines {
		b.Run(l.name, func(b *testing.B) {
			r, out := io.Pipe()
			seen := make(chan struct{}, 1)
			left := 0
			client := &recorder{onUpdate: func(*SessionNotification) {
				if left--; left == 0 {
					seen <- struct{}{}
				}
			}}
			c := NewConn(r, nopCloser{}, client, Options{})
			defer func() { _ = c.Close() }()
			const burst = 100
			text := []byte(strings.Repeat(string(l.line)+"\n", burst))
			b.SetBytes(int64(len(l.line)))
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; n < b.N; n += burst {
				left = burst
				if _, err := out.Write(text); err != nil {
					b.Fatal(err)
				}
				<-seen
			}
		})
	}
}

type nopCloser struct{}

func (nopCloser) Write(p []byte) (int, error) { return len(p), nil }
func (nopCloser) Close() error                { return nil }
