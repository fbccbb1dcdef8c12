package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// seed copies the user's index into the private repository and returns its tree, so that a first checkpoint reads only
// files that have changed since the user's Git has looked at them. It returns "" if the index cannot be used.
//
// Files whose blobs may differ from their bytes on the disk are left out, since a checkpoint is of the bytes; so are
// repositories within this one, which have checkpoints of their own, and what the user's Git was told not to look at.
func (r *repository) seed(ctx context.Context, lock *os.File) string {
	index, err := regular.ReadFile(r.from.index)
	if err != nil || r.from.crlf {
		return ""
	}

	info, err := os.Stat(r.from.index)
	if err != nil {
		return ""
	}

	copied := filepath.Join(r.dir, "index")
	if err := os.WriteFile(copied, index, 0o600); err != nil {
		return ""
	}
	// A file that is not older than the index may have changed in the moment of its writing: Git then reads it.
	if err := os.Chtimes(copied, info.ModTime(), info.ModTime()); err != nil {
		return ""
	}

	entries, err := r.git(ctx, lock, nil, "ls-files", "-z", "-v", "--stage")
	if err != nil {
		return ""
	}

	var unfit, names bytes.Buffer
	for entry := range bytes.SplitSeq(bytes.TrimSuffix(entries, []byte{0}), []byte{0}) {
		head, name, ok := bytes.Cut(entry, []byte{'\t'})
		fields := strings.Fields(string(head)) // tag, mode, blob, stage
		if !ok || len(fields) != 4 {
			continue
		}
		if fields[0] != "H" || fields[1] == "160000" || fields[3] != "0" {
			unfit.Write(append(name, 0))
			continue
		}
		names.Write(append(name, 0))
	}

	if err := r.noteOwned(strings.Split(names.String(), "\x00")); err != nil {
		return ""
	}
	if err := r.converted(ctx, &names, &unfit); err != nil {
		return ""
	}

	if unfit.Len() > 0 {
		if _, err := r.git(ctx, lock, &unfit, "update-index", "-z", "--force-remove", "--stdin"); err != nil {
			return ""
		}
	}

	tree, err := r.trees(ctx, lock, nil, "write-tree", "--missing-ok")
	if err != nil {
		return ""
	}

	return strings.TrimSpace(string(tree))
}

// converted adds to unfit which of the names Git converts between the disk and its objects: line ends, encodings, filters.
func (r *repository) converted(ctx context.Context, names, unfit *bytes.Buffer) error {
	if names.Len() == 0 {
		return nil
	}

	out, err := git(ctx, r.top, nil, nil, names, "check-attr", "-z", "--stdin",
		"text", "eol", "crlf", "filter", "ident", "working-tree-encoding")
	if err != nil {
		return err
	}

	fields := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0}) // path, attribute, value
	if len(fields)%3 != 0 {
		return errors.New("git check-attr: not understood")
	}

	last := ""
	for i := 0; i < len(fields); i += 3 {
		name, value := string(fields[i]), string(fields[i+2])
		if value != "unspecified" && value != "unset" && name != last {
			unfit.WriteString(name + "\x00")
			last = name
		}
	}

	return nil
}
