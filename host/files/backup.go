package files

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Neovim writes a file in place where it makes no backup ('nowritebackup', and below the folders of 'backupskip'): if it is
// killed meanwhile, the file is cut or empty. So what a file has is backed up while an agent's text is saved over it, and the
// next host says where that is.

// maxBackupAge is how long a backup is kept that the user was told of.
const maxBackupAge = 30 * 24 * time.Hour

// backupNote is the file beside a backup. The host that saves holds a lock on it.
type backupNote struct {
	Path string `json:"path"`
	Size int    `json:"size"` // of the text to be saved, in UTF-8 …
	Sum  uint32 `json:"sum"`  // … and its CRC: a file that was saved in another form looks cut if Neovim is killed then
}

// backups are what files have while agents' texts are saved over them. They are safe for concurrent use.
type backups struct {
	settings func() Settings
	warn     func(text string)
	count    atomic.Int64 // numbers them
	kept     sync.Map     // those that the next host is to find
}

// backupDir returns the folder of the backups, "" if there is none.
func (s *backups) backupDir() string {
	dir := s.settings().StateDir
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "saving")
}

// backup is what a file has, kept while something is saved over it.
type backup struct {
	made chan struct{} // closed when it is there, or cannot be
	name string        // of its files, without their ends
	lock *os.File      // as long as this process lives, and saves; nil: there is no backup
}

// backup begins to keep what a file has, in a goroutine, if it is to. Where that cannot be kept, the file is saved without.
func (s *backups) backup(real, text string, wanted bool) *backup {
	dir := s.backupDir()
	if !wanted || dir == "" {
		return noBackup()
	}

	b := &backup{made: make(chan struct{})}
	sum := sha256.Sum256([]byte(real))
	b.name = filepath.Join(dir, fmt.Sprintf("%s-%d-%d", hex.EncodeToString(sum[:4]), os.Getpid(), s.count.Add(1)))
	maxSize := s.settings().MaxRead
	caught.Go(func() { // ends when the file is copied
		defer close(b.made)
		b.make(real, text, maxSize)
	})
	return b
}

// noBackup returns one that keeps nothing.
func noBackup() *backup {
	b := &backup{made: make(chan struct{})}
	close(b.made)
	return b
}

// wait waits until the backup is made.
func (b *backup) wait() { <-b.made }

// take returns the backup, and leaves none: it is the caller's.
func (b *backup) take() *backup {
	b.wait()
	taken := *b
	b.lock = nil
	return &taken
}

// drop removes the backup, if there is one.
func (b *backup) drop() {
	if b.wait(); b.lock == nil {
		return
	}
	_ = os.Remove(b.name + ".json")
	_ = os.Remove(b.name + ".txt")
	_ = b.lock.Close()
	b.lock = nil
}

// keepIfCut leaves the backup to the user if its file is neither as it was nor whole, and returns where it is then, else "".
func (b *backup) keepIfCut() string {
	if b.wait(); b.lock == nil {
		return ""
	}
	note := cutSave(b.name)
	_ = b.lock.Close()
	b.lock = nil
	if note == nil {
		return ""
	}
	return b.name + ".txt"
}

// make makes the backup of a file that has another text, and any.
func (b *backup) make(real, text string, maxSize int64) {
	same, stat, err := buffers.HasBytes(real, text)
	if err != nil || same || stat.Size == 0 || stat.Size > maxSize || os.MkdirAll(filepath.Dir(b.name), 0o700) != nil {
		return
	}

	note, err := json.Marshal(backupNote{Path: real, Size: len(text), Sum: crc32.Checksum(buffers.Bytes(text), checked)})
	if err == nil {
		err = copyTo(b.name+".txt", real)
	}
	if err == nil {
		b.lock, err = regular.OpenFile(b.name+".new", os.O_CREATE|os.O_WRONLY, 0o600) // another host reads no note before it is locked
	}
	if err == nil {
		err = syscall.Flock(int(b.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil {
		_, err = b.lock.Write(note)
	}
	if err == nil {
		err = os.Rename(b.name+".new", b.name+".json")
	}
	if err != nil {
		_ = os.Remove(b.name + ".new")
		_ = os.Remove(b.name + ".txt")
		_ = b.lock.Close()
		b.lock = nil
	}
}

// copyTo writes a file with what another has, which the system copies by itself where it can.
func copyTo(name, real string) error {
	from, _, err := buffers.Open(real)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := regular.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// lockedFor is how long a host may take to end whose Neovim was killed, and endLook between two looks whether it has.
const (
	lockedFor = 10 * time.Second
	endLook   = 100 * time.Millisecond
)

// WarnOfCutSaves warns the user of files that an earlier host has left half saved, and where their text is. It waits for the
// disk, and for hosts that save: one may be about to end.
func (s *backups) WarnOfCutSaves() {
	for end := time.Now().Add(lockedFor); s.warnOfCutSaves() && time.Now().Before(end); {
		time.Sleep(endLook)
	}
}

// warnOfCutSaves looks once, and reports whether a host saves something now.
func (s *backups) warnOfCutSaves() (busy bool) {
	dir := s.backupDir()
	entries, err := os.ReadDir(dir)
	if dir == "" || err != nil {
		return false
	}
	for _, e := range entries {
		name := filepath.Join(dir, strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())))
		switch filepath.Ext(e.Name()) {
		case ".txt", ".new":
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > maxBackupAge {
				_ = os.Remove(filepath.Join(dir, e.Name()))
			}
		case ".json":
			busy = s.warnOfCutSave(name) || busy
		}
	}

	return busy
}

// warnOfCutSave warns of one such file unless it is whole. It reports whether a host is saving it.
func (s *backups) warnOfCutSave(name string) (busy bool) {
	if locked(name + ".json") {
		return true
	}
	if note := cutSave(name); note != nil {
		s.warn(fmt.Sprintf("saving %s for an agent was cut off; what it had is in %s", filepath.Base(note.Path), name+".txt"))
	}
	return false
}

// cutSave ends a backup. Its text stays if the file that it is of is neither as it was nor whole: then it returns the note of that.
func cutSave(name string) *backupNote {
	defer os.Remove(name + ".json")
	var note backupNote
	data, err := regular.ReadFile(name + ".json")
	if err != nil || json.Unmarshal(data, &note) != nil {
		return nil
	}

	old, err := regular.ReadFile(name + ".txt")
	if err != nil || note.whole() {
		_ = os.Remove(name + ".txt")
		return nil
	}
	if same, _, err := buffers.HasBytes(note.Path, string(old)); same && err == nil {
		_ = os.Remove(name + ".txt")
		return nil
	}

	return &note
}

// whole reports whether the file has the text that was saved.
func (n backupNote) whole() bool {
	f, stat, err := buffers.Open(n.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := crc32.New(checked)
	_, err = io.Copy(sum, f)
	return err == nil && stat.Size == int64(n.Size) && sum.Sum32() == n.Sum
}

// checked tells a whole file from one that is cut, or empty where its end should be.
var checked = crc32.MakeTable(crc32.Castagnoli)

// locked reports whether a living host has locked a file.
func locked(name string) bool {
	f, err := regular.Open(name)
	if err != nil {
		return true
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
