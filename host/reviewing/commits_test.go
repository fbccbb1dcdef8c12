package reviewing

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/review"
)

// A commit keeps what it has if it is the user's: no agent can have made it since the last look (behaviour 55).
func TestCommits(t *testing.T) {
	for _, tt := range []struct {
		name  string
		turns int // that run when the commit is found
		why   []occasion
		hunks int
	}{
		{"by the user", 0, []occasion{userActs}, 0},
		{"by the user or the agent", 1, []occasion{userActs}, 1},
		{"between two turns", 1, []occasion{turnBegin}, 0},
		{"in the turn", 1, []occasion{turnEnd}, 1},
		{"in the turn, looked at in the next", 1, []occasion{turnEnd, turnBegin}, 1},
		{"in the turn, where the user has acted since", 1, []occasion{userActs, turnEnd, turnBegin}, 1},
		{"between two turns, in a third", 2, []occasion{turnBegin}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			git := func(words ...string) {
				t.Helper()
				cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=u", "-c", "user.email=u@u"}, words...)...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v: %s", words, err, out)
				}
			}
			path := filepath.Join(root, "a.txt")
			write := func(text string) {
				t.Helper()
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}

			git("init", "-q")
			write("one\n")
			git("add", ".")
			git("commit", "-qm", "first")
			d := review.NewDesk()
			d.Begin("a", "do it", time.Now())
			d.Changed([]string{"a"}, path, review.Parse("one\n"), review.Parse("ONE\n"))
			var sessions []feature.Session
			for range tt.turns {
				sessions = append(sessions, busy{id: "a", root: root})
			}
			c := commits{host: program{}, ledger: d, keeps: func(string) {}, drawn: func(...string) {}}
			c.lookAt(root, []string{path}, turnBegin)

			write("ONE\n")
			git("commit", "-qam", "second")
			c.host = program{sessions: sessions}
			for _, why := range tt.why {
				c.lookAt(root, []string{path}, why)
			}
			if got := len(d.Hunks(path)); got != tt.hunks {
				t.Errorf("%d hunks are left, want %d", got, tt.hunks)
			}
		})
	}
}
