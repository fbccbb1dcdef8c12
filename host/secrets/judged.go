package secrets

import "sync"

// maxJudged is how many paths are remembered.
const maxJudged = 10_000

// Judged are the files that paths led to when they were allowed. The zero value has none. It is safe for concurrent use.
type Judged struct {
	mu    sync.Mutex // guards files
	files map[string]ID
}

// Note notes that a path was allowed as that of a file.
func (j *Judged) Note(path string, id ID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.files == nil || len(j.files) >= maxJudged {
		j.files = map[string]ID{}
	}
	j.files[path] = id
}

// Is reports whether a path was last allowed as that of a file.
func (j *Judged) Is(path string, id ID) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	known, ok := j.files[path]
	return ok && known == id
}
