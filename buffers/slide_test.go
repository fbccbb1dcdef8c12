package buffers

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// TestMergeAsGit merges a change with lines that are inserted or removed beside equal ones: where Git merges them without a
// conflict, so does Merge, or it marks one (behaviour 1427).
func TestMergeAsGit(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	merged := 0
	for range 400 {
		head, repeated, tail := lines(r, 1+r.IntN(4)), lines(r, 2+r.IntN(6)), lines(r, 1+r.IntN(4))
		one := slices.Concat(head, repeated, tail)
		more := slices.Concat(lines(r, r.IntN(3)), head[r.IntN(len(head)):], repeated, lines(r, r.IntN(3)), repeated, tail)
		base, theirs := one, more
		if r.IntN(2) == 0 {
			base, theirs = more, one
		}
		at := r.IntN(len(base))
		ours := slices.Concat(base[:at], lines(r, r.IntN(2)), base[at+r.IntN(2):])
		if r.IntN(2) == 0 {
			ours, theirs = theirs, ours
		}
		for name, text := range map[string][]string{"base": base, "ours": ours, "theirs": theirs} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(Text{Lines: text, EOL: true}.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}

		cmd := exec.Command("git", "merge-file", "-p", "ours", "base", "theirs")
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			continue // Git marks a conflict
		}
		merged++
		m := Merge(base, ours, theirs)
		if want := Parse(string(out)).Lines; len(m.Conflicts) == 0 && !slices.Equal(m.Lines, want) {
			t.Errorf("base %v, ours %v, theirs %v: got %v, Git has %v", base, ours, theirs, m.Lines, want)
		}
		if got := Apply(ours, m.Edits); !slices.Equal(got, m.Lines) {
			t.Errorf("the edits make %q, not %q", got, m.Lines)
		}
	}

	if merged < 100 {
		t.Errorf("Git has merged %d of 400", merged)
	}
}

// lines returns n lines that no other call returns.
func lines(r *rand.Rand, n int) (out []string) {
	for range n {
		out = append(out, strconv.Itoa(r.IntN(1e6)))
	}
	return out
}
