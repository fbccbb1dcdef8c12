package rules

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed programs.txt
var table string

// programs returns, by name, the programs that run others or write files by their arguments.
var programs = sync.OnceValue(func() map[string]program { return known(table) })

// known reads the table; its head says what the words mean.
func known(table string) map[string]program {
	list := map[string]program{}
	var names []string
	begun := false // what the names are followed by
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if !strings.HasPrefix(line, " ") {
			if begun {
				names, begun = nil, false
			}
			names = append(names, words...)
			continue
		}
		begun = true
		for _, name := range names {
			p := list[name]
			p.add(words[0], words[1:])
			list[name] = p
		}
	}
	return list
}

func (p *program) add(what string, words []string) {
	switch what {
	case "every":
		p.wraps = true
	case "script":
		p.script = true
	case "options":
		p.letters += strings.Join(words, "")
	case "long":
		p.words = append(p.words, words...)
	case "first":
		p.subs = append(p.subs, words...)
	default:
		panic("programs.txt: " + what)
	}
}
