package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// The log keeps the last 2000 messages (behaviour 12).
func TestLogIsBounded(t *testing.T) {
	l := NewLog(0)
	for i := range 5000 {
		l.Add(Entry{Dir: DirRecv, Text: fmt.Sprint(i)})
	}
	entries := l.Snapshot()
	if len(entries) != logEntries || entries[0].Text != "3000" || entries[logEntries-1].Text != "4999" || entries[logEntries-1].Seq != 5000 {
		t.Errorf("%d entries from %q to %q", len(entries), entries[0].Text, entries[len(entries)-1].Text)
	}
}

func TestLogOfHugeMessages(t *testing.T) {
	l := NewLog(0)
	huge := strings.Repeat("x", 1<<20)
	for range 1000 {
		l.Add(Entry{Dir: DirRecv, Method: "m", Text: huge})
	}
	kept := 0
	entries := l.Snapshot()
	for _, e := range entries {
		if e.Size != 1<<20 || e.Method != "m" {
			t.Fatalf("got %+v", e)
		}
		kept += len(e.Text)
	}
	if kept > logBytes || kept < logBytes/2 {
		t.Errorf("%d bytes kept, want up to %d", kept, logBytes)
	}
	if n := len(entries[999].Text); n != logText {
		t.Errorf("the newest text has %d bytes, want %d", n, logText)
	}
	for range 3000 {
		l.Add(Entry{Dir: DirRecv, Text: "small"})
	}
	if l.bytes != 2000*len("small") {
		t.Errorf("%d bytes counted, want %d", l.bytes, 2000*len("small"))
	}
}

func TestLogStderrIsJoined(t *testing.T) {
	l := NewLog(0)
	l.Info("first")
	for range 1000 {
		l.addStderr([]byte("some words\n"))
	}
	l.Info("last")
	entries := l.Snapshot()
	if len(entries) != 3 || entries[1].Size != 11000 || entries[1].Dir != DirStderr {
		t.Errorf("%d entries", len(entries))
	}
	if said, last := l.Stderr(0); len(said) != 1 || said[0].Seq != 2 || last != 3 {
		t.Errorf("of stderr: %d entries, the last one is %d", len(said), last)
	}
	if said, last := l.Stderr(2); len(said) != 0 || last != 3 {
		t.Errorf("of stderr after that: %d entries, the last one is %d", len(said), last)
	}
}

// Both directions are logged, answers with their method and time.
func TestLogOfConnection(t *testing.T) {
	bubble(t, func(p *peer) {
		p.client.read = func(context.Context, *ReadTextFileRequest) (*ReadTextFileResponse, error) {
			<-time.After(3 * time.Second)
			return &ReadTextFileResponse{}, nil
		}
		p.conn.Prompt(&PromptRequest{SessionID: "s"}, func(*PromptResponse, error) {})
		<-time.After(2 * time.Second)
		p.send("banner\n" + `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}` + "\n" + `{"jsonrpc":"2.0","id":"r",` + readOf + "\n")
		<-time.After(4 * time.Second)
		var got []string
		for _, e := range p.conn.Log().Snapshot() {
			got = append(got, fmt.Sprintf("%s %s %s %v", e.Dir, e.Method, e.ID, e.Took))
			if e.Size != len(e.Text) {
				t.Errorf("size %d of %q", e.Size, e.Text)
			}
		}
		want := `send session/prompt 1 0s|info ignored  0s|recv session/prompt 1 2s|recv fs/read_text_file "r" 0s|send fs/read_text_file "r" 3s`
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("got %s\nwant %s", s, want)
		}
	})
}

// Secrets are masked in messages and stderr (behaviours 12, 228).
func TestSecretsAreMasked(t *testing.T) {
	const long, odd, short = "sk-0123456789", "p\"a/ss<w>ör\nd\\", "1234"
	servers := []MCPServer{
		&MCPServerStdio{Name: "a", Command: "/c", Env: []EnvVariable{{Name: "KEY", Value: long}, {Name: "ODD", Value: odd}, {Name: "PIN", Value: short}}},
		&MCPServerHTTP{Name: "b", URL: "u", Headers: []HTTPHeader{{Name: "Authorization", Value: "Bearer tok-abcdefgh"}}},
		&MCPServerSSE{Name: "c", URL: "u", Headers: []HTTPHeader{{Name: "X", Value: "header-value"}}},
	}
	bubble(t, func(p *peer) {
		p.client.elicitation = func(context.Context, *CreateElicitationRequest) (*CreateElicitationResponse, error) {
			return &CreateElicitationResponse{Action: ElicitationAccept, Content: map[string]any{"p": "my password", "n": 4711, "l": []string{"one of many"}}}, nil
		}
		log := p.conn.Log()
		log.Info("said before: " + long)
		log.Mask("configured-secret")
		log.Mask(short)
		p.conn.StartNewSession(&NewSessionRequest{Cwd: "/w", MCPServers: servers}, func(*NewSessionResponse, error) {})
		p.conn.StartLoadSession(&LoadSessionRequest{SessionID: "s", Cwd: "/w", MCPServers: servers}, func(*LoadSessionResponse, error) {})
		p.conn.StartResumeSession(&ResumeSessionRequest{SessionID: "s", Cwd: "/w", MCPServers: servers}, func(*ResumeSessionResponse, error) {})
		p.conn.StartForkSession(&ForkSessionRequest{SessionID: "s", Cwd: "/w", MCPServers: servers}, func(*ForkSessionResponse, error) {})
		go func() {
			_, _ = p.conn.Authenticate(p.t.Context(), &AuthenticateRequest{MethodID: "m", Meta: Meta{"gateway": Raw(`{"key":["gate-key-1"]}`)}}) // never answered
		}()
		p.send(`{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{}}}` + "\n")
		wire := strings.Join(p.took(), "\n")
		for _, secret := range []string{long, "Bearer tok-abcdefgh", "gate-key-1", "my password", "4711"} {
			if !strings.Contains(wire, secret) {
				t.Errorf("%q was not sent", secret)
			}
		}
		quoted, _ := Marshal(odd) // a string can be encoded
		p.send("echo " + long + " tok-abcdefgh header-value configured-secret my password one of many gate-key-1 " + odd[:9] + "\n")
		p.send(chunk(strings.Trim(string(quoted), `"`) + ` p\"a\/ss<w>ör\nd\\`))
		var all strings.Builder
		for _, e := range log.Snapshot() {
			all.WriteString(e.Text + "\n")
		}
		for _, secret := range []string{long, "tok-abcdefgh", "header-value", "configured-secret", "gate-key-1", "my password", "one of many", "4711", odd, `p\"a`, `"value":"1234"`} {
			if strings.Contains(all.String(), secret) {
				t.Errorf("the log has %q:\n%s", secret, all.String())
			}
		}
		if !strings.Contains(all.String(), `{"name":"KEY","value":"***"}`) {
			t.Errorf("the log lost the request:\n%s", all.String())
		}
	})
}

// A secret is hidden in whatever form of JSON it is written, beside others of which one is a part of another (behaviour 228).
func TestSecretForms(t *testing.T) {
	ascii := func(secret string) string { // as Python writes JSON
		var out strings.Builder
		quoted, _ := Marshal(secret)
		for _, unit := range utf16.Encode([]rune(string(quoted))) {
			if unit < utf8.RuneSelf {
				out.WriteByte(byte(unit))
			} else {
				fmt.Fprintf(&out, "\\u%04x", unit)
			}
		}
		return out.String()
	}
	for _, secret := range []string{
		"plain-secret", "with \"quotes\" in it", `back\slash\es`, "a/path/in/it", "<tag>&more;", "tab\tand\nline", "ümläute ß", "emoji 😀 here",
		"line\u2028separator", "all \"of\\ <it>/ü\n😀",
	} {
		html, _ := json.Marshal(secret)
		quoted, _ := Marshal(secret)
		for form, text := range map[string]string{
			"itself": secret, "JSON": string(quoted), "JSON for HTML": string(html), "JSON with slashes": strings.ReplaceAll(string(quoted), "/", `\/`),
			"ASCII": ascii(secret),
		} {
			var s Secrets
			s.Add(strings.ToValidUTF8(secret[:9], ""))
			s.Add(secret)
			s.Add("short")
			text = strings.Trim(text, `"`)
			if got := s.Hide("short <" + text + "> short"); got != "short <***> short" {
				t.Errorf("%q as %s: got %s", secret, form, got)
			}
		}
	}
}

// A message that was cut does not show half a secret (behaviour 228).
func TestMaskAtTheCut(t *testing.T) {
	l := NewLog(0)
	l.Mask("secret-value")
	l.Mask("secret-value-that-is-longer")
	l.Add(Entry{Dir: DirRecv, Text: strings.Repeat("x", logText-9) + "secret-value and more"})
	if got := l.Snapshot()[0].Text; strings.Contains(got, "secr") {
		t.Errorf("ends with %q", got[len(got)-12:])
	}
	l.Info("secret-value-that-is-longer secret-value")
	if got := l.Snapshot()[1].Text; got != "*** ***" {
		t.Errorf("got %q", got)
	}
}
