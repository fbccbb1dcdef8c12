package checkpoint

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// The objects that Git writes are found however its output is split.
func TestBatch(t *testing.T) {
	want := []string{"one\n", "", "a1 blob 3\n", strings.Repeat("x", 1000)}
	var out strings.Builder
	for _, s := range want {
		out.WriteString("a1 blob " + strconv.Itoa(len(s)) + "\n" + s + "\n")
	}
	for step := 1; step <= out.Len(); step++ {
		var b batch
		for rest := out.String(); rest != ""; rest = rest[min(step, len(rest)):] {
			if _, err := b.Write([]byte(rest[:min(step, len(rest))])); err != nil {
				t.Fatal(err)
			}
		}
		if len(b.blobs) != len(want) || b.left != 0 {
			t.Fatalf("in steps of %d: %d objects, %d bytes left", step, len(b.blobs), b.left)
		}
		for i, blob := range b.blobs {
			if string(blob) != want[i] || cap(blob) != len(blob) {
				t.Fatalf("in steps of %d: object %d is %q, with room for %d", step, i, blob, cap(blob))
			}
		}
	}
	for head, want := range map[string]error{"a1 missing": ErrGone, "a1 blob x": nil, "a1 blob -2": nil, "fatal": nil} {
		var b batch
		if _, err := b.Write([]byte(head + "\n")); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", head, err)
		}
	}
}
