//go:build lexers

package lexers

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// matter is the lexer of texts that may begin with lines of YAML between two lines `---`.
type matter struct {
	chroma.Lexer
	all *chroma.LexerRegistry
}

func (m *matter) Tokenise(options *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	n := matterOf(text)
	if n == 0 {
		return m.Lexer.Tokenise(options, text)
	}

	head, err := m.all.Get("YAML").Tokenise(options, text[:n])
	if err != nil {
		return nil, err
	}

	rest, err := m.Lexer.Tokenise(options, text[n:])
	if err != nil {
		return nil, err
	}

	return chroma.Concaterator(head, rest), nil
}

// matterOf returns the bytes of the front matter with its two lines `---`, 0 if there is none.
func matterOf(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		fence := strings.TrimRight(line, "\r\n") == "---"
		if n == 0 && !fence {
			return 0
		}
		n += len(line)
		if fence && n > len(line) && strings.HasSuffix(line, "\n") {
			return n
		}
	}
	return 0
}
