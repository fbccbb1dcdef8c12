package checkpoint

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// The file of an object of the user's is cut, damaged or forged in place: what a checkpoint has held of it comes back as it was, and what
// was forged before that is never taken for it (behaviour 693).
func TestChangedObjects(t *testing.T) {
	var forged bytes.Buffer
	w := zlib.NewWriter(&forged)
	if _, err := w.Write([]byte("blob 5\x00evil\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"cut": "", "damaged": "not an object", "forged": forged.String()} {
		for _, early := range []bool{false, true} {
			f := committed(t, "a", "1\n", "b", "2\n")
			s := f.store()
			id := strings.TrimSpace(f.user(f.root, "rev-parse", "HEAD:a"))
			change := func() {
				path := f.path(".git/objects/" + id[:2] + "/" + id[2:])
				if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte(data), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if early {
				change()
			}
			before := f.take(s)
			if missing := s.Hold(context.Background(), before); len(missing) > 0 && !early {
				t.Fatalf("%s: not held: %v", name, missing)
			}
			if !early {
				change()
			}
			f.remove("a")
			changes, _, err := s.Diff(context.Background(), before, f.take(s))
			if err != nil || len(changes) != 1 {
				t.Fatalf("%s: %v, %v", name, changes, err)
			}
			got, err := s.Read(context.Background(), changes[0].Old)
			switch {
			case !early && (err != nil || string(got[0]) != "1\n"):
				t.Errorf("%s: got %q, %v", name, got, err)
			case early && err == nil && string(got[0]) != "1\n":
				t.Errorf("%s before the checkpoint: got %q", name, got)
			}
		}
	}
}
