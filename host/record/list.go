package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Info is the entry of a record in a list.
type Info struct {
	ID      string // of the session, local
	Session Session
	Title   string
	Updated time.Time // of the last line
	InUse   bool      // a process writes it
	Found   bool      // the query is in its title or its text
	Empty   bool      // it has only lines about the session itself
}

// List reads all records of a folder, the latest first. Found says whether the query, if not empty, is in the title or the
// text, ignoring case. Files that cannot be read are left out.
func List(dir, query string) []Info {
	var all []Info
	for _, f := range files(dir) {
		info, err := look(f.path, query)
		if err == nil && info.Session.Agent != "" {
			info.ID = f.id
			all = append(all, info)
		}
	}
	slices.SortStableFunc(all, func(a, b Info) int { return b.Updated.Compare(a.Updated) })
	return all
}

// Latest returns the matching record that was written last.
func Latest(dir string, fits func(Info) bool) (Info, bool) {
	list := files(dir)
	slices.SortFunc(list, func(a, b file) int { return b.changed.Compare(a.changed) })
	for _, f := range list {
		info, err := look(f.path, "")
		info.ID = f.id
		if err == nil && info.Session.Agent != "" && fits(info) {
			return info, true
		}
	}
	return Info{}, false
}

// Load reads the record of a session.
func Load(dir, id string) (Record, error) {
	path, err := Path(dir, id)
	if err != nil {
		return Record{}, err
	}
	f, err := regular.Open(path)
	if err != nil {
		return Record{}, err
	}
	defer f.Close()
	return Read(f)
}

// Prune removes the oldest unused records until the rest has no more than most bytes.
func Prune(dir string, most int64) error {
	var sum int64
	list := files(dir)
	for _, f := range list {
		sum += f.size
	}

	slices.SortFunc(list, func(a, b file) int { return a.changed.Compare(b.changed) })
	var errs []error
	for _, f := range list {
		if sum <= most {
			break
		}
		own, err := Open(dir, f.id)
		if err == nil {
			err = own.Remove()
			sum -= f.size
		}
		if err != nil && !errors.Is(err, ErrInUse) {
			errs = append(errs, err)
		}
	}

	return errors.Join(errs...)
}

type file struct {
	id, path string
	size     int64
	changed  time.Time
}

func files(dir string) []file {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is none yet
	}

	var all []file
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), suffix)
		info, err := e.Info()
		if !ok || err != nil || !info.Mode().IsRegular() || !plain().MatchString(id) {
			continue
		}
		all = append(all, file{id, filepath.Join(dir, e.Name()), info.Size(), info.ModTime()})
	}

	return all
}

// look reads the entry of a list. It reads the whole file only for a query.
func look(path, query string) (Info, error) {
	f, err := regular.Open(path)
	if err != nil {
		return Info{}, err
	}

	defer f.Close()
	var rec Record
	info := Info{Empty: true, Found: query == ""}
	var last int64
	about := false
	stat, err := f.Stat()
	if err != nil {
		return Info{}, err
	}

	err = backwards(f, stat.Size(), func(line []byte) bool {
		if isAbout(line) {
			if e, ok := parse(line); ok && !about {
				rec.add(e)
				about = true
			}
		} else if info.Empty {
			if e, ok := parse(line); ok {
				info.Empty, last = false, e.Time
			}
		}
		return about && !info.Empty
	})
	info.Session, info.Title = rec.Session, rec.Title
	info.Updated = time.UnixMilli(cmp.Or(last, rec.Session.Created))
	info.Found = info.Found || strings.Contains(strings.ToLower(rec.Title), strings.ToLower(query))
	if err == nil && !info.Found {
		info.Found, err = contains(f, query)
	}

	info.InUse = inUse(f)
	return info, err
}

// isAbout reports whether a line is about the session itself.
func isAbout(line []byte) bool {
	return bytes.Contains(line[:min(len(line), 80)], []byte(`"id":"`+SessionID+`"`))
}

// contains reports whether a query is in the texts of a record.
func contains(r io.Reader, query string) (found bool, err error) {
	want, quoted := strings.ToLower(query), quote(query)
	err = each(r, func(line []byte) {
		if found || isAbout(line) || !bytes.Contains(bytes.ToLower(line), quoted) {
			return
		}
		e, ok := parse(line)
		found = ok && strings.Contains(strings.ToLower(e.Text), want)
	})
	return found, err
}

// quote returns the lower-case form of a text within a line.
func quote(text string) []byte {
	out, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return bytes.ToLower(out[1 : len(out)-1])
}

// inUse reports whether a process has the lock of a file. It takes a shared lock for a moment.
func inUse(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	}
	return errors.Is(err, syscall.EWOULDBLOCK)
}
