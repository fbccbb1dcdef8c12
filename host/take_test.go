package host

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// A file that is written slowly is taken in when all of it is there; one that is as it is to be, soon.
func TestSettled(t *testing.T) {
	const old = "one\ntwo\nthree\nfour\n"
	type step struct {
		after time.Duration
		text  string
	}
	tests := []struct {
		name  string
		steps []step
		want  string
		most  time.Duration // that it may take
		asked bool          // a save waits
	}{
		{"whole", []step{{0, "one\n2\nthree\nfour\n"}}, "one\n2\nthree\nfour\n", 50 * time.Millisecond, false},
		{"its end is gone", []step{{0, "one\ntwo\n"}}, "one\ntwo\n", 1100 * time.Millisecond, false},
		{"other lines, fewer", []step{{0, "one\nfour\n"}}, "one\nfour\n", 50 * time.Millisecond, false},
		{"in halves of bytes", []step{{0, "one\n2\nth"}, {700 * time.Millisecond, "one\n2\nthree\nfour\n"}}, "one\n2\nthree\nfour\n", 750 * time.Millisecond, false},
		{"in halves of lines", []step{{0, "one\ntwo\n"}, {700 * time.Millisecond, "one\ntwo\n3\nfour\n"}}, "one\ntwo\n3\nfour\n", 750 * time.Millisecond, false},
		{"emptied first", []step{{0, ""}, {700 * time.Millisecond, "2\n"}}, "2\n", 750 * time.Millisecond, false},
		{"a save waits for it", []step{{0, "one\ntwo\n"}}, "one\ntwo\n", 450 * time.Millisecond, true},
		{"a save waits for its other half", []step{{0, "one\ntwo\n"}, {200 * time.Millisecond, "one\ntwo\n3\nfour\n"}}, "one\ntwo\n3\nfour\n", 250 * time.Millisecond, true},
		{"a little all the time", []step{{0, "o"}, {250 * time.Millisecond, "on"}, {250 * time.Millisecond, "one"}, {250 * time.Millisecond, "one\n1\n"}}, "one\n1\n", 800 * time.Millisecond, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			synctest.Test(t, func(t *testing.T) {
				h := newHost(new(notedEditor), "test", os.DevNull)
				write := func(text string) {
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Error(err)
					}
				}
				write(old)
				stat, err := buffers.StatFile(path)
				if err != nil {
					t.Fatal(err)
				}
				set := Settings{}
				set.FS.MaxRead = 1 << 20
				h.given.Store(&set)
				if err := h.store.SetDisk(path, []byte(old), stat); err != nil {
					t.Fatal(err)
				}
				h.disk.files[path] = &loadedFile{stat: stat}
				write(tt.steps[0].text)
				if tt.asked {
					h.disk.behind("")
				}
				done := make(chan struct{})
				go func() { // ends when all is written
					defer close(done)
					for _, s := range tt.steps[1:] {
						<-time.After(s.after)
						write(s.text)
					}
				}()
				began := time.Now()
				defer func() { <-done }()
				if _, err := settled(t.Context(), path, h.disk); err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(path)
				if took := time.Since(began); err != nil || string(got) != tt.want || took > tt.most {
					t.Errorf("got %q, %v after %v, want %q within %v", got, err, took, tt.want, tt.most)
				}
			})
		})
	}
}
