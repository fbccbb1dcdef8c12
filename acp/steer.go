package acp

// Steering is an extension that some agents offer in the _meta of their answer to initialize: prompts for the running turn.

// SteerRequest is _session/steering.
type SteerRequest struct {
	SessionID string         `json:"sessionId" acp:"required"`
	Prompt    []ContentBlock `json:"prompt" acp:"required"`
	Meta      Meta           `json:"_meta,omitzero" acp:"lax"`
}

// SteerResponse has the outcome of a steered prompt.
type SteerResponse struct {
	Outcome string `json:"outcome" acp:"lax"`
	Meta    Meta   `json:"_meta,omitzero" acp:"lax"`
}

// SteerPromptRequired is the outcome if no turn was running: the text must be sent as a prompt.
const SteerPromptRequired = "promptRequired"

// Steers reports whether the agent takes prompts for the running turn.
func (r *InitializeResponse) Steers() bool {
	var offer struct {
		Supported bool `json:"supported" acp:"lax"`
	}
	return Unmarshal(r.Meta["steering"], &offer) == nil && offer.Supported
}

// StartSteer sends _session/steering. The agent begins no turn of its own by it.
func (c *Conn) StartSteer(req *SteerRequest, done func(*SteerResponse, error)) {
	r := *req
	r.Meta = Meta{"steering": Raw(`{"idleBehavior":"promptRequired"}`)}
	start(c, "_session/steering", &r, done)
}
