package tools

import (
	"context"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// reader is a session whose tools read a file. What they have read is no base for what the agent writes by itself, and does not
// show how it reads.
type reader struct {
	files.Session
	of feature.Session
}

// Owner is the session itself.
func (r reader) Owner() feature.Session { return r.of }

// LocalID is not that of the session, whose bases are its agent's own.
func (r reader) LocalID() string { return r.of.LocalID() + "/tools" }

// AllowRead allows what was asked for before.
func (r reader) AllowRead(context.Context, string, *acp.ReadTextFileRequest) error { return nil }

// NoteRead notes that the agent has read a file.
func (r reader) NoteRead(real string) { r.of.Do(func(st *session.State) { st.Reads().ByTool(real) }) }

// granted is a session whose tools write what was allowed before.
type granted struct{ reader }

// AllowWrite allows it.
func (g granted) AllowWrite(context.Context, string, *acp.WriteTextFileRequest, func() *acp.Diff) error {
	return nil
}
