package acp

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A session/update is read alike in one pass and member by member, or refused for the same reason.
func TestUpdateInOnePass(t *testing.T) {
	const update = `{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}}`
	for _, c := range []struct {
		line string
		want string // texts of the updates that arrive
		log  string // of what is ignored
	}{
		{`{"jsonrpc":"2.0","method":"session/update","params":` + update + `}`, "hi", ""},
		{`{"params":` + update + `,"method":"session/update"}`, "hi", ""},
		{`{"method":"session/update","params":` + update + `,"params":` + strings.Replace(update, "hi", "ho", 1) + `}`, "ho", ""},
		{`{"method":"session/update","params":` + update + `,"method":"other"}`, "", ""},
		{`{"method":"session/update","params":` + update + `,"id":1}`, "", ""},
		{`{"method":"session/update","params":null}`, "", "sessionId: missing"},
		{`{"method":"session/update","params":[` + update + `]}`, "", "is array, not object"},
		{`{"method":"session/update","params":{"sessionId":1,"update":{}}}`, "", "sessionId: is number, not string"},
		{`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`, "unknown:plan", "update: entries: missing"},
		{`{"method":"session/update","params":` + update + `,}`, "", "{"},
		{`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk"`, "", "{"},
	} {
		t.Run(c.line, func(t *testing.T) {
			bubble(t, func(p *peer) {
				p.send(c.line + "\n")
				if got := p.client.told(); got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
				said := ""
				for _, e := range p.conn.Log().Snapshot() {
					if e.Dir == DirInfo {
						said += e.Text
					}
				}
				if !strings.Contains(said, c.log) || c.log == "" && said != "" {
					t.Errorf("the log says %q, want %q", said, c.log)
				}
			})
		})
	}
}

// Whatever the order of its members, and however often they come, a message that is read in one pass is what it is read twice.
func TestOnePass(t *testing.T) {
	members := []string{
		`"id":1`, `"method":"session/update"`, `"method":"fs/write_text_file"`, `"method":"other"`,
		`"params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}`,
		`"params":{"sessionId":"s","path":"/a","content":"b\n"}`, `"params":null`, `"params":{}`, `"result":{}`,
	}
	var list func(before []string, left int)
	list = func(before []string, left int) {
		line := []byte("{" + strings.Join(before, ",") + "}")
		got, err := parseMessage(line)
		want, wantErr := parseEnvelope(line)
		if (err == nil) != (wantErr == nil) || string(got.ID) != string(want.ID) || string(got.Method) != string(want.Method) {
			t.Fatalf("%s: %s %s, %v", line, got.ID, got.Method, err)
		}
		_, write := got.read.(*WriteTextFileRequest)
		if got.read == nil && string(got.Params) != string(want.Params) || got.read != nil && write != (got.ID != nil) {
			t.Fatalf("%s: params %s, read as %T", line, got.Params, got.read)
		}
		sameParams[SessionNotification](t, line, got, want)
		sameParams[WriteTextFileRequest](t, line, got, want)
		for _, m := range members {
			if left > 0 {
				list(append(slices.Clip(before), m), left-1)
			}
		}
	}
	list(nil, 4)
}

func sameParams[P any](t *testing.T, line []byte, got, want message) {
	t.Helper()
	if got.read != nil {
		if _, ok := got.read.(*P); !ok {
			return // they are not asked for as this type
		}
	}
	a, err := paramsOf[P](&got)
	b, wantErr := paramsOf[P](&want)
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(a, b) {
		t.Fatalf("%s: params %v, %v; want %v, %v", line, a, err, b, wantErr)
	}
}
