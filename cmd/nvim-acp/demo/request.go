package demo

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// A request is what a prompt asks for.
type request struct {
	text  string   // the user's words: the first block, if it is a text
	files []string // absolute paths, in the order they were named
}

// A block is a content block of a prompt.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	URI      string `json:"uri"`
	Resource struct {
		URI string `json:"uri"`
	} `json:"resource"`
}

// mention is a file named in the text.
var mention = lazy.Regexp(`(?:^|\s)@(\S+)`)

// parseRequest reads the blocks of a prompt. Where none names a file, those count that the user's words name by @. Texts after the
// words are the editor's: notes, diffs, instructions.
func parseRequest(cwd string, blocks []json.RawMessage) (request, error) {
	var r request
	for i, raw := range blocks {
		var b block
		if err := json.Unmarshal(raw, &b); err != nil || b.Type == "" {
			return r, failure(codeParams, "Invalid params: a block of the prompt is not one")
		}
		switch b.Type {
		case "text":
			if i == 0 {
				r.text = strings.TrimSpace(b.Text)
			}
		case "resource_link":
			r.addURI(b.URI)
		case "resource":
			r.addURI(b.Resource.URI)
		}
	}

	if len(r.files) > 0 {
		return r, nil
	}
	for _, found := range mention().FindAllStringSubmatch(r.text, -1) {
		path := strings.TrimRight(found[1], ".,;:?!)")
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		r.files = append(r.files, path)
	}

	return r, nil
}

// addURI adds the file of a file: address; others are not files.
func (r *request) addURI(text string) {
	if uri, err := url.Parse(text); err == nil && uri.Scheme == "file" && filepath.IsAbs(uri.Path) {
		r.files = append(r.files, filepath.Clean(uri.Path))
	}
}

// firstLine is the text's first line, cut to what a title can hold.
func firstLine(text string) string {
	const most = 60
	line, _, _ := strings.Cut(text, "\n")
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return line
}
