package host

import "github.com/nvim-acp/nvim-acp/internal/lazy"

// refusal is a line in which an agent says that a server of the Model Context Protocol did not start. The protocol has no place
// for that; some agents say it on stderr.
var refusal = lazy.Regexp(`(?i)\bmcp\b.*(fail|refus|reject|error|could not|cannot|unable|timed? ?out|disconnect)`)
