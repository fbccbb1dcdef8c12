package skillsets

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
)

// Only an agent that finds the request wrong is asked again without instructions.
func TestRefusedInstructions(t *testing.T) {
	sent := new(acp.SystemPrompt)
	wrong := fmt.Errorf("session/new: %w", &acp.Error{Code: acp.CodeInvalidParams})
	for _, c := range []struct {
		name string
		sent *acp.SystemPrompt
		err  error
		want bool
	}{
		{"they are wrong", sent, wrong, true},
		{"there were none", nil, wrong, false},
		{"something else is wrong", sent, &acp.Error{Code: acp.CodeAuthRequired}, false},
		{"the agent is gone", sent, errors.New("EOF"), false},
		{"nothing is wrong", sent, nil, false},
	} {
		a := new(agents.Agent)
		if got := Refused(a, c.sent, c.err); got != c.want || a.Refuses.SystemPrompt.Load() != c.want {
			t.Errorf("%s: asked again %v, none from then on %v", c.name, got, a.Refuses.SystemPrompt.Load())
		}
	}
}
