package buffers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// everyNth returns lines with each nth changed.
func everyNth(lines []string, n int, word string) []string {
	out := slices.Clone(lines)
	for i := n; i < len(out); i += n {
		out[i] += word
	}
	return out
}

// BenchmarkMerge merges every 100th changed line with every 70th of 129 000, from text to text, as does `git merge-file` beside it.
func BenchmarkMerge(b *testing.B) {
	base := make([]string, 129_000)
	for i := range base {
		base[i] = fmt.Sprintf("%d: a line of a file that is about as long as lines of code are", i)
	}
	texts := map[string]string{}
	for name, lines := range map[string][]string{
		"base": base, "ours": everyNth(base, 100, " ours"), "theirs": everyNth(base, 70, " theirs"),
	} {
		texts[name] = strings.Join(lines, "\n") + "\n"
	}

	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			m := Merge(Parse(texts["base"]).Lines, Parse(texts["ours"]).Lines, Parse(texts["theirs"]).Lines)
			_ = Text{Lines: m.Lines, EOL: true}.String()
		}
	})
	b.Run("git merge-file", func(b *testing.B) {
		dir := b.TempDir()
		for name, text := range texts {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
		}
		for b.Loop() {
			cmd := exec.Command("git", "merge-file", "-p", "ours", "base", "theirs")
			cmd.Dir = dir
			if out, err := cmd.Output(); len(out) == 0 { // it exits with the number of conflicts
				b.Fatal(err)
			}
		}
	})
}
