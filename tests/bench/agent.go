package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// agent is a synthetic agent. What it does at a prompt is in the prompt's own words: "chunks 1000" streams that many. It
// looks at nothing it need not look at and writes 64 KiB at a time, so that what is measured is the client's time.
type agent struct {
	dir     string
	answers chan []byte // the client's answers to our requests, or their beginnings; one is awaited at a time

	mu  sync.Mutex // guards out
	out *bufio.Writer
}

func playAgent(dir string) int {
	a := &agent{dir: dir, answers: make(chan []byte, 16), out: bufio.NewWriterSize(os.Stdout, 64<<10)}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	sessions := 0
	for {
		line, err := a.next(in)
		if err != nil {
			return 0
		}

		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				SessionID string
				Prompt    []struct{ Text string }
			}
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}

		result := "null"
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`
		case "session/new":
			noteServer(a.dir, line)
			sessions++
			result = fmt.Sprintf(`{"sessionId":"s%d"}`, sessions)
		case "session/load":
			a.note("first")
			a.stream(m.Params.SessionID, "load", 20_000)
		case "session/prompt":
			go func() { // until the turn is over
				a.turn(m.Params.SessionID, m.Params.Prompt[0].Text)
				a.answer(m.ID, `{"stopReason":"end_turn"}`)
			}()
			continue
		}

		a.answer(m.ID, result)
	}
}

// next is the next line that is no answer to a request of ours. Of those only the beginning is kept.
func (a *agent) next(in *bufio.Reader) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		line := bytes.Clone(part[:min(len(part), 256)])
		answer := !bytes.Contains(line, []byte(`"method"`))
		for errors.Is(err, bufio.ErrBufferFull) {
			part, err = in.ReadSlice('\n')
		}

		if err != nil {
			return nil, err
		}
		if !answer {
			return bytes.Clone(part), nil // no request to us is longer than the buffer
		}

		a.answers <- line
	}
}

func (a *agent) write(lines ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, line := range lines {
		_, _ = a.out.WriteString(line) // the client is gone: we shall hear of it
		_ = a.out.WriteByte('\n')
	}
}

func (a *agent) flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.out.Flush() // as above
}

func (a *agent) answer(id json.RawMessage, result string) {
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
	a.flush()
}

// note notes the time in a file of the agent's folder.
func (a *agent) note(name string) {
	_ = os.WriteFile(filepath.Join(a.dir, name), []byte(strconv.FormatInt(time.Now().UnixNano(), 10)), 0o666) // its reader complains
}

// turn does what a prompt says.
func (a *agent) turn(session, prompt string) {
	what, arg, _ := strings.Cut(strings.TrimSpace(prompt), " ")
	n, _ := strconv.Atoi(arg)
	switch what {
	case "paced":
		for i := range n {
			a.write(update(session, "agent_message_chunk", words(i)))
			a.flush()
			time.Sleep(10 * time.Millisecond)
		}
	case "Change":
		a.edit(session, prompt)
	case "line":
		a.write(update(session, "agent_message_chunk", strings.Repeat("0123456789abcdef", n/16)))
	case "requests":
		a.requests()
	case "run":
		a.command(session, arg)
	default:
		a.stream(session, what, n)
	}
}

// stream sends n updates.
func (a *agent) stream(session, kind string, n int) {
	for i := range n {
		switch kind {
		case "chunks":
			a.write(update(session, "agent_message_chunk", words(i)))
		case "thoughts":
			a.write(update(session, "agent_thought_chunk", words(i)))
		case "fences":
			a.write(update(session, "agent_message_chunk", fenced(i)))
		case "calls":
			a.write(call(session, i, 2))
		case "edits": // small ones, which stay open
			a.write(update(session, "agent_message_chunk", words(i)), call(session, i, 7))
		case "blocks": // an answer of 200 lines, then a call
			if i%200 == 199 {
				a.write(finished(session, i))
			}
			a.write(update(session, "agent_message_chunk", words(i)))
		case "mixed": // a line, then a call
			if i%2 == 1 {
				a.write(finished(session, i))
			} else {
				a.write(update(session, "agent_message_chunk", words(i)))
			}
		case "load": // ten lines of the user's and the agent's, in turns
			who := "agent_message_chunk"
			if i/10%2 == 0 {
				who = "user_message_chunk"
			}
			a.write(update(session, who, words(i)))
		}
	}
}

// words is a chunk of 40 bytes.
func words(i int) string {
	return fmt.Sprintf("word word word word word word %09d\n", i%1e9)[:39] + "\n"
}

// fenced is the same with ten lines of code in twenty.
func fenced(i int) string {
	switch i % 20 {
	case 4:
		return "```go\n"
	case 15:
		return "```\n"
	}
	if i%20 > 4 && i%20 < 15 {
		return fmt.Sprintf("\tif n := len(items); n > %07d { f() }\n", i)
	}
	return words(i)
}

// escape is all that the texts here need, and faster than a real encoder.
var escape = strings.NewReplacer("\n", `\n`, "\t", `\t`)

func update(session, kind, text string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":{"sessionUpdate":"` + kind +
		`","content":{"type":"text","text":"` + escape.Replace(text) + `"}}}}`
}

// call is a call that edits a file: a diff of twenty lines, one of each few changed.
func call(session string, i, few int) string {
	var old, changed strings.Builder
	for n := range 20 {
		line := fmt.Sprintf("\tif line := %d; line > len(file%d) { return \"a line\" }", n, i)
		old.WriteString(line + "\n")
		if n%few == few-1 {
			line += " // changed"
		}
		changed.WriteString(line + "\n")
	}
	texts, _ := json.Marshal(map[string]string{"type": "diff", "path": fmt.Sprintf("/src/file%d.go", i), "oldText": old.String(), "newText": changed.String()})
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"tool_call","toolCallId":"c%d",`+
		`"title":"edit file%d.go","kind":"edit","status":"completed","content":[%s]}}}`, session, i, i, texts)
}

// finished is a call of one line.
func finished(session string, i int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"tool_call","toolCallId":"f%d",`+
		`"title":"look at %d","kind":"other","status":"completed"}}}`, session, i, i)
}

// requests sends the requests in a file, one a line, and notes how long each answer took, in milliseconds.
func (a *agent) requests() {
	file, err := os.Open(a.dir + "/requests")
	if err != nil {
		return
	}

	defer func() { _ = file.Close() }() // it was only read
	var took []float64
	data, _ := io.ReadAll(file)
	for request := range bytes.SplitSeq(bytes.TrimSpace(data), []byte("\n")) {
		began := time.Now()
		a.write(string(request))
		a.flush()
		<-a.answers
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}

	text, _ := json.Marshal(took)
	_ = os.WriteFile(a.dir+"/took", text, 0o666) // its absence ends the measure
}

// command runs a command and waits for its end.
func (a *agent) command(session, line string) {
	ask := func(method string, params map[string]any) []byte {
		params["sessionId"] = session
		data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": method, "method": method, "params": params})
		a.write(string(data))
		a.flush()
		return <-a.answers
	}
	var created struct{ Result struct{ TerminalID string } }
	_ = json.Unmarshal(ask("terminal/create", map[string]any{"command": line}), &created) // what cannot be read ends the command
	ask("terminal/wait_for_exit", map[string]any{"terminalId": created.Result.TerminalID})
}
