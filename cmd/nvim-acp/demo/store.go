package demo

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// A store keeps each session in a JSON file of its own. Files that are no session are passed over.
type store struct{ folder string }

// keeps reports whether there is a place for sessions.
func (s store) keeps() bool { return s.folder != "" }

var sessionID = lazy.Regexp(`^[a-z0-9]+$`)

// file is where a session is; an id from outside is never a path.
func (s store) file(id string) (string, error) {
	if !s.keeps() || !sessionID().MatchString(id) {
		return "", &callError{Code: codeNotFound, Message: "Resource not found", Data: object{"sessionId": id}}
	}
	return filepath.Join(s.folder, id+".json"), nil
}

// save writes a session, whole or not at all.
func (s store) save(k kept) error {
	if !s.keeps() {
		return nil
	}

	name, err := s.file(k.ID)
	if err != nil {
		return err
	}

	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}

	return regular.Replace(name, s.folder, text)
}

// load reads a session.
func (s store) load(id string) (kept, error) {
	var k kept
	name, err := s.file(id)
	if err != nil {
		return k, err
	}

	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return k, &callError{Code: codeNotFound, Message: "Resource not found", Data: object{"sessionId": id}}
	}
	if err != nil {
		return k, err
	}

	return k, json.Unmarshal(text, &k)
}

// remove deletes a session; one that is not there is no error.
func (s store) remove(id string) error {
	name, err := s.file(id)
	if err != nil {
		return nil
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// list returns all sessions, the latest first, of one working directory or all.
func (s store) list(cwd string) ([]kept, error) {
	if !s.keeps() {
		return nil, nil
	}

	entries, err := os.ReadDir(s.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}

	var all []kept
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), ".json")
		if !ok {
			continue
		}
		if k, err := s.load(id); err == nil && (cwd == "" || k.CWD == cwd) {
			all = append(all, k)
		}
	}

	slices.SortFunc(all, func(x, y kept) int {
		if c := y.Updated.Compare(x.Updated); c != 0 {
			return c
		}
		return strings.Compare(x.ID, y.ID)
	})
	return all, nil
}
