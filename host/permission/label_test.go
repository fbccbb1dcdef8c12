package permission

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// A label that does not say what its option does is shown with the option's kind (behaviour 703).
func TestNoteOf(t *testing.T) {
	tests := []struct {
		label string
		kind  acp.PermissionOptionKind
		want  string
	}{
		{"Allow once", acp.AllowOnce, ""},
		{"Yes", acp.AllowOnce, ""},
		{"Yes, and manually approve each of the edits", acp.AllowOnce, ""},
		{"Yes, and don't ask again for this tool", acp.AllowAlways, ""},
		{"Yes, and don’t ask again", acp.AllowAlways, ""},
		{"Allow all edits", acp.AllowAlways, ""},
		{"Always allow", acp.AllowAlways, ""},
		{"Yes, allow all edits during this session", acp.AllowAlways, ""},
		{"No", acp.RejectOnce, ""},
		{"No, and tell Claude what to do differently", acp.RejectOnce, ""},
		{"Reject", acp.RejectOnce, ""},
		{"Never allow", acp.RejectAlways, ""},

		{"Always allow npm test", acp.AllowAlways, ""},
		{"Allow always: git status", acp.AllowAlways, ""},
		{"Always allow make in this project", acp.AllowAlways, ""},
		{"Always allow npm for all of the session", acp.AllowAlways, ""},
		{"Reject always in this session", acp.RejectAlways, ""},
		{"Allow once in all of the project", acp.AllowOnce, "allow once"},
		{"Allow once in ~/src/app", acp.AllowOnce, ""},
		{"Always allow: no", acp.AllowAlways, "allow always"},
		{"Always allow (off)", acp.AllowAlways, "allow always"},
		{"Always allow npm, once", acp.AllowAlways, "allow always"},
		{"Always allow npm nicht", acp.RejectAlways, "reject always"},
		{"Always allow ничего", acp.AllowAlways, "allow always"},
		{"Allow once npm, always", acp.AllowOnce, "allow once"},
		{"Yes, and don't ask again for npm", acp.AllowAlways, "allow always"}, // it may be any word
		{"OK, reject this command", acp.AllowOnce, "allow once"},
		{"Sure, cancel", acp.AllowOnce, "allow once"},
		{"Continue without running it", acp.AllowOnce, "allow once"},
		{"Proceed to abort", acp.AllowOnce, "allow once"},
		{"Allow this command only once, not for the whole session", acp.AllowAlways, "allow always"},
		{"Yes, leave everything as it is", acp.AllowAlways, "allow always"},
		{"No, continue", acp.AllowOnce, "allow once"},
		{"Reject", acp.AllowOnce, "allow once"},
		{"No", acp.AllowAlways, "allow always"},
		{"Do not allow", acp.AllowOnce, "allow once"},
		{"Don't allow", acp.AllowOnce, "allow once"},
		{"Allow", acp.RejectOnce, "reject once"},
		{"Allow", acp.AllowAlways, "allow always"},
		{"Allow once", acp.AllowAlways, "allow always"},
		{"Always allow", acp.AllowOnce, "allow once"},
		{"No", acp.RejectAlways, "reject always"},
		{"Ablehnen", acp.AllowOnce, "allow once"},
		{"", acp.RejectOnce, "reject once"},
		{"Allow", "allow_twice\nx", "allow twice x"},
	}
	for _, test := range tests {
		if got := noteOf(test.label, test.kind); got != test.want {
			t.Errorf("%q of kind %s: got %q, want %q", test.label, test.kind, got, test.want)
		}
	}
}

// Of many options those that allow and reject once are shown, wherever they are (behaviour 703).
func TestShownOptions(t *testing.T) {
	var list []acp.PermissionOption
	for i := range 5000 {
		list = append(list, acp.PermissionOption{OptionID: fmt.Sprint(i), Kind: acp.AllowAlways})
	}
	list[4000].Kind, list[4999].Kind = acp.RejectOnce, acp.AllowOnce
	shown := shownOptions(list)
	kinds := map[acp.PermissionOptionKind]int{}
	for _, o := range shown {
		kinds[o.Kind]++
	}
	if len(shown) != MaxOptions || kinds[acp.RejectOnce] != 1 || kinds[acp.AllowOnce] != 1 || shown[0].OptionID != "0" {
		t.Errorf("%d options are shown, of the kinds %v", len(shown), kinds)
	}
}

// Where none rejects once, one that rejects for good is shown; a name has no runs of blanks, and its kind is said where it is too long to be
// judged (behaviours 1183, 1184).
func TestOptionsReject(t *testing.T) {
	var list []acp.PermissionOption
	for i := range 200 {
		list = append(list, acp.PermissionOption{OptionID: fmt.Sprint(i), Name: "Allow", Kind: acp.AllowAlways})
	}
	list[150].Kind = acp.RejectAlways
	if shown := shownOptions(list); len(shown) != MaxOptions || shown[MaxOptions-1].OptionID != "150" {
		t.Errorf("the last of %d options is %s", len(shown), shown[len(shown)-1].OptionID)
	}

	got := optionsOf([]acp.PermissionOption{
		{Name: "Reject" + strings.Repeat(" \u00a0\u3000\t", 1000) + "never", Kind: acp.RejectOnce},
		{Name: "Reject " + strings.Repeat("the ", 200), Kind: acp.RejectOnce},
	})
	if got[0].Name != "Reject never" || got[0].Note == "" || got[1].Note != "reject once" {
		t.Errorf("got %q (%s), and the second is noted as %q", got[0].Name, got[0].Note, got[1].Note)
	}
}
