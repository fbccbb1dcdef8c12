package history

import (
	"context"
	"time"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Hooks are what others do about what is found. None may be nil.
type Hooks struct {
	// Checkpointed is called with what folders hold before a turn, or a session, changes anything in them. It does not wait.
	Checkpointed func(roots []string, c checkpoint.Checkpoint)
	// Ended is called when the checkpoint at the end of a turn is made.
	Ended func()
	// Settled is called when all that a turn has changed is known, and handed to Found and Renamed. It does not wait.
	Settled func(s feature.Session, t *session.Turn)
	// Look looks for files that the user has renamed, those of some paths at least.
	Look func(ctx context.Context, paths ...string)
	// Found has a change of a program's reviewed, in a file that no buffer has; shared says that a turn of another session may have made
	// it. An error says that Neovim goes.
	Found func(s feature.Session, path string, before, after files.Text, shared bool) error
	// Renamed has a file reviewed that a turn has renamed and maybe changed.
	Renamed func(s feature.Session, from, to string, before, after files.Text) error
	// Rewrote is called when a file has been changed back, in its buffer and on the disk: the turns of a session that began at some times
	// are undone there. Drawn is called when what is shown of it may differ.
	Rewrote func(session, path string, now files.Text, undone []time.Time)
	Drawn   func(path string)
	// ForksAt reports whether a session's agent can go back to a point of the conversation by itself, or need not.
	ForksAt func(s feature.Session, m transcript.Moment) bool
}

// Verbs are what a user can say, by their names.
func (k *History) Verbs() map[string]any {
	return map[string]any{"turns": feature.OnSession(k.host, k.List), "rewind": feature.OnSession(k.host, k.Rewind)}
}
