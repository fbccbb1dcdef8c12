package host

import (
	"context"
	"os"

	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/secrets"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// maxSecret is the size of the largest file, in bytes, whose values are looked for.
const maxSecret = 256 << 10

// Quoted returns a function that returns the files that may hold secrets and of which a text has a value. It waits for the disk.
func (d desk) Quoted(ctx context.Context) func(text string) []string {
	return d.secretValues(ctx).In
}

// secretValues are what the session's files that may hold secrets say.
func (s *Session) secretValues(ctx context.Context) *secrets.Values {
	values := &secrets.Values{}
	patterns := s.secretPatterns()
	for _, path := range secrets.Files(ctx, s.roots, func(path string) bool { return patterns.Match(path) != "" }) {
		info, err := os.Stat(path)
		if err != nil || info.Size() > maxSecret {
			continue
		}
		if text, err := regular.ReadFile(path); err == nil { // else no language server has it either
			values.Add(path, string(text))
		}
	}
	return values
}

// withoutSecrets returns errors with those messages replaced that quote a file that may hold secrets. It waits for the disk.
func (s *Session) withoutSecrets(ctx context.Context, list []problems.Item) []problems.Item {
	if len(list) == 0 {
		return nil
	}
	values := s.secretValues(ctx)
	for i, item := range list {
		if paths := values.In(item.Message); len(paths) > 0 {
			list[i].Message = "(not shown: it quotes " + s.short(paths[0]) + ", which may hold secrets)"
		}
	}
	return list
}
