package checkpoint

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// What is small is written without Git: each of its processes takes milliseconds, and a prompt waits for a checkpoint.

// emptyTrees are the ids of a tree with no file, which Git knows without having it.
var emptyTrees = map[string]string{
	"sha1":   "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
	"sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}

// writeCommit stores a commit of a tree, with no parent, and returns its id.
func (r *repository) writeCommit(tree string) (string, error) {
	who := fmt.Sprintf("nvim-acp <nvim-acp@localhost> %d +0000", r.now().Unix())
	return r.writeObject("commit", fmt.Sprintf("tree %s\nauthor %s\ncommitter %s\n\ncheckpoint\n", tree, who, who), len(tree))
}

// writeObject stores an object in the loose format, unless it is there, and returns its id, which has as many digits as those of
// the repository.
func (r *repository) writeObject(kind, text string, digits int) (string, error) {
	object := fmt.Appendf(nil, "%s %d\x00%s", kind, len(text), text)
	var sum hash.Hash
	switch digits {
	case 2 * sha1.Size:
		sum = sha1.New()
	case 2 * sha256.Size:
		sum = sha256.New()
	default:
		return "", fmt.Errorf("object ids of %d digits are not known", digits)
	}

	sum.Write(object)
	id := hex.EncodeToString(sum.Sum(nil))
	name := filepath.Join(treesDir, id[:2], id[2:])
	if regular.Exists(filepath.Join(r.dir, name)) {
		return id, nil
	}

	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(object) // a buffer takes all
	_ = w.Close()
	return id, r.put(name, packed.String())
}

// put writes a file of the private repository, all of it or nothing. What holds objects does that while others have it locked.
func (r *repository) put(name, text string) error {
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return regular.Replace(path, r.dir, []byte(text))
}

// commit makes a tree the one that later changes are compared with.
func (r *repository) commit(tree string) error {
	id, err := r.writeCommit(tree)
	if err != nil {
		return err
	}
	if err := r.put("HEAD", id+"\n"); err != nil {
		return err
	}
	r.head, r.at = tree, id+"\n"
	return nil
}
