package elsewhere

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Git runs what the configuration of a repository names, as whoever calls it: what an agent in a sandbox writes there
// would run outside. So the repositories that are there when a sandbox opens cannot be configured in it, and new ones
// are said.

// maxFolders bounds how many folders are searched for repositories, maxRepositories how many of them are protected. What is
// beyond is said.
const (
	maxFolders      = 100_000
	maxRepositories = 300
)

// repositories are those of a sandbox's folders that are known. It is safe for concurrent use; the zero value knows
// none.
type repositories struct {
	mu      sync.Mutex // guards all below; held while folders are searched
	turn    baseline   // at the end of the last turn
	seen    baseline   // when it was last looked
	stamps  map[string]string
	told    map[string]bool // paths of which a change was said since the end of the last turn
	sockets []string        // in their folders, at the last search

	watched map[string]string // by path, what programs outside run because of a configuration: which do
	counts  map[string]part   // what counts of these, if it is not all
	own     []ownFolder       // of agents

	followed followed          // scripts among what runs
	named    map[string]string // by path, what those name: which programs run it
}

// baseline is what was known at some time.
type baseline struct {
	known map[string]string // repositories by path; what tells one from another in its place
	runs  map[string]string // by path, the version of what programs outside run by themselves
	cut   bool              // there are more folders than are searched
}

// learn searches folders and returns which repositories are new there since the end of the last turn, which files that programs outside
// run have changed, and whether there are, unlike then, too many folders. It is an error if ctx ends before; then nothing is learnt.
func (r *repositories) learn(ctx context.Context, roots []string) (fresh, changed []string, cut bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = nil
	return r.search(ctx, roots, &r.turn)
}

// look is learn for what is new since the last look, also during a turn and between two. What was said is not said again before the end
// of a turn.
func (r *repositories) look(ctx context.Context, roots []string) (fresh, changed []string, cut bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if fresh, changed, cut, err = r.search(ctx, roots, &r.seen); err != nil {
		return nil, nil, false, err
	}
	return r.untold(fresh), r.untold(changed), cut, nil
}

// glance is look for files that are known.
func (r *repositories) glance() (changed []string) {
	r.mu.Lock()
	defer r.mu.Unlock()

	stamps := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(r.seen.runs)) {
		if stamps[path] = reached(path); r.stamps[path] == stamps[path] {
			continue
		}
		if now := r.version(path); now != r.seen.runs[path] {
			if r.differs(path, r.seen.runs[path], now) {
				changed = append(changed, path)
			}
			r.seen.runs[path] = now
		}
	}

	r.stamps = stamps
	return r.untold(changed)
}

// begin has looks compare with what is known now.
func (r *repositories) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = baseline{maps.Clone(r.turn.known), maps.Clone(r.turn.runs), r.turn.cut}
}

// untold returns those of some paths of which nothing was said since the end of the last turn. r.mu is held.
func (r *repositories) untold(paths []string) []string {
	if r.told == nil {
		r.told = map[string]bool{}
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		told := r.told[path]
		r.told[path] = true
		return told
	})
}

// search compares with a baseline, which is what was found afterwards. r.mu is held.
func (r *repositories) search(ctx context.Context, roots []string, base *baseline) (fresh, changed []string, cut bool, err error) {
	now := search(ctx, roots, maxFolders)
	if err := ctx.Err(); err != nil {
		return nil, nil, false, err
	}
	for _, path := range slices.Sorted(maps.Keys(now.repositories)) {
		if base.known[path] != now.repositories[path] {
			fresh = append(fresh, path)
		}
	}

	runs := map[string]string{}
	for _, path := range slices.AppendSeq(slices.Clone(now.runs), maps.Keys(r.watched)) {
		runs[path] = r.version(path)
	}

	for _, path := range now.runs {
		for _, file := range r.followed.of(path, runs[path], roots) {
			if _, known := runs[file]; known {
				continue
			}
			if r.named == nil {
				r.named = map[string]string{}
			}
			r.named[file], runs[file] = runBy(path), r.version(file)
			if _, known := base.runs[file]; !known && base.runs != nil {
				base.runs[file] = runs[file] // it is named since now
			}
		}
	}

	for _, own := range r.own {
		own.files(r.isWatched, func(path string) { runs[path] = r.version(path) })
	}

	for _, path := range slices.Sorted(maps.Keys(runs)) {
		if base.runs != nil && r.differs(path, base.runs[path], runs[path]) {
			changed = append(changed, path)
		}
	}

	cut = !now.whole && !base.cut
	*base, r.sockets = baseline{now.repositories, runs, !now.whole}, now.sockets
	return fresh, changed, cut, nil
}

// watch has further paths compared from now on, which some program runs.
func (r *repositories) watch(by string, paths ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()

	for _, path := range paths {
		if r.watched[path] == "" {
			if r.watched == nil {
				r.watched = map[string]string{}
			}
			r.watched[path] = by
			if r.turn.runs == nil {
				r.turn.runs = map[string]string{}
			}
			r.turn.runs[path] = r.version(path)
		}
	}
}

// part is what counts of a file.
type part int

const (
	whole   part = iota
	orderly      // of settings, what says what runs
	made         // of settings, all once they say something
	added        // of a list that is worked off, what is added to what runs
)

// watchAs has only a part of a file count.
func (r *repositories) watchAs(path string, counts part) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[string]part{}
	}
	r.counts[path] = counts
}

// watchOwn has a folder of an agent's compared from now on, and reports whether all in it is.
func (r *repositories) watchOwn(own ownFolder) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.own = append(r.own, own)
	if r.turn.runs == nil {
		r.turn.runs = map[string]string{}
	}
	return own.files(r.isWatched, func(path string) { r.turn.runs[path] = r.version(path) })
}

// isWatched reports whether a path is compared anyway. r.mu is held.
func (r *repositories) isWatched(path string) bool { return r.watched[path] != "" }

// differs reports whether a program runs something else after a change. r.mu is held.
func (r *repositories) differs(path, before, now string) bool {
	if r.counts[path] != added {
		return before != now && now != "" // what is gone runs nothing
	}
	had := strings.Split(before, "\n")
	return slices.ContainsFunc(strings.Split(now, "\n"), func(line string) bool { return line != "" && !slices.Contains(had, line) })
}

// version is the version of what counts of a file. r.mu is held.
func (r *repositories) version(path string) string {
	switch {
	case r.counts[path] == added:
		return stepsOf(path)
	case r.counts[path] == orderly:
		return ordersOf(path)
	case r.counts[path] == made && saysNothing(path):
		return ""
	case slices.ContainsFunc(r.own, func(o ownFolder) bool { return buffers.Inside(o.git, path) }):
		return gitOrders(path)
	}
	return version(path)
}

// isKnown reports whether all that is at a path is compared.
func (r *repositories) isKnown(path string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return isKnown(r.turn.runs[path]) && isKnown(r.seen.runs[path])
}

// by returns which programs run a file, and whether that is known of it, and not only of its folder.
func (r *repositories) by(path string) (by string, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if by := r.watched[path]; by != "" {
		return by, true
	}
	for _, o := range r.own {
		if buffers.Inside([]string{o.dir}, path) {
			return o.by, buffers.Inside(o.git, path)
		}
	}
	if by := runBy(path); by != "" || r.named[path] == "" {
		return cmp.Or(by, "Git"), true
	}
	return r.named[path], false
}

// sort has first what is watched by its path, then what has the fewest folders above: of many changes not all are named.
func (r *repositories) sort(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rank := func(path string) int {
		if r.watched[path] != "" {
			return 0
		}
		return strings.Count(path, "/")
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
}

// listeners returns the sockets in the folders that were searched last, in order.
func (r *repositories) listeners() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sockets)
}

// Changed says what in the folders of a sandbox could have programs outside run something, since it was opened or since the last
// call: Git repositories that were made, files that were changed, and limits; in other places there is nothing. It waits for the disk
// until ctx ends.
func (p *Place) Changed(ctx context.Context) (texts []string) {
	if !p.Sandbox() {
		return nil
	}
	return p.changes(p.repositories.learn(ctx, p.roots()))
}

// changes says what a search has found.
func (p *Place) changes(list, changed []string, cut bool, err error) (texts []string) {
	if err != nil {
		return nil
	}
	for _, path := range list {
		texts = append(texts, "a Git repository was made or led elsewhere: "+plain.OneLine(path)+"; Git runs what its "+
			"configuration says, as you and outside of the sandbox: look at it before you use Git there")
	}

	p.repositories.sort(changed)
	for i, path := range changed {
		if i == maxChanged {
			texts = append(texts, fmt.Sprintf("and %d more such files were changed", len(changed)-i))
			break
		}
		by, known := p.repositories.by(path)
		text := changedRun(nameIn(p.needs.Cwd, path), by, known)
		if !p.repositories.isKnown(path) {
			text = manyFiles(nameIn(p.needs.Cwd, path), by)
		}
		texts = append(texts, text)
	}

	if cut {
		texts = append(texts, manyFolders)
	}

	return texts
}

// maxChanged is how many changed files are named after a turn.
const maxChanged = 5

// manyFolders is said where not all folders are searched.
var manyFolders = fmt.Sprintf("this session has more than %d folders: Git repositories in the others are neither protected "+
	"from the agent nor said when it makes one; Git runs what their configuration says, as you and outside of the sandbox. "+
	"Sockets there are hidden only if a program listens on them under their whole path", maxFolders)

// Sandbox reports whether the place is a sandbox of this machine.
func (p *Place) Sandbox() bool { return p != nil && p.spec.Sandbox }

// roots are the session's folders, without links.
func (p *Place) roots() []string {
	var list []string
	for _, dir := range append([]string{p.needs.Cwd}, p.needs.Dirs...) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			list = append(list, real)
		}
	}
	return list
}
