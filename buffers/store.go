package buffers

import (
	"errors"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
)

// storeMemory is how many bytes of text a [Store] keeps in memory.
const storeMemory = 64 << 20

// A [Store] keeps past versions of a file beside the last one: as many as these allow.
const (
	pastVersions = 8
	pastBytes    = 4 << 20
)

// Store keeps the bases of merges, by real path: the disk's texts when a file was last read or written, and the last version of
// each session's agent (behaviour 206).
//
// Equal texts are kept once; over 64 MiB of them the ones least recently used move to a private file that has no name,
// so that it goes with the process. The zero value is ready for use, by any number of goroutines. Slices go in and come
// out without a copy: nobody may change them.
type Store struct {
	mu     sync.Mutex // guards the fields below
	closed bool
	limit  int64 // of memory; 0 means storeMemory
	memory int64 // bytes of the blobs that are in memory
	clock  uint64
	blobs  map[fingerprint]*blob
	disk   map[string][]version // of each file, the last one last; never empty
	agents map[agentKey]version // without stat
	names  map[agentKey]string  // by a path that is a name of it: the file, by its real path
	spill  spill
}

type agentKey struct{ session, path string }

// version is a text, the file status that belongs to it, and when it was stored.
type version struct {
	blob *blob
	stat Stat
	at   uint64 // the clock
	from uint64 // the clock when the same text was stored first, if none was stored in between

	onDisk bool // of an agent's: it is that of the disk
}

// fingerprint tells texts apart, with a seed that nobody outside this process knows. A cryptographic sum takes ten times as
// long, which a read of a large buffer would wait for.
type fingerprint struct {
	hash uint64
	size int
}

var seed = maphash.MakeSeed()

func fingerprintOf(data []byte) fingerprint { return fingerprint{maphash.Bytes(seed, data), len(data)} }

// blob is a text that refs entries share.
type blob struct {
	sum    fingerprint
	refs   int
	size   int64
	data   []byte // nil if spilled
	offset int64  // in the spill file
	used   uint64 // the clock at the last use
}

// errStoreClosed is what a closed store answers.
var errStoreClosed = errors.New("store of bases is closed")

// SetDisk stores the text of a file on disk. An error, of the private file, means that more memory is used than allowed,
// not that the text is lost.
func (s *Store) SetDisk(path string, data []byte, stat Stat) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.closed {
		return errStoreClosed
	}

	v := version{blob: s.keep(data), stat: stat, at: s.clock, from: s.clock}
	if s.disk == nil {
		s.disk = make(map[string][]version)
	}

	list := s.disk[path]
	if n := len(list); n > 0 && list[n-1].blob == v.blob {
		s.drop(v.blob)
		list[n-1].stat, list[n-1].at = v.stat, v.at
		return nil
	}

	size := int64(0)
	for _, past := range list {
		size += past.blob.size
	}

	for len(list) > pastVersions || len(list) > 0 && size > pastBytes {
		size -= list[0].blob.size
		s.drop(list[0].blob)
		list = slices.Delete(list, 0, 1)
	}

	s.disk[path] = append(list, v)
	return s.shrink()
}

// Disk returns the last known text on disk.
func (s *Store) Disk(path string) (data []byte, stat Stat, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.disk[path]
	if len(list) == 0 {
		return nil, Stat{}, false
	}
	v := list[len(list)-1]
	data, ok = s.load(v.blob)
	return data, v.stat, ok
}

// Since returns the texts that the disk has had since the version of a session's agent was stored, the last one first, without
// that version itself: what the agent may have read there. If its version was stored as one on the disk, that is also what the disk had
// already then. It goes back some versions only.
func (s *Store) Since(session, path string) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()

	agent := s.agents[agentKey{session, path}]
	var texts [][]byte
	own := false // the disk has had that version itself since
	for _, v := range slices.Backward(s.disk[path]) {
		own = own || v.blob == agent.blob
		earlier := v.at < agent.at
		if earlier && (own || !agent.onDisk) {
			break
		}
		if v.blob != agent.blob {
			if data, ok := s.load(v.blob); ok {
				texts = append(texts, data)
			}
		}
		if earlier {
			break
		}
	}

	return texts
}

// DiskSeen returns the text that the disk had for a session's agent when its version was stored; false if that is not known.
func (s *Store) DiskSeen(session, path string) (data []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()

	agent, ok := s.agents[agentKey{session, path}]
	switch {
	case !ok:
		return nil, false
	case agent.onDisk:
		return s.load(agent.blob)
	}

	for _, v := range slices.Backward(s.disk[path]) {
		if v.from <= agent.at {
			return s.load(v.blob)
		}
	}

	return nil, false
}

// DropDisk removes the texts on disk of a file.
func (s *Store) DropDisk(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.disk[path] {
		s.drop(v.blob)
	}
	delete(s.disk, path)
}

// SetAgent stores a session's agent's version of a file, which it has seen in the editor. For the error see SetDisk.
func (s *Store) SetAgent(session, path, text string) error {
	return s.setAgent(session, path, text, false)
}

// SetAgentOnDisk is SetAgent of a version that the agent has seen or written on the disk.
func (s *Store) SetAgentOnDisk(session, path, text string) error {
	return s.setAgent(session, path, text, true)
}

func (s *Store) setAgent(session, path, text string, onDisk bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.closed {
		return errStoreClosed
	}

	v := version{blob: s.keep(bytesOf(text)), at: s.clock, onDisk: onDisk}
	if s.agents == nil {
		s.agents = make(map[agentKey]version)
	}

	key := agentKey{session, path}
	s.drop(s.agents[key].blob)
	s.agents[key] = v
	return s.shrink()
}

// Agent returns the last version of a session's agent; false if it has none.
func (s *Store) Agent(session, path string) (text string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.agents[agentKey{session, path}]
	if !ok {
		return "", false
	}
	data, ok := s.load(v.blob)
	return textOf(data), ok
}

// ForgetAgent removes the version of a session's agent of one file.
func (s *Store) ForgetAgent(session, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(func(k agentKey) bool { return k == agentKey{session, path} })
}

// Move notes that a file has another path: what agents have seen of it goes with it. If another file is at its path, they count as
// having seen it there, too, unless they have seen a file at the new path.
func (s *Store) Move(from, to string, replaced bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, v := range s.agents {
		if k.path != from {
			continue
		}

		key := agentKey{k.session, to}
		if old, ok := s.agents[key]; ok {
			if replaced {
				continue
			}
			s.drop(old.blob)
		}
		s.agents[key] = v
		if replaced {
			v.blob.refs++
		} else {
			delete(s.agents, k)
		}
	}
}

// Copy stores for a session whose agent knows what that of another one knows what that has seen.
func (s *Store) Copy(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	copied := map[agentKey]version{}
	for k, v := range s.agents {
		if k.session == from {
			copied[agentKey{to, k.path}] = v
		}
	}
	for k, v := range copied {
		v.blob.refs++
		s.drop(s.agents[k].blob)
		s.agents[k] = v
	}
}

// Forget removes the versions of a session's agent, and of those below it, whose id is the session's with a slash and more.
func (s *Store) Forget(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(func(k agentKey) bool { return k.session == session || strings.HasPrefix(k.session, session+"/") })
}

func (s *Store) forget(which func(agentKey) bool) {
	for k, v := range s.agents {
		if which(k) {
			s.drop(v.blob)
			delete(s.agents, k)
		}
	}
	maps.DeleteFunc(s.names, func(k agentKey, _ string) bool { return which(k) })
}

// Close empties the store and removes the private file. Later calls store nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.blobs, s.disk, s.agents, s.names, s.memory = nil, nil, nil, nil, 0
	return s.spill.close()
}

// keep returns the blob for data with one more reference.
func (s *Store) keep(data []byte) *blob {
	s.clock++
	sum := fingerprintOf(data)
	b := s.blobs[sum]
	if b == nil {
		if s.blobs == nil {
			s.blobs = make(map[fingerprint]*blob)
		}
		if data == nil {
			data = []byte{}
		}
		b = &blob{sum: sum, size: int64(len(data)), data: data}
		s.blobs[sum] = b
		s.memory += b.size
	}

	b.refs++
	b.used = s.clock
	return b
}

// drop takes back a reference. b may be nil.
func (s *Store) drop(b *blob) {
	if b == nil {
		return
	}
	if b.refs--; b.refs > 0 {
		return
	}
	delete(s.blobs, b.sum)
	if b.data == nil {
		s.spill.free(extent64{b.offset, b.size})
		return
	}
	s.memory -= b.size
}

// load returns the text of b. What is read from the private file stays there.
func (s *Store) load(b *blob) ([]byte, bool) {
	s.clock++
	b.used = s.clock
	if b.data != nil {
		return b.data, true
	}
	data, err := s.spill.read(extent64{b.offset, b.size})
	return data, err == nil
}

// shrink moves texts to the private file until the memory limit holds.
func (s *Store) shrink() error {
	limit := s.limit
	if limit == 0 {
		limit = storeMemory
	}
	for s.memory > limit {
		b := s.oldest()
		at, err := s.spill.write(b.data)
		if err != nil {
			return err
		}
		b.data, b.offset = nil, at
		s.memory -= b.size
	}

	return nil
}

// oldest is the blob in memory that was not used for the longest time; there is one if memory is not 0.
func (s *Store) oldest() *blob {
	var found *blob
	for _, b := range s.blobs {
		if b.size > 0 && b.data != nil && (found == nil || b.used < found.used) {
			found = b
		}
	}
	return found
}
