package tools

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// The functions of lua/nvim-acp/host.lua that are called here.
const (
	luaKnow    = `return require("nvim-acp.host").know(...)`
	luaKnowNot = `require("nvim-acp.host").know_not(...)`
)

// questions are those to the editor whose answers take their time. The zero value is ready for use. Safe for concurrent use.
type questions struct {
	mu    sync.Mutex // guards all below
	count int
	asked map[int]chan knownArgs // size 1
}

// knownArgs are the editor's answer to a question.
type knownArgs struct {
	ID      int    `msgpack:"id"`
	N       int    `msgpack:"n"`
	Result  string `msgpack:"result"` // JSON
	Problem string `msgpack:"problem"`

	left bool // the editor has left before it had one
}

// ask asks the editor, waits for its answer and decodes it into result, unless that is nil. When ctx ends the question is taken back.
func (q *questions) ask(ctx context.Context, ed feature.Editor, question string, args map[string]any, result any) error {
	id, answer := q.add()
	if _, err := feature.Call[any](ctx, ed, luaKnow, id, question, args); err != nil {
		q.remove(id)
		return err
	}
	return q.await(ctx, ed, id, answer, result)
}

// await waits for the answer to a question that was asked, and decodes it as ask does.
func (q *questions) await(ctx context.Context, ed feature.Editor, id int, answer chan knownArgs, result any) error {
	defer q.remove(id)
	select {
	case a := <-answer:
		return a.decode(result)
	case <-ctx.Done():
	}

	select {
	case a := <-answer: // it was there in time
		return a.decode(result)
	default:
		caught.Go(func() { _ = ed.ExecLua(luaKnowNot, nil, id) }) // ends when Neovim answers or goes away
		return ctx.Err()
	}
}

func (a knownArgs) decode(result any) error {
	switch {
	case a.left:
		return feature.ErrNobody
	case a.Problem != "":
		return errors.New(a.Problem)
	case result == nil:
		return nil
	}
	return json.Unmarshal([]byte(a.Result), result)
}

func (q *questions) add() (id int, answer chan knownArgs) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.asked == nil {
		q.asked = map[int]chan knownArgs{}
	}
	q.count++
	answer = make(chan knownArgs, 1)
	q.asked[q.count] = answer
	return q.count, answer
}

func (q *questions) remove(id int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.asked, id)
}

// leave answers all questions for an editor that has left.
func (q *questions) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, answer := range q.asked {
		answer <- knownArgs{ID: id, left: true}
		delete(q.asked, id)
	}
}

// known delivers an answer. It does not wait.
func (q *questions) known(a knownArgs) {
	q.mu.Lock()
	answer := q.asked[a.ID]
	delete(q.asked, a.ID)
	q.mu.Unlock()
	if answer != nil {
		answer <- a
	}
}

// Pose returns a question that another call to Neovim asks, for the agent of a session, and a function that must be called then. That
// waits for the answer until ctx ends, and decodes it; if it is not known that the question was asked, it is taken back, and an error is
// returned at once.
func (t *Tools) Pose(s feature.Session, question string) (files.Question, feature.Answer) {
	id, answer := t.questions.add()
	args := map[string]any{}
	toolSession{s, t}.complete(context.Background(), args)
	return files.Question{ID: id, Text: question, Args: args}, func(ctx context.Context, asked bool, result any) error {
		if asked {
			return t.questions.await(ctx, t.host, id, answer, result)
		}
		t.questions.remove(id)
		caught.Go(func() { _ = t.host.ExecLua(luaKnowNot, nil, id) }) // ends when Neovim answers or goes away
		return errors.New("the editor was not asked")
	}
}
