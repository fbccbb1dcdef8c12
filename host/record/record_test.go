package record

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func open(t *testing.T, dir, id string) *File {
	t.Helper()
	f, err := Open(dir, id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func about(title string, at int64) Entry {
	return Entry{Time: at, ID: SessionID, Role: Status, Text: title, Data: Data{Session: &Session{Agent: "a", Remote: "r", Cwd: "/", Created: at}}}
}

func said(id, text string) Entry { return Entry{Time: 5, ID: id, Role: User, Text: text} }

func texts(r Record) string {
	var list []string
	for _, e := range r.Entries {
		list = append(list, e.ID+"="+e.Text)
	}
	return strings.Join(list, " ")
}

func TestLine(t *testing.T) {
	got := string(Append(nil, Entry{Time: 7, ID: "b1", Role: Assistant, Text: "a\nb"}))
	want := `{"v":1,"t":7,"id":"b1","role":"assistant","text":"a\nb","data":{}}` + "\n"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRead(t *testing.T) {
	whole := Append(Append(Append(Append(nil, about("one", 1)), said("1", "x")), said("2", "y")), said("1", "z"))
	cleared := Append(Append(nil, said("1", "x")), Entry{ID: "clear", Data: Data{Clear: true}})
	tests := []struct{ name, text, want string }{
		{"a later line of the same id replaces", string(whole), "1=z 2=y"},
		{"a torn last line is dropped", string(whole) + `{"v":1,"t":3,"id":"3","te`, "1=z 2=y"},
		{"and so is one that was torn and written on after", `{"v":1,"t"` + "\n" + string(whole), "1=z 2=y"},
		{"what is no entry", "\n[]\n1\nnull\n{}\n" + string(whole), "1=z 2=y"},
		{"a transcript that was replaced", string(cleared) + string(Append(nil, said("9", "w"))), "9=w"},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rec, err := Read(strings.NewReader(test.text))
			if got := texts(rec); got != test.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

// A file that ends in half a line, as a killed writer leaves it, can be appended to.
func TestOpenTorn(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, "s")
	if err := f.Append(about("t", 1), said("1", "x")); err != nil {
		t.Fatal(err)
	}
	f.Close()
	path, _ := Path(dir, "s")
	raw, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	_, _ = raw.WriteString(`{"v":1,"t":3,"id":"2","text":"ha`)
	raw.Close()
	again := open(t, dir, "s")
	if err := again.Append(said("3", "y")); err != nil {
		t.Fatal(err)
	}
	rec, err := again.Read()
	if got, want := texts(rec), "1=x 3=y"; got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// What comes once a record is closed is dropped, and is no error: a session that is closed may still hear of something.
func TestClosed(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(f *File) error
		want string
	}{
		{"closed", (*File).Close, "1=x"},
		{"removed", (*File).Remove, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			f := open(t, dir, "s")
			if err := errors.Join(f.Append(about("t", 1), said("1", "x")), tt.end(f)); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(f.Append(said("2", "y")), f.Close(), f.Remove()); err != nil {
				t.Error(err)
			}
			if _, err := f.Read(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("it is read: %v", err)
			}
			rec, err := Load(dir, "s")
			if got := texts(rec); got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// Only the user can read a record (behaviour 218).
func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	open(t, dir, "s")
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "s.jsonl"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

// A record is locked by one host (behaviour 218).
func TestLock(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, "s")
	if _, err := Open(dir, "s"); !errors.Is(err, ErrInUse) {
		t.Errorf("got %v, want %v", err, ErrInUse)
	}
	if err := f.Append(about("t", 1)); err != nil {
		t.Fatal(err)
	}
	if list := List(dir, ""); len(list) != 1 || !list[0].InUse {
		t.Errorf("got %+v, want one in use", list)
	}
	inherited, err := syscall.Dup(int(f.file.Fd())) // as a process has it that is being started
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited)
	f.Close()
	if list := List(dir, ""); len(list) != 1 || list[0].InUse || !list[0].Empty {
		t.Errorf("got %+v, want one not in use, and empty", list)
	}
	for _, id := range []string{"", "../s", "a/b", ".", strings.Repeat("x", 65)} {
		if _, err := Open(dir, id); err == nil {
			t.Errorf("%q can be opened", id)
		}
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	for i, title := range []string{"Old", "Middle", "New"} {
		f := open(t, dir, title)
		at := int64(i+1) * 1000
		if err := f.Append(about(title, at), Entry{Time: at, ID: "1", Role: User, Text: "About \"" + title + "\"\nand more"}); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if err := os.WriteFile(filepath.Join(dir, "junk.jsonl"), []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ query, want string }{
		{"", "New Middle Old"},
		{"middle", "Middle"},
		{"\"NEW\"\nand", "New"},
		{"user", ""},
		{"about", "New Middle Old"},
	}
	for _, test := range tests {
		var found []string
		for _, info := range List(dir, test.query) {
			if info.Found {
				found = append(found, info.Title)
			}
		}
		if got := strings.Join(found, " "); got != test.want {
			t.Errorf("%q: got %q, want %q", test.query, got, test.want)
		}
	}
}

// Lines read from the end are the lines read from the start, whatever their length and the end of the file.
func TestBackwards(t *testing.T) {
	long := strings.Repeat("x", 64<<10)
	for _, text := range []string{
		"", "\n", "a", "a\n", "a\n\nb\n", "a\nb\ntorn", "torn" + long, long + "\n", long + long + long + "\nb\n" + long,
		"a\n" + long[:len(long)-1] + "\n", "a\n" + long[:len(long)-2] + "\nb\n", strings.Repeat("line\n", 50_000),
	} {
		var want, got []string
		if err := each(strings.NewReader(text), func(line []byte) { want = append(want, string(line)) }); err != nil {
			t.Fatal(err)
		}
		err := backwards(strings.NewReader(text), int64(len(text)), func(line []byte) bool {
			got = append(got, string(line))
			return false
		})
		slices.Reverse(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("of %.20q (%d bytes) got %d lines, %v, want %d", text, len(text), len(got), err, len(want))
		}
	}
}

// The latest matching record is found without opening older ones.
func TestLatest(t *testing.T) {
	dir := t.TempDir()
	for i, id := range []string{"one", "two", "three"} {
		f := open(t, dir, id)
		at := int64(i+1) * 1000
		if err := f.Append(about("begun", at), said("1", strings.Repeat("x", 100_000)), about("then "+id, at), said("2", "y")); err != nil {
			t.Fatal(err)
		}
		f.Close()
		when := time.UnixMilli(at)
		if err := os.Chtimes(filepath.Join(dir, id+".jsonl"), when, when); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	got, ok := Latest(dir, func(info Info) bool {
		seen = append(seen, info.ID)
		return info.ID == "two"
	})
	if !ok || got.Title != "then two" || got.Updated != time.UnixMilli(5) || got.Empty || strings.Join(seen, " ") != "three two" {
		t.Errorf("got %+v, %v after %v", got, ok, seen)
	}
	if got, ok := Latest(dir, func(Info) bool { return false }); ok {
		t.Errorf("got %+v, want none", got)
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	for i, id := range []string{"live", "old", "mid", "new"} {
		f := open(t, dir, id)
		if err := f.Append(about(id, 1), said("1", strings.Repeat("x", 1000))); err != nil {
			t.Fatal(err)
		}
		if id != "live" {
			f.Close()
		}
		at := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(filepath.Join(dir, id+".jsonl"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := Prune(dir, 2600); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if got, want := strings.Join(left, " "), "live.jsonl new.jsonl"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Any file can be read, and so can a line appended to it.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"v":1,"t":1,"id":"1","role":"user","text":"x","data":{}}` + "\n"))
	f.Add([]byte("{\"id\":\"session\",\"data\":{\"agent\":\"a\"}}\n{\"id\":\"1\"}\n\x00{"))
	f.Add([]byte("\n\n{\"id\":\"clear\",\"data\":{\"clear\":true}}\nnull"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := Read(bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		text = Append(append(text, '\n'), said("last one", "the end"))
		rec, err := Read(bytes.NewReader(text))
		if err != nil || len(rec.Entries) == 0 {
			t.Fatalf("%d entries, %v", len(rec.Entries), err)
		}
		found := false
		for _, e := range rec.Entries {
			found = found || e.ID == "last one" && e.Text == "the end"
		}
		if !found {
			t.Fatal("what was appended is not there")
		}
	})
}

// Of the options of a record what is none is left out, and the rest of the line is read; a record without any has none (behaviour 1502).
func TestOptions(t *testing.T) {
	for options, want := range map[string]Options{
		`,"options":{"mode":"plan","turbo":true}`:                       {"mode": "plan", "turbo": true},
		`,"options":{"mode":"plan","n":1,"o":{},"l":["a"],"none":null}`: {"mode": "plan"},
		`,"options":["plan"]`:                                           nil, `,"options":"plan"`: nil, `,"options":null`: nil, ``: nil,
	} {
		rec, err := Read(strings.NewReader(`{"v":1,"t":1,"id":"session","role":"status","text":"x","data":{"agent":"a","cwd":"/"` + options + "}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if rec.Session.Agent != "a" || rec.Session.Cwd != "/" || !maps.Equal(rec.Session.Options, want) {
			t.Errorf("%s: got %+v, want %v", options, rec.Session, want)
		}
	}
}
