package tests

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

var (
	wordsFor  = flag.Duration("words", 15*time.Second, "how long TestWords plays")
	wordsOnly = flag.String("words.only", "", "in which ways its agent writes, comma separated")
)

// TestWords plays a user at the keys, in every mode, against an agent that writes the same file in every way that
// agents were seen to, with unique words: no word is lost that nobody has deleted, the disk is never torn, a save never
// asks, no buffer is reloaded, and undo is exact (behaviours 37, 112, 125, 130).
func TestWords(t *testing.T) {
	t.Parallel()
	seed := seedtest.Of(t)
	p := newGame(t, seed)
	end := time.Now().Add(*wordsFor)
	for round := 1; time.Now().Before(end); round++ {
		p.round(end)
		if t.Failed() {
			return
		}
	}
	p.finish()
	t.Logf("%d edits by the agent, %d turns at the keys, %d edits of the buffer, %d undone, %d questions", p.agent.edits.Load(), p.acts, p.edits, p.undos(), p.wroteAt)
}

// game is one run of it.
type game struct {
	t       *testing.T
	e       *editor
	rand    *rand.Rand
	pace    *time.Ticker
	book    *ledger
	agent   *scribe
	path    string
	n       int
	acts    int
	screen  string
	wroteAt int
	edits   int
	ends    int64        // of turns at the keys …
	seen    atomic.Int64 // … that Neovim has come to
}

func newGame(t *testing.T, seed uint64) *game {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "words.txt")
	var b strings.Builder
	b.WriteString("top\n")
	for i := range 100 {
		fmt.Fprintf(&b, "base %d\n", i)
	}
	b.WriteString("bottom\n")
	for _, name := range []string{path, filepath.Join(dir, "other.txt")} {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := newWire(t)
	e := agentEditor(t, dir, mustLook("wire-agent"), w.socket)
	p := &game{t: t, e: e, rand: rand.New(rand.NewPCG(seed, 0)), pace: time.NewTicker(3 * time.Millisecond), book: newLedger(), path: path}
	t.Cleanup(p.pace.Stop)
	p.agent = &scribe{wire: w, path: path, rand: rand.New(rand.NewPCG(seed, 1)), book: p.book}
	p.lua(`vim.o.shortmess = vim.o.shortmess .. "S" vim.o.backupskip = "" vim.cmd("edit words.txt") math.randomseed(1)`)
	p.lua(`require("nvim-acp").chat({ focus = false }) vim.cmd("only")`)
	p.wait(`require("nvim-acp").status().state == "idle"`)
	p.lua(`require("nvim-acp").prompt("go")`)
	if err := poll(patience, func() (bool, error) { return w.prompted(), nil }); err != nil {
		t.Fatal(err)
	}
	p.wait(`require("nvim-acp.files.watch").open()`)
	p.lua(userLedger)
	if err := e.RegisterHandler("typed", func() { p.seen.Add(1) }); err != nil {
		t.Fatal(err)
	}
	p.lua(fmt.Sprintf(`vim.keymap.set({ "n", "x", "s", "i", "c", "o" }, "<F7>", function() vim.rpcnotify(%d, "typed") end)`, e.ChannelID()))
	return p
}

func (p *game) lua(code string) {
	p.t.Helper()
	if _, err := p.e.lua(code); err != nil {
		p.t.Fatal(err)
	}
}

func (p *game) wait(expr string) {
	p.t.Helper()
	if err := p.e.wait(expr); err != nil {
		p.t.Fatal(err)
	}
}

// round lets both play for a moment, then looks whether all words are there.
func (p *game) round(end time.Time) {
	stop := make(chan struct{})
	done := make(chan error, 1)
	go func() { // until stop
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := p.agent.act(*wordsOnly); err != nil {
				done <- err
				return
			}
		}
	}()
	for range 80 {
		if err := p.act(); err != nil {
			p.t.Error(err)
			break
		}
		if len(done) > 0 || time.Now().After(end) {
			break
		}
	}
	close(stop)
	if err := <-done; err != nil {
		p.t.Errorf("%v\n%s", err, p.e.screen.text())
	}
	p.check()
}

// check looks for all words, which may take until the disk has settled.
func (p *game) check() {
	var u userState
	var missing []string
	saves := []span{}
	err := poll(patience, func() (bool, error) {
		u = userState{}
		if err := p.e.ask("return ledger.state()", &u); err != nil {
			return false, err
		}
		for _, s := range u.Saves {
			saves = append(saves, s.span())
		}
		if len(u.Problems) > 0 {
			return false, fmt.Errorf("%s", strings.Join(u.Problems, "\n"))
		}
		p.book.mu.Lock()
		disks := slices.Clone(p.book.disks)
		p.book.mu.Unlock()
		p.book.saved(saves)
		p.book.mu.Lock()
		p.book.disks = disks
		p.book.mu.Unlock()
		missing = p.book.missing(u)
		return len(missing) == 0, nil
	})
	p.book.saved(saves)
	p.edits = u.Edits
	data, derr := os.ReadFile(p.path)
	if derr != nil || !isWhole(string(data)) {
		p.t.Errorf("the disk is torn: %v: %q", derr, data)
	}
	if err == nil {
		return
	}
	_ = p.e.ask("return ledger.log", &u.Log)
	_ = os.WriteFile(filepath.Join(os.TempDir(), fmt.Sprintf("words-%d.log", os.Getpid())), []byte(p.book.story(missing, u)+"\n"+u.Text+"\n---- disk\n"+string(data)), 0o600)
	p.t.Errorf("missing %v: %v; what happened is in words-%d.log of the folder for temporary files", missing, err, os.Getpid())
}

// excused ends a question of Neovim's that nobody could have kept away: the agent wrote the file in the very moment in which it
// was saved.
func (p *game) excused() bool {
	screen := p.e.screen.text()
	switch {
	case strings.Contains(screen, "E510"), strings.Contains(screen, "E166"), strings.Contains(screen, "E212"): // the file was gone
		_, _ = p.e.Input("<CR>")
	case strings.Contains(screen, "has been changed since reading it"):
		p.wroteAt++
		_, _ = p.e.Input("n")
		_ = poll(patience, func() (bool, error) { // what Neovim says then may wait for <Enter>
			_, _ = p.e.Input("<CR>")
			m, err := p.e.Mode()
			return err == nil && !m.Blocking, err
		})
		if !p.wroteThen() {
			return false
		}
	case p.answered(): // the question came while keys were typed ahead, which answered it
		p.wroteAt++
		if !p.wroteThen() {
			return false
		}
	default:
		return false
	}
	return poll(patience, func() (bool, error) {
		m, err := p.e.Mode()
		if err == nil && !m.Blocking && m.Mode != "n" {
			_, err = p.e.Input("<Esc>")
		}
		return err == nil && !m.Blocking && m.Mode == "n", err
	}) == nil
}

// wroteThen reports whether the agent wrote when the last save had waited for its merge.
func (p *game) wroteThen() bool {
	var at float64
	if err := p.e.ask("return ledger.waited", &at); err != nil {
		return false
	}
	return poll(patience, func() (bool, error) { // it notes that only when it has written
		return p.book.wroteAt(time.UnixMicro(int64(at * 1e6))), nil
	}) == nil
}

// answered reports whether Neovim has asked since the last time.
func (p *game) answered() bool {
	m, err := p.e.Mode()
	if err != nil || m.Blocking {
		return false
	}
	var said string
	err = p.e.ask(`local said = vim.fn.execute("messages") vim.cmd("messages clear") return said`, &said)
	return err == nil && strings.Contains(said, "has been changed since reading it")
}

func (p *game) undos() int {
	var n int
	_ = p.e.ask("return ledger.undos or 0", &n)
	return n
}

// finish ends the turn, and looks once more.
func (p *game) finish() {
	p.agent.wire.end()
	p.wait(`require("nvim-acp").status().state == "idle"`)
	p.wait(`not require("nvim-acp.files.watch").open()`)
	p.check()
	if err := p.keys(":w<CR>"); err != nil {
		p.t.Error(err)
	}
	p.wait(`not vim.bo.modified`)
	var u userState
	if err := p.e.ask("return ledger.state()", &u); err != nil {
		p.t.Fatal(err)
	}
	if data, err := os.ReadFile(p.path); err != nil || string(data) != u.Text {
		p.t.Errorf("the disk has another text than the buffer: %v", err)
	}
}

func (p *game) word() string {
	p.n++
	return fmt.Sprintf("u%05dz", p.n)
}

// keys types, a key at a time, and waits until nothing waits for an answer.
func (p *game) keys(keys ...string) error {
	p.book.note("user: %s", strings.Join(keys, " "))
	for _, k := range keys {
		if _, err := p.e.Input(k); err != nil {
			return err
		}
		if _, err := p.e.Mode(); err != nil { // answered in every mode
			return err
		}
		<-p.pace.C
	}
	return nil
}

// act does what a user does: goes to some line and does something there.
func (p *game) act() error {
	p.acts++
	keys := []string{"<F5>"}
	switch p.rand.IntN(18) {
	case 0:
		keys = append(keys, "o", p.word(), "<Esc>")
	case 1:
		keys = append(keys, "O", p.word(), "<CR>", p.word(), "<Esc>")
	case 2: // a completion menu, accepted or not
		end := []string{"<C-y>", "<C-e>", "<C-n><C-y>"}[p.rand.IntN(3)]
		keys = append(keys, "o", p.word(), " ba", "<C-n>", "<C-n>", end, " ", p.word(), "<Esc>")
	case 3: // Visual mode
		keys = append(keys, "o", p.word(), "<Esc>", "v", "iw", "c", p.word(), "<Esc>")
	case 4: // a blockwise insert
		keys = append(keys, "o", p.word(), "<CR>", p.word(), "<Esc>0", "<C-v>", "k", "I", p.word(), " ", "<Esc>")
	case 5: // :s///c
		keys = append(keys, "o", p.word(), " xx", "<Esc>", ":s/x/y/gc<CR>", "y", "a", "<Esc>")
	case 6: // an operator
		keys = append(keys, ">", ">", "A ", p.word(), "<Esc>")
	case 7: // a linewise selection, taken away
		keys = append(keys, "V", "j", "k", "<F6>")
	case 8:
		keys = append(keys, "<F6>")
	case 9: // a macro
		keys = append(keys, "qa", "o", p.word(), "<Esc>", "q", "@a")
	case 10:
		keys = append(keys, "u")
	case 11:
		keys = append(keys, "u", "u", "<C-r>")
	case 12, 13:
		keys = append(keys, ":w<CR>")
	case 14: // saved while inserting
		keys = append(keys, "A ", p.word(), "<C-s>", " ", p.word(), "<Esc>")
	case 15: // another window, another file
		keys = append(keys, ":split other.txt<CR>", "o", "text", "<Esc>", ":w<CR>", ":q!<CR>")
	case 17: // a conflict decided, for both
		keys = append(keys, ":silent AcpConflict next<CR>", ":silent AcpConflict both<CR>")
	case 16:
		keys = append(keys, "A ", p.word(), "<Esc>", ":checktime<CR>")
	}
	if err := p.keys(keys...); err != nil {
		return err
	}
	p.ends = p.seen.Load() + 1
	if _, err := p.e.Input("<F7>"); err != nil {
		return err
	}
	began := time.Now()
	defer func() {
		if time.Since(began) > 500*time.Millisecond {
			p.t.Logf("%v held up for %v:\n%s", keys, time.Since(began), p.screen)
		}
	}()
	asks := poll(patience, func() (bool, error) {
		m, err := p.e.Mode()
		p.screen = fmt.Sprint(m, p.e.screen.text())
		if err == nil && (m.Blocking || m.Mode == "r?") && strings.Contains(p.screen, "has been changed since reading it") {
			return false, errors.New("a question")
		}
		return err == nil && !m.Blocking && m.Mode == "n" && p.seen.Load() >= p.ends, err
	})
	if asks != nil && p.excused() {
		return nil
	}
	if asks != nil {
		return fmt.Errorf("after %v Neovim waits:\n%s", keys, p.e.screen.text())
	}
	if p.rand.IntN(4) == 0 {
		p.lua("ledger.check_undo()")
	}
	for range p.rand.IntN(8) { // a breath
		<-p.pace.C
	}
	return nil
}
