package loopback

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/private"
)

// A fault of the program itself while a request is served is reported, and ends no more than the connection (behaviour 1200).
func TestFault(t *testing.T) {
	faults := make(chan *caught.Error, 1)
	caught.OnPanic(func(fault *caught.Error) { faults <- fault })
	t.Cleanup(func() { caught.OnPanic(func(*caught.Error) {}) })
	var said []string
	s := New(func(string) Handler {
		return tools{func(w http.ResponseWriter, r *http.Request) {
			if body, _ := io.ReadAll(r.Body); string(body) == "fail" {
				panic("a fault")
			}
		}}
	}, func(why string) { said = append(said, why) })
	t.Cleanup(s.Close)
	url, token := s.offerTo(t, "one")

	r, err := http.NewRequest("POST", url, strings.NewReader("fail"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r); err == nil {
		_ = answer.Body.Close()
		t.Errorf("it is answered: %s", answer.Status)
	}
	select {
	case fault := <-faults:
		if fault.Value != "a fault" || fault.Place != "loopback.(*Server).serve" {
			t.Errorf("reported: %v", fault)
		}
	default:
		t.Error("nothing is reported")
	}

	if status, got := post(t, url, token, "hi"); status != 200 {
		t.Errorf("afterwards: %d %q", status, got)
	}
	s.Close()
	if len(said) != 0 {
		t.Errorf("the user is told %q", said)
	}
}

// broken is a listener that fails once it is told to.
type broken struct {
	net.Listener
	fail chan struct{}
}

func (b broken) Accept() (net.Conn, error) {
	<-b.fail
	return nil, errors.New("the network is gone")
}

// A port that fails is said, what it served has ended, and the next offer opens another one (behaviour 1202).
func TestPortFails(t *testing.T) {
	said := make(chan string, 1)
	s := New(func(session string) Handler { return &echo{session: session} }, func(why string) { said <- why })
	t.Cleanup(s.Close)
	fail := make(chan struct{})
	s.listen = func() (net.Listener, error) {
		l, err := private.Loopback()
		return broken{l, fail}, err
	}
	url, _ := s.offerTo(t, "one")
	ended := &s.offers[0].tools.(*echo).ended
	close(fail)
	select {
	case why := <-said:
		if !strings.Contains(why, "the network is gone") {
			t.Errorf("said: %s", why)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("nothing is said")
	}
	if !ended.Load() {
		t.Error("what it served goes on")
	}
	if conn, err := net.Dial("tcp", strings.Split(url, "/")[2]); err == nil {
		_ = conn.Close()
		t.Error("somebody listens")
	}

	s.listen = listen
	again, token := s.offerTo(t, "one")
	if status, got := post(t, again, token, "hi"); status != 200 || got != "one: hi" {
		t.Errorf("at another port: %d %q", status, got)
	}
}

// What the HTTP server complains of comes to the user like refused requests, and not to the standard logger (behaviour 1202).
func TestComplaint(t *testing.T) {
	said := make(chan string, 1)
	s := New(func(string) Handler {
		return tools{func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			w.WriteHeader(http.StatusOK)
		}}
	}, func(why string) { said <- why })
	t.Cleanup(s.Close)
	url, token := s.offerTo(t, "one")
	if status, got := post(t, url, token, "hi"); status != 200 {
		t.Errorf("got %d %q", status, got)
	}
	select {
	case why := <-said:
		if !strings.Contains(why, "superfluous") {
			t.Errorf("said: %s", why)
		}
	default:
		t.Error("nothing is said")
	}
}
