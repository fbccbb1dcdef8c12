package acp

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Any bytes as an agent's output do no harm, at any split (behaviour 132).
func FuzzConn(f *testing.F) {
	for _, s := range []string{
		chunk("a"), "banner\n", "[]\n", "{}\n", "\r\n\x00\xff\n",
		permission("1", "x"),
		`{"id":1,` + readOf + "\n",
		`{"jsonrpc":"2.0","id":1,"result":null}` + "\n",
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"x","data":{"details":"y"}}}` + "\n",
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}` + "\n",
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","content":[{"type":"diff","path":"/a","newText":"n"}]}}}` + "\n",
		`{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"properties":{"a":{"type":"string"}}}}}` + "\n",
	} {
		f.Add([]byte(s), uint8(7))
	}
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		r, out := io.Pipe()
		var back bytes.Buffer
		written := &closeBuffer{Buffer: &back}
		c := NewConn(r, written, &recorder{}, Options{MaxLine: 1 << 16})
		answers := 0
		c.StartNewSession(&NewSessionRequest{}, func(*NewSessionResponse, error) { answers++ })
		c.Prompt(&PromptRequest{}, func(*PromptResponse, error) { answers++ })
		for rest := in; len(rest) > 0; {
			n := min(int(step)+1, len(rest))
			if _, err := out.Write(rest[:n]); err != nil {
				break // the connection has given up
			}
			rest = rest[n:]
		}
		_ = out.Close()
		select {
		case <-c.Done():
		case <-time.After(10 * time.Second):
			t.Fatal("the connection hangs")
		}
		_ = c.Close()
		if answers != 2 {
			t.Errorf("%d answers to 2 calls", answers)
		}
		for line := range strings.Lines(back.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("wrote %q", line)
			}
		}
	})
}

// closeBuffer is written by one goroutine and read after it has ended.
type closeBuffer struct{ *bytes.Buffer }

func (closeBuffer) Close() error { return nil }

// An update that decodes is encoded and reads the same; as a message it is read in one pass.
func FuzzUpdate(f *testing.F) {
	for _, s := range []string{
		`{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}`,
		`{"sessionId":"s","update":{"content":[],"sessionUpdate":"tool_call_update","toolCallId":"c","locations":null,"rawInput":{"a":[1,2.50]}}}`,
		`{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"type":"select","id":"a","name":"A","currentValue":"x","options":[{"group":"g","name":"G","options":[]}]}]}}`,
		`{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"c","status":"x","summary":[{"type":"odd"}],"error":null,"_meta":null}}`,
		`{"sessionId":"s","update":{"sessionUpdate":"_x","sessionUpdate":"plan"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var first, second SessionNotification
		if Unmarshal(in, &first) != nil {
			return
		}
		m, err := parseMessage(slices.Concat([]byte(`{"method":"session/update","params":`), in, []byte("}")))
		if err != nil || !reflect.DeepEqual(m.read, &first) {
			t.Errorf("%q in a message: %v", in, err)
		}
		once, err := Marshal(&first)
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		if bytes.IndexByte(once, '\n') >= 0 {
			t.Errorf("%q is not one line", once)
		}
		if err := Unmarshal(once, &second); err != nil {
			t.Fatalf("%q: %v", once, err)
		}
		again, err := Marshal(&second)
		if err != nil || !bytes.Equal(once, again) {
			t.Errorf("\n got %s\nwant %s (%v)", again, once, err)
		}
	})
}

// Lines are read as they were written, however the stream is split.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n  c"), uint8(1))
	f.Add(bytes.Repeat([]byte("x"), 100), uint8(255))
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		lines := newLineReader(&stepReader{in, int(step) + 1}, 16, 1<<20)
		var got, want []string
		for {
			line, err := lines.next()
			if len(line) > 0 {
				got = append(got, string(line))
			}
			if err != nil {
				break
			}
		}
		for line := range bytes.Lines(in) {
			if line = clean(line); len(line) > 0 {
				want = append(want, string(line))
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// stepReader returns a few bytes at a time.
type stepReader struct {
	rest []byte
	step int
}

func (r *stepReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.step)], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
