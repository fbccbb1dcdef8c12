package checkpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// What is ignored is left out of checkpoints. A turn that has changed what is ignored could hide its files so: then those count that the
// rules of before the turn do not ignore.

const (
	ignoreFile = ".gitignore"
	rulesDir   = "rules" // in the private repository: lists of ignored files that are not in the tree, by their hash
	maxHidden  = 1000    // files that are taken in though they are ignored now
)

// unhide returns the checkpoint of a folder with the files that are ignored only since an earlier one. What it leaves out is among Hidden,
// and those new files that may have been there before, ignored, among Doubtful.
func (s *Store) unhide(ctx context.Context, before, after Tree) (Tree, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.Time, errTooSlow)
	defer cancel()
	r := s.repository(before.Top)
	lock, release, err := r.acquire(ctx, syscall.LOCK_EX)
	if err != nil {
		return Tree{}, err
	}

	defer release()
	changed, err := r.rulesDiffer(ctx, lock, before, after)
	if err != nil || !changed {
		return after, err
	}

	list, err := r.rulesOf(ctx, lock, before)
	if err != nil {
		return Tree{}, err
	}
	if err := r.put(rulesDir+"/before", list); err != nil {
		return Tree{}, err
	}

	names := func(which ...string) (list []string, err error) {
		words := append(append([]string{"ls-files", "-z"}, which...), "--exclude-from="+filepath.Join(r.dir, rulesDir, "before"), "--", ".")
		if after.Path != "" {
			words[len(words)-1] = after.Path
		}
		out, err := r.trees(ctx, lock, nil, words...)
		for name := range strings.SplitSeq(string(out), "\x00") {
			if name != "" && !strings.HasSuffix(name, "/") {
				list = append(list, name)
			}
		}
		return list, err
	}

	doubtful, err := names("--cached", "--ignored")
	if err != nil {
		return Tree{}, err
	}
	hidden, err := names("--others")
	if err != nil {
		return Tree{}, err
	}

	had, err := r.foldersOf(ctx, lock, before)
	if err != nil {
		return Tree{}, err
	}
	return r.withHidden(ctx, lock, after, hidden, doubtful, had)
}

// withHidden adds files to a tree, unless they are many, or in a new folder that ignores itself, as those of caches do: these are Hidden.
// had are the folders that there were. The repository is locked.
func (r *repository) withHidden(
	ctx context.Context, lock *os.File, after Tree, hidden, doubtful []string, had map[string]bool,
) (Tree, error) {
	after.Checked = true
	for _, name := range doubtful {
		after.Doubtful = append(after.Doubtful, filepath.Join(r.top, name))
	}

	var add []string
	left := map[string]bool{}
	for _, name := range hidden {
		path := filepath.Join(r.top, name)
		switch own := r.ignoresItself(name, had); {
		case slices.Contains(after.Skipped, path) || isOther(path):
		case own != "":
			left[filepath.Join(r.top, own)] = true
		default:
			add = append(add, name)
		}
	}

	fit, stamps, err := r.readable(add)
	if len(add) > maxHidden || errors.Is(err, errTooLarge) {
		for _, name := range add {
			left[filepath.Join(r.top, name)] = true
		}
		fit, stamps = nil, nil
	} else if err != nil {
		return Tree{}, err
	}

	after.Hidden = slices.Sorted(maps.Keys(left))
	after.Hidden = after.Hidden[:min(len(after.Hidden), maxHidden)]
	for path, stamp := range stamps {
		if after.Stamps == nil {
			after.Stamps = map[string]string{}
		}
		after.Stamps[path], after.Skipped = stamp, append(after.Skipped, path)
	}
	if len(fit) == 0 {
		return after, nil
	}

	if err := r.noteOwned(fit); err != nil {
		return Tree{}, err
	}
	if err := r.update(ctx, lock, fit, "--add"); err != nil {
		return Tree{}, err
	}
	if after.ID, err = r.writeTree(ctx, lock); err != nil {
		return Tree{}, err
	}
	return after, r.keep(after)
}

// ignoresItself returns the folder of a file that is new and has a list of ignored files by which it is ignored as a whole; "" if none is.
func (r *repository) ignoresItself(name string, had map[string]bool) string {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if !had[dir] && regular.Exists(filepath.Join(r.top, dir, ignoreFile)) {
			return dir
		}
	}
	return ""
}

// rulesDiffer reports whether other files are ignored than before.
func (r *repository) rulesDiffer(ctx context.Context, lock *os.File, before, after Tree) (bool, error) {
	if before.Ignore != after.Ignore || !maps.Equal(before.Rules, after.Rules) {
		return true, nil
	}
	if before.ID == after.ID {
		return false, nil
	}
	out, err := r.treesOnly(ctx, lock, nil, "diff-tree", "-r", "-z", "--name-only", "--no-renames", before.ID, after.ID)
	return err == nil && slices.ContainsFunc(strings.Split(string(out), "\x00"), isIgnoreFile), err
}

func isIgnoreFile(name string) bool { return filepath.Base(name) == ignoreFile }

// rulesOf returns the rules of a tree as one list. Of a list that was ignored itself there is what it has now, unless it was changed.
func (r *repository) rulesOf(ctx context.Context, lock *os.File, before Tree) (string, error) {
	own, err := regular.ReadFile(filepath.Join(r.dir, rulesDir, before.Ignore))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}

	texts := map[string]string{}
	out, err := r.treesOnly(ctx, lock, nil, "ls-tree", "-r", "-z", before.ID)
	if err != nil {
		return "", err
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		head, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(head) // mode, kind, blob
		if !isIgnoreFile(name) || len(fields) != 3 || fields[0] == "120000" {
			continue
		}
		text, err := r.objects(ctx, lock, nil, "cat-file", "blob", fields[2])
		if err != nil {
			return "", err
		}
		if !isBlob(fields[2], text) {
			return "", ErrChanged
		}
		texts[name] = string(text)
	}

	for name, was := range before.Rules {
		if was == r.sumOf(name) {
			if text, err := regular.Read(filepath.Join(r.top, name), r.limits.File); err == nil {
				texts[name] = string(text)
			}
		}
	}

	list := string(own)
	names := slices.Sorted(maps.Keys(texts))
	slices.SortStableFunc(names, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	for _, name := range names { // a later line overrules one before it
		list += fromTop(filepath.Dir(name), texts[name])
	}
	return list, nil
}

// sumOf tells versions of a list of ignored files apart, by its relative path: its times can be set.
func (r *repository) sumOf(name string) string {
	text, err := regular.Read(filepath.Join(r.top, name), r.limits.File)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// fromTop returns the rules of a folder as ones of the folder above all.
func fromTop(dir, text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		rule, not := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "!")
		switch {
		case rule == "" || strings.HasPrefix(line, "#"):
			continue
		case dir == ".":
			b.WriteString(line + "\n")
			continue
		}

		prefix := "/" + literal.Replace(dir) + "/"
		if !strings.Contains(strings.TrimSuffix(strings.TrimRight(rule, " "), "/"), "/") {
			prefix += "**/"
		}
		if not {
			prefix = "!" + prefix
		}
		b.WriteString(prefix + strings.TrimPrefix(rule, "/") + "\n")
	}
	return b.String()
}

// literal has a name stand for itself in a rule.
var literal = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// foldersOf returns the folders of a tree that have files.
func (r *repository) foldersOf(ctx context.Context, lock *os.File, tree Tree) (map[string]bool, error) {
	out, err := r.treesOnly(ctx, lock, nil, "ls-tree", "-r", "-d", "-z", "--name-only", tree.ID)
	folders := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		folders[name] = true
	}
	return folders, err
}
