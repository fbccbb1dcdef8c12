package transcript

import (
	"strconv"
	"syscall"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/input"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
	"golang.org/x/sys/unix"
)

// Fields that agents send in forms of their own: exit statuses, names of tools, questions.

// exit is the exit status of a command.
type exit struct {
	known  bool
	text   string // "exit 3", "SIGTERM"; "" after success
	killed bool   // by a signal
}

// rawExit returns the exit status of a command from the raw output of its call.
func rawExit(raw acp.Raw) exit {
	type status struct {
		Camel any `json:"exitCode"`
		Snake any `json:"exit_code"`
	}
	var out struct {
		status
		Signal   any `json:"signal"`
		Metadata struct {
			Exit any `json:"exit"`
		} `json:"metadata"`
		Contents []status `json:"contents"`
	}
	if input.TooMany(raw) {
		return exit{}
	}

	_ = acp.Unmarshal(raw, &out) // other shapes have no exit status
	var text string
	if acp.Unmarshal(raw, &text) == nil {
		if m := exitLine().FindStringSubmatch(text); m != nil { // a status beside it may only say that it failed
			return exit{known: true, text: "exit " + m[1]}
		}
	}
	if name := signalName(out.Signal); name != "" {
		return exit{known: true, text: name, killed: true}
	}

	codes := []any{out.Camel, out.Snake, out.Metadata.Exit}
	for _, c := range out.Contents {
		codes = append(codes, c.Camel, c.Snake)
	}

	e := exit{}
	for _, value := range codes {
		code, ok := value.(float64)
		if !ok {
			continue
		}
		e.known = true
		if code != 0 {
			e.text = "exit " + strconv.Itoa(int(code))
		}
	}

	return e
}

// exitLine matches the first line of output in which Claude Code says how a command has ended.
var exitLine = lazy.Regexp(`^Exit code ([1-9][0-9]*)(\n|$)`)

func signalName(v any) string {
	switch v := v.(type) {
	case float64:
		return unix.SignalName(syscall.Signal(v))
	case string:
		return plain.OneLine(v)
	}
	return ""
}

// tool has the names of a tool and its server.
type tool struct {
	name, server string
	inner        bool // it is called by the tool that was named before
}

// toolOf returns what an agent says of the tool of a call in `_meta`, or of one of an MCP server in the raw input.
func toolOf(meta acp.Meta, raw acp.Raw) tool {
	var claude struct {
		Tool   string `json:"toolName"`
		Server struct {
			Name string `json:"name"`
		} `json:"mcpServer"`
	}
	var qwen tool
	_ = acp.Unmarshal(meta["claudeCode"], &claude) // other shapes are ignored
	_ = acp.Unmarshal(meta["toolName"], &qwen.name)
	_ = acp.Unmarshal(meta["serverId"], &qwen.server)
	if claude.Tool != "" {
		return tool{name: claude.Tool, server: claude.Server.Name}
	}
	if qwen.name != "" {
		qwen.inner = true
		return qwen
	}
	if ofServer(meta) {
		codex := input.Read(raw)
		return tool{name: codex.Text("tool"), server: codex.Text("server")}
	}

	return tool{}
}

// ofServer reports whether a call is marked as one of a tool of an MCP server, which its agent takes for a command.
func ofServer(meta acp.Meta) bool { return string(meta["is_mcp_tool_call"]) == "true" }

// discrete reports whether a chunk is marked as a message of its own.
func discrete(meta acp.Meta) bool { return string(meta["qwenDiscreteMessage"]) == "true" }
