package loopback

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener in memory.
type pipes struct {
	conns chan net.Conn
	over  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.over:
	default:
		close(p.over)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// tools are those of a function.
type tools struct{ http.HandlerFunc }

func (tools) End() {}

// piped serves a function in memory. It returns a function that connects, and the head of a request, to which a length belongs.
func piped(t *testing.T, do http.HandlerFunc) (s *Server, dial func() net.Conn, head string) {
	t.Helper()
	s = New(func(string) Handler { return tools{do} }, func(string) {})
	l := &pipes{conns: make(chan net.Conn), over: make(chan struct{})}
	s.listen = func() (net.Listener, error) { return l, nil }
	_, token := s.offerTo(t, "one")
	return s, func() net.Conn {
		ours, theirs := net.Pipe()
		l.conns <- theirs
		return ours
	}, "POST " + Path + " HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAuthorization: Bearer " + token + "\r\nContent-Length: "
}

// ends returns when a connection has ended, and what came before that.
func ends(t *testing.T, conn net.Conn) (after time.Duration, got string) {
	t.Helper()
	began := time.Now()
	text, _ := io.ReadAll(conn) // an error is an end, too
	return time.Since(began), string(text)
}

// Whoever says nothing, begins a request or a message and does not end it, or says nothing more, is not waited for for long
// (behaviour 1152).
func TestSilent(t *testing.T) {
	for _, test := range []struct {
		name  string
		says  func(head string) string
		after time.Duration
		got   string
	}{
		{"nothing", func(string) string { return "" }, maxWait, ""},
		{"half a head", func(head string) string { return head }, maxWait, ""},
		{"half a message", func(head string) string { return head + "2\r\n\r\nh" }, maxWait, "408"},
		{"nothing more", func(head string) string { return head + "2\r\n\r\nhi" }, maxIdle, "200"},
		{"no token", func(head string) string { return "POST " + Path + " HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n" }, 0, "401"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, dial, head := piped(t, func(w http.ResponseWriter, r *http.Request) {})
				defer s.Close()
				conn := dial()
				defer conn.Close()
				if _, err := io.WriteString(conn, test.says(head)); err != nil {
					t.Fatal(err)
				}

				after, got := ends(t, conn)
				if after < test.after || after > test.after+time.Second || !strings.Contains(got, test.got) || test.got == "" && got != "" {
					t.Errorf("it ends after %v with %q, want %v with %q", after, got, test.after, test.got)
				}
			})
		})
	}
}

// An answer may take hours, if what there is of it is read; one that is not read ends, and so does the call (behaviour 1152).
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		part := strings.Repeat("x", 64<<10)
		ended := make(chan error, 1)
		s, dial, head := piped(t, func(w http.ResponseWriter, r *http.Request) {
			for range 3 {
				select {
				case <-time.After(time.Hour): // of the clock of the test, which passes at once
				case <-r.Context().Done():
					ended <- r.Context().Err()
					return
				}
				if _, err := io.WriteString(w, part); err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		})
		defer s.Close()

		conn := dial()
		defer conn.Close()
		message := "2\r\n\r\nhi"
		ask := func() {
			if _, err := io.WriteString(conn, head+message); err != nil {
				t.Fatal(err)
			}
		}

		in := bufio.NewReader(conn)
		for range 2 { // times of the first request do not count for the second
			ask()
			answer, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(answer.Body)
			if err != nil || len(text) != 3*len(part) {
				t.Fatalf("got %d bytes, %v", len(text), err)
			}
			if err := <-ended; err != nil {
				t.Errorf("the call ends with %v", err)
			}
			message = "0\r\n\r\n" // as of DELETE
		}

		ask()
		began := time.Now()
		if err := <-ended; err == nil {
			t.Error("a call whose answer nobody reads ends well")
		}
		if took := time.Since(began); took != time.Hour+maxWait {
			t.Errorf("it ends after %v", took)
		}
	})
}

// A program that goes away while its call is answered ends the request (behaviour 1152).
func TestGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, ended := make(chan struct{}), make(chan struct{})
		s, dial, head := piped(t, func(w http.ResponseWriter, r *http.Request) {
			close(begun)
			<-r.Context().Done()
			close(ended)
		})
		defer s.Close()
		conn := dial()
		if _, err := io.WriteString(conn, head+"2\r\n\r\nhi"); err != nil {
			t.Fatal(err)
		}
		<-begun
		_ = conn.Close()
		<-ended
	})
}

// There are never more connections than a bound: others wait until one ends (behaviour 1152).
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dial, head := piped(t, func(w http.ResponseWriter, r *http.Request) {})
		defer s.Close()
		var conns []net.Conn
		for range maxConns {
			conn := dial()
			defer conn.Close()
			conns = append(conns, conn)
		}

		served := make(chan string, 1)
		go func() { // until it is served
			conn := dial()
			defer conn.Close()
			_, _ = io.WriteString(conn, head+"0\r\n\r\n")
			line, err := bufio.NewReader(conn).ReadString('\n')
			served <- fmt.Sprint(line, err)
		}()
		synctest.Wait()
		select {
		case got := <-served:
			t.Errorf("one more is served: %s", got)
		default:
		}
		_ = conns[0].Close()
		if got := <-served; !strings.Contains(got, "200 OK") {
			t.Errorf("got %s", got)
		}
	})
}

// The end of an answer, and a word in between, have their time, however long the call before took (behaviour 1152).
func TestLateEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dial, head := piped(t, func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(time.Hour): // of the clock of the test
				w.WriteHeader(http.StatusAccepted)
			case <-r.Context().Done():
			}
		})
		defer s.Close()
		conn := dial()
		defer conn.Close()
		in := bufio.NewReader(conn)
		for range 2 {
			if _, err := io.WriteString(conn, head+"2\r\nExpect: 100-continue\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if line, err := in.ReadString('\n'); !strings.Contains(line, "100 Continue") {
				t.Fatalf("got %q, %v", line, err)
			}
			if line, err := in.ReadString('\n'); line != "\r\n" {
				t.Fatalf("got %q, %v", line, err)
			}
			if _, err := io.WriteString(conn, "hi"); err != nil {
				t.Fatal(err)
			}

			answer, err := http.ReadResponse(in, nil)
			if err != nil || answer.StatusCode != http.StatusAccepted {
				t.Fatalf("got %v, %v", answer, err)
			}
			_ = answer.Body.Close()
			<-time.After(maxIdle / 2)
		}
	})
}

// A message without an end is refused before it has become one (behaviour 1152).
func TestEndlessMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dial, head := piped(t, func(w http.ResponseWriter, r *http.Request) { t.Error("it is a message") })
		defer s.Close()
		conn := dial()
		defer conn.Close()
		const size = 64 << 10
		sent := make(chan int, 1)
		go func() { // until the connection ends
			_, _ = io.WriteString(conn, head+"1099511627776\r\n\r\n")
			n := 0
			for range 4 * maxBody / size { // then it says nothing more
				more, err := conn.Write(make([]byte, size))
				n += more
				if err != nil {
					break
				}
			}
			sent <- n
		}()

		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge {
			t.Fatalf("got %v, %v", answer, err)
		}
		if n := <-sent; n > 2*maxBody+2*size {
			t.Errorf("%d bytes are read", n)
		}
		synctest.Wait() // for the end of the connection
	})
}
