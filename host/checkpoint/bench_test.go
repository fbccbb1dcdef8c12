package checkpoint

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkTake compares a checkpoint of 50 000 files with `git status` there: warm, in turn, so that what else the machine
// does affects both.
func BenchmarkTake(b *testing.B) {
	for _, changed := range []int{0, 10} {
		b.Run(fmt.Sprintf("changed=%d", changed), func(b *testing.B) {
			home := b.TempDir()
			b.Setenv("HOME", home)
			root := filepath.Join(home, "project")
			name := func(i int) string { return filepath.Join(root, fmt.Sprint(i/500), fmt.Sprint(i/50), fmt.Sprint(i)) }
			for i := range 50_000 {
				if i%50 == 0 {
					if err := os.MkdirAll(filepath.Dir(name(i)), 0o755); err != nil {
						b.Fatal(err)
					}
				}
				if err := os.WriteFile(name(i), []byte(strings.Repeat(fmt.Sprintf("file %d\n", i), 20)), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			user := func(args ...string) {
				if out, err := exec.Command("git", append([]string{"-C", root, "-c", "gc.auto=0", "-c", "user.name=x", "-c", "user.email=x"}, args...)...).CombinedOutput(); err != nil {
					b.Fatalf("git %v: %v\n%s", args, err, out)
				}
			}
			user("init", "-q")
			user("add", "-A")
			user("commit", "-qm", "all")
			user("status", "--short")

			s := Open(filepath.Join(home, "state"), DefaultLimits)
			start := time.Now()
			first := s.Take(context.Background(), []string{root})
			b.ReportMetric(float64(time.Since(start).Milliseconds()), "first-ms")
			if len(first.Missing) > 0 {
				b.Fatal(first.Missing)
			}
			s.Hold(context.Background(), first) // it goes on beside it

			var ours, gits time.Duration
			b.ResetTimer()
			for n := range b.N {
				for i := range changed {
					if err := os.WriteFile(name(i*4999), fmt.Appendf(nil, "changed %d\n", n), 0o644); err != nil {
						b.Fatal(err)
					}
				}
				start := time.Now()
				user("status", "--short")
				gits += time.Since(start)

				start = time.Now()
				if c := s.Take(context.Background(), []string{root}); len(c.Missing) > 0 {
					b.Fatal(c.Missing)
				}
				ours += time.Since(start)
			}
			b.ReportMetric(float64(ours)/float64(gits), "of-git-status")
		})
	}
}
