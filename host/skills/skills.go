// Package skills finds the skills of a user or a project, and composes the message about them for an agent.
// A skill is a Markdown text with instructions: NAME/SKILL.md, with its scripts beside it, or NAME.md. The package runs
// nothing, starts no goroutines, and reads only such texts.
package skills

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

const (
	maxText    = 256 << 10 // bytes of one text
	maxSkills  = 200       // of one folder
	maxEntries = 2000      // of one folder, skills or not

	escapesRoots = "it is a link that leads out of the project"
	escapes      = "path escapes from parent" // the text of package os for a root
)

// Folder is a folder with skills.
type Folder struct {
	Path    string // real
	Project bool   // it belongs to the project
	Hash    string // of the text of all its skills, which trust refers to
	Skills  []Skill
	Problem string
}

// Skill is one skill.
type Skill struct {
	Name        string
	Description string
	Path        string // of the text
	Text        string // without front matter
	Project     bool
	Files       bool   // it has a folder of its own
	Problem     string // why it cannot be used
}

// Find finds skills in the configured folders, the project's before the user's. A relative folder means two: below cwd, and
// below home. It blocks on the disk.
func Find(cwd, home string, folders []string) []Folder {
	var found []Folder
	add := func(path string, project bool) {
		if f, ok := folder(path, cwd, project); ok && !slices.ContainsFunc(found, func(o Folder) bool { return o.Path == f.Path }) {
			found = append(found, f)
		}
	}
	for _, path := range folders {
		if !filepath.IsAbs(path) && !strings.HasPrefix(path, "~/") && cwd != home {
			add(filepath.Join(cwd, path), true)
		}
	}

	for _, path := range folders {
		switch rest, below := strings.CutPrefix(path, "~/"); {
		case filepath.IsAbs(path):
			add(path, false)
		case home != "" && below:
			add(filepath.Join(home, rest), false)
		case home != "":
			add(filepath.Join(home, path), false)
		}
	}

	return found
}

// folder reads one folder, if it exists. Links that lead out of a project are not followed.
func folder(path, cwd string, project bool) (Folder, bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Folder{}, false
	}

	f := Folder{Path: real, Project: project}
	base := real
	if project {
		if base, err = filepath.EvalSymlinks(cwd); err != nil {
			return Folder{}, false
		}
		if rel, err := filepath.Rel(base, real); err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
			f.Path, f.Problem = path, escapesRoots
			return f, true
		}
	}

	root, err := os.OpenRoot(base)
	if err != nil {
		return Folder{}, false
	}

	defer root.Close()
	entries, err := os.ReadDir(real)
	if err != nil {
		return Folder{}, false
	}
	for i, e := range entries {
		if len(f.Skills) == maxSkills || i == maxEntries {
			f.Problem = fmt.Sprintf("there is too much in it: only the first %d skills are used", len(f.Skills))
			break
		}

		name, own := strings.CutSuffix(e.Name(), ".md")
		file := e.Name()
		if !own {
			file = filepath.Join(file, "SKILL.md")
		}
		if strings.HasPrefix(name, ".") || strings.EqualFold(e.Name(), "README.md") {
			continue
		}

		s := Skill{Name: name, Path: filepath.Join(real, file), Project: project, Files: !own}
		text, err := read(root, base, s.Path, project)
		switch {
		case strings.ContainsFunc(e.Name(), unicode.IsControl):
			s.Problem = "its name has characters that are not seen"
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			continue // something else
		case err != nil:
			s.Problem = err.Error()
		default:
			s.parse(text)
		}

		f.Skills = append(f.Skills, s)
	}

	f.Hash = f.hash()
	return f, true
}

// read returns the text of a regular file. A file of a project is opened so that no link leads out of it.
func read(root *os.Root, base, path string, project bool) (string, error) {
	open := func() (*os.File, error) { return regular.Open(path) }
	if project {
		rel, err := filepath.Rel(base, path)
		if err != nil {
			return "", err
		}
		open = func() (*os.File, error) { return regular.OpenIn(root, rel, os.O_RDONLY, 0) }
	}

	file, err := open()
	if err != nil {
		var p *fs.PathError
		switch {
		case errors.Is(err, regular.ErrKind):
			err = errors.New("it is not a regular file")
		case errors.As(err, &p) && p.Err.Error() == escapes:
			err = errors.New(escapesRoots)
		case p != nil && !errors.Is(err, fs.ErrNotExist):
			err = p.Err
		}
		return "", err
	}

	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxText+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxText:
		return "", fmt.Errorf("it is larger than %d KiB", maxText>>10)
	case bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data):
		return "", errors.New("it is not text")
	}

	return strings.TrimPrefix(string(data), "\ufeff"), nil
}

// hash returns the same value as long as the message to an agent would be the same.
func (f Folder) hash() string {
	sum := sha256.New()
	for _, s := range f.Skills {
		fmt.Fprintf(sum, "%q %q %q %q\n", s.Path, s.Name, s.Description, s.Text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
