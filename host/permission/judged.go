package permission

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// showFiles adds the files of a call that rules are asked about and that are not named yet: all that is judged is shown.
func (v *view) showFiles(c *transcript.Call, gap func()) {
	r := v.made.ruleRequest(c, v.name, v.viewer.Cwd)
	if r.Kind == string(acp.ToolKindExecute) && r.Command != "" {
		return // what its command names is judged
	}
	for _, path := range r.Paths {
		if !v.names(path) {
			gap()
			v.p.addValue("file", v.short(path))
			v.nameFile(path)
		}
	}
}

// nameFile notes that the float names a file in a line of its own.
func (v *view) nameFile(path string) {
	if v.files == nil {
		v.files = map[string]bool{}
	}
	v.files[v.short(path)] = true
}

// names reports whether the float names a file as one: in a line of ours, or as the end of a short title. The agent's words may have its
// name and mean something else.
func (v *view) names(path string) bool {
	for _, form := range []string{v.short(path), plain.OneLine(path)} {
		has := func(text string) bool { return hasFile(text, form) }
		if v.files[form] || endsInFile(v.title, form) || slices.ContainsFunc(v.named, has) {
			return true
		}
	}
	return false
}

// endsInFile reports whether a title is the path of a file, with a few words before it.
func endsInFile(title, path string) bool {
	words, ok := strings.CutSuffix(strings.Trim(title, "` "), path)
	if !ok || !strings.ContainsAny(path, "./") {
		return false
	}
	words = strings.TrimRight(words, "`'\"")
	wordy := func(r rune) bool { return unicode.IsLetter(r) || r == ' ' }
	return words == "" || strings.HasSuffix(words, " ") && len(strings.Fields(words)) <= 3 && strings.Trim(words, " ") != "" &&
		!strings.ContainsFunc(words, func(r rune) bool { return !wordy(r) })
}

// hasFile reports whether a text has a path that is not a part of a longer one.
func hasFile(text, path string) bool {
	return hasApart(text, path, func(r rune) bool {
		return r != utf8.RuneError && !unicode.IsSpace(r) && !strings.ContainsRune("\"'`,;()[]{}<>", r)
	})
}

// tells reports whether the float says which tool a call uses: by its name, or by the command or the change that it consists of.
func (v *view) tells(c *transcript.Call, name string) bool {
	does := c.Kind == acp.ToolKindExecute && c.Command() != "" || c.Kind == acp.ToolKindEdit && len(c.Diffs()) > 0
	return does && c.Server == "" || strings.Contains(v.p.Title, name) || strings.EqualFold(firstWord(v.title), name)
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
