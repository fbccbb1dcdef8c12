// Package loopback serves the editor's tools over HTTP on 127.0.0.1, to agents that take no stdio MCP servers.
//
// Package tools has one [Server]. It listens as long as a session is offered the tools so, and all of its goroutines end with the last of
// these sessions.
package loopback

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/private"
)

// Path is where the tools are.
const Path = "/mcp"

// Limits of requests.
const (
	maxBody   = 16 << 20         // bytes
	maxHeader = 16 << 10         // bytes
	maxWait   = 10 * time.Second // for a request that is begun to be whole, and for each part of an answer to be read
	maxIdle   = 2 * time.Minute  // of a connection, between requests
	maxConns  = 64               // others wait
	maxPast   = 256              // tokens of closed sessions that are known
)

// Handler serves the tools of one session. End ends what it does, and does not wait for that.
type Handler interface {
	http.Handler
	End()
}

// Server serves requests that have the token of a session. It is safe for concurrent use.
type Server struct {
	tools   func(session string) Handler
	refused func(why string)
	listen  func() (net.Listener, error)
	user    int // whose programs may connect

	mu     sync.Mutex // guards all below; held while the port is opened
	port   *port      // nil as long as there is no offer
	offers []*offer
	past   [][sha256.Size]byte // tokens of sessions that are closed, the oldest first
	closed bool
}

// offer is a token of a session, for an agent.
type offer struct {
	session string
	agent   any // is compared, and nothing else
	sum     [sha256.Size]byte
	tools   Handler
}

// New returns a server that does not listen yet. It calls tools for the handler of a session, nil if that is closed, and refused with the
// reason for each request that is refused, and for those that cannot come.
func New(tools func(session string) Handler, refused func(why string)) *Server {
	return &Server{tools: tools, refused: refused, listen: listen, user: os.Getuid()}
}

func listen() (net.Listener, error) { return private.Loopback() }

// Offer returns the address of a session's tools, and a new token for an agent. Those that it had before are void.
func (s *Server) Offer(session string, agent any) (url, token string, err error) {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // it never fails
	token = hex.EncodeToString(secret[:])
	o := &offer{session, agent, sha256.Sum256([]byte(token)), s.tools(session)}
	if o.tools == nil {
		return "", "", errors.New("the session is closed")
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if s.closed {
		return "", "", errors.New("the host is being closed")
	}
	if s.port == nil {
		l, err := s.listen()
		if err != nil {
			return "", "", err
		}
		s.port = open(l, events{s.serve, s.failed, s.refused})
	}

	s.forget(session, agent)
	s.offers = append(s.offers, o)
	return "http://" + s.port.address + Path, token, nil
}

// Forget ends what is done for an agent in a session, and makes its tokens void; with nil those of all agents. After the last one nobody
// listens.
func (s *Server) Forget(session string, agent any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(session, agent)
	if len(s.offers) == 0 {
		s.closePort()
	}
}

// forget is Forget for who has the lock, and leaves the port open.
func (s *Server) forget(session string, agent any) {
	s.offers = slices.DeleteFunc(s.offers, func(o *offer) bool {
		if o.session != session || agent != nil && o.agent != agent {
			return false
		}
		o.tools.End()
		s.past = append(s.past, o.sum)
		return true
	})
	s.past = s.past[max(0, len(s.past)-maxPast):]
}

// Close ends all that is done, and the port. It does not wait for requests that are being served.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, o := range s.offers {
		o.tools.End()
	}
	s.offers = nil
	s.closePort()
}

// failed makes all offers void whose port has failed. The next one opens another.
func (s *Server) failed(p *port, err error) {
	s.mu.Lock()
	if s.port != p {
		s.mu.Unlock()
		return
	}
	for _, o := range s.offers {
		o.tools.End()
	}
	s.offers = nil
	s.closePort()
	s.mu.Unlock()
	s.refused("nobody listens for any until a session is begun or started again: " + err.Error())
}

func (s *Server) closePort() {
	if s.port != nil {
		s.port.close()
		s.port = nil
	}
}

// serve serves a request that came to a port, if it may.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, p *port) {
	limit := http.NewResponseController(w)
	_ = limit.SetReadDeadline(time.Now().Add(maxWait))
	answer := slow{w, limit}
	tools, no := s.admit(r, p)
	if no != nil {
		if no.tell {
			s.refused("the request of " + r.RemoteAddr + " " + no.why)
		}
		no.write(answer)
		return
	}

	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		(&refusal{status: http.StatusRequestTimeout, why: "does not come to its end"}).write(answer)
		return
	case len(body) > maxBody:
		_, _ = io.CopyN(io.Discard, r.Body, maxBody) // many programs read no answer before they have sent all
		(&refusal{status: http.StatusRequestEntityTooLarge, why: "has a message that is too long"}).write(answer)
		return
	}

	_ = limit.SetReadDeadline(time.Time{}) // the answer may take its time, and a program that goes away is seen
	r.Body = io.NopCloser(bytes.NewReader(body))
	tools.ServeHTTP(answer, r)
	answer.patient() // for the end of the answer, which is yet to be written
}

// admit returns the tools that a request may use, or why it may not.
func (s *Server) admit(r *http.Request, p *port) (tools http.Handler, no *refusal) {
	user, err := userOf(r)
	switch {
	case err != nil: // it does not wait for an answer
		return nil, &refusal{status: http.StatusForbidden, why: "is nobody's: " + err.Error()}
	case user != anyUser && user != s.user:
		return nil, &refusal{http.StatusForbidden, fmt.Sprintf("is of a program that is not yours (user %d)", user), true}
	case !slices.Contains(p.names, r.Host):
		return nil, &refusal{http.StatusForbidden, "is for another host than this one", true}
	case !local(r.Header.Values("Origin")):
		return nil, &refusal{http.StatusForbidden, "comes from a page of another host", true}
	case r.URL.Path != Path:
		return nil, &refusal{status: http.StatusNotFound, why: "is for something else than the tools"}
	}

	sum := sha256.Sum256([]byte(bearer(r)))
	s.mu.Lock()
	defer s.mu.Unlock()

	for _, o := range s.offers {
		if subtle.ConstantTimeCompare(o.sum[:], sum[:]) == 1 {
			return o.tools, nil
		}
	}
	if slices.Contains(s.past, sum) { // its agent does not know yet, or says goodbye: nobody has to be told
		return nil, &refusal{status: http.StatusUnauthorized, why: "has the token of a session that is closed"}
	}

	return nil, &refusal{http.StatusUnauthorized, "has no token of an open session", true}
}
