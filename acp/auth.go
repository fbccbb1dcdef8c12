package acp

// AuthTerminal is the type of an [AuthMethod] that logs in by running the agent in a terminal.
const AuthTerminal = "terminal"

// AuthMethod is a way to log in. Its Type is empty for one that the agent does itself, on authenticate; for AuthTerminal
// the configured program is run with Args after its own and Env over its own, and authenticate is not sent. Methods of another
// type must not be offered.
type AuthMethod struct {
	Type        string            `json:"type,omitzero" acp:"lax"`
	ID          string            `json:"id" acp:"required"`
	Name        string            `json:"name" acp:"required"`
	Description string            `json:"description,omitzero" acp:"lax"`
	Args        []string          `json:"args,omitzero"`
	Env         map[string]string `json:"env,omitzero"`
	Meta        Meta              `json:"_meta,omitzero" acp:"lax"`
}

// AuthenticateRequest is authenticate.
type AuthenticateRequest struct {
	MethodID string `json:"methodId" acp:"required"`
	Meta     Meta   `json:"_meta,omitzero" acp:"lax"`
}

// AuthenticateResponse says that the login succeeded.
type AuthenticateResponse struct {
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}

// LogoutRequest is logout.
type LogoutRequest struct {
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}

// LogoutResponse answers logout; running sessions may fail from here on.
type LogoutResponse struct {
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}
