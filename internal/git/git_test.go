package git

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// run runs a command of the user's Git, or any other.
func run(t *testing.T, dir string, words ...string) {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(Env(), "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", words, err, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// hostile makes a repository in which everything that Git knows of leaves a file.
func hostile(t *testing.T) (dir, trace string) {
	t.Helper()
	dir, trace = t.TempDir(), filepath.Join(t.TempDir(), "trace")
	write(t, filepath.Join(dir, "file"), "one\n")
	write(t, filepath.Join(dir, "same"), "same\n")
	run(t, dir, "git", "init", "-q")
	run(t, dir, "git", "add", ".")
	run(t, dir, "git", "commit", "-qm", "x")

	leave := filepath.Join(t.TempDir(), "leave")
	write(t, leave, "#!/bin/sh\necho \"$0 $*\" >> '"+trace+"'\n")
	for name, value := range map[string]string{
		"filter.x.clean": leave, "filter.x.smudge": leave, "core.fsmonitor": leave, "core.pager": leave, "diff.x.command": leave,
		"diff.x.textconv": leave, "diff.external": leave, "core.sshCommand": leave, "core.hooksPath": filepath.Join(dir, "hooks"),
		"gpg.program": leave, "log.showSignature": "true", "remote.origin.url": dir, "remote.origin.uploadpack": leave,
		"remote.origin.promisor": "true", "protocol.file.allow": "always", "core.askPass": leave, "core.editor": leave,
	} {
		run(t, dir, "git", "config", name, value)
	}
	write(t, filepath.Join(dir, "hooks", "post-index-change"), "#!/bin/sh\n"+leave+"\n")
	write(t, filepath.Join(dir, ".gitattributes"), "* filter=x diff=x\n")
	write(t, filepath.Join(dir, "file"), "two\n")
	return dir, trace
}

// untouched fails if something has run.
func untouched(t *testing.T, trace string) {
	t.Helper()
	if text, err := os.ReadFile(trace); err == nil {
		t.Errorf("it has run:\n%s", text)
	}
}

// compared returns what a comparison of a folder prints.
func compared(t *testing.T, dir string) (string, error) {
	t.Helper()
	v, err := Look(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	words, env := v.Diff()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A comparison runs nothing that the repository or its files name, and shows what has changed (behaviour 486).
func TestDiffRunsNothing(t *testing.T) {
	dir, trace := hostile(t)
	out, err := compared(t, dir)
	if err != nil || !strings.Contains(out, "\n-one\n+two\n") || strings.Contains(out, "same") {
		t.Errorf("diff: %v\n%s", err, out)
	}
	untouched(t, trace)

	cmd := exec.Command("git", "-c", "core.fsmonitor=false", "diff", "--no-ext-diff", "--no-textconv", "HEAD")
	cmd.Dir = dir
	_, _ = cmd.Output()
	if _, err := os.Stat(trace); err != nil {
		t.Errorf("the repository is harmless, and so shows nothing: %v", err)
	}
}

// What lists files and reads blobs runs nothing, also where an object is to be fetched and in a folder that is a
// repository itself (behaviour 486).
func TestReadRunsNothing(t *testing.T) {
	dir, trace := hostile(t)
	blob, err := read(t.Context(), dir, "rev-parse", "HEAD:file")
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(t.Context(), dir, "cat-file", "blob", "HEAD:./file")
	if err != nil || got != "one\n" {
		t.Errorf("cat-file: %q, %v", got, err)
	}
	blob = strings.TrimSpace(blob)
	if err := os.Remove(filepath.Join(dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t.Context(), dir, "cat-file", "blob", "HEAD:./file"); err == nil {
		t.Error("a missing blob is read")
	}
	if _, err := read(t.Context(), dir, "ls-files", "-t", "--cached", "--deleted", "--others", "--exclude-standard"); err != nil {
		t.Error(err)
	}

	bare := filepath.Join(t.TempDir(), "project", "bare") // in a folder of which nobody knows that it is one
	if err := os.MkdirAll(bare, 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, bare, "git", "init", "-q", "--bare", ".")
	run(t, bare, "git", "config", "core.fsmonitor", "echo x >> '"+trace+"'; false")
	run(t, bare, "git", "config", "core.bare", "false")
	run(t, bare, "git", "config", "core.worktree", bare)
	if out, err := read(t.Context(), bare, "ls-files"); err == nil {
		t.Errorf("a repository without a working tree is used: %q", out)
	}
	untouched(t, trace)
}

// The settings that say how files are read are those of the user (behaviour 486).
func TestDiffSettings(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "one\ntwo\n")
	run(t, dir, "git", "init", "-q")
	run(t, dir, "git", "config", "core.autocrlf", "input")
	run(t, dir, "git", "update-index", "--split-index")
	run(t, dir, "git", "add", ".")
	run(t, dir, "git", "commit", "-qm", "x")
	write(t, filepath.Join(dir, "file"), "one\r\n2\r\n")
	out, err := compared(t, dir)
	if want := fmt.Sprintf("@@ -1,2 +1,2 @@\n one\n-two\n+%d\n", 2); err != nil || !strings.Contains(out, want) {
		t.Errorf("diff: %v\n%s", err, out)
	}
	if _, err := Look(t.Context(), t.TempDir()); err == nil {
		t.Error("a folder without a repository has one")
	}
}

// A folder that is gone is said to be so, and not that Git is not there.
func TestGoneFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if _, err := Look(t.Context(), dir); err == nil || !strings.Contains(err.Error(), dir+" is not there") {
		t.Errorf("Look: %v", err)
	}
}
