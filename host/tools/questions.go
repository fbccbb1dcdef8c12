package tools

import (
	"context"
	"errors"
	"sync"

	"github.com/nvim-acp/nvim-acp/host/feature"
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
}

// ask asks the editor and waits for its answer, as JSON. When ctx ends the question is taken back.
func (q *questions) ask(ctx context.Context, ed feature.Editor, question string, args map[string]any) (string, error) {
	id, answer := q.add()
	defer q.remove(id)
	if _, err := feature.Call[any](ctx, ed, luaKnow, id, question, args); err != nil {
		return "", err
	}

	select {
	case a := <-answer:
		if a.Problem != "" {
			return "", errors.New(a.Problem)
		}
		return a.Result, nil
	case <-ctx.Done():
		caught.Go(func() { _ = ed.ExecLua(luaKnowNot, nil, id) }) // ends when Neovim answers or goes away
		return "", ctx.Err()
	}
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
		answer <- knownArgs{ID: id, Problem: "the user's Neovim has detached"}
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
