package elsewhere

import (
	"path"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// messages maps the paths in messages, each where its type has one. What is outside of the map is refused in what asks for it,
// and in what only shows it gets a name that is no path here.
type messages struct {
	*Map
	label  string                                // put before paths that are only there
	denied string                                // what is said of a call that failed since it would write outside; "": nothing
	left   func(server acp.MCPServer, why error) // told of servers that the agent cannot start
}

// outgoing returns a message of ours with paths of the other side, a copy.
func (m messages) outgoing(message any) (any, error) {
	switch r := message.(type) {
	case *acp.NewSessionRequest:
		c := *r
		return &c, m.session(&c.Cwd, &c.AdditionalDirectories, &c.MCPServers)
	case *acp.LoadSessionRequest:
		c := *r
		return &c, m.session(&c.Cwd, &c.AdditionalDirectories, &c.MCPServers)
	case *acp.ResumeSessionRequest:
		c := *r
		return &c, m.session(&c.Cwd, &c.AdditionalDirectories, &c.MCPServers)
	case *acp.ForkSessionRequest:
		c := *r
		return &c, m.session(&c.Cwd, &c.AdditionalDirectories, &c.MCPServers)
	case *acp.ListSessionsRequest:
		c := *r
		if m.session(&c.Cwd, nil, nil) != nil {
			c.Cwd = "" // it has none there, and of the others those that are not here are left out
		}
		return &c, nil
	case *acp.PromptRequest:
		c := *r
		var err error
		c.Prompt, err = m.prompt(c.Prompt)
		return &c, err
	case *acp.SteerRequest:
		c := *r
		var err error
		c.Prompt, err = m.prompt(c.Prompt)
		return &c, err
	case acp.Carrier:
		return r.WithContent(m.prompt)
	}

	return message, nil
}

// session maps what opens a session.
func (m messages) session(cwd *string, dirs *[]string, servers *[]acp.MCPServer) (err error) {
	if *cwd != "" {
		if *cwd, err = m.There(*cwd); err != nil {
			return err
		}
	}
	if dirs != nil {
		var mapped []string
		for _, dir := range *dirs {
			if dir, err = m.There(dir); err != nil {
				return err
			}
			mapped = append(mapped, dir)
		}
		*dirs = mapped
	}
	if servers != nil {
		list := []acp.MCPServer{}
		for _, server := range *servers {
			if stdio, ok := server.(*acp.MCPServerStdio); ok {
				command, err := m.There(stdio.Command)
				if err != nil {
					m.left(server, err)
					continue
				}
				c := *stdio
				c.Command = command
				server = &c
			}
			list = append(list, server)
		}

		*servers = list
	}

	return nil
}

// prompt maps the content of a prompt, in a copy.
func (m messages) prompt(blocks []acp.ContentBlock) ([]acp.ContentBlock, error) {
	list := make([]acp.ContentBlock, len(blocks))
	for i, b := range blocks {
		var err error
		if list[i], err = content(b, m.sharedThere); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// sharedThere is [Map.There] for a file that the agent is to find there.
func (m messages) sharedThere(here string) (string, error) {
	there, err := m.There(here)
	if err != nil {
		return "", err
	}
	if _, access, _ := m.here(there); access == Named {
		return "", acp.Errorf(acp.CodeInvalidParams, "%s: the files are only on %s, and not here", here, m.place)
	}
	return there, nil
}

// content maps the addresses in a block, in a copy where it has one.
func content(block acp.ContentBlock, change func(string) (string, error)) (acp.ContentBlock, error) {
	var err error
	switch b := block.(type) {
	case *acp.ImageContent:
		c := *b
		c.URI, err = mapURI(b.URI, change)
		return &c, err
	case *acp.ResourceLink:
		c := *b
		c.URI, err = mapURI(b.URI, change)
		return &c, err
	case *acp.EmbeddedResource:
		c := *b
		switch r := b.Resource.(type) {
		case *acp.TextResourceContents:
			text := *r
			text.URI, err = mapURI(r.URI, change)
			c.Resource = &text
		case *acp.BlobResourceContents:
			blob := *r
			blob.URI, err = mapURI(r.URI, change)
			c.Resource = &blob
		}
		return &c, err
	}

	return block, nil
}

// incoming gives a message of the agent's paths of here, in place.
func (m messages) incoming(message any) (err error) {
	switch r := message.(type) {
	case *acp.ReadTextFileRequest:
		return m.file(&r.Path, ReadOnly)
	case *acp.WriteTextFileRequest:
		return m.file(&r.Path, Writable)
	case *acp.CreateTerminalRequest:
		if r.Cwd != "" {
			return m.file(&r.Cwd, Named)
		}
	case *acp.RequestPermissionRequest:
		m.call(&r.ToolCall)
	case *acp.SessionNotification:
		m.update(r.Update)
	case *acp.ListSessionsResponse:
		m.list(r)
	}

	return nil
}

// file maps a path that the agent asks for.
func (m messages) file(name *string, need Access) error {
	if !path.IsAbs(*name) {
		return acp.Errorf(acp.CodeInvalidParams, "path %q is not absolute", *name)
	}

	here, access, err := m.Here(*name)
	switch {
	case err != nil:
		return err
	case access == Named && need > Named:
		return acp.Errorf(acp.CodeInvalidParams, "%s: the files are only on %s, and not in the editor", *name, m.place)
	case access < need:
		return acp.Errorf(acp.CodeInvalidParams, "%s is read-only for %s", *name, m.place)
	}

	*name = here
	return nil
}

// list leaves out sessions in folders that are not here.
func (m messages) list(r *acp.ListSessionsResponse) {
	var kept []acp.SessionInfo
	for _, s := range r.Sessions {
		here, _, err := m.Here(s.Cwd)
		if err != nil {
			continue
		}

		s.Cwd = here
		var dirs []string
		for _, dir := range s.AdditionalDirectories {
			if here, _, err := m.Here(dir); err == nil {
				dirs = append(dirs, here)
			}
		}

		s.AdditionalDirectories = dirs
		kept = append(kept, s)
	}

	r.Sessions = kept
}

func (m messages) update(u acp.SessionUpdate) {
	switch u := u.(type) {
	case *acp.UserMessageChunk:
		u.Content = m.shown(u.Content)
	case *acp.AgentMessageChunk:
		u.Content = m.shown(u.Content)
	case *acp.AgentThoughtChunk:
		u.Content = m.shown(u.Content)
	case *acp.ToolCall:
		u.Locations = m.locations(u.Locations)
		u.Content = m.contents(u.Content, u.Status)
		u.RawInput = m.input(u.RawInput)
	case *acp.ToolCallUpdate:
		m.call(u)
	case *acp.CompactionUpdate:
		m.showAll(u.Summary.Value)
	case *acp.CompactionSummaryChunk:
		u.Content = m.shown(u.Content)
	case *acp.SubagentUpdate:
		m.child(u)
	case *acp.SessionMessage:
		m.showAll(u.Content.Value)
	case *acp.SessionMessageChunk:
		u.Content = m.shown(u.Content)
	}
}

// child maps the folders of a child session, and leaves out those that are not here: it then has those of its parent.
func (m messages) child(u *acp.SubagentUpdate) {
	if u.Cwd.Value != "" {
		here, _, err := m.Here(u.Cwd.Value)
		if err != nil {
			u.Cwd = acp.Null[string]()
		} else {
			u.Cwd.Value = here
		}
	}

	var dirs []string
	for _, dir := range u.AdditionalDirectories.Value {
		if here, _, err := m.Here(dir); err == nil {
			dirs = append(dirs, here)
		}
	}

	u.AdditionalDirectories.Value = dirs
}

func (m messages) call(u *acp.ToolCallUpdate) {
	u.Locations.Value = m.locations(u.Locations.Value)
	u.Content.Value = m.contents(u.Content.Value, u.Status)
	u.RawInput = m.input(u.RawInput)
}

// locations maps places, and leaves out those that are not here.
func (m messages) locations(list []acp.ToolCallLocation) []acp.ToolCallLocation {
	kept := list[:0]
	for _, l := range list {
		if !path.IsAbs(l.Path) && !climbs(l.Path) {
			kept = append(kept, l)
		} else if here, access, err := m.Here(l.Path); err == nil && access != Named {
			l.Path = here
			kept = append(kept, l)
		}
	}
	return kept
}

// contents maps what a call shows, and says why it failed where the system's own words do not.
func (m messages) contents(list []acp.ToolCallContent, status acp.ToolCallStatus) []acp.ToolCallContent {
	said := false
	for _, c := range list {
		switch c := c.(type) {
		case *acp.Content:
			c.Content = m.shown(c.Content)
			text, ok := c.Content.(*acp.TextContent)
			said = said || ok && (strings.Contains(text.Text, "Read-only file system") || strings.Contains(text.Text, "EROFS"))
		case *acp.Diff:
			c.Path = m.name(c.Path)
		}
	}

	if said && m.denied != "" && status == acp.ToolCallFailed {
		list = append(list, &acp.Content{Content: acp.Text(m.denied)})
	}

	return list
}

// showAll maps a list of content that is shown to the user.
func (m messages) showAll(list []acp.ContentBlock) {
	for i, b := range list {
		list[i] = m.shown(b)
	}
}

// shown maps content that is shown to the user.
func (m messages) shown(b acp.ContentBlock) acp.ContentBlock {
	mapped, err := content(b, func(there string) (string, error) {
		here, access, err := m.Here(there)
		if err == nil && access == Named {
			err = m.outside(there)
		}
		return here, err
	})
	if err == nil {
		return mapped
	}

	mark := func(uri string) string { return m.label + ":" + strings.TrimPrefix(uri, "file://") }
	switch c := mapped.(type) { // a copy
	case *acp.ImageContent:
		c.URI = ""
	case *acp.ResourceLink:
		c.URI = mark(b.(*acp.ResourceLink).URI)
	case *acp.EmbeddedResource:
		switch r := c.Resource.(type) {
		case *acp.TextResourceContents:
			r.URI = mark(b.(*acp.EmbeddedResource).Resource.(*acp.TextResourceContents).URI)
		case *acp.BlobResourceContents:
			r.URI = mark(b.(*acp.EmbeddedResource).Resource.(*acp.BlobResourceContents).URI)
		}
	}

	return mapped
}

// name returns the path here of a file that is shown, or a name that is no path here.
func (m messages) name(there string) string {
	if !path.IsAbs(there) && !climbs(there) {
		return there
	}
	here, access, err := m.Here(there)
	if err != nil || access == Named {
		return m.label + ":" + path.Clean("/"+there) // a name below the session's folder, whatever it is joined with
	}
	return here
}

// climbs reports whether a relative path leads out of its folder.
func climbs(name string) bool {
	name = path.Clean(name)
	return name == ".." || strings.HasPrefix(name, "../")
}
