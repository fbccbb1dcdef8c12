package buffers

import "path/filepath"

// Named notes that a session's agent calls a file by a path that leads to it, before what it reads or writes there is stored. Where
// that path has led to another file before, as a link does that was set anew or has come in place of a file, what the agent has seen
// of that one is what it has seen here, unless it has seen this one since.
func (s *Store) Named(session, name, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	by := agentKey{session, filepath.Clean(name)}
	before, ok := s.names[by]
	if !ok {
		before = by.path
	}
	key := agentKey{session, path}
	if seen, ok := s.agents[agentKey{session, before}]; ok && before != path && seen.at > s.agents[key].at {
		s.drop(s.agents[key].blob)
		seen.blob.refs++
		s.agents[key] = seen
	}

	if by.path == path {
		delete(s.names, by)
		return
	}
	if s.names == nil {
		s.names = make(map[agentKey]string)
	}
	s.names[by] = path
}
