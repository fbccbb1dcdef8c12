package mcp

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// maxClients is how many clients a handler has at the same time: an agent that begins anew without an end does not say so.
const maxClients = 32

// errEnded is the answer to what comes for a client that has ended, or has not begun.
var errEnded = errors.New("this client has no open session")

// Handler serves clients over streamable HTTP. Who may use it is for others to check. It is safe for concurrent use.
type Handler struct {
	http    http.Handler
	clients func(more int)

	mu    sync.Mutex // guards all below
	open  []*client  // the oldest first
	ended bool
}

// client is a client that has said what it is.
type client struct {
	session *sdk.ServerSession
	ctx     context.Context // of its calls
	stop    context.CancelFunc
}

// NewHandler returns a handler. It calls clients with 1 for each client that comes, and with -1 when it has gone.
func NewHandler(desk Desk, version string, clients func(more int)) *Handler {
	h := &Handler{clients: clients}
	s := newServer(desk, version, h.bound)
	get := func(*http.Request) *sdk.Server { return s.sdk }
	h.http = sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{MaxRequestBodyBytes: maxLine})
	return h
}

// ServeHTTP serves a request. All that the server says belongs to a call, so there is no stream of its own to GET.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
	case http.MethodDelete:
		h.stop(r.Header.Get("Mcp-Session-Id")) // the SDK waits for its calls
	default:
		w.Header().Set("Allow", "POST, DELETE")
		http.Error(w, "POST messages, DELETE ends a session", http.StatusMethodNotAllowed)
		return
	}

	h.http.ServeHTTP(w, r)
}

// End ends all clients and their calls, and serves no others. It does not wait for them.
func (h *Handler) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	for _, c := range h.open {
		c.end()
	}
}

// stop ends the calls of a client.
func (h *Handler) stop(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.open {
		if c.session.ID() == id {
			c.stop()
		}
	}
}

// end ends a client and its calls.
func (c *client) end() {
	c.stop()
	caught.Go(func() { _ = c.session.Close() }) // ends with its calls
}

// bound handles messages, each no longer than its client lives.
func (h *Handler) bound(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		session, ok := r.GetSession().(*sdk.ServerSession)
		if !ok {
			return nil, errEnded
		}
		if method == "initialize" {
			answer, err := next(ctx, method, r)
			if err == nil {
				err = h.add(session)
			}
			if err != nil {
				return nil, err
			}
			return answer, nil
		}

		life := h.life(session)
		if life == nil {
			return nil, errEnded
		}

		ctx, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(life, stop)()
		return next(ctx, method, r)
	}
}

// add notes a client. Where there are too many, the oldest makes room.
func (h *Handler) add(session *sdk.ServerSession) error {
	ctx, stop := context.WithCancel(context.Background())
	c := &client{session, ctx, stop}
	h.mu.Lock()
	if h.ended {
		h.mu.Unlock()
		c.end()
		return errEnded
	}

	h.open = append(h.open, c)
	if len(h.open) > maxClients { // others may not have ended yet
		h.open[len(h.open)-maxClients-1].end()
	}
	h.mu.Unlock()

	h.clients(1)
	caught.Go(func() { // until the client ends, or [Handler.End]
		_ = session.Wait()
		stop()
		h.mu.Lock()
		h.open = slices.DeleteFunc(h.open, func(o *client) bool { return o == c })
		h.mu.Unlock()
		h.clients(-1)
	})
	return nil
}

// life returns the context of a client, which ends with it; nil if it is none.
func (h *Handler) life(session *sdk.ServerSession) context.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.open {
		if c.session == session && !h.ended {
			return c.ctx
		}
	}
	return nil
}
