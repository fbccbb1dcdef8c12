package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// rawAgent is an agent for benchmarks: at a prompt it sends the requests in the file that its first argument names, one a
// line, and notes in the second's how long each answer took, in milliseconds. It looks at nothing it need not look at, so
// that what is measured is the client's time.
func rawAgent() int {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		result := `{"protocolVersion":1,"sessionId":"s"}`
		if m.Method == "session/prompt" {
			if err := playFile(in, os.Args[1], os.Args[2]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			result = `{"stopReason":"end_turn"}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}

func playFile(in *bufio.Reader, requests, took string) error {
	data, err := os.ReadFile(requests)
	if err != nil {
		return err
	}
	data, err = json.Marshal(playRaw(in, bytes.Split(bytes.TrimSpace(data), []byte("\n"))))
	if err != nil {
		return err
	}
	return os.WriteFile(took, data, 0o666)
}

func playRaw(in *bufio.Reader, requests [][]byte) (took []float64) {
	for _, r := range requests {
		r = append(r[:len(r):len(r)], '\n')
		began := time.Now()
		if _, err := os.Stdout.Write(r); err != nil {
			return took
		}
		for { // to the end of the one line that answers
			if _, err := in.ReadSlice('\n'); err == nil {
				break
			} else if err != bufio.ErrBufferFull {
				return took
			}
		}
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	return took
}

// rawRequest is a request of a raw agent's.
func rawRequest(id int, method, path, content string) []byte {
	params := map[string]any{"sessionId": "s", "path": path}
	if method == "fs/write_text_file" {
		params["content"] = content
	}
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return append(data, '\n')
}

// playTurns plays b.N turns of the raw agent: in each, the user does something first, then the agent sends its requests. It
// reports the median of the times that the last request of each turn took, and the longest stall.
func playTurns(b *testing.B, e *editor, dir, user string, requests func(turn int) []byte) {
	b.Helper()
	var times []float64
	stall := 0.0
	for turn := range b.N {
		b.StopTimer()
		if err := os.WriteFile(filepath.Join(dir, "requests"), requests(turn), 0o666); err != nil {
			b.Fatal(err)
		}
		if _, err := e.lua(user); err != nil {
			b.Fatal(err)
		}
		w := watchStalls(e)
		b.StartTimer()
		if _, err := e.lua(`require("nvim-acp").prompt("go")`); err != nil {
			b.Fatal(err)
		}
		if err := e.wait(`require("nvim-acp").status().state == "idle"`); err != nil {
			b.Fatal(err)
		}
		stall = max(stall, w.end())
		var took []float64
		data, err := os.ReadFile(filepath.Join(dir, "took"))
		if err == nil {
			err = json.Unmarshal(data, &took)
		}
		if err != nil || len(took) == 0 {
			b.Fatalf("%d answers, %v", len(took), err)
		}
		times = append(times, took[len(took)-1])
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "ms")
	b.ReportMetric(stall, "stall-ms")
}
