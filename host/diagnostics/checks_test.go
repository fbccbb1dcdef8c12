package diagnostics

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/settings"
)

// endingHost is a host that is about to end, so that nothing waits.
type endingHost struct {
	feature.Host
	settings *settings.Settings
	asked    *bool // whether somebody has begun to wait
}

func (h endingHost) Settings() *settings.Settings { return h.settings }

func (h endingHost) Done() <-chan struct{} {
	*h.asked = true
	done := make(chan struct{})
	close(done)
	return done
}

// Errors are looked for behind a turn that its agent has ended by itself, where the user wants that, and behind no other (behaviour 321).
func TestCheckedTurns(t *testing.T) {
	for _, how := range []string{"", "offer", "send"} {
		for _, reason := range []acp.StopReason{
			acp.StopEndTurn, acp.StopCancelled, acp.StopRefusal, acp.StopMaxTokens, acp.StopMaxTurnRequests, "", "_odd",
		} {
			asked := false
			h := endingHost{settings: &settings.Settings{}, asked: &asked}
			h.settings.FS.Diagnostics.AfterTurn = how
			New(h, nil, nil, nil, Hooks{}).check(nil, nil, reason)
			if want := how != "" && reason == acp.StopEndTurn; asked != want {
				t.Errorf("%q, a turn that ended with %q: it is looked at: %v", how, reason, asked)
			}
		}
	}
}
