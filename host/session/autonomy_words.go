package session

import (
	"slices"
	"strings"
	"unicode"
)

// autonomous has the words by which agents call a mode, or an option, in which they decide by themselves what to edit or to run. Several
// words must follow each other; a word that ends in * may go on, and * is any.
var autonomous = []string{
	"autoedit*", "autoapprov*", "autoaccept*", "autorun*", "autoexec*", "fullauto*", "full auto", "autonom*", "yolo", "bypass*",
	"unattended", "unrestricted", "accept edits", "acceptedits", "allowedits", "allowall", "full access", "fullaccess", "workspace write",
	"always allow*", "always approv*", "always accept*", "dangerously",
	"smart approve", "ask only", "asks only", "only ask*", "only prompt*",
	"allow* all", "approve* all", "accept* all", "trust* all", "allow* every*", "approve* every*", "accept* every*", "trust* every*",
	"skip* permission*", "without permission*", "no permission*", "ignor* permission*",
}

var (
	// general has words that mean this of a mode only: other things are automatic too.
	general = []string{"auto", "automatic*", "autopilot"}

	// allowing has words that mean it unless the same clause says when, or that the agent asks.
	allowing = []string{
		"trust", "trusts", "turbo", "allow edit*", "run* every*", "execut* every*", "runeverything", "every* is allowed", "every* allowed",
		"all allowed", "all * allowed", "all * are allowed", "all * * are allowed", "all * * allowed",
		"run* immediately", "run* * immediately", "execut* immediately", "execut* * immediately", "immediately run*", "immediately execut*",
		"applied immediately", "made immediately", "written immediately",
	}
	limiting = []string{"approved", "permission*", "confirmed", "once", "after", "until", "unless", "only", "if", "when", "where"}

	much = []string{"medium", "high", "full*", "max*", "complete*", "total*", "unlimited"} // autonomy
	on   = []string{"on", "true", "yes", "enabled", "always", "all"}
)

// asking has the words for what an agent does that does not decide by itself, and negating those that turn this into its
// contrary. Two of them cancel each other, as in "never edits without asking".
var (
	asking = []string{
		"ask", "asks", "asked", "asking", "prompt*", "confirm", "confirms", "confirmation*", "approval*", "approve", "approves", "consent*",
	}
	negating = []string{
		"never", "no", "not", "nothing", "none", "neither", "without", "dont", "don", "doesn", "doesnt", "won", "cannot",
		"until", "unless",
		"skip*", "before you", "before ask*", "before your", "before prompt*", "before confirm*",
	}
	refusing = []string{"never", "no", "not", "dont", "don", "doesn", "doesnt", "won", "cannot", "off", "disabl*"}
)

// wordsOf splits a name at what is neither letter nor digit, and before capitals within a word. Of an address only the end counts.
func wordsOf(name string) string {
	if strings.Contains(name, "://") {
		name = name[strings.LastIndexAny(name, "/#")+1:]
	}

	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
			fallthrough
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}

	return " " + strings.Join(strings.Fields(b.String()), " ") + " "
}

// count returns how often words have one of some phrases.
func count(words []string, phrases []string) (n int) {
	for i := range words {
		if slices.ContainsFunc(phrases, func(phrase string) bool { return begin(words[i:], strings.Fields(phrase)) }) {
			n++
		}
	}

	return n
}

// first returns where words have the first of some phrases, -1 if they have none.
func first(words []string, lists ...[]string) int {
	for i := range words {
		for _, phrases := range lists {
			if slices.ContainsFunc(phrases, func(phrase string) bool { return begin(words[i:], strings.Fields(phrase)) }) {
				return i
			}
		}
	}
	return -1
}

// refused reports whether a clause says the contrary of the words at an index.
func refused(words []string, at int) bool {
	return count(words, refusing) > 0 || count(words[:at], []string{"nothing", "none", "neither"}) > 0
}

// begin reports whether words begin with a phrase.
func begin(words, phrase []string) bool {
	if len(words) < len(phrase) {
		return false
	}
	for i, p := range phrase {
		stem, open := strings.CutSuffix(p, "*")
		if words[i] != p && (!open || !strings.HasPrefix(words[i], stem)) {
			return false
		}
	}

	return true
}

// decides reports whether texts of a mode, names and sentences, say that the agent decides by itself in it.
func decides(texts ...string) bool {
	for _, text := range texts {
		address := strings.Contains(text, "://")
		for clause := range strings.FieldsFuncSeq(text, func(r rune) bool { return !address && strings.ContainsRune(".,;()\n", r) }) {
			words := strings.Fields(wordsOf(clause))
			if at := first(words, autonomous, general); at >= 0 {
				if !refused(words, at) {
					return true
				}
				continue
			}
			if count(words, asking) > 0 {
				if count(words, negating)%2 == 1 {
					return true
				}
				continue
			}
			if at := first(words, allowing); at >= 0 && !refused(words, at) && count(words, limiting) == 0 {
				return true
			}
		}
	}

	return false
}
