package tests

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// playerAct is something that the user, or the world, does.
type playerAct struct {
	name   string
	weight int
	chats  bool // only with a chat
	do     func(*gamer, chatState) error
}

// playerActs are all of them.
var playerActs []playerAct

func init() { // they refer to what refers to them
	playerActs = []playerAct{
		{"prompt", 12, true, (*gamer).prompt},
		{"stop", 2, true, (*gamer).stop},
		{"permit", 4, true, (*gamer).permit},
		{"release", 2, true, func(p *gamer, _ chatState) error { p.agent.release(); return nil }},
		{"type", 8, false, (*gamer).typeWord},
		{"write", 4, false, func(p *gamer, _ chatState) error { return p.inFile(":silent write<CR>", "") }},
		{"undo", 2, false, func(p *gamer, _ chatState) error { return p.inFile("u", "now") }},
		{"redo", 1, false, func(p *gamer, _ chatState) error { return p.inFile("<C-r>", "now") }},
		{"reload", 1, false, func(p *gamer, _ chatState) error { return p.inFile(":edit!<CR>", "now") }},
		{"earlier", 1, false, func(p *gamer, _ chatState) error { return p.inFile(":silent earlier 3<CR>", "now") }},
		{"later", 1, false, func(p *gamer, _ chatState) error { return p.inFile(":silent later 3<CR>", "now") }},
		{"filter", 1, false, func(p *gamer, _ chatState) error { return p.inFile(":silent %!cat<CR>", "now") }},
		{"wipe", 1, false, (*gamer).wipe},
		{"windows", 2, false, func(p *gamer, _ chatState) error {
			how := []string{"split", "vsplit", "tab split", "tabonly", "only", "close", "tabnext", "wincmd w", "set autoread!"}
			p.lua(`vim.cmd("silent! " .. ...)`, how[p.rand.IntN(len(how))])
			return nil
		}},
		{"checkout", 1, false, (*gamer).checkout},
		{"commit", 1, false, func(p *gamer, _ chatState) error {
			return playerGit(p.dir, "commit", "-q", "-a", "--allow-empty", "-m", p.word("c"))
		}},
		{"stash", 1, false, (*gamer).stash},
		{"edit here", 3, false, func(p *gamer, _ chatState) error { return p.here("edit") }},
		{"ask here", 1, false, func(p *gamer, _ chatState) error { return p.here("ask") }},
		{"answer here", 4, false, (*gamer).answerHere},
		{"fork", 1, true, func(p *gamer, s chatState) error { p.lua(`P.fork(...)`, s.ID); return nil }},
		{"queue", 2, true, (*gamer).queue},
		{"rule", 1, true, (*gamer).rule},
		{"second Neovim", 1, false, (*gamer).second},
		{"take over", 1, false, (*gamer).takeOver},
		{"keep", 2, false, func(p *gamer, _ chatState) error { return p.inFile(":silent AcpKeep file<CR>", "") }},
		{"revert", 2, false, (*gamer).revert},
		{"undo turn", 2, true, func(p *gamer, s chatState) error { return p.goBack(s, true) }},
		{"rewind", 1, true, func(p *gamer, s chatState) error { return p.goBack(s, false) }},
		{"notes", 1, true, (*gamer).notes},
		{"mode", 3, true, (*gamer).mode},
		{"option", 2, true, func(p *gamer, s chatState) error {
			p.lua(`local s, v = ... acp.set("speed", v, { session = s })`, s.ID, speeds[p.rand.IntN(len(speeds))])
			return nil
		}},
		{"new chat", 1, false, func(p *gamer, _ chatState) error { p.lua(`acp.chat({ new = true, focus = false })`); return nil }},
		{"close", 1, true, (*gamer).close},
		{"restart", 1, true, func(p *gamer, _ chatState) error { p.lua(`vim.cmd("silent AcpRestart")`); return nil }},
		{"crash", 1, true, func(p *gamer, _ chatState) error { p.agent.crash(); return nil }},
		{"detach", 1, true, (*gamer).detach},
		{"attach", 1, false, (*gamer).attach},
		{"resize", 1, false, func(p *gamer, _ chatState) error {
			size := [][2]int{{100, 40}, {40, 20}, {160, 50}, {80, 12}}[p.rand.IntN(4)]
			return p.e.TryResizeUI(size[0], size[1])
		}},
		{"toggle", 2, true, func(p *gamer, _ chatState) error { p.lua(`vim.cmd("silent AcpToggle")`); return nil }},
		{"review", 1, true, func(p *gamer, _ chatState) error {
			p.lua(`vim.cmd("silent AcpReview") vim.cmd("silent! cclose")`)
			return nil
		}},
		{"language server", 1, false, (*gamer).serve},
		{"send errors", 2, true, func(p *gamer, s chatState) error { p.lua(`P.send_errors(...)`, s.ID); return nil }},
		{"usage", 1, true, func(p *gamer, _ chatState) error { p.lua(`vim.cmd("silent AcpUsage")`); return nil }},
		{"next: error", 1, true, func(p *gamer, _ chatState) error { p.agent.do(func() { p.agent.next = "error" }); return nil }},
		{"next: crash", 1, true, func(p *gamer, _ chatState) error { p.agent.do(func() { p.agent.next = "crash" }); return nil }},
		{"next: login", 1, true, func(p *gamer, _ chatState) error { p.agent.do(func() { p.agent.next = "login" }); return nil }},
		{"next: hang", 1, true, func(p *gamer, _ chatState) error { p.agent.do(func() { p.agent.next = "hang" }); return nil }},
		{"load: late", 1, true, func(p *gamer, _ chatState) error { p.agent.do(func() { p.agent.load = "late" }); return nil }},
		{"load: error", 1, true, func(p *gamer, _ chatState) error { p.agent.do(func() { p.agent.load = "error" }); return nil }},
	}
}

// wish is a prompt with a word.
func wish(word string) string { return "do " + word + " with all the care that it needs" }

func (p *gamer) prompt(s chatState) error {
	word := p.word("p")
	p.note("  %s", word)
	p.prompts = append(p.prompts, sent{word: word, session: s.ID, modes: len(p.modes[s.ID])})
	p.lua(`local s, text = ... acp.prompt(text, { session = s })`, s.ID, wish(word))
	return nil
}

func (p *gamer) stop(s chatState) error {
	for i := range p.prompts {
		p.prompts[i].stopped = p.prompts[i].stopped || p.prompts[i].session == s.ID
	}
	p.lua(`acp.cancel({ session = ... })`, s.ID)
	return nil
}

func (p *gamer) permit(s chatState) error {
	option := []string{"allow_once", "reject_once"}[p.rand.IntN(2)]
	if p.lua(`local s, o = ... return acp.permit(o, { session = s })`, s.ID, option) == "true" && option == "allow_once" {
		p.allowed++
	}
	return nil
}

// file goes to a file.
func (p *gamer) file() (string, error) {
	name := playerFiles[p.rand.IntN(len(playerFiles))]
	p.lua(`P.visit(...)`, name)
	return name, nil
}

// inFile types keys in a file; then "now" says that what the user had typed there is what the buffer has.
func (p *gamer) inFile(keys, then string) error {
	name, err := p.file()
	if err != nil {
		return err
	}
	p.note("  %s: %s", name, keys)
	if err := p.keys(keys); err != nil {
		return err
	}
	if then == "now" {
		p.forget(name)
	}
	return nil
}

// forget lets go of the user's words that are not in a file's buffer.
func (p *gamer) forget(name string) {
	has := wordsOf(p.lua(`P.text(...)`, name))
	for w := range p.typed[name] {
		if !has[w] {
			p.note("  %s: without %s", name, w)
			delete(p.typed[name], w)
		}
	}
}

func (p *gamer) typeWord(chatState) error {
	name, err := p.file()
	if err != nil {
		return err
	}
	word := p.word("u")
	p.note("  %s: %s", name, word)
	p.lua(`P.line(...)`, p.rand.Float64())
	if err := p.keys("o", word, "<Esc>"); err != nil {
		return err
	}
	if !wordsOf(p.lua(`P.text(...)`, name))[word] { // a window that was asked for before has come, and taken the keys
		return nil
	}
	if p.typed[name] == nil {
		p.typed[name] = map[string]bool{}
	}
	p.typed[name][word] = true
	return nil
}

// checkout has git write a file as it was, when it is saved.
func (p *gamer) checkout(chatState) error {
	name, err := p.file()
	if err != nil {
		return err
	}
	if p.lua(`tostring(vim.bo.modified)`) == "true" {
		return nil
	}
	p.note("  %s", name)
	if err := playerGit(p.dir, "checkout", "--", name); err != nil {
		return err
	}
	p.lua(`assert(not vim.bo.modified) vim.cmd("silent! checktime")`)
	return p.onDisk(name)
}

// wipe closes a file, with what is not saved.
func (p *gamer) wipe(chatState) error {
	name, err := p.file()
	if err != nil {
		return err
	}
	before := p.lua(`tostring(vim.fn.bufnr(...))`, name)
	if err := p.keys(":silent! bwipeout!<CR>"); err != nil {
		return err
	}
	if p.lua(`tostring(vim.fn.bufnr(...))`, name) == before { // a window that was asked for before has come
		return nil
	}
	return p.onDisk(name)
}

// onDisk lets go of the user's words that a file has not on the disk.
func (p *gamer) onDisk(name string) error {
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	has := wordsOf(string(data))
	for w := range p.typed[name] {
		if !has[w] {
			p.note("  %s: without %s", name, w)
			delete(p.typed[name], w)
			delete(p.saves.known, name+" "+w) // as it comes back it is new there
		}
	}
	return err
}

// save writes all files, and reports whether nothing is unsaved.
func (p *gamer) save() (bool, error) {
	var files []playerFile
	if err := p.e.ask(`return P.files()`, &files); err != nil {
		return false, err
	}
	for _, f := range files {
		p.lua(`P.visit(...)`, f.Name)
		if err := p.keys(":silent write<CR>"); err != nil {
			return false, err
		}
	}
	if err := p.e.ask(`return P.files()`, &files); err != nil {
		return false, err
	}
	return !slices.ContainsFunc(files, func(f playerFile) bool { return f.Modified }), nil
}

// stash has git put all changes away and bring them back, if nothing is unsaved. What an agent has written between is in the way.
func (p *gamer) stash(chatState) error {
	if saved, err := p.save(); err != nil || !saved {
		return err
	}
	had := map[string]map[string]bool{}
	for name, words := range p.typed {
		had[name] = maps.Clone(words)
	}
	stashed := playerGit(p.dir, "stash", "-q")
	p.lua(`vim.cmd("silent! checktime")`)
	for _, name := range playerFiles {
		if err := p.onDisk(name); err != nil {
			return err
		}
	}
	if stashed != nil { // a file was written at the same moment
		p.note("  %v", stashed)
		return nil
	}
	if err := playerGit(p.dir, "stash", "pop", "-q"); err != nil {
		p.note("  %v", err)
		if err := playerGit(p.dir, "reset", "-q"); err != nil {
			return err
		}
		_ = playerGit(p.dir, "stash", "drop", "-q") // there may be nothing
	}
	p.lua(`vim.cmd("silent! checktime")`)
	if p.lua(`return tostring(vim.iter(acp.sessions()):any(function(s) return s.state == "busy" end))`) == "true" {
		return nil // what has come back may count as that of an agent that has begun to work
	}
	return p.comeBack(had)
}

// comeBack waits until words that files have on the disk are in their buffers, and holds on to them again.
func (p *gamer) comeBack(had map[string]map[string]bool) error {
	for name, words := range had {
		if p.lua(`tostring(vim.fn.bufloaded(...))`, name) == "0" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(p.dir, name))
		if err != nil {
			return err
		}
		has := wordsOf(string(data))
		maps.DeleteFunc(words, func(w string, _ bool) bool { return !has[w] })
		err = poll(patience, func() (bool, error) {
			p.lua(`vim.cmd("silent! checktime")`)
			if err := p.keys(); err != nil { // before it has one, Neovim may put that off
				return false, err
			}
			shown := wordsOf(p.lua(`P.text(...)`, name))
			for w := range words {
				if !shown[w] {
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil {
			return fmt.Errorf("%s has not come back: %w", name, err)
		}
		for w := range words {
			p.typed[name][w] = true
		}
	}
	return nil
}

// revert takes the changes of a file back, with a reason.
func (p *gamer) revert(chatState) error {
	name, err := p.file()
	if err != nil {
		return err
	}
	var owners []string
	if err := p.e.ask(fmt.Sprintf(`return P.owners(%q)`, name), &owners); err != nil {
		return err
	}
	if len(owners) == 0 {
		return nil
	}
	reason := p.word("r")
	p.note("  %s: %s of %v", name, reason, owners)
	p.lua(`P.said = {}`)
	if err := p.keys(fmt.Sprintf(":silent AcpRevert file %s<CR>", reason)); err != nil {
		return err
	}
	return poll(patience, func() (bool, error) {
		return p.lua(`tostring(#P.said > 0 or #P.owners(...) == 0)`, name) == "true", nil
	})
}

// goBack goes back to before a turn, in files or as it comes; what the user has typed stays. A session that goes on from there has the
// modes of the one before.
func (p *gamer) goBack(s chatState, files bool) error {
	before, err := p.sessions()
	if err != nil {
		return err
	}
	p.lua(`local s, f = ... P.said, P.asked = {}, nil acp.rewind({ session = s, files = f })`, s.ID, files)
	planned := ""
	err = poll(patience, func() (bool, error) {
		planned = p.lua(`return P.planned()`)
		return planned != "", nil
	})
	if err != nil || planned != "plan" {
		return err
	}
	p.lua(`P.said = {}`)
	p.note("  %s", p.lua(`P.agree()`))
	_ = poll(time.Second, func() (bool, error) { // where nothing is said it may be done, too
		now, err := p.sessions()
		return len(now) > len(before) || p.lua(`tostring(#P.said > 0)`) == "true", err
	})
	return nil
}

func (p *gamer) mode(s chatState) error {
	mode := modes[p.rand.IntN(len(modes))]
	p.note("  %s", mode)
	p.modes[s.ID] = append(p.modes[s.ID], mode)
	p.lua(`local s, v = ... acp.set("mode", v, { session = s })`, s.ID, mode)
	return nil
}

// close closes a session.
func (p *gamer) close(s chatState) error {
	p.closed[s.ID] = true
	p.lua(`acp.close({ session = ... })`, s.ID)
	return nil
}

// detach detaches, unless the program says why it cannot.
func (p *gamer) detach(chatState) error {
	p.lua(`P.said = {} acp.detach()`)
	err := poll(patience, func() (bool, error) {
		list, err := p.sessions()
		p.detached = len(list) == 0
		return p.detached || strings.Contains(p.lua(`table.concat(P.said, "\n")`), "detached: "), err
	})
	if err != nil {
		return fmt.Errorf("not detached: %w", err)
	}
	return nil
}

func (p *gamer) attach(chatState) error {
	p.lua(`P.attach()`)
	err := poll(patience, func() (bool, error) {
		list, err := p.sessions()
		return err == nil && len(list) > 0, err
	})
	if err != nil {
		return fmt.Errorf("not attached: %w; said %s", err, p.lua(`table.concat(P.said, "\n")`))
	}
	p.detached = false
	return nil
}
