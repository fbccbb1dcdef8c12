package release

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Two builds, the second from a copy of the sources in another folder, are the same, byte for byte (behaviour 373).
func TestReproducible(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	for _, name := range []string{"LICENSE", "go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"acp", "buffers", "cmd", "host", "internal", "terminal"} {
		if err := os.CopyFS(filepath.Join(copied, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			t.Fatal(err)
		}
	}

	platform := runtime.GOOS + "/" + runtime.GOARCH
	first, second := t.TempDir(), t.TempDir()
	for from, to := range map[string]string{root: first, copied: second} {
		if err := Make(t.Context(), from, to, "v1.2.3-test", []string{platform}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{Archive("v1.2.3-test", platform), Sums} {
		got, err := os.ReadFile(filepath.Join(second, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(first, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: two builds differ", name)
		}
		if name == Sums && !strings.HasSuffix(string(got), "  "+Archive("v1.2.3-test", platform)+"\n") {
			t.Errorf("%s is %q", Sums, got)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, version := range []string{"", "1.2.3", "v1.2", "v1.2.3;rm", "v1.2.3/.."} {
		if err := Make(t.Context(), ".", t.TempDir(), version, nil); err == nil {
			t.Errorf("version %q is accepted", version)
		}
	}
}
