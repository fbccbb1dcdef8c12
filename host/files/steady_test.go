package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A file that is written again and again while it is read never comes as a mixture of two versions: what one lacks would be
// merged as deletions.
func TestReadSteady(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var texts []string
	for i := range 4 {
		texts = append(texts, strings.Repeat(fmt.Sprintf("line %d\n", i), 60_000+i))
	}
	if err := os.WriteFile(path, []byte(texts[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	w := workspace(t, nil)

	stop, done := make(chan struct{}), make(chan struct{})
	go func() { // until stop
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := os.WriteFile(path, []byte(texts[i%len(texts)]), 0o600); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	defer func() {
		close(stop)
		<-done
	}()

	whole, torn := 0, 0
	for whole+torn < 2000 {
		f, err := w.readSteady(path)
		isPart := func(text string) bool { return strings.HasPrefix(text, f.Text) } // it may be cut, see settle
		switch {
		case errors.Is(err, errUnsteady):
			torn++
		case err != nil:
			t.Fatal(err)
		case !slices.ContainsFunc(texts, isPart):
			t.Fatalf("a read of %d bytes of two versions counts as whole", len(f.Text))
		default:
			whole++
		}
	}
	t.Logf("%d reads were whole, %d were seen to be torn", whole, torn)
}
