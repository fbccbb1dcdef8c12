package tests

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

var killedSaves = flag.Int("killed.saves", 4, "how often TestKilledSaves kills")

// TestKilledSaves kills Neovim or the host at random moments while agents' texts are saved one after the other, in place or
// not: the file is whole, or what it had is kept and the next start says where (behaviour 122).
func TestKilledSaves(t *testing.T) {
	t.Parallel()
	seed := seedtest.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	dir, cut := runDir(t), 0
	for round := range *killedSaves {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			if killedSave(t, random, dir) {
				cut++
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kills, %d of them cut the file off", *killedSaves, cut)
}

// killedText is the text of a version, which shows whether it is whole.
func killedText(version, lines int) string {
	return fmt.Sprintf("version %d of %d lines\n%send of %d\n", version, lines, strings.Repeat(strings.Repeat("x", 60)+"\n", lines), version)
}

func killedWhole(text string) bool {
	var version, lines int
	_, err := fmt.Sscanf(text, "version %d of %d lines\n", &version, &lines)
	return err == nil && text == killedText(version, lines)
}

// killedSave kills once, and reports whether the file was cut off.
func killedSave(t *testing.T, random *rand.Rand, dir string) (cut bool) {
	path := filepath.Join(dir, "saved.txt")
	text := killedText(0, 5000)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWire(t)
	e := agentEditor(t, dir, mustLook("wire-agent"), w.socket)
	victim, err := e.lua(fmt.Sprintf(`
		vim.o.writebackup, vim.o.backupcopy, vim.o.fsync = %t, %q, %t
		vim.cmd.edit("saved.txt")
		require("nvim-acp").chat({ focus = false })
		vim.wait(15000, function() return require("nvim-acp").status().state == "idle" end, 5)
		require("nvim-acp").prompt("go")
		if %t then return vim.fn.getpid() end
		for _, chan in ipairs(vim.api.nvim_list_chans()) do
			if chan.argv and #chan.argv == 1 then return vim.fn.jobpid(chan.id) end
		end`, random.IntN(3) == 0, []string{"auto", "yes", "no"}[random.IntN(3)], random.IntN(2) == 0, random.IntN(3) > 0))
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(victim, &pid); err != nil || pid <= 1 {
		t.Fatalf("pid %q: %v", victim, err)
	}
	if err := poll(patience, func() (bool, error) { return w.prompted(), nil }); err != nil {
		t.Fatal(err)
	}

	first := make(chan struct{})
	sizes := rand.New(rand.NewPCG(random.Uint64(), 0))
	go func() { // until the connection ends
		for version := 1; ; version++ {
			var answer json.RawMessage
			params := map[string]any{"sessionId": "s", "path": path, "content": killedText(version, 1000+sizes.IntN(20000))}
			if w.call("fs/write_text_file", params, &answer) != nil {
				return
			}
			if version == 1 {
				close(first)
			}
		}
	}()
	select {
	case <-first:
	case <-time.After(patience):
		t.Fatal("no write was answered")
	}
	if random.IntN(2) == 0 {
		for range random.IntN(20_000) { // any moment within some saves
			_, _ = os.Stat(path)
		}
	} else { // or the one in which the file is short, if there is one
		for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
			if info, err := os.Stat(path); err == nil && info.Size() < int64(len(killedText(1, 500))) {
				break
			}
		}
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = w.in.Close()
	e.close()

	now, err := os.ReadFile(path)
	if err == nil && killedWhole(string(now)) {
		return false
	}
	kept, _ := filepath.Glob(filepath.Join(dir, ".home/STATE/nvim*/nvim-acp/saving/*.txt"))
	whole := 0
	for _, name := range kept {
		if old, err := os.ReadFile(name); err == nil && killedWhole(string(old)) {
			whole++
		}
	}
	if whole == 0 {
		t.Fatalf("the file has %d bytes (%v), and of %v none is whole", len(now), err, kept)
	}
	after := agentEditor(t, dir, mustLook("wire-agent"), "/none")
	defer after.close()
	if _, err := after.lua(`require("nvim-acp").chat({ focus = false })`); err != nil {
		t.Fatal(err)
	}
	if err := after.wait(`vim.fn.execute("messages"):find("saved.txt for an agent was cut off", 1, true)`); err != nil {
		t.Error(err)
	}
	for _, name := range kept {
		_ = os.Remove(name)
	}
	return true
}
