package policy

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/settings"
)

type host struct {
	feature.Host
	settings *settings.Settings
}

func (h host) Settings() *settings.Settings { return h.settings }

// talk is a session in a folder.
type talk struct {
	feature.Session
	folder string
}

func (talk) LocalID() string           { return "s" }
func (t talk) Roots() []string         { return []string{t.folder} }
func (talk) Short(path string) string  { return filepath.Base(path) }
func (t talk) path(name string) string { return filepath.Join(t.folder, name) }
func (t talk) write(names ...string) (err error) {
	for _, name := range names {
		err = errors.Join(err, os.WriteFile(t.path(name), []byte(name), 0o600))
	}
	return err
}

// A file may be read under the name that was allowed only while that does not lead to a file which may hold secrets (behaviour 1141).
func TestOpened(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flip  func(s talk) error
		moved bool
	}{
		{"the same", func(talk) error { return nil }, false},
		{"another that has no secrets", func(s talk) error { return os.Rename(s.path("other.txt"), s.path("notes.txt")) }, false},
		{"a link to a secret", func(s talk) error {
			return errors.Join(os.Remove(s.path("notes.txt")), os.Link(s.path(".env"), s.path("notes.txt")))
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			s := talk{folder: dir}
			if err := s.write("notes.txt", "other.txt", ".env"); err != nil {
				t.Fatal(err)
			}

			set := new(settings.Settings)
			set.FS.Secret = []string{".env"}
			p := New(host{settings: set})
			if rule, why := p.Rule(s, "read", s.path("notes.txt")); rule != "allow" {
				t.Fatalf("%s: %s", rule, why)
			}

			if err := tt.flip(s); err != nil {
				t.Fatal(err)
			}
			stat, err := buffers.StatFile(s.path("notes.txt"))
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Opened(s, s.path("notes.txt"), stat); errors.Is(err, buffers.ErrMoved) != tt.moved {
				t.Errorf("got %v, want that it is refused: %v", err, tt.moved)
			}
		})
	}
}
