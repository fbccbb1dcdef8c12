package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Info is what a list shows of a record.
type Info struct {
	ID      string // of the session, local
	Session Session
	Title   string
	Updated time.Time // of the last line
	InUse   bool      // somebody writes it
	Found   bool      // the query is in its title or its text
	Empty   bool      // nothing but what the session is
}

// List reads all records of a folder, the latest first. A query, if not empty, is looked for in titles and texts, whatever
// the case of its letters; what does not have it is listed with Found false. Files that cannot be read are left out.
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

// Load reads the record of a session.
func Load(dir, id string) (Record, error) {
	path, err := Path(dir, id)
	if err != nil {
		return Record{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return Record{}, err
	}
	defer f.Close()
	return Read(f)
}

// Prune removes the oldest records until those left have no more than most bytes. Those in use stay.
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
		if !ok || err != nil || !info.Mode().IsRegular() || !plain.MatchString(id) {
			continue
		}
		all = append(all, file{id, filepath.Join(dir, e.Name()), info.Size(), info.ModTime()})
	}
	return all
}

// look reads what a list shows, without keeping more than a line.
func look(path, query string) (Info, error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	var rec Record
	info := Info{Empty: true, Found: query == ""}
	want, quoted := strings.ToLower(query), quote(query)
	var last []byte
	err = each(f, func(line []byte) {
		if bytes.Contains(line[:min(len(line), 80)], []byte(`"id":"`+SessionID+`"`)) {
			if e, ok := parse(line); ok {
				rec.take(e)
			}
			return
		}
		last = append(last[:0], line...)
		info.Empty = false
		if !info.Found && bytes.Contains(bytes.ToLower(line), quoted) {
			e, ok := parse(line)
			info.Found = ok && strings.Contains(strings.ToLower(e.Text), want)
		}
	})
	info.Session, info.Title = rec.Session, rec.Title
	info.Found = info.Found || strings.Contains(strings.ToLower(rec.Title), want)
	info.Updated = time.UnixMilli(rec.Session.Created)
	if e, ok := parse(last); ok {
		info.Updated = time.UnixMilli(e.Time)
	}
	info.InUse = inUse(f)
	return info, err
}

// quote is how a text looks within a line, in small letters.
func quote(text string) []byte {
	out, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return bytes.ToLower(out[1 : len(out)-1])
}

// inUse reports that somebody has the lock of a file. It takes it for a moment, shared.
func inUse(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	}
	return errors.Is(err, syscall.EWOULDBLOCK)
}
