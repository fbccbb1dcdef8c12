package loopback

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/private"
)

// port is a port on which requests come.
type port struct {
	address string
	names   []string // by which requests may call it
	server  *http.Server
}

// events are what a port calls, in goroutines of its own.
type events struct {
	serve  func(w http.ResponseWriter, r *http.Request, p *port) // for each request, until close
	failed func(p *port, err error)                              // it accepts no more connections, although nobody has closed it
	log    func(line string)                                     // what the HTTP server has to say
}

// open accepts connections of a listener.
func open(l net.Listener, on events) *port {
	p := &port{address: l.Addr().String()}
	p.names = []string{p.address, "localhost" + strings.TrimPrefix(p.address, "127.0.0.1")}
	p.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fault := caught.Do("loopback.(*Server).serve", func() { on.serve(w, r, p) })
			if fault != nil {
				caught.Report(fault)
				panic(http.ErrAbortHandler) // ends the connection, and nothing else
			}
		}),
		DisableGeneralOptionsHandler: true, // each request is admitted, or refused, by us
		ErrorLog:                     log.New(lines(on.log), "", 0),
		ReadHeaderTimeout:            maxWait, IdleTimeout: maxIdle, MaxHeaderBytes: maxHeader,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			ask := sync.OnceValues(func() (user int, err error) { return peer(conn) }) // with its first request
			return context.WithValue(ctx, peerKey{}, ask)
		},
	}

	few := &bounded{Listener: l, places: make(chan struct{}, maxConns), over: make(chan struct{})}
	caught.Go(func() { // until close
		if err := p.server.Serve(few); !errors.Is(err, http.ErrServerClosed) {
			on.failed(p, err)
		}
	})
	return p
}

// lines is a writer of lines.
type lines func(line string)

func (do lines) Write(p []byte) (int, error) {
	do(strings.TrimSpace(string(p)))
	return len(p), nil
}

// peerKey is the key of a function that returns the user whose program has made a connection.
type peerKey struct{}

// anyUser is a user of whom the system says nothing.
const anyUser = -1

// peer returns the user whose program has made a connection.
func peer(conn net.Conn) (user int, err error) {
	user, known, err := private.LoopbackPeer(conn)
	if !known {
		return anyUser, nil
	}
	return user, err
}

// userOf returns the user whose program has made a request.
func userOf(r *http.Request) (user int, err error) {
	return r.Context().Value(peerKey{}).(func() (int, error))()
}

// close ends the port and its connections. It waits for nobody.
func (p *port) close() { _ = p.server.Close() }

// bounded is a listener with a bounded number of connections. Others wait until one of them ends.
type bounded struct {
	net.Listener
	places chan struct{} // has a value for each connection
	over   chan struct{} // closed when the listener is
	once   sync.Once     // closes over
}

func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.places <- struct{}{}:
	case <-b.over:
		return nil, net.ErrClosed
	}

	conn, err := b.Listener.Accept()
	if err != nil {
		<-b.places
		return nil, err
	}

	return &place{Conn: conn, leave: sync.OnceFunc(func() { <-b.places })}, nil
}

func (b *bounded) Close() error {
	b.once.Do(func() { close(b.over) })
	return b.Listener.Close()
}

// place is a connection that makes room when it ends.
type place struct {
	net.Conn
	leave func()
}

func (p *place) Close() error {
	defer p.leave()
	return p.Conn.Close()
}

// CloseWrite ends what is sent: whoever still sends gets all of the answer, before the connection ends.
func (p *place) CloseWrite() error {
	if c, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}
