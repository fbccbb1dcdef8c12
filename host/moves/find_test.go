package moves

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/renamed"
	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// Which file a lost one is by what differs since: one that is as it was, under the name most like its own, also over another; else the one
// with most of its last text. A file that says nothing is found by its name only (behaviours 840, 842).
func TestTrace(t *testing.T) {
	for _, tt := range []struct {
		name    string
		lost    string // path, or path=last text
		changes string // path:before>after, the texts as words
		want    string
	}{
		{"moved", "/a", "/a:x> /b:>x", "/a>/b"},
		{"removed", "/a", "/a:x>", ""},
		{"removed, while another came", "/a", "/a:x> /b:>y", ""},
		{"copied before, and removed", "/a", "/a:x>", ""},
		{"a folder, with equal files", "/p/a /p/s/a", "/p/a:x> /p/s/a:x> /q/a:>x /q/s/a:>x", "/p/a>/q/a /p/s/a>/q/s/a"},
		{"the one that keeps its name", "/p/b", "/p/b:x> /q/a:>x /q/b:>x", "/p/b>/q/b"},
		{"another file has taken that place", "/p/b", "/p/b:x> /r/b:x> /q/b:>x", "/p/b>/q/b"},
		{"over another file", "/a", "/a:x> /b:y>x", "/a>/b"},
		{"an empty file by its name", "/p/a", "/p/a:_> /q/a:>_", "/p/a>/q/a"},
		{"an empty file by another name", "/p/a", "/p/a:_> /q/b:>_", ""},
		{"edited", "/a", "/a:x-y-z> /b:>x-y-Z", "/a>/b"},
		{"edited before and after", "/a=x-y-Z-W", "/a:x-y-z> /b:>x-y-Z-w", "/a>/b"},
		{"most of it is another text", "/a", "/a:x-y-z> /b:>x-Y-Z", ""},
		{"came since, with its last text", "/a=x-y", "/b:>x-y", "/a>/b"},
		{"nothing is known of it", "/a", "/b:>x", ""},
		{"edited where another was before", "/a", "/a:x-y-z> /b:o>x-y-Z", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := func(words string) []byte {
				return []byte(strings.Trim(strings.ReplaceAll(words, "-", "\n")+"\n", "_"))
			}
			version := func(words string) checkpoint.Version {
				if words == "" {
					return checkpoint.Version{}
				}
				return checkpoint.Version{Blob: words}
			}

			read := func(v checkpoint.Version) []byte { return text(v.Blob) }
			tr := tracing{found: map[string]string{}}
			for _, lost := range strings.Fields(tt.lost) {
				path, last, known := strings.Cut(lost, "=")
				tr.lost, tr.ids = append(tr.lost, path), append(tr.ids, fileID{})
				if known {
					tr.texts = append(tr.texts, text(last))
				} else {
					tr.texts = append(tr.texts, nil)
				}
			}

			for _, change := range strings.Fields(tt.changes) {
				path, sides, _ := strings.Cut(change, ":")
				before, after, _ := strings.Cut(sides, ">")
				tr.changes = append(tr.changes, checkpoint.Change{Path: path, Old: version(before), New: version(after)})
			}

			tr.byIdentity()
			tr.bySum(read)
			tr.byText(func(list []rewind.Change) (pairs []renamed.Pair) {
				content := func(v checkpoint.Version) rewind.Content {
					if v.Blob == "" {
						return rewind.Content{Missing: true}
					}
					return rewind.Content{Data: read(v)}
				}
				for _, c := range list {
					pairs = append(pairs, renamed.Pair{Before: content(c.Before), After: content(c.After)})
				}
				return pairs
			})

			var got []string
			for from, to := range tr.found {
				got = append(got, from+">"+to)
			}

			slices.Sort(got)
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}
