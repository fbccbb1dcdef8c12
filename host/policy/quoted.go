package policy

import (
	"context"
	"os"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/secrets"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// maxSecret is the size of the largest file, in bytes, whose values are looked for.
const maxSecret = 256 << 10

// Values are what a session's files that may hold secrets say. It waits for the disk.
func (p *Policy) Values(ctx context.Context, s feature.Session) *secrets.Values {
	values := &secrets.Values{}
	patterns := p.patterns(s)
	for _, path := range secrets.Files(ctx, s.Roots(), func(path string) bool { return patterns.Match(path) != "" }) {
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

// WithoutSecrets returns errors with those messages replaced that quote a file that may hold secrets. It waits for the disk.
func (p *Policy) WithoutSecrets(ctx context.Context, s feature.Session, list []problems.Item) []problems.Item {
	if len(list) == 0 {
		return nil
	}
	values := p.Values(ctx, s)
	for i, item := range list {
		if paths := values.In(item.Message); len(paths) > 0 {
			list[i].Message = "(not shown: it quotes " + s.Short(paths[0]) + ", which may hold secrets)"
		}
	}
	return list
}
