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
	yes = words("yes ok okay allow allows allowed approve approved accept accepted agree confirm continue " +
		"proceed run grant permit trust sure")
	no = words("no not never reject deny decline refuse cancel abort block stop disallow forbid skip keep dont don't cannot " +
		"can't wont won't")
	negations = words("not never don't dont cannot can't won't wont") // before a word that allows
	single    = words("once only just time")
	// Words that change neither.
	neutral = words(`a an the this that these those it and or for in on to of with please you me us tell what do differently edit edits
		editing change changes command commands file files tool tools use call action request plan mode write read execute access
		operation execution here current directory folder each during manually that makes leads planning permissions as is
		claude codex gemini`)
	always = words("always all every everything any forever session remember bypass auto permanently permanent never project future")
)

// nameOf is the name of an option as it is shown and judged: with single blanks, so that none of it is beyond the screen.
func nameOf(o acp.PermissionOption) string { return plain.Words(plain.Cut(o.Name, maxName)) }

// maxName is how much of a name is looked at, in bytes.
const maxName = 64 << 10

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
		if allows, forGood, known := said(label); known && len(label) <= maxLabel && kindOf(allows, forGood) == kind {
			return ""
		}
		if names(label, kind) {
			return ""
		}
	}
	return strings.ReplaceAll(plain.Short(plain.OneLine(string(kind)), maxKind), "_", " ")
}

// names reports whether a label begins with the words of a kind, and has no word that says the contrary: "Always allow npm test".
func names(label string, kind acp.PermissionOptionKind) bool {
	list := strings.Fields(strings.ToLower(label))
	for i, word := range list {
		list[i] = strings.Trim(word, ".,;:!?()`'\"")
	}
	if len(label) > maxLabel || len(list) < 2 {
		return false
	}

	first := list[0] + "_" + list[1]
	if turned := list[1] + "_" + list[0]; turned == string(kind) {
		first = turned
	}
	if first != string(kind) {
		return false
	}

	allows, once := strings.HasPrefix(first, "allow"), strings.HasSuffix(first, "once")
	for _, word := range list[2:] {
		contrary := no[word] || negations[word] || off[word] || single[word] || once && always[word] || !allows && yes[word]
		if contrary || !ascii(word) {
			return false
		}
	}

	return true
}

// off are words behind those of a kind that may mean the contrary.
var off = words("off false disable disabled none nothing nobody")

func ascii(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII })
}

// maxLabel is the longest label that is judged, in bytes: of a longer one the kind is said.
const maxLabel = 500

// maxKind is the longest kind of an option that is shown, in bytes: a new kind may have any name.
const maxKind = 24

// said returns what a label says: whether it allows, and whether for good. It is not known of a label without such a word, as of one in
// another language, of one that says both, and of one with words that are not known: they may say anything.
func said(label string) (allows, forGood, known bool) {
	label = strings.ToLower(strings.ReplaceAll(label, "’", "'"))
	for _, asking := range []string{
		"don't ask again", "don't ask", "dont ask", "do not ask again", "do not ask", "not ask", "without asking", "never ask",
	} {
		if strings.Contains(label, asking) {
			label, forGood = strings.ReplaceAll(label, asking, " "), true
		}
	}

	var rejects, once bool
	before := ""
	for _, word := range strings.FieldsFunc(label, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		negated := yes[word] && negations[before]
		allows, rejects = allows || yes[word] && !negated, rejects || no[word]
		before = word
		forGood, once = forGood || always[word], once || single[word]
		if !yes[word] && !no[word] && !always[word] && !single[word] && !neutral[word] {
			return false, false, false
		}
	}

	return allows, forGood, allows != rejects && !(forGood && once)
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
// rejects, once if one does, among them, wherever they are.
func shownOptions(list []acp.PermissionOption) []acp.PermissionOption {
	if len(list) <= MaxOptions {
		return list
	}

	shown := slices.Clone(list[:MaxOptions])
	at := MaxOptions - 1
	for _, kinds := range [][]acp.PermissionOptionKind{{acp.RejectOnce, acp.RejectAlways}, {acp.AllowOnce}} {
		if i := firstOf(list, kinds); i >= MaxOptions {
			shown[at] = list[i]
			at--
		}
	}

	return shown
}

// firstOf is the index of the first option of the first kind that there is, -1 if there is none.
func firstOf(list []acp.PermissionOption, kinds []acp.PermissionOptionKind) int {
	for _, kind := range kinds {
		if i := slices.IndexFunc(list, func(o acp.PermissionOption) bool { return o.Kind == kind }); i >= 0 {
			return i
		}
	}
	return -1
}
