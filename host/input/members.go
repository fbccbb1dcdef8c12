package input

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/nvim-acp/nvim-acp/internal/wordlist"
)

//go:embed members.txt
var table string

// members returns the names of a group of the table.
func members(group string) []string { return groups()[group] }

var groups = sync.OnceValue(func() map[string][]string { return wordlist.Parse(table) })

// HasPath reports whether a member names a file or a folder.
func HasPath(name string) bool { return in("file", name) || in("folder", name) }

func in(group, name string) bool { return slices.Contains(members(group), name) }
