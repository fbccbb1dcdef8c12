package elsewhere

import (
	"context"
	"fmt"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Open makes a place ready. It waits for the disk, and for the other side until ctx ends.
func Open(ctx context.Context, s Spec, n Needs) (*Place, error) {
	p := &Place{spec: s, needs: n, over: make(chan struct{}), mark: fmt.Sprintf("%s/e%d/", n.Run, places.Add(1))}
	if err := p.open(ctx); err != nil {
		p.Close()
		return nil, fmt.Errorf("%s: %w", p.Title(), err)
	}
	return p, nil
}

func (p *Place) open(ctx context.Context) error {
	shares, err := p.shares()
	if err != nil {
		return err
	}
	if p.private, err = newFolder(); err != nil {
		return err
	}
	if p.spec.Sandbox {
		if shares, err = p.sandbox(ctx); err != nil {
			return err
		}
	}
	if p.paths, err = NewMap(p.Title(), shares); err != nil {
		return err
	}
	if p.spec.Sandbox {
		p.repositories.begin()
		caught.Go(p.watch) // until the place is closed
	}

	p.messages = messages{Map: p.paths, label: p.Title(), left: func(server acp.MCPServer, why error) {
		if stdio, ok := server.(*acp.MCPServerStdio); ok {
			p.needs.Say(fmt.Sprintf("the MCP server %s is not offered: %v", stdio.Name, why))
		}
	}}
	if p.spec.Sandbox {
		p.messages.denied = "The sandbox denied a write: outside of " + p.needs.Cwd + " the agent can write only its own folders."
	}
	if _, err := p.paths.There(p.needs.Cwd); err != nil {
		return fmt.Errorf("%w; `paths` or `folder` of run_in says where it is there, see :help nvim-acp-elsewhere", err)
	}
	if p.spec.Direct {
		return nil
	}
	if len(p.spec.Master) > 0 {
		if p.master, err = shareMaster(ctx, p.spec.Master, p.spec, p.needs.Run, p.needs.Watch); err != nil {
			return err
		}
	}

	argv := p.expand(p.spec.Wrap, "")
	if p.line, err = openLine(ctx, argv, p.spec, p.mark, p.needs.Watch); err != nil {
		return err
	}

	return nil
}

// given returns the first list that is not empty.
func given(lists ...[]string) []string {
	for _, list := range lists {
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// shares returns what the configuration shares.
func (p *Place) shares() ([]Share, error) {
	var list []Share
	for _, pair := range p.spec.Paths {
		if len(pair) != 2 {
			return nil, fmt.Errorf("paths: %q is not a pair of folders, here and there", pair)
		}
		list = append(list, Share{Here: p.fill(pair[0]), There: p.fill(pair[1]), Access: Writable})
	}
	if p.spec.Folder != "" {
		list = append(list, Share{Here: p.needs.Cwd, There: p.fill(p.spec.Folder), Access: Named})
	}
	return list, nil
}
