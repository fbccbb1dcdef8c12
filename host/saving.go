package host

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Neovim writes a file in place where it makes no backup ('nowritebackup', and below the folders of 'backupskip'): when it is
// killed in between, the file is cut or empty. So what a file had is kept in a copy while an agent's text is saved over it, and the
// next host says where that is.

// unsaved is what is kept beside such a copy.
type unsaved struct {
	Path string `json:"path"`
	Text string `json:"text"` // that was to be saved
}

var savings atomic.Int64 // numbers the copies

// copies is the folder of the copies, "" if there is none.
func (h *Host) copies() string {
	if h.settings().StateDir == "" {
		return ""
	}
	return filepath.Join(h.settings().StateDir, "saving")
}

// keepCopy keeps what a file has until the returned function is called. Where no copy can be kept, the save is made without one.
func (h *Host) keepCopy(real, text string) (drop func()) {
	dir := h.copies()
	old, err := buffers.ReadFile(real, nil, nil, h.maxRead())
	if dir == "" || err != nil || len(old.Data) == 0 || old.Text == text || os.MkdirAll(dir, 0o700) != nil {
		return func() {}
	}
	sum := sha256.Sum256([]byte(real))
	name := filepath.Join(dir, fmt.Sprintf("%s-%d-%d", hex.EncodeToString(sum[:4]), os.Getpid(), savings.Add(1)))
	var lock *os.File // as long as this process lives, and saves
	drop = func() {
		_ = os.Remove(name + ".json")
		_ = os.Remove(name + ".txt")
		_ = lock.Close()
	}
	note, err := json.Marshal(unsaved{Path: real, Text: text})
	if err == nil {
		err = os.WriteFile(name+".txt", old.Data, 0o600)
	}
	if err == nil {
		lock, err = os.OpenFile(name+".json", os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil {
		_, err = lock.Write(note)
	}
	if err != nil {
		drop()
		return func() {}
	}
	return drop
}

const copiesKept = 30 * 24 * time.Hour // after this a copy that the user was told of is removed

// cutSaves tells the user of files that a host before this one has left half saved, and where their text is.
func (h *Host) cutSaves() {
	dir := h.copies()
	entries, err := os.ReadDir(dir)
	if dir == "" || err != nil {
		return
	}
	for _, e := range entries {
		name := filepath.Join(dir, strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())))
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".txt" && time.Since(info.ModTime()) > copiesKept {
			_ = os.Remove(name + ".txt")
		}
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		var u unsaved
		data, err := os.ReadFile(name + ".json")
		if err != nil || held(name+".json") || json.Unmarshal(data, &u) != nil {
			continue // it is being saved
		}
		old, oerr := os.ReadFile(name + ".txt")
		now, err := os.ReadFile(u.Path)
		if oerr != nil || err == nil && (string(now) == string(old) || string(now) == u.Text) {
			_ = os.Remove(name + ".txt") // it is whole
		} else {
			h.say("warn", fmt.Sprintf("saving %s for an agent was cut off; what it had is in %s", filepath.Base(u.Path), name+".txt"))
		}
		_ = os.Remove(name + ".json")
	}
}

// held reports whether a living host holds a file.
func held(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return true
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
