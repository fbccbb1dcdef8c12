package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// rename gives a session the user's title, "" to have the agent's again. One that is not open is renamed in its record,
// which is made if there is none.
func (h *Host) rename(a renameArgs) {
	if s := h.session(a.Session); s != nil {
		s.do(func(st *session.State) { st.Rename(a.Name) })
		s.do(func(st *session.State) { st.Saw(a.N) })
		return
	}
	caught.Go(func() { // ends when the disk has it
		if err := h.renameRecord(a); err != nil {
			h.say("error", "rename: "+err.Error())
		}
	})
}

func (h *Host) renameRecord(a renameArgs) error {
	h.settle(a.Session)
	if !h.records() {
		if _, err := record.Load(h.recordDir(), a.Session); errors.Is(err, fs.ErrNotExist) {
			return errors.New("nothing is recorded, so there is no place to keep a title")
		}
	}
	file, err := record.Open(h.recordDir(), a.Session)
	if err != nil {
		return err
	}
	defer file.Close()
	rec, err := file.Read()
	if err != nil {
		return err
	}
	is := rec.Session
	if is.Agent == "" {
		is = record.Session{Agent: a.Agent, Remote: a.Remote, Cwd: a.Cwd, Title: a.Title, Created: time.Now().UnixMilli()}
	}
	is.Name = plain.OneLine(a.Name)
	title := is.Name
	if title == "" {
		title = is.Title
	}
	for _, e := range rec.Entries {
		if title == "" && e.Role == record.User {
			title = session.FirstLine(e.Text)
		}
	}
	return file.Append(record.Entry{
		Time: time.Now().UnixMilli(), ID: record.SessionID, Role: record.Status, Text: title, Data: record.Data{Session: &is},
	})
}

// erase deletes a session: it is closed, the agent deletes its own if it can, and the record goes.
func (h *Host) erase(a eraseArgs) {
	s := h.session(a.Session)
	if s == nil {
		caught.Go(func() { h.eraseRest(a) }) // ends when the agent has answered
		return
	}
	_, a.Remote = s.connection()
	closed := s.close()
	caught.Go(func() { // ends when the agent has answered
		select {
		case <-closed:
		case <-time.After(listTimeout):
		}
		h.eraseRest(a)
	})
}

// eraseRest deletes a session that is not open. What another Neovim uses stays.
func (h *Host) eraseRest(a eraseArgs) {
	h.settle(a.Session)
	var file *record.File
	if a.Session != "" {
		_, err := record.Load(h.recordDir(), a.Session)
		if err == nil {
			file, err = record.Open(h.recordDir(), a.Session)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			h.say("error", "delete: "+err.Error())
			return
		}
	}
	agents := ""
	if a.Remote != "" {
		agents = h.eraseRemote(a)
	}
	if file != nil {
		if err := file.Remove(); err != nil {
			h.say("error", "delete: "+err.Error())
			return
		}
		_ = os.RemoveAll(h.sessionDir(a.Session)) // what is left is removed with the next
	}
	h.say("info", "deleted"+agents)
}

// sessionDir is the folder for what is kept of a session's changes, "" if nothing is recorded; without a session, the one of all of them.
func (h *Host) sessionDir(session string) string {
	if !h.records() {
		return ""
	}
	return filepath.Join(h.settings().StateDir, "review", session)
}

// sweep removes what is kept of the changes of sessions that have no record any more. It waits for the disk.
func (h *Host) sweep() {
	dir := h.sessionDir("")
	if dir == "" {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there is none
	}
	for _, e := range entries {
		path, err := record.Path(h.recordDir(), e.Name())
		if err != nil {
			continue
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !recent(e) {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// recent reports whether a folder was changed within a day: its session may not have said anything yet.
func recent(e os.DirEntry) bool {
	info, err := e.Info()
	return err != nil || time.Since(info.ModTime()) < 24*time.Hour
}

// eraseRemote has the agent delete its own, and says how that went.
func (h *Host) eraseRemote(a eraseArgs) string {
	if a.Agent.Command == "" {
		return " here; " + a.Agent.Title + ", which is not configured any more, keeps its own"
	}
	ctx, stop := context.WithTimeout(context.Background(), listTimeout)
	defer stop()
	agent := h.agents.Get(a.Agent, a.Cwd)
	select {
	case <-agent.Ready:
	case <-ctx.Done():
		return " here; " + a.Agent.Title + " has not answered"
	}
	if agent.Err != nil {
		return " here; " + agent.Err.Error()
	}
	if agent.Can().SessionCapabilities.Delete == nil {
		return " here; " + a.Agent.Title + " cannot delete sessions and keeps its own"
	}
	if err := agent.Delete(ctx, a.Remote); err != nil {
		return fmt.Sprintf(" here; %s keeps its own: %v", a.Agent.Title, err)
	}
	return ""
}

// view shows the record of a session in a window, to be read.
func (h *Host) view(a sessionArgs) {
	caught.Go(func() { // ends when the record is read
		text, err := h.recorded(a.Session)
		if err != nil {
			h.say("error", "record: "+err.Error())
			return
		}
		h.show("record", text, "markdown")
	})
}

// recorded is a recorded session as Markdown. It waits for the disk.
func (h *Host) recorded(id string) (string, error) {
	if s := h.session(id); s != nil {
		return ask(s, func(st *session.State) string { return st.Markdown(s.cwd) }), nil
	}
	h.settle(id)
	rec, err := record.Load(h.recordDir(), id)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("the session is not recorded")
	}
	if err != nil {
		return "", err
	}
	log := transcript.New(transcript.Options{})
	log.Restore(rec.Entries)
	is := rec.Session
	return log.Markdown(transcript.Head{
		Title: cmp.Or(is.Name, is.Title), Agent: is.Agent, Folder: is.Cwd, Began: time.UnixMilli(is.Created),
	}), nil
}

// maxCarried is how much of an earlier session goes along with a prompt: its end.
const maxCarried = 200 << 10

// carry puts the text of earlier sessions into what goes along with a prompt. It waits for the disk.
func (h *Host) carry(context []session.Attachment) error {
	for i := range context {
		a := &context[i]
		if a.Record == "" {
			continue
		}
		text, err := h.recorded(a.Record)
		if err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		if len(text) > maxCarried {
			text = "(the beginning is left out)\n\n" + plain.Tail(text, maxCarried)
		}
		a.Text = "An earlier conversation of the user's with an agent, for context:\n\n" + text
	}
	return nil
}

// inherit gives a session that begins as a copy what the record of the other one says, its options and rules, and what the agent is still
// to be told there, and says what it is. It waits for the disk.
func (s *Session) inherit(from, title string) {
	var rec record.Record
	text, shown := "", ""
	if from != "" {
		other := s.host.session(from)
		if other != nil {
			other.kept.write(other, true)
			s.takeChoices(other)
		}
		s.host.settle(from)
		rec, _ = record.Load(s.host.recordDir(), from) // without one there is nothing to show
		if other != nil {
			rec.Session.Notes = ask(other, (*session.State).ToTell) // which the record may not have yet
		}
		text, shown = s.host.review.Untold(featured{s}, from)
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	s.do(func(st *session.State) {
		st.Inherit(rec, title)
		if text != "" {
			st.Tell(text)
			st.Say(shown, "AcpNotice")
		}
	})
	s.kept.waiting = append(s.kept.waiting, rec.Entries...)
}

// takeChoices has a session begin with the options and the rules that the user has chosen in another one.
func (s *Session) takeChoices(other *Session) {
	values, list := ask(other, (*session.State).Values), ask(other, (*session.State).Rules)
	s.do(func(st *session.State) {
		st.BeginWith(values)
		st.SetRules(func([]rules.Rule) []rules.Rule { return list })
	})
}
