package tests

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// The names of drafts and of files with earlier prompts are SHA-256 sums, as they always were.
func TestHash(t *testing.T) {
	t.Parallel()
	_, run := scripted(t, "")
	var texts, want []string
	for n := range 200 {
		text := strings.Repeat(fmt.Sprintf("/ä/b %d/", n), n)[:n]
		texts = append(texts, text)
		want = append(want, fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16])
	}
	got := run(`return table.concat(vim.tbl_map(require("nvim-acp.state.hash").name, ...), "\n")`, texts)
	if got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
