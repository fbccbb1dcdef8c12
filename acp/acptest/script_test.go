package acptest

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A turn with a file read and a permission follows the script.
func TestScriptTurn(t *testing.T) {
	c := script(t, `
# The usual start.
< initialize {"clientCapabilities": {"fs": {"readTextFile": true}, "terminal": null}}
> {"protocolVersion": 1}
< session/new
> {"sessionId": "s"}
< session/prompt {"prompt": [{"type": "text", "text": "hi"}]}
> session/update {"sessionId": "s",
	"update": {"sessionUpdate": "plan", "entries": []}}
> request fs/read_text_file {"path": "$CWD/a.go"}
> request session/request_permission {"sessionId": "s"}
< $2 {"outcome": {"outcome": "selected", "optionId": "$option"}}
< {"content": "x"}
> {"stopReason": "$option"}
`)
	c.send(request(0, "initialize", `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"more":1}}}`))
	c.want(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion": 1}}`)
	c.send(request(1, "session/new", `{"cwd":"/a \"b\"","mcpServers":[]}`))
	c.want(`{"jsonrpc":"2.0","id":1,"result":{"sessionId": "s"}}`)
	c.send(request(2, "session/prompt", `{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`))
	c.want(
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId": "s", "update": {"sessionUpdate": "plan", "entries": []}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"path": "/a \"b\"/a.go"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/request_permission","params":{"sessionId": "s"}}`,
	)
	c.send(`{"jsonrpc":"2.0","id":2,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":"x"}}`)
	c.want(`{"jsonrpc":"2.0","id":2,"result":{"stopReason": "yes"}}`)
	if err := c.leave(); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

// Requests can be answered in any order, and allowed ones may come at any time.
func TestScriptOrder(t *testing.T) {
	c := script(t, `
allow session/set_mode
allow session/cancel
< a
< b
< c
> error {"code": -32000, "message": "no"}
> answer a {"n": 1}
> {"n": 2}
any < d
> {}
< eof
`)
	c.send(request(1, "a", `{}`), request(7, "session/set_mode", `{}`))
	c.want(`{"jsonrpc":"2.0","id":7,"result":{}}`)
	c.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{}}`, request(2, "b", `{}`), request(3, "c", `{}`))
	c.want(`{"jsonrpc":"2.0","id":3,"error":{"code": -32000, "message": "no"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"n": 1}}`, `{"jsonrpc":"2.0","id":2,"result":{"n": 2}}`)
	c.send(request(4, "other", `{}`))
	c.want(`{"jsonrpc":"2.0","id":4,"error":` + string(notFound) + `}`)
	c.send(`{"jsonrpc":"2.0","method":"note"}`, request(5, "d", `{}`))
	c.want(`{"jsonrpc":"2.0","id":5,"result":{}}`)
	if err := c.leave(); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

// A script can send lines that are not JSON-RPC, and repeat lines.
func TestScriptRaw(t *testing.T) {
	c := script(t, `
raw Starting up...
< a
raw {"id":$id,"result":"by hand"}
repeat 2
repeat 1
> n {"i": $i}
end
end
bytes "{\"jsonrpc\":"
bytes "\"2.0\"}\n"
exit 4
`)
	c.want("Starting up...")
	c.send(`{"jsonrpc":"2.0","id":"x\"y","method":"a"}`)
	c.want(`{"id":"x\"y","result":"by hand"}`, `{"jsonrpc":"2.0","method":"n","params":{"i": 1}}`,
		`{"jsonrpc":"2.0","method":"n","params":{"i": 1}}`, `{"jsonrpc":"2.0"}`)
	if err := c.wait(); ExitStatus(err) != 4 {
		t.Errorf("got %v, want exit status 4", err)
	}
}

// A script writes files and waits for them.
func TestScriptFiles(t *testing.T) {
	folder := t.TempDir()
	c := script(t, `
< session/new
write $CWD/in/a.txt "one\ntwo $CWD\n"
> {}
wait $CWD/go
> went
`)
	c.send(request(1, "session/new", `{"cwd":"`+folder+`"}`))
	c.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	text, err := os.ReadFile(filepath.Join(folder, "in", "a.txt"))
	if got, want := string(text), "one\ntwo "+folder+"\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if err := os.WriteFile(filepath.Join(folder, "go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c.want(`{"jsonrpc":"2.0","method":"went"}`)
	if err := c.leave(); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

// A mismatch reports the expected message, the actual one, and where they differ.
func TestScriptMismatch(t *testing.T) {
	tests := []struct {
		name, script, send, reason string
	}{
		{"method", "< a", request(1, "b", `{}`), `method: got "b", want "a"`},
		{"field", `< a {"x": {"y": [1, {"z": "1"}]}}`, request(1, "a", `{"x":{"y":[1,{"z":"2"}]}}`), `.x.y[1].z: got "2", want "1"`},
		{"array", `< a {"x": [1]}`, request(1, "a", `{"x":[1,2]}`), `.x: got [1,2], want [1]`},
		{"missing", `< a {"x": 1}`, request(1, "a", `{}`), `.x: got null, want 1`},
		{"absent", `< a {"x": null}`, request(1, "a", `{"x":1}`), `.x: got 1, want null`},
		{"variable", `< a {"x": "$v", "y": "$v"}`, request(1, "a", `{"x":1,"y":2}`), `.y: got 2, want "1"`},
		{"answer", "> request r\n< {}", `{"id":1,"error":{"code":1,"message":""}}`, "a result is not an error"},
		{"unasked", "< {}", `{"id":1,"result":{}}`, "it answers nothing that was asked"},
		{"at the end", "", request(1, "a", `{}`), "expected no request after the last line"},
		{"not json", "< a", "}", `method: got "", want "a"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := Script(context.Background(), strings.NewReader(test.script), strings.NewReader(test.send), io.Discard, ScriptOpts{})
			var mismatch *MismatchError
			if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), test.reason) || ExitStatus(err) != 3 {
				t.Errorf("got %v, want a mismatch with %q", err, test.reason)
			}
		})
	}
}

// A script with a mistake is refused, with the line.
func TestScriptMistakes(t *testing.T) {
	tests := []struct {
		name, script, want string
	}{
		{"word", "\nfoo", `script:2: unknown word "foo"`},
		{"end", "end", "script:1: end without repeat"},
		{"repeat", "repeat 2", "script:1: repeat without end"},
		{"continuation", " x", "script:1: nothing to continue"},
		{"json", "> a {", "script:1: >: not JSON: {"},
		{"nothing open", "> {}", "script:1: >: no request is open"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := Script(context.Background(), strings.NewReader(test.script), strings.NewReader(""), io.Discard, ScriptOpts{})
			if err == nil || err.Error() != test.want || ExitStatus(err) != 1 {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// A script writes to standard error and the log, and hang ends with the context.
func TestScriptLogAndHang(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var stderr, log strings.Builder
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() { // ends by cancel
		text := "stderr oops\n< a\n> {}\nhang"
		done <- Script(ctx, strings.NewReader(text), strings.NewReader(request(1, "a", "{}")), in, ScriptOpts{Stderr: &stderr, Log: &log})
	}()
	answer := make([]byte, 100)
	if _, err := out.Read(answer); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if got, want := stderr.String(), "oops\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := "< " + request(1, "a", "{}") + "\n> {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
	if got := log.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
