package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

type renameArgs struct {
	feature.Target
	Name   string `msgpack:"name"`
	Agent  string `msgpack:"agent"` // what follows is for a session that was never open here
	Remote string `msgpack:"remote"`
	Cwd    string `msgpack:"cwd"`
	Title  string `msgpack:"title"`
}

type eraseArgs struct {
	feature.Target
	Agent  agents.Spec `msgpack:"agent"`
	Remote string      `msgpack:"remote"`
	Cwd    string      `msgpack:"cwd"`
}

type viewArgs struct{ feature.Target }

// rename gives a session the user's title, "" to have the agent's again. One that is not open is renamed in its record,
// which is made if there is none.
func (r *Records) rename(a renameArgs) {
	if s := r.host.Session(a.Session); s != nil {
		s.Do(func(st *session.State) { st.Titles().Rename(a.Name) })
		s.Do(func(st *session.State) { st.Screen().Saw(a.N) })
		return
	}
	caught.Go(func() { // ends when the disk has it
		if err := r.renameRecord(a); err != nil {
			r.host.Say("error", "rename: "+plain.Reason(err))
		}
	})
}

func (r *Records) renameRecord(a renameArgs) error {
	r.settle(a.Session)
	if !r.on() {
		if _, err := record.Load(r.dir(), a.Session); errors.Is(err, fs.ErrNotExist) {
			return errors.New("nothing is recorded, so there is no place to keep a title")
		}
	}

	file, err := record.Open(r.dir(), a.Session)
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

	return file.Append(about(is, title))
}

// erase deletes a session: it is closed, the agent deletes its own if it can, and the record goes.
func (r *Records) erase(a eraseArgs) {
	s := r.host.Session(a.Session)
	if s == nil {
		caught.Go(func() { r.eraseRest(a) }) // ends when the agent has answered
		return
	}

	s.Do(func(st *session.State) { a.Remote = st.Link().Remote() })
	closed := r.hooks.Close(s)
	caught.Go(func() { // ends when the agent has answered
		select {
		case <-closed:
		case <-time.After(listTimeout):
		}
		r.eraseRest(a)
	})
}

// eraseRest deletes a session that is not open. What another Neovim uses stays.
func (r *Records) eraseRest(a eraseArgs) {
	r.settle(a.Session)
	var file *record.File
	if a.Session != "" {
		_, err := record.Load(r.dir(), a.Session)
		if err == nil {
			file, err = record.Open(r.dir(), a.Session)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.host.Say("error", "delete: "+plain.Reason(err))
			return
		}
	}

	agents := ""
	if a.Remote != "" {
		agents = r.eraseRemote(a)
	}
	if file != nil {
		if err := file.Remove(); err != nil {
			r.host.Say("error", "delete: "+plain.Reason(err))
			return
		}
		_ = os.RemoveAll(r.host.SessionDir(a.Session)) // what is left is removed with the next
	}

	r.host.Say("info", "deleted"+agents)
}

// Sweep removes what is kept of the changes of sessions that have no record any more. It waits for the disk.
func (r *Records) Sweep() {
	dir := r.host.SessionDir("")
	if dir == "" {
		return
	}

	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there is none
	}
	for _, e := range entries {
		path, err := record.Path(r.dir(), e.Name())
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
func (r *Records) eraseRemote(a eraseArgs) string {
	if a.Agent.Command == "" {
		return " here; " + a.Agent.Title + ", which is not configured any more, keeps its own"
	}

	ctx, stop := context.WithTimeout(context.Background(), listTimeout)
	defer stop()
	agent := r.agents.Get(a.Agent, a.Cwd)
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
func (r *Records) view(a viewArgs) {
	caught.Go(func() { // ends when the record is read
		text, err := r.recorded(a.Session)
		if err != nil {
			r.host.Say("error", "record: "+plain.Reason(err))
			return
		}
		r.host.Show("record", text, "markdown")
	})
}

// recorded is a recorded session as Markdown. It waits for the disk.
func (r *Records) recorded(id string) (string, error) {
	if s := r.host.Session(id); s != nil {
		return feature.Ask(s, func(st *session.State) string { return st.Markdown(s.Cwd()) }), nil
	}

	r.settle(id)
	rec, err := record.Load(r.dir(), id)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("the session is not recorded")
	}
	if err != nil {
		return "", err
	}

	log := transcript.New(transcript.Options{})
	log.Restore(rec.Entries)
	is := rec.Session
	return log.Blocks().Markdown(transcript.Head{
		Title: cmp.Or(is.Name, is.Title), Agent: is.Agent, Folder: is.Cwd, Began: time.UnixMilli(is.Created),
	}), nil
}

// maxCarried is how much of an earlier session goes along with a prompt: its end.
const maxCarried = 200 << 10

// Carry puts the text of earlier sessions into what goes along with a prompt. It waits for the disk.
func (r *Records) Carry(context []session.Attachment) error {
	for i := range context {
		a := &context[i]
		if a.Record == "" {
			continue
		}
		text, err := r.recorded(a.Record)
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
