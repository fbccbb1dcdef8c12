package elsewhere

import (
	"os"
	"path/filepath"
	"testing"
)

// Of settings that an agent writes only what they say of programs and of trust counts (behaviour 859).
func TestOrders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	put := func(text string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return ordersOf(path)
	}
	first := put(`{"starts": 1, "list": [{"a": 1}], "projects": {"/p": {"mcpServers": {}, "hooks": []}}}`)
	for _, same := range []string{
		`{"starts": 2, "list": [], "projects": {}}`,
		`{"theme": "dark", "projects": {"/p": {"mcpServers": {}}, "/q": {"hasTrustDialogAccepted": false}}}`,
	} {
		if put(same) != first {
			t.Errorf("%s counts as a change", same)
		}
	}
	seen := map[string]string{first: "the first"}
	for _, other := range []string{
		`{"mcpServers": {"a": {"command": "sh"}}}`,
		`{"projects": {"/p": {"mcpServers": {"a": {"command": "sh"}}}}}`,
		`{"list": [{"mcpServers": {"a": {"command": "sh"}}}]}`,
		`{"hooks": {"Stop": ["sh"]}}`,
		`{"projects": {"/p": {"hasTrustDialogAccepted": true}}}`,
		`{"apiKeyHelper": "sh"}`,
		`{"statusLine": {"command": "sh"}}`,
		`{"tools": {"discoveryCommand": "sh"}}`,
		`// no JSON`,
	} {
		now := put(other)
		if seen[now] != "" {
			t.Errorf("%s counts as %s", other, seen[now])
		}
		seen[now] = other
	}
}
