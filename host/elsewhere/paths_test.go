package elsewhere

import (
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

func TestPaths(t *testing.T) {
	m, err := NewMap("box", []Share{
		{Here: "/home/me/app", There: "/workspace", Access: Writable},
		{Here: "/opt/lib", There: "/usr/local/lib", Access: ReadOnly},
		{Here: "/home/me/app/secret", There: "/workspace/secret", Access: Hidden},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, here, there string }{
		{"root", "/home/me/app", "/workspace"},
		{"below", "/home/me/app/a/b.go", "/workspace/a/b.go"},
		{"read-only", "/opt/lib/x", "/usr/local/lib/x"},
		{"beside, with the same beginning", "/home/me/application", ""},
		{"beside there", "", "/workspaces/a"},
		{"outside", "/etc/passwd", ""},
		{"outside there", "", "/etc/passwd"},
		{"up", "/home/me/app/../x", ""},
		{"up there", "", "/workspace/../etc/passwd"},
		{"hidden", "/home/me/app/secret/key", ""},
		{"hidden there", "", "/workspace/./x/../secret/key"},
		{"relative", "a.go", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.here != "" {
				if got, err := m.There(tt.here); got != tt.there || (err == nil) != (tt.there != "") {
					t.Errorf("There(%q) = %q, %v, want %q", tt.here, got, err, tt.there)
				}
			}
			if tt.there != "" {
				if got, _, err := m.Here(tt.there); got != tt.here || (err == nil) != (tt.here != "") {
					t.Errorf("Here(%q) = %q, %v, want %q", tt.there, got, err, tt.here)
				}
			}
		})
	}
	_, _, err = m.Here("/etc/passwd")
	if want := "/etc/passwd is not shared with box"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Whatever is shared and whatever links lead where: there and back is the identity, and no path of the agent's leads to a file
// that is not shared (behaviours 443, 444).
func TestPathsProperty(t *testing.T) {
	root, err := buffers.Real(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dirs := []string{"a", "a/b", "a/b/c", "d", "d/e", "f"}
	for _, dir := range dirs {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{"a/out": "../f", "a/b/up": "..", "a/b/abs": "/etc", "d/in": "../a/b", "d/e/loop": "loop", "a/far": "../../../../../../etc"}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	parts := []string{"a", "b", "c", "d", "e", "f", "..", ".", "", "out", "up", "abs", "in", "loop", "far", "passwd", "w", "a b", "ü%20", "x"}
	const seed = 20
	random := rand.New(rand.NewPCG(seed, seed))
	somewhere := func(base string) string {
		for range random.IntN(6) {
			base += "/" + parts[random.IntN(len(parts))]
		}
		return base
	}
	accepted := 0
	for round := range 8000 {
		var shares []Share
		for range 1 + random.IntN(3) {
			there := path.Clean("/w/" + strings.Repeat("a/", random.IntN(2)) + string(rune('p'+random.IntN(3))))
			shares = append(shares, Share{Here: filepath.Join(root, dirs[random.IntN(len(dirs))]), There: there, Access: Access(random.IntN(4))})
		}
		m, err := NewMap("box", shares)
		if err != nil {
			t.Fatal(err)
		}
		here := somewhere(root)
		if there, err := m.There(here); err == nil {
			accepted++
			if back, _, err := m.Here(there); err != nil || back != path.Clean(here) {
				t.Fatalf("round %d: %v\n%q → %q → %q, %v", round, shares, here, there, back, err)
			}
		}
		there := somewhere([]string{"", "/w", "/w/p", "/w/a/q"}[random.IntN(4)])
		here, access, err := m.Here(there)
		if err != nil {
			continue
		}
		if again, err := m.There(here); err == nil {
			if back, _, err := m.Here(again); err != nil || back != here {
				t.Fatalf("round %d: %v\n%q → %q → %q → %q, %v", round, shares, there, here, again, back, err)
			}
		}
		if access < ReadOnly {
			continue
		}
		real, err := buffers.Real(here)
		if err != nil || m.Reaches(real, false) != nil {
			continue
		}
		accepted++
		var roots []string
		for _, s := range shares {
			if s.Access >= ReadOnly {
				roots = append(roots, s.Here)
			}
		}
		if !buffers.Inside(roots, real) {
			t.Fatalf("round %d: %v\n%q reaches %q", round, shares, there, real)
		}
	}
	if accepted < 500 {
		t.Errorf("only %d paths were mapped", accepted)
	}
}

func TestURIs(t *testing.T) {
	m, err := NewMap("box", []Share{{Here: "/home/me/my app", There: "/w", Access: Writable}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, here, there string }{
		{"plain", "file:///home/me/my%20app/a.go", "file:///w/a.go"},
		{"place in it", "file:///home/me/my%20app/a.go?x=1#L10", "file:///w/a.go?x=1#L10"},
		{"characters", "file:///home/me/my%20app/%C3%BC%25%23", "file:///w/%C3%BC%25%23"},
		{"web page", "https://example.com/w/a.go", "https://example.com/w/a.go"},
		{"none", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := mapURI(tt.here, m.There); err != nil || got != tt.there {
				t.Errorf("there: %q, %v, want %q", got, err, tt.there)
			}
			here := func(there string) (string, error) { h, _, err := m.Here(there); return h, err }
			if got, err := mapURI(tt.there, here); err != nil || got != tt.here {
				t.Errorf("here: %q, %v, want %q", got, err, tt.here)
			}
		})
	}
	for _, bad := range []string{"file:///etc/passwd", "file:///w/../etc/passwd", "FILE:///w/%2e%2e/etc", "file://host/w/a.go", "file:w/a.go"} {
		here := func(there string) (string, error) { h, _, err := m.Here(there); return h, err }
		if got, err := mapURI(bad, here); err == nil {
			t.Errorf("%s became %s", bad, got)
		}
	}
}

// Every field of the protocol's messages that has a path or an address is mapped (behaviour 443): a type with such a field that is
// new fails here until it is.
func TestEveryPathIsMapped(t *testing.T) {
	m, err := NewMap("box", []Share{{Here: "/here", There: "/there", Access: Writable}})
	if err != nil {
		t.Fatal(err)
	}
	mapper := messages{Map: m, label: "box", left: func(acp.MCPServer, error) {}}
	call := func() []acp.ToolCallContent {
		return []acp.ToolCallContent{&acp.Diff{}, &acp.Terminal{}, &acp.Content{Content: &acp.ResourceLink{}}}
	}
	blocks := func() []acp.ContentBlock {
		return []acp.ContentBlock{
			&acp.TextContent{}, &acp.ImageContent{}, &acp.AudioContent{}, &acp.ResourceLink{},
			&acp.EmbeddedResource{Resource: &acp.TextResourceContents{}}, &acp.EmbeddedResource{Resource: &acp.BlobResourceContents{}},
		}
	}
	servers := []acp.MCPServer{&acp.MCPServerStdio{}, &acp.MCPServerHTTP{}, &acp.MCPServerSSE{}}
	update := func(u acp.SessionUpdate) any { return &acp.SessionNotification{Update: u} }
	tests := map[string][]any{
		"out": {
			&acp.InitializeRequest{}, &acp.AuthenticateRequest{}, &acp.NewSessionRequest{MCPServers: servers}, &acp.LoadSessionRequest{MCPServers: servers},
			&acp.ResumeSessionRequest{MCPServers: servers}, &acp.ForkSessionRequest{MCPServers: servers}, &acp.ListSessionsRequest{},
			&acp.PromptRequest{Prompt: blocks()}, &acp.SteerRequest{Prompt: blocks()}, &acp.SetSessionModeRequest{},
			&acp.SetSessionConfigOptionRequest{}, &acp.CancelNotification{}, &acp.ReadTextFileResponse{}, &acp.TerminalOutputResponse{},
		},
		"in": {
			&acp.ReadTextFileRequest{}, &acp.WriteTextFileRequest{}, &acp.CreateTerminalRequest{}, &acp.ListSessionsResponse{Sessions: []acp.SessionInfo{{}}},
			&acp.RequestPermissionRequest{ToolCall: acp.ToolCallUpdate{Content: acp.Some(call()), Locations: acp.Some([]acp.ToolCallLocation{{}})}},
			update(&acp.ToolCall{Content: call(), Locations: []acp.ToolCallLocation{{}}}),
			update(&acp.ToolCallUpdate{Content: acp.Some(call()), Locations: acp.Some([]acp.ToolCallLocation{{}})}),
			update(&acp.UserMessageChunk{Content: &acp.ResourceLink{}}), update(&acp.AgentMessageChunk{Content: &acp.ImageContent{}}),
			update(&acp.AgentThoughtChunk{Content: &acp.EmbeddedResource{Resource: &acp.BlobResourceContents{}}}),
			update(&acp.CompactionUpdate{Summary: acp.Some(blocks())}), update(&acp.CompactionSummaryChunk{Content: &acp.ResourceLink{}}),
			update(&acp.SubagentUpdate{Cwd: acp.Some(""), AdditionalDirectories: acp.Some([]string{""})}),
			update(&acp.SessionMessage{Content: acp.Some(blocks())}), update(&acp.SessionMessageChunk{Content: &acp.ResourceLink{}}),
			update(&acp.Plan{Entries: []acp.PlanEntry{{}}}), update(&acp.Notice{}), update(&acp.UsageUpdate{}),
			&acp.NewSessionResponse{}, &acp.InitializeResponse{}, &acp.PromptResponse{},
		},
	}
	for way, list := range tests {
		from, to := "/here/x", "/there/x"
		if way == "in" {
			from, to = to, from
		}
		for _, message := range list {
			n := fill(reflect.ValueOf(message), from)
			got, err := message, error(nil)
			if way == "out" {
				got, err = mapper.outgoing(message)
			} else {
				err = mapper.incoming(message)
			}
			if err != nil {
				t.Errorf("%T: %v", message, err)
				continue
			}
			text, err := acp.Marshal(got)
			if err != nil || strings.Count(string(text), to) != n || strings.Contains(string(text), from) {
				t.Errorf("%T: of %d paths some are not mapped: %s", message, n, text)
			}
		}
	}
}

// A raw input has its paths mapped where the host looks for them, and nothing else changed.
func TestInput(t *testing.T) {
	m, err := NewMap("box", []Share{{Here: "/here", There: "/there", Access: Writable}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, in, want string }{
		{"members", `{"z":"/there/x","file_path":"/there/a b","cwd":"/there"}`, `{"z":"/there/x","file_path":"/here/a b","cwd":"/here"}`},
		{"list", `{"paths":["/there/a",1,"b","/etc/x"]}`, `{"paths":["/here/a",1,"b","box:/etc/x"]}`},
		{"outside", `{"path":"/etc/../etc/passwd"}`, `{"path":"box:/etc/passwd"}`},
		{"order and numbers", `{"b":1.50,"path":"/there/x","a":{"path":"/there/x"}}`, `{"b":1.50,"path":"/here/x","a":{"path":"/there/x"}}`},
		{"another shape", `["/there/x"]`, `["/there/x"]`},
		{"broken", `{"path":`, `{"path":`},
		{"none", ``, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (messages{Map: m, label: "box"}).input(acp.Raw(tt.in)); string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// fill sets every field that has a path, by its name, and returns their number.
func fill(v reflect.Value, value string) (n int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return fill(v.Elem(), value)
		}
	case reflect.Slice:
		for i := range v.Len() {
			n += fill(v.Index(i), value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			switch {
			case f.Kind() == reflect.String && (name == "Cwd" || name == "Path" || name == "Command" && v.Type() == reflect.TypeFor[acp.MCPServerStdio]()):
				f.SetString(value)
				n++
			case f.Kind() == reflect.String && name == "URI":
				f.SetString("file://" + value)
				n++
			case name == "AdditionalDirectories" && f.Kind() == reflect.Slice:
				f.Set(reflect.ValueOf([]string{value, value}))
				n += 2
			default:
				n += fill(f, value)
			}
		}
	}
	return n
}
