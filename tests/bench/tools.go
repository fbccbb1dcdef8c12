package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var tools = []measure{
	{"tool read, 1 000 lines, modified", toolRead},
	{"tool diagnostics, 100 in a file", toolDiagnostics},
	{"tools in a folder of 5 000 files", func(b *bench) { b.toolsAmong(5000, 20) }},
	{"tools in 5 000 open files", func(b *bench) { b.toolsAmong(5000, 5000) }},
}

// noteServer notes the MCP server that a session was given, for the measure.
func noteServer(dir string, request []byte) {
	_ = os.WriteFile(filepath.Join(dir, "server.part"), request, 0o600)
	_ = os.Rename(filepath.Join(dir, "server.part"), filepath.Join(dir, "server"))
}

// tools connects to the editor's tools as an agent does.
func (e *editor) tools() *sdk.ClientSession {
	data, err := os.ReadFile(filepath.Join(e.dir, "server"))
	check(err)
	var request struct {
		Params struct {
			Servers []struct {
				Command string
				Args    []string
				Env     []struct{ Name, Value string }
			} `json:"mcpServers"`
		}
	}
	check(json.Unmarshal(data, &request))
	server := request.Params.Servers[0]
	cmd := exec.Command(server.Command, server.Args...)
	cmd.Env = os.Environ()
	for _, v := range server.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}

	return connect(cmd)
}

func connect(cmd *exec.Cmd) *sdk.ClientSession {
	cmd.Stderr = os.Stderr
	s, err := sdk.NewClient(&sdk.Implementation{Name: "bench"}, nil).Connect(context.Background(), &sdk.CommandTransport{Command: cmd}, nil)
	check(err)
	return s
}

// use calls a tool and returns its text.
func use(s *sdk.ClientSession, name string, args map[string]any) string {
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: args})
	check(err)
	text, ok := r.Content[0].(*sdk.TextContent)
	if !ok || r.IsError {
		check(fmt.Errorf("%s: %v", name, r.Content[0]))
	}
	return text.Text
}

// serveFile is a server of the bare SDK with one tool, whose answer is a file.
func serveFile(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 1
	}

	s := sdk.NewServer(&sdk.Implementation{Name: "echo"}, nil)
	type in struct {
		Path string `json:"path"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "echo"}, func(context.Context, *sdk.CallToolRequest, in) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil, nil
	})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
	return 0
}

const calls = 200

// roundTrips is the median time of calls.
func roundTrips(call func()) time.Duration {
	var took []time.Duration
	for range calls {
		began := time.Now()
		call()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[calls/2]
}

// against measures a tool beside the same answer from the bare SDK.
func (b *bench) against(e *editor, name string, args map[string]any) {
	s := e.tools()
	defer s.Close()
	path := filepath.Join(e.dir, "answer")
	check(os.WriteFile(path, []byte(use(s, name, args)), 0o666))
	exe, err := os.Executable()
	check(err)
	bare := connect(exec.Command(exe, "echo", path))
	defer bare.Close()
	r := &row{limit: &row{name: "the bare SDK, the same answer"}}
	r.limit.took = roundTrips(func() { use(bare, "echo", map[string]any{"path": "x"}) })
	host := e.host()
	neovims, hosts := cpu(e.pid), cpu(host)
	r.took = roundTrips(func() { use(s, name, args) })
	r.cpu, r.host = (cpu(e.pid)-neovims)/calls, (cpu(host)-hosts)/calls
	e.watched(r, false, func() { roundTrips(func() { use(s, name, args) }) }) // by itself: who watches takes time too
	b.named(r)
}

func toolRead(b *bench) {
	e, path := b.big(1000)
	e.run(`vim.api.nvim_buf_set_lines(1, 0, 1, false, { "typed" })`)
	b.against(e, "read", map[string]any{"path": path})
}

func toolDiagnostics(b *bench) {
	e, path := b.big(1000)
	e.run(`bench.serve(100)`)
	b.against(e, "diagnostics", map[string]any{"path": path})
}

// toolsAmong uses each tool that asks nobody where there are so many files, and so many are open, and says how Neovim answered
// meanwhile.
func (b *bench) toolsAmong(all, open int) {
	e, path := b.big(1000)
	for i := range all - open {
		dir := filepath.Join(e.dir, "src", fmt.Sprint(i/100))
		check(os.MkdirAll(dir, 0o777))
		check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.txt", i)), []byte("one\ntwo\n"), 0o666))
	}

	// That of Neovim 0.12 counts the diagnostics of all buffers each time that it is drawn.
	e.run(`vim.o.statusline = "%f" bench.serve(100) bench.open(...)`, open)
	closed := filepath.Join(e.dir, "closed.txt")
	check(os.WriteFile(closed, []byte("one\ntwo\n"), 0o666))
	var places []map[string]any
	for i := range 100 {
		places = append(places, map[string]any{"path": path, "line": i + 1, "text": "a place of some words"})
	}

	s := e.tools()
	defer s.Close()
	worst := &row{gaps: &gaps{}}
	var took time.Duration
	for _, call := range []struct {
		tool string
		args map[string]any
	}{
		{"buffers", nil},
		{"read", map[string]any{"path": path}},
		{"read", map[string]any{"path": closed}},
		{"diagnostics", map[string]any{"path": path}},
		{"diagnostics", nil},
		{"references", map[string]any{"path": path, "symbol": "text"}},
		{"symbols", map[string]any{"path": path}},
		{"hover", map[string]any{"path": path, "symbol": "text"}},
		{"quickfix", map[string]any{"items": places}},
		{"quickfix", nil},
		{"annotate", map[string]any{"items": places}},
		{"open", map[string]any{"path": closed, "line": 2}},
		{"edit", map[string]any{"path": closed, "old": "two", "new": "three"}},
	} {
		r := &row{}
		e.watched(r, false, func() {
			began := time.Now()
			use(s, call.tool, call.args)
			r.took = time.Since(began)
		})
		took += r.took
		if r.gaps.Busy > worst.gaps.Busy {
			worst, r.note = r, fmt.Sprintf("%s: %.1f ms of Neovim's own", call.tool, r.gaps.Busy)
		}
		if os.Getenv("BENCH_EACH") != "" {
			fmt.Fprintf(os.Stderr, "%-12s %8s  gap %.1f/%.1f busy %.1f no core %s\n", call.tool, ms(r.took), r.gaps.P99, r.gaps.Max, r.gaps.Busy, ms(r.queued))
		}
	}

	worst.took = took
	b.named(worst)
}
