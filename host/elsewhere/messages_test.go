package elsewhere

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

func mapper(t *testing.T) messages {
	t.Helper()
	m, err := NewMap("box", []Share{
		{Here: "/here", There: "/there", Access: Writable},
		{Here: "/lib", There: "/lib", Access: ReadOnly},
		{Here: "/only", There: "/far", Access: Named},
	})
	if err != nil {
		t.Fatal(err)
	}
	return messages{Map: m, label: "box", denied: "denied", left: func(acp.MCPServer, error) {}}
}

// What an agent asks for outside of what is shared is refused by its name (behaviour 444).
func TestRefused(t *testing.T) {
	read := func(path string) any { return &acp.ReadTextFileRequest{Path: path} }
	write := func(path string) any { return &acp.WriteTextFileRequest{Path: path} }
	run := func(dir string) any { return &acp.CreateTerminalRequest{Cwd: dir} }
	tests := []struct {
		name    string
		message any
		want    string // of the error; "": there is none
	}{
		{"read", read("/there/x"), ""},
		{"read outside", read("/etc/passwd"), "/etc/passwd is not shared with box"},
		{"read upwards", read("/there/../here/x"), "/there/../here/x is not shared with box"},
		{"read of here", read("/here/x"), "/here/x is not shared with box"},
		{"relative", read("x"), `path "x" is not absolute`},
		{"read-only", read("/lib/x"), ""},
		{"write of read-only", write("/lib/x"), "/lib/x is read-only for box"},
		{"only there", read("/far/x"), "/far/x: the files are only on box, and not in the editor"},
		{"command only there", run("/far/x"), ""},
		{"command in no folder", run(""), ""},
		{"command outside", run("/tmp"), "/tmp is not shared with box"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := mapper(t).incoming(tt.message)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if err != nil && !acp.IsCode(err, acp.CodeInvalidParams) {
				t.Errorf("it has another code: %v", err)
			}
		})
	}
}

// What is only shown is shown, by a name that leads nowhere here, and what cannot be opened here is left out.
func TestShown(t *testing.T) {
	text := "Exit code 1\nsh: 1: cannot create /usr/x: Read-only file system"
	call := &acp.ToolCallUpdate{
		Status:    acp.ToolCallFailed,
		Locations: acp.Some([]acp.ToolCallLocation{{Path: "/etc/x"}, {Path: "/there/a"}, {Path: "/far/x"}, {Path: "b"}, {Path: "../b"}}),
		Content: acp.Some([]acp.ToolCallContent{
			&acp.Diff{Path: "/etc/../etc/x"}, &acp.Diff{Path: "../../x"}, &acp.Content{Content: &acp.ResourceLink{URI: "file:///etc/x"}},
			&acp.Content{Content: &acp.EmbeddedResource{Resource: &acp.TextResourceContents{URI: "file:///far/x"}}},
			&acp.Content{Content: acp.Text(text)},
		}),
	}
	if err := mapper(t).incoming(&acp.SessionNotification{Update: call}); err != nil {
		t.Fatal(err)
	}
	got, err := acp.Marshal(call)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"locations":[{"path":"/here/a"},{"path":"b"}]`, `"path":"box:/etc/x"`, `"path":"box:/x"`, `"uri":"box:/etc/x"`, `"uri":"box:/far/x"`,
		`"text":"denied"`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("there is no %s in %s", want, got)
		}
	}
}

// A session is opened only in a folder that the agent has, and is told only of servers that it can start; ours stays as it is.
func TestOpens(t *testing.T) {
	var left []string
	m := mapper(t)
	m.left = func(server acp.MCPServer, _ error) { left = append(left, server.(*acp.MCPServerStdio).Name) }
	ours := &acp.NewSessionRequest{Cwd: "/here/a", AdditionalDirectories: []string{"/lib"}, MCPServers: []acp.MCPServer{
		&acp.MCPServerStdio{Name: "one", Command: "/usr/bin/one"}, &acp.MCPServerStdio{Name: "two", Command: "/here/two"}, &acp.MCPServerHTTP{Name: "web"},
	}}
	before, _ := acp.Marshal(ours)
	got, err := m.outgoing(ours)
	if err != nil {
		t.Fatal(err)
	}
	sent := got.(*acp.NewSessionRequest)
	if len(sent.MCPServers) != 2 || sent.MCPServers[0].(*acp.MCPServerStdio).Command != "/there/two" || sent.Cwd != "/there/a" || strings.Join(left, " ") != "one" {
		t.Errorf("got %+v, left out %v", sent, left)
	}
	if after, _ := acp.Marshal(ours); string(after) != string(before) {
		t.Errorf("ours has become %s", after)
	}
	for _, bad := range []any{
		&acp.NewSessionRequest{Cwd: "/etc"}, &acp.NewSessionRequest{Cwd: "/here", AdditionalDirectories: []string{"/etc"}},
		&acp.PromptRequest{Prompt: []acp.ContentBlock{&acp.ResourceLink{URI: "file:///etc/x"}}},
		&acp.PromptRequest{Prompt: []acp.ContentBlock{&acp.ResourceLink{URI: "file:///only/x"}}},
	} {
		if _, err := m.outgoing(bad); err == nil {
			t.Errorf("%T is sent: %+v", bad, bad)
		}
	}
	list := &acp.ListSessionsResponse{Sessions: []acp.SessionInfo{{Cwd: "/there/a"}, {Cwd: "/root"}, {Cwd: "/far/b"}}}
	if err := m.incoming(list); err != nil || len(list.Sessions) != 2 || list.Sessions[0].Cwd != "/here/a" || list.Sessions[1].Cwd != "/only/b" {
		t.Errorf("got %+v, %v", list, err)
	}
}
