// Package usage keeps what turns have cost: one line of JSON a turn in a private file, which all Neovims append to, and its
// sums by day, project, agent or model. It has no state and no lock; its functions wait for the disk.
package usage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Entry is what one turn has cost.
type Entry struct {
	Time     time.Time `json:"time"`
	Session  string    `json:"session"`
	Agent    string    `json:"agent"` // its title
	Model    string    `json:"model,omitempty"`
	Folder   string    `json:"folder"` // absolute
	Tokens   uint64    `json:"tokens,omitempty"`
	Cost     float64   `json:"cost,omitempty"`
	Currency string    `json:"currency,omitempty"` // as the agent gives it; "" is taken for USD
}

// Append adds an entry to a file, which is made for the user alone if it is not there.
func Append(path string, e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}

	f, err := regular.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if torn(f) {
		line = append([]byte("\n"), line...)
	}

	_, err = f.Write(append(line, '\n')) // in one piece, since others append as well
	if cerr := f.Close(); err == nil {
		err = cerr
	}

	return err
}

// torn reports whether the last line of a file has no end: a program was killed while it wrote.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// Read returns the entries of a file since a time, oldest first as they were appended. A file that is not there has none, and
// lines that are not entries are passed over. It reads the file from its end, as far back as that time.
func Read(path string, since time.Time) ([]Entry, error) {
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}

	for part := int64(firstPart); ; part *= 4 {
		from := max(info.Size()-part, 0)
		data := make([]byte, info.Size()-from)
		if _, err := f.ReadAt(data, from); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if from > 0 { // it begins within a line
			_, data, _ = bytes.Cut(data, []byte("\n"))
		}
		list, older := entries(data, since)
		if from == 0 || older {
			return list, nil
		}
	}
}

// firstPart is how many bytes are read at first: some hundred entries.
const firstPart = 64 << 10

// entries returns the entries since a time, and whether there is an older one before them.
func entries(data []byte, since time.Time) (list []Entry, older bool) {
	for line := range bytes.Lines(data) {
		var e Entry
		if json.Unmarshal(line, &e) != nil || e.Time.IsZero() {
			continue
		}
		if e.Time.Before(since) {
			older = older || len(list) == 0
			continue
		}
		list = append(list, e)
	}
	return list, older
}

// Sum is the sum of some turns.
type Sum struct {
	Name   string
	Turns  int
	Tokens uint64
	Costs  map[string]float64 // by currency
}

// By is what a sum has in common.
type By string

// What turns are summed by.
const (
	Day     By = "day"
	Project By = "project"
	Agent   By = "agent"
	Model   By = "model"
)

// name is the name of an entry's group.
func (b By) name(e Entry, zone *time.Location) string {
	switch b {
	case Project:
		return e.Folder
	case Agent:
		return e.Agent
	case Model:
		return cmp.Or(e.Model, "unknown")
	}
	return e.Time.In(zone).Format("2006-01-02")
}

// SumBy sums entries in groups: days with the latest first, others by name.
func SumBy(list []Entry, by By, zone *time.Location) []Sum {
	groups := map[string]*Sum{}
	for _, e := range list {
		name := by.name(e, zone)
		s := groups[name]
		if s == nil {
			s = &Sum{Name: name, Costs: map[string]float64{}}
			groups[name] = s
		}
		s.Turns++
		s.Tokens += e.Tokens
		if e.Cost != 0 {
			s.Costs[cmp.Or(e.Currency, "USD")] += e.Cost
		}
	}

	var sums []Sum
	for _, s := range groups {
		sums = append(sums, *s)
	}

	slices.SortFunc(sums, func(a, b Sum) int { return cmp.Compare(a.Name, b.Name) })
	if by == Day {
		slices.Reverse(sums)
	}

	return sums
}

// Spent returns what was spent in a currency on the day of a time, in that time's zone.
func Spent(list []Entry, now time.Time, currency string) float64 {
	y, m, d := now.Date()
	begin := time.Date(y, m, d, 0, 0, 0, 0, now.Location())
	var sum float64
	for _, e := range list {
		if !e.Time.Before(begin) && cmp.Or(e.Currency, "USD") == currency {
			sum += e.Cost
		}
	}
	return sum
}
