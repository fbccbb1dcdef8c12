package acp

import (
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
		{`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`, "", "update: entries: missing"},
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
