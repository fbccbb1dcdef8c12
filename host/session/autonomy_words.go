package session

import (
	"slices"
	"strings"
	"unicode"
)

// autonomous has the words by which agents call a mode in which they decide by themselves what to edit or to run. Several words
// must follow each other, and a word that ends in * may go on.
var autonomous = []string{
	"auto", "autoedit*", "autoapprov*", "autoaccept*", "automatic*", "autopilot", "autonom*", "yolo", "bypass*", "unattended",
	"accept edits", "full access", "workspace write", "always allow*", "always approv*", "always accept*", "dangerously",
	"smart approve", "ask only", "asks only", "only ask*", "only prompt*",
	"allow* all", "approve* all", "accept* all", "trust* all", "allow* every*", "approve* every*", "accept* every*", "trust* every*",
	"skip* permission*", "without permission*", "no permission*", "ignor* permission*",
}

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
			if count(words, autonomous) > 0 {
				if count(words, refusing) == 0 {
					return true
				}
				continue
			}
			if count(words, asking) > 0 && count(words, negating)%2 == 1 {
				return true
			}
		}
	}

	return false
}
