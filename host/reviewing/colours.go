package reviewing

import (
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// coloursArgs ask for the colours of removed lines, in texts of a file as they were.
type coloursArgs struct {
	N        int       `msgpack:"n"`
	Buf      int       `msgpack:"buf"`
	Path     string    `msgpack:"path"`
	Filetype string    `msgpack:"filetype"` // where the path does not tell the language
	Texts    []oldText `msgpack:"texts"`
}

// oldText is a text with the removed lines of hunks.
type oldText struct {
	Lines []string `msgpack:"lines"`
	Hunks []struct {
		Key   string `msgpack:"key"`
		Sum   string `msgpack:"sum"`
		Row   int    `msgpack:"row"` // of its first line in the text, from 0
		Count int    `msgpack:"count"`
	} `msgpack:"hunks"`
}

// coloured is a hunk with the colours of its removed lines; its rows count from the first of them.
type coloured struct {
	Key     string     `msgpack:"key"`
	Sum     string     `msgpack:"sum"`
	Colours marks.List `msgpack:"colours"`
}

const luaColours = `require("nvim-acp.host").colours(...)`

// colour tells Neovim the colours of removed lines. It does not wait.
func colour(h feature.Host, a coloursArgs) {
	caught.Go(func() { // ends when Neovim has the answers or goes away
		for _, text := range a.Texts {
			var hunks []coloured // none if the code of others fails: they are only colours
			_ = caught.Do("reviewing.colour", func() { hunks = text.colours(a.Path, a.Filetype) })
			for len(hunks) > 0 {
				n := within(hunks)
				if h.ExecLua(luaColours, nil, a.Buf, hunks[:n]) != nil {
					return
				}
				hunks = hunks[n:]
			}
		}
	})
}

// colours returns the hunks of a text with their colours; with none if nothing is known of the language.
func (t oldText) colours(path, filetype string) []coloured {
	lines := highlight.Code(path, t.Lines)
	if lines == nil {
		lines = highlight.Code(filetype, t.Lines)
	}

	out := []coloured{}
	for _, h := range t.Hunks {
		c := coloured{Key: h.Key, Sum: h.Sum, Colours: marks.List{}}
		for i := h.Row; i < min(h.Row+h.Count, len(lines)); i++ {
			c.Colours.Add(i-h.Row, lines[i])
		}
		out = append(out, c)
	}

	return out
}

// maxColours is how many marks go to Neovim in one call, unless one hunk has more.
const maxColours = 1000

// within returns how many hunks go to Neovim in one call.
func within(hunks []coloured) int {
	n, size := 0, 0
	for n == 0 || n < len(hunks) && size+len(hunks[n].Colours) <= maxColours {
		size += len(hunks[n].Colours)
		n++
	}
	return n
}
