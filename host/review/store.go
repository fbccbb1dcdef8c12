package review

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// version is that of the files that Save writes; others are not read.
const version = 1

// aboutName is the file with what does not belong to one file.
const aboutName = "review.json"

// savedAbout is what does not belong to one file.
type savedAbout struct {
	Version int        `json:"v"`
	Turns   []TurnInfo `json:"turns"`
	Reverts []*Revert  `json:"reverts"`
}

// savedFile is a file as it is saved.
type savedFile struct {
	Version int         `json:"v"`
	Path    string      `json:"path"`
	From    string      `json:"from,omitempty"`
	Names   []name      `json:"names,omitempty"`
	Last    int         `json:"last"`
	Along   bool        `json:"along,omitempty"`
	Made    Turn        `json:"made,omitempty"`
	Base    form        `json:"base"`
	Now     form        `json:"now"`
	Latest  Turn        `json:"latest,omitempty"`
	Lines   []savedLine `json:"lines"`

	Earlier []savedText `json:"earlier,omitempty"`
}

// Saved is what is to be written to have changes again after a restart: the data of files by their names, nil for one that is
// to be removed.
type Saved map[string][]byte

// offer is what was handed out to be saved. What is left in it when more is to be saved was not written.
type offer struct {
	saved Saved
	paths map[string]string // by name
}

// handed guards what is handed out to be saved, which is written meanwhile.
var handed sync.Mutex

// left returns the paths of what was not written.
func (o offer) left() (paths []string) {
	handed.Lock()
	defer handed.Unlock()
	for name := range o.saved {
		paths = append(paths, o.paths[name])
	}
	return paths
}

// Unsaved returns what has changed since it was last called, and what could not be written then.
func (c *Changes) Unsaved() Saved {
	for _, path := range c.offered.left() {
		c.touched[path] = true
	}

	if len(c.touched) == 0 {
		return nil
	}

	c.offered = offer{paths: map[string]string{}}
	for path := range c.touched {
		if path != "" {
			c.offered.paths[fileName(path)] = path
		}
	}

	out := Saved{aboutName: encode(savedAbout{version, c.turns, c.reverts})}
	for path := range c.touched {
		if path == "" {
			continue
		}

		f := c.files[path]
		if f == nil {
			out[fileName(path)] = nil
			continue
		}

		saved := savedFile{
			Version: version, Path: f.Path, From: f.From, Names: f.names,
			Last: f.last, Along: f.along, Made: f.made, Base: f.base, Now: f.now,
			Latest: f.latest, Earlier: f.savedTexts(),
		}
		for _, l := range f.lines {
			saved.Lines = append(saved.Lines, l.saved())
		}
		out[fileName(path)] = encode(saved)
	}

	clear(c.touched)
	c.offered.saved = out
	return out
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // these types have a form in JSON
	}
	return data
}

// fileName is the name of the file that a path is saved in.
func fileName(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:12]) + ".json"
}

// Restore returns the changes that were saved. What cannot be read is left out, and named in the error.
func Restore(saved Saved) (*Changes, error) {
	c := NewChanges()
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		if err := c.restore(name, saved[name]); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return c, errors.Join(errs...)
}

func (c *Changes) restore(name string, data []byte) error {
	if name == aboutName {
		var about savedAbout
		if err := json.Unmarshal(data, &about); err != nil || about.Version != version {
			return wrong(about.Version, err)
		}
		c.turns, c.reverts = about.Turns, about.Reverts
		return nil
	}

	var saved savedFile
	if err := json.Unmarshal(data, &saved); err != nil || saved.Version != version {
		return wrong(saved.Version, err)
	}

	f := &File{
		Path: saved.Path, From: saved.From, names: saved.Names,
		last: saved.Last, along: saved.Along, made: saved.Made, base: saved.Base, now: saved.Now, latest: saved.Latest,
	}
	for _, l := range saved.Lines {
		f.lines = append(f.lines, l.line())
	}

	f.restoreTexts(saved.Earlier)
	c.files[f.Path] = f
	return nil
}

func wrong(v int, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("it has version %d", v)
}

// Write writes what was saved to a folder, which is made if needed, and takes from it what is written: the rest is handed out again.
// It waits for the disk.
func (s Saved) Write(dir string) error {
	if len(s) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}

	handed.Lock()
	all := maps.Clone(s)
	handed.Unlock()

	for name, data := range all {
		if err := write(filepath.Join(dir, name), data); err != nil {
			return err
		}
		handed.Lock()
		delete(s, name)
		handed.Unlock()
	}

	return nil
}

// Discard takes everything from it: it is not to be written.
func (s Saved) Discard() {
	handed.Lock()
	defer handed.Unlock()
	clear(s)
}

// write writes a file, or removes it if there is nothing to be in it.
func write(path string, data []byte) error {
	if data != nil {
		return regular.Replace(path, filepath.Dir(path), data)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Read reads what was written to a folder; nothing if there is none. It waits for the disk.
func Read(dir string) (Saved, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}

	saved := Saved{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		data, err := regular.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		saved[e.Name()] = data
	}

	return saved, nil
}
