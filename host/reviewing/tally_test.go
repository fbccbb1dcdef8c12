package reviewing

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/review"
)

// What the user is told of a decision on several files counts what it was about, and all that it has left (behaviour 1195).
func TestTally(t *testing.T) {
	type did struct {
		out review.Outcome
		err error
	}
	for _, tt := range []struct {
		name        string
		did         []did
		action      string
		scope       string
		level, text string
	}{
		{"two files", []did{{review.Outcome{Hunks: 3}, nil}, {review.Outcome{Hunks: 1}, nil}}, "keep", "all", "info", "kept 4 hunks in 2 files"},
		{"a file without any", []did{{review.Outcome{Hunks: 3}, nil}, {}}, "revert", "turn", "info", "reverted 3 hunks in 1 file"},
		{"one here", []did{{review.Outcome{Hunks: 1}, nil}}, "keep", "hunk", "", ""},
		{"none", []did{{}}, "keep", "lines", "info", "nothing to keep there"},
		{"looked at too late", []did{{review.Outcome{Hunks: 1, Stale: true}, nil}}, "revert", "hunk", "info", "nothing to revert there"},
		{
			"edited in two files", []did{{review.Outcome{Hunks: 1, Left: 2}, nil}, {review.Outcome{Left: 1}, nil}, {review.Outcome{Hunks: 1}, nil}},
			"revert", "all", "warn", "reverted 2 hunks; 3 hunks left, since you have edited them (with ! they go too)",
		},
		{
			"changed by another agent", []did{{review.Outcome{Hunks: 1, Left: 2, Under: 1}, nil}}, "revert", "session", "warn",
			"reverted 1 hunk; 1 hunk left, below another agent's: :AcpRevert file takes both back (! this alone)",
		},
		{
			"a file stays", []did{{review.Outcome{Hunks: 1, Stays: true}, nil}}, "revert", "file", "info",
			"reverted 1 hunk; name stays, since it has other lines",
		},
		{"one fails", []did{{review.Outcome{Hunks: 1}, nil}, {review.Outcome{}, errors.New("no")}}, "keep", "all", "error", "keep: no (name)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var sum tally
			for i, d := range tt.did {
				sum.add(review.Entry{Path: fmt.Sprintf("/%d/name", i)}, d.out, d.err)
			}
			if level, text := sum.message(tt.action, tt.scope); level != tt.level || text != tt.text {
				t.Errorf("got %q %q, want %q %q", level, text, tt.level, tt.text)
			}
		})
	}

	var sum tally // what one part of a file leaves, another may take
	sum.add(review.Entry{Path: "/made"}, review.Outcome{Hunks: 1, Path: "/made", Stays: true}, nil)
	sum.add(review.Entry{Path: "/made"}, review.Outcome{Hunks: 1, Path: "/was"}, nil)
	if _, text := sum.message("revert", "all"); text != "reverted 2 hunks in 1 file" {
		t.Errorf("got %q", text)
	}
}
