package session

import "github.com/nvim-acp/nvim-acp/acp"

// How an agent counts tokens in the answer to a prompt. The protocol's own texts say both that they are the turn's and that they are
// the session's.
const (
	SumOfSession = "session" // all of the session until then
	LastRequest  = "request" // those of the last request to the model, which is a part of the turn
)

// maxTokens is more than a turn or a session uses: a larger number is none of tokens, and sums of them fit.
const maxTokens = 1 << 50

// meter counts the tokens of turns.
type meter struct {
	sum   uint64 // of the session, as it was said last …
	known bool   // … by a process of the agent's that has counted from its beginning
	turn  uint64 // of the running turn, as far as its updates say
	open  bool   // a turn has begun whose sum has not come
}

// begin notes that a turn begins. After one without a sum, such as one that has failed, the next sum is that of both.
func (m *meter) begin() {
	m.known = m.known && !m.open
	m.open, m.turn = true, 0
}

// update counts what an update says of a request to the model.
func (m *meter) update(meta acp.Meta) {
	var request struct {
		TotalTokens uint64 `json:"totalTokens"`
	}
	if raw := meta["usage"]; raw != nil && acp.Unmarshal(raw, &request) == nil && request.TotalTokens <= maxTokens { // Qwen Code
		m.turn += request.TotalTokens
	}
}

// end returns the tokens of the turn that has ended, 0 if they are not known.
func (m *meter) end(usage *acp.Usage, meta acp.Meta, counts string) (tokens uint64) {
	counted := m.turn
	m.turn = 0
	switch {
	case usage == nil || usage.TotalTokens > maxTokens:
		return max(counted, quotaTokens(meta))
	case counts == LastRequest:
		return counted
	case counts != SumOfSession:
		return usage.TotalTokens
	}

	before, known := m.sum, m.known
	m.sum, m.known, m.open = usage.TotalTokens, true, false
	switch {
	case !known:
		return 0
	case usage.TotalTokens < before: // it has begun anew
		return usage.TotalTokens
	}

	return usage.TotalTokens - before
}

// quotaTokens returns the tokens in `_meta` of a prompt's answer of Gemini CLI.
func quotaTokens(meta acp.Meta) uint64 {
	var quota struct {
		Count struct {
			Input  uint64 `json:"input_tokens"`
			Output uint64 `json:"output_tokens"`
		} `json:"token_count"`
	}
	raw, count := meta["quota"], &quota.Count
	if raw == nil || acp.Unmarshal(raw, &quota) != nil || count.Input > maxTokens || count.Output > maxTokens {
		return 0
	}
	return count.Input + count.Output
}
