package host

import (
	"github.com/nvim-acp/nvim-acp/acp"
)

var _ acp.Client = (*agent)(nil)

// noSession is the answer to a request for a session that is not open.
func noSession[R any](id string) acp.Answer[R] {
	var none R
	return acp.Reply(none, acp.Errorf(acp.CodeResourceNotFound, "no session %q is open", id))
}

// SessionUpdate takes in an update; it runs on the read goroutine.
func (a *agent) SessionUpdate(n *acp.SessionNotification) {
	a.mu.Lock()
	s := a.sessions[n.SessionID]
	if s == nil && a.opening > 0 && a.earlyN < mostEarly {
		a.early[n.SessionID] = append(a.early[n.SessionID], n.Update)
		a.earlyN++
	}
	a.mu.Unlock()
	if s != nil {
		s.update(n.Update)
	}
}

// RequestPermission asks the user.
func (a *agent) RequestPermission(r *acp.RequestPermissionRequest) acp.Answer[*acp.RequestPermissionResponse] {
	if s := a.session(r.SessionID); s != nil {
		return s.requestPermission(r)
	}
	return noSession[*acp.RequestPermissionResponse](r.SessionID)
}

// ReadTextFile reads what the user sees.
func (a *agent) ReadTextFile(r *acp.ReadTextFileRequest) acp.Answer[*acp.ReadTextFileResponse] {
	if s := a.session(r.SessionID); s != nil {
		return a.host.files.Read(s, r)
	}
	return noSession[*acp.ReadTextFileResponse](r.SessionID)
}

// WriteTextFile edits what the user sees.
func (a *agent) WriteTextFile(r *acp.WriteTextFileRequest) acp.Answer[*acp.WriteTextFileResponse] {
	if s := a.session(r.SessionID); s != nil {
		return a.host.files.Write(s, r)
	}
	return noSession[*acp.WriteTextFileResponse](r.SessionID)
}

// CreateTerminal runs a command.
func (a *agent) CreateTerminal(r *acp.CreateTerminalRequest) acp.Answer[*acp.CreateTerminalResponse] {
	if s := a.session(r.SessionID); s != nil {
		return s.createTerminal(r)
	}
	return noSession[*acp.CreateTerminalResponse](r.SessionID)
}

// TerminalOutput returns what a command has printed.
func (a *agent) TerminalOutput(r *acp.TerminalOutputRequest) acp.Answer[*acp.TerminalOutputResponse] {
	if s := a.session(r.SessionID); s != nil {
		return a.host.terms.Output(s, r)
	}
	return noSession[*acp.TerminalOutputResponse](r.SessionID)
}

// WaitForTerminalExit waits for the end of a command.
func (a *agent) WaitForTerminalExit(r *acp.WaitForTerminalExitRequest) acp.Answer[*acp.WaitForTerminalExitResponse] {
	if s := a.session(r.SessionID); s != nil {
		return a.host.terms.WaitForExit(s, r)
	}
	return noSession[*acp.WaitForTerminalExitResponse](r.SessionID)
}

// KillTerminal ends a command and keeps its terminal.
func (a *agent) KillTerminal(r *acp.KillTerminalRequest) acp.Answer[*acp.KillTerminalResponse] {
	if s := a.session(r.SessionID); s != nil {
		return a.host.terms.Kill(s, r)
	}
	return noSession[*acp.KillTerminalResponse](r.SessionID)
}

// ReleaseTerminal ends a command and forgets its terminal.
func (a *agent) ReleaseTerminal(r *acp.ReleaseTerminalRequest) acp.Answer[*acp.ReleaseTerminalResponse] {
	if s := a.session(r.SessionID); s != nil {
		return a.host.terms.ReleaseOne(s, r)
	}
	return noSession[*acp.ReleaseTerminalResponse](r.SessionID)
}
