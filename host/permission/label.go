package permission

import (
	"slices"
	"strings"
	"unicode"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Words by which a label says whether it allows, and whether for good.
var (
	yes    = words("yes ok okay allow allows allowed approve approved accept accepted agree confirm continue proceed run grant permit trust sure")
	no     = words("no not never reject deny decline refuse cancel abort block stop disallow forbid skip dont don't cannot can't wont won't")
	always = words("always all every everything any forever session remember bypass auto permanently permanent never project future")
)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// noteOf is the kind of an option in words, where its label does not say the same: what an agent calls "Reject" may allow.
func noteOf(label string, kind acp.PermissionOptionKind) string {
	if slices.Contains([]acp.PermissionOptionKind{acp.AllowOnce, acp.AllowAlways, acp.RejectOnce, acp.RejectAlways}, kind) {
		if allows, forGood, known := said(label); known && kindOf(allows, forGood) == kind {
			return ""
		}
	}
	return strings.ReplaceAll(plain.Short(plain.OneLine(string(kind)), maxKind), "_", " ")
}

// maxLabel is how much of a label is judged, in bytes.
const maxLabel = 500

// maxKind is the longest kind of an option that is shown, in bytes: a new kind may have any name.
const maxKind = 24

// said returns what a label says: whether it allows, by the first word of it that says so, and whether for good. It is not known
// of a label without such a word, as of one in another language.
func said(label string) (allows, forGood, known bool) {
	label = strings.ToLower(strings.ReplaceAll(label, "’", "'"))
	for _, asking := range []string{"don't ask", "dont ask", "do not ask", "not ask", "without asking", "never ask"} {
		if strings.Contains(label, asking) {
			label, forGood = strings.ReplaceAll(label, asking, " "), true
		}
	}
	for _, word := range strings.FieldsFunc(label, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		if !known && (yes[word] || no[word]) {
			allows, known = yes[word], true
		}
		forGood = forGood || always[word]
	}
	return allows, forGood, known
}

func kindOf(allows, forGood bool) acp.PermissionOptionKind {
	switch {
	case allows && forGood:
		return acp.AllowAlways
	case allows:
		return acp.AllowOnce
	case forGood:
		return acp.RejectAlways
	}
	return acp.RejectOnce
}

// MaxOptions is how many options are shown: an agent may send any number.
const MaxOptions = 100

// shownOptions are the options that are shown: all, or the first ones, with the first that allows once and the first that
// rejects once among them, wherever they are.
func shownOptions(list []acp.PermissionOption) []acp.PermissionOption {
	if len(list) <= MaxOptions {
		return list
	}
	shown := slices.Clone(list[:MaxOptions])
	at := MaxOptions - 1
	for _, kind := range []acp.PermissionOptionKind{acp.RejectOnce, acp.AllowOnce} {
		is := func(o acp.PermissionOption) bool { return o.Kind == kind }
		if i := slices.IndexFunc(list, is); i >= MaxOptions {
			shown[at] = list[i]
			at--
		}
	}
	return shown
}
