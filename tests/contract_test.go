//go:build !race

package tests

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
)

// tagged visits the fields of a struct and of those in it, by their names in messages: the path of each and its type.
func tagged(of reflect.Type, path string, visit func(path string, field reflect.Type)) {
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("msgpack"), ",")
		if name == "" {
			continue
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		visit(at, f.Type)
		if f.Type.Kind() == reflect.Struct {
			tagged(f.Type, at, visit)
		}
	}
}

// What the plugin tells the program of the configuration is what the program reads, field by field.
func TestSettingsContract(t *testing.T) {
	t.Parallel()
	e := agentEditor(t, t.TempDir(), "true")
	text, err := e.lua(`vim.json.encode(require("nvim-acp.rpc").hello())`)
	if err != nil {
		t.Fatal(err)
	}
	var said map[string]any
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		t.Fatal(err)
	}

	known := map[string]bool{}
	var all []string // that have fields of their own names, and not the user's
	tagged(reflect.TypeFor[settings.Settings](), "", func(path string, field reflect.Type) {
		known[path] = true
		if field.Kind() == reflect.Struct {
			all = append(all, path)
		}
		may := field.Kind() == reflect.Pointer || field.Kind() == reflect.Interface || path == "start.idle_minutes" // nil: not set
		if !may && at(said, path) == nil {
			t.Errorf("the program reads %s, which the plugin does not send", path)
		}
	})
	for key := range said {
		if !known[key] {
			t.Errorf("the plugin sends %s, which the program does not read", key)
		}
	}
	for path := range unread {
		if at(said, path) == nil {
			t.Errorf("the plugin does not send %s any more", path)
		}
	}
	for _, path := range all {
		in, _ := at(said, path).(map[string]any)
		for key := range in {
			if !known[path+"."+key] && !unread[path+"."+key] {
				t.Errorf("the plugin sends %s.%s, which the program does not read", path, key)
			}
		}
	}
}

// unread are options that go along with others, and that only the plugin itself uses.
var unread = map[string]bool{
	"fs.flash": true, "terminal.open": true, "notify.bell": true, "notify.review": true, "notify.terminal": true, "start.warm": true,
	"icons.below": true, "icons.spinner": true, "icons.removed": true, "icons.full": true, "icons.empty": true, "icons.added": true,
}

// at returns what a message has at a path, nil if nothing.
func at(message map[string]any, path string) any {
	var now any = message
	for name := range strings.SplitSeq(path, ".") {
		in, ok := now.(map[string]any)
		if !ok {
			return nil
		}
		now = in[name]
	}
	return now
}

// Each field of a session's status is taken by the plugin, and it takes no other.
func TestStatusContract(t *testing.T) {
	text := read(t, "lua/nvim-acp/state/init.lua")
	_, push, _ := strings.Cut(text, "\nfunction M.push(s, status)")
	push, _, _ = strings.Cut(push, "\nend\n")
	var taken []string
	for _, m := range regexp.MustCompile(`status\.(\w+)`).FindAllStringSubmatch(push, -1) {
		taken = append(taken, m[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^\s+"(\w+)",$`).FindAllStringSubmatch(push, -1) {
		taken = append(taken, m[1])
	}

	var sent []string
	tagged(reflect.TypeFor[session.Status](), "", func(path string, _ reflect.Type) {
		if !strings.Contains(path, ".") {
			sent = append(sent, path)
		}
	})
	for _, name := range sent {
		if !slices.Contains(taken, name) {
			t.Errorf("the status has %s, which state.push does not take", name)
		}
	}
	for _, name := range taken {
		if !slices.Contains(sent, name) {
			t.Errorf("state.push takes %s, which the status does not have", name)
		}
	}
}

// Each field of what program and plugin tell each other is one that the plugin reads or sends, by that name: a name that only one side has
// is an empty value on the other, and no error.
func TestFieldsContract(t *testing.T) {
	has := map[string]bool{}
	for _, file := range luaFiles(t) {
		code := regexp.MustCompile(`(?m)--.*$`).ReplaceAllString(read(t, file), "")
		for _, m := range regexp.MustCompile(`(?m)\.(\w+)|(?:[{,(]|^)\s*(\w+)\s*=[^=]|"(\w+)"`).FindAllStringSubmatch(code, -1) {
			has[m[1]+m[2]+m[3]] = true
		}
	}
	fields := 0
	for _, file := range goFiles(t, "host") {
		for _, field := range findMaybe(t, file, `msgpack:"(\w+)`) {
			if fields++; !has[field] {
				t.Errorf("%s: nothing in the plugin has a field %s", file, field)
			}
		}
	}
	if fields < 300 {
		t.Errorf("only %d fields are known", fields)
	}
}
