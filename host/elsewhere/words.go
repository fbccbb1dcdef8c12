package elsewhere

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// separators are what stands between the words of a command.
const separators = " \t\n'\"=;|&()<>`$!"

var (
	// remark is a line that is a comment, but not the one that says what runs the script.
	remark = lazy.Regexp(`(?m)^[ \t]*#(?:[ \t#].*)?$`)
	// assignment sets a variable of a shell.
	assignment = lazy.Regexp(`(?m)(?:^|[;&|({]|\b(?:do|then|else|export|local|readonly))[ \t]*` +
		`([A-Za-z_]\w*)=("[^"\n]*"|'[^'\n]*'|\$\([^)\n]*\)[^\s;&|]*|[^\s;&|]+)`)
	// spelling are signs that a shell leaves out of a word.
	spelling = strings.NewReplacer("\\\n", "", `\`, "", `'`, "", `"`, "")
	// sequence is a row of numbers or letters in braces.
	sequence = lazy.Regexp(`^(?:(\d{1,2})\.\.(\d{1,2})|([a-z])\.\.([a-z]))$`)
)

// moves is what a text has that goes to a folder.
var moves = lazy.Regexp(`\b(cd|pushd)\b`)

// script is a text without its comments, and with variables replaced by what they are set to.
func script(text string) string {
	text = remark().ReplaceAllString(text, "")
	values := map[string]string{}
	for _, m := range assignment().FindAllStringSubmatch(text, maxValues) {
		values[m[1]] = strings.Trim(m[2], `"'`)
	}

	replaced := text
	for range maxDepth { // one may be set to another
		next := variables().ReplaceAllStringFunc(replaced, func(name string) string {
			if value := values[strings.Trim(name, "${}")]; value != "" {
				return value
			}
			return name
		})
		if next == replaced || len(next) > 2*maxScript {
			break
		}
		replaced = next
	}

	if replaced == text {
		return text
	}
	return text + "\n" + replaced
}

var variables = lazy.Regexp(`\$(?:\w+|\{\w+\})`)

// wordsOf returns the words of a text, as they are and as a shell reads them, each once. They are not whole if there are too many.
func wordsOf(text string) (list []string, whole bool) {
	seen := map[string]bool{}
	whole = true
	add := func(word string) {
		switch {
		case word == "" || len(word) > maxPath || seen[word]:
		case len(list) == maxWords:
			whole = false
		default:
			seen[word] = true
			list = append(list, word)
		}
	}
	split := func(r rune) bool { return strings.ContainsRune(separators, r) }
	for _, text := range []string{text, spelling.Replace(text)} {
		for _, word := range strings.FieldsFunc(text, split) {
			add(word)
			if !strings.Contains(word, "{") {
				continue
			}
			words, all := choices(word)
			whole = whole && all
			for _, word := range words {
				add(word)
			}
		}
	}

	return list, whole
}

// choices returns the words that one with braces stands for. They are not whole if there are too many.
func choices(word string) (list []string, whole bool) {
	list = []string{word}
	for i := 0; i < len(list); {
		m := group().FindStringSubmatchIndex(list[i])
		if m == nil {
			i++
			continue
		}
		begin, inner, end := list[i][:m[0]], list[i][m[2]:m[3]], list[i][m[1]:]
		parts := strings.Split(inner, ",")
		if row := sequence().FindStringSubmatch(inner); row != nil {
			parts = rowOf(row)
		}
		if len(list)+len(parts) > maxChoices {
			return list, false
		}
		for i, part := range parts {
			parts[i] = begin + part + end
		}
		list = slices.Replace(list, i, i+1, parts...)
	}

	return list, true
}

// group is the first of the innermost braces with several words.
var group = lazy.Regexp(`\{([^{}]*,[^{}]*|\w+\.\.\w+)\}`)

// rowOf returns what a sequence has.
func rowOf(m []string) (list []string) {
	if m[3] != "" {
		for c := m[3][0]; c <= m[4][0]; c++ {
			list = append(list, string(c))
		}
		return list
	}
	from, _ := strconv.Atoi(m[1]) // they are digits
	to, _ := strconv.Atoi(m[2])
	for i := from; i <= to; i++ {
		list = append(list, strconv.Itoa(i))
	}
	return list
}

// matchesOf returns what the groups of an expression have in a text.
func matchesOf(e *regexp.Regexp, text string) (list []string) {
	for _, m := range e.FindAllStringSubmatch(text, maxWords) {
		for _, part := range m[1:] {
			if part != "" {
				list = append(list, part)
			}
		}
	}
	return list
}

// quote makes a text one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
