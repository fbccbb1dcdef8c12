package acp

// CreateTerminalRequest is terminal/create. Agents put whole shell lines into Command and leave Args out (behaviour 133):
// Args is nil when it was absent or null, and empty, not nil, when it was [].
type CreateTerminalRequest struct {
	SessionID       string        `json:"sessionId" acp:"required"`
	Command         string        `json:"command" acp:"required"`
	Args            []string      `json:"args,omitzero"`
	Env             []EnvVariable `json:"env,omitzero"`
	Cwd             string        `json:"cwd,omitzero"`
	OutputByteLimit *uint64       `json:"outputByteLimit,omitzero"`
	Meta            Meta          `json:"_meta,omitzero" acp:"lax"`
}

// CreateTerminalResponse is the new terminal's id.
type CreateTerminalResponse struct {
	TerminalID string `json:"terminalId" acp:"required"`
	Meta       Meta   `json:"_meta,omitzero" acp:"lax"`
}

// EnvVariable is a variable of an environment.
type EnvVariable struct {
	Name  string `json:"name" acp:"required"`
	Value string `json:"value" acp:"required"`
	Meta  Meta   `json:"_meta,omitzero" acp:"lax"`
}

// TerminalOutputRequest is terminal/output.
type TerminalOutputRequest struct {
	SessionID  string `json:"sessionId" acp:"required"`
	TerminalID string `json:"terminalId" acp:"required"`
	Meta       Meta   `json:"_meta,omitzero" acp:"lax"`
}

// TerminalOutputResponse is the output so far; ExitStatus is nil while the command runs.
type TerminalOutputResponse struct {
	Output     string              `json:"output" acp:"required"`
	Truncated  bool                `json:"truncated" acp:"required"`
	ExitStatus *TerminalExitStatus `json:"exitStatus,omitzero" acp:"lax"`
	Meta       Meta                `json:"_meta,omitzero" acp:"lax"`
}

// TerminalExitStatus is how a command ended: a code, or the name of a signal.
type TerminalExitStatus struct {
	ExitCode *uint32 `json:"exitCode" acp:"lax"`
	Signal   *string `json:"signal" acp:"lax"`
	Meta     Meta    `json:"_meta,omitzero" acp:"lax"`
}

// WaitForTerminalExitRequest is terminal/wait_for_exit.
type WaitForTerminalExitRequest struct {
	SessionID  string `json:"sessionId" acp:"required"`
	TerminalID string `json:"terminalId" acp:"required"`
	Meta       Meta   `json:"_meta,omitzero" acp:"lax"`
}

// WaitForTerminalExitResponse has the fields of a [TerminalExitStatus] at its top.
type WaitForTerminalExitResponse struct {
	ExitCode *uint32 `json:"exitCode" acp:"lax"`
	Signal   *string `json:"signal" acp:"lax"`
	Meta     Meta    `json:"_meta,omitzero" acp:"lax"`
}

// KillTerminalRequest is terminal/kill: end the command, keep the id.
type KillTerminalRequest struct {
	SessionID  string `json:"sessionId" acp:"required"`
	TerminalID string `json:"terminalId" acp:"required"`
	Meta       Meta   `json:"_meta,omitzero" acp:"lax"`
}

// KillTerminalResponse answers terminal/kill.
type KillTerminalResponse struct {
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}

// ReleaseTerminalRequest is terminal/release: end the command and forget the id.
type ReleaseTerminalRequest struct {
	SessionID  string `json:"sessionId" acp:"required"`
	TerminalID string `json:"terminalId" acp:"required"`
	Meta       Meta   `json:"_meta,omitzero" acp:"lax"`
}

// ReleaseTerminalResponse answers terminal/release.
type ReleaseTerminalResponse struct {
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}
