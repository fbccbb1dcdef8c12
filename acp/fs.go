package acp

// ReadTextFileRequest is fs/read_text_file. Line counts from 1.
type ReadTextFileRequest struct {
	SessionID string  `json:"sessionId" acp:"required"`
	Path      string  `json:"path" acp:"required"`
	Line      *uint32 `json:"line,omitzero"`
	Limit     *uint32 `json:"limit,omitzero"`
	Meta      Meta    `json:"_meta,omitzero" acp:"lax"`
}

// ReadTextFileResponse is the text.
type ReadTextFileResponse struct {
	Content string `json:"content" acp:"required"`
	Meta    Meta   `json:"_meta,omitzero" acp:"lax"`
}

// WriteTextFileRequest is fs/write_text_file.
type WriteTextFileRequest struct {
	SessionID string `json:"sessionId" acp:"required"`
	Path      string `json:"path" acp:"required"`
	Content   string `json:"content" acp:"required"`
	Meta      Meta   `json:"_meta,omitzero" acp:"lax"`
}

// WriteTextFileResponse says that the text is on disk.
type WriteTextFileResponse struct {
	Meta Meta `json:"_meta,omitzero" acp:"lax"`
}
