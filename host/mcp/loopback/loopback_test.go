package loopback

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// echo answers with the session's name and what was sent.
type echo struct {
	session string
	ended   atomic.Bool
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, _ = io.WriteString(w, e.session+": "+string(body))
}

func (e *echo) End() { e.ended.Store(true) }

// start returns a server of echoes, and a function that returns what was said of refused requests since.
func start(t *testing.T) (s *Server, said func() string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	s = New(func(session string) Handler { return &echo{session: session} }, func(why string) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, why)
	})
	t.Cleanup(s.Close)
	return s, func() string {
		mu.Lock()
		defer mu.Unlock()
		text := strings.Join(all, "\n")
		all = nil
		return text
	}
}

// offer returns the address and a token of a session.
func (s *Server) offerTo(t *testing.T, session string) (url, token string) {
	t.Helper()
	url, token, err := s.Offer(session, nil)
	if err != nil {
		t.Fatal(err)
	}
	return url, token
}

// post sends a message, changed by some functions, and returns the status and the answer.
func post(t *testing.T, url, token, body string, change ...func(r *http.Request)) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	for _, do := range change {
		do(r)
	}

	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	a, err := (&http.Client{Transport: transport, Timeout: 20 * time.Second}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(text)
}

// The token decides whose tools a request uses; the port is one of 127.0.0.1 (behaviour 1152).
func TestTokens(t *testing.T) {
	s, said := start(t)
	url, one := s.offerTo(t, "one")
	url2, two := s.offerTo(t, "two")
	if url != url2 || !strings.HasPrefix(url, "http://127.0.0.1:") || one == two {
		t.Errorf("%s and %s, tokens %s and %s", url, url2, one, two)
	}
	for token, want := range map[string]string{one: "one: hi", two: "two: hi"} {
		if status, got := post(t, url, token, "hi"); status != 200 || got != want {
			t.Errorf("got %d %q, want %q", status, got, want)
		}
	}
	named := strings.Replace(url, "127.0.0.1", "localhost", 1)
	if status, got := post(t, url, one, "hi", func(r *http.Request) { r.Host = strings.Split(named, "/")[2] }); status != 200 {
		t.Errorf("as localhost: %d %q", status, got)
	}
	if status, got := post(t, url, one, "hi", func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }); status != 200 {
		t.Errorf("from a page of this machine: %d %q", status, got)
	}
	if text := said(); text != "" {
		t.Errorf("the user is told: %s", text)
	}
}

// A request without the token, for another host, or of a page of one is refused, and the user is told (behaviour 1152).
func TestForeignRequests(t *testing.T) {
	header := func(name string, values ...string) func(r *http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	token := func(r *http.Request) string { return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") }
	const none = "has no token of an open session"
	for _, test := range []struct {
		name   string
		change func(r *http.Request)
		status int
		why    string
		quiet  bool
	}{
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401, none, false},
		{"an empty token", header("Authorization", "Bearer "), 401, none, false},
		{"another token", header("Authorization", "Bearer "+strings.Repeat("0", 64)), 401, none, false},
		{"a part of the token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token(r)[:63]) }, 401, none, false},
		{"another scheme", func(r *http.Request) { r.Header.Set("Authorization", "Basic "+token(r)) }, 401, none, false},
		{"two tokens", func(r *http.Request) { r.Header.Add("Authorization", "Bearer x") }, 401, none, false},
		{"in the address", func(r *http.Request) {
			r.URL.RawQuery = "token=" + token(r)
			r.Header.Del("Authorization")
		}, 401, none, false},
		{"another host", func(r *http.Request) { r.Host = "evil.example" }, 403, "is for another host", false},
		{"another port", func(r *http.Request) { r.Host = "127.0.0.1:1" }, 403, "is for another host", false},
		{"a name that begins so", func(r *http.Request) {
			r.Host = "localhost.evil.example" + r.URL.Host[len("127.0.0.1"):]
		}, 403, "is for another", false},
		{"of all resources", func(r *http.Request) {
			r.Method, r.URL.Path, r.URL.RawPath, r.URL.Opaque = http.MethodOptions, "", "", "*"
			r.Header.Del("Authorization")
			r.Host = "evil.example"
		}, 403, "is for another host", false},
		{"a page", header("Origin", "https://evil.example"), 403, "comes from a page", false},
		{"a page that begins so", header("Origin", "http://127.0.0.1.evil.example"), 403, "comes from a page", false},
		{"a page without a name", header("Origin", "null"), 403, "comes from a page", false},
		{"an empty page", header("Origin", ""), 403, "comes from a page", false},
		{"two pages", header("Origin", "http://localhost", "https://evil.example"), 403, "comes from a page", false},
		{"another path", func(r *http.Request) { r.URL.Path = "/.well-known/oauth-protected-resource" }, 404, "something else", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, said := start(t)
			url, token := s.offerTo(t, "one")
			status, got := post(t, url, token, "hi", test.change)
			if status != test.status || !strings.Contains(got, `"message":"refused: the request `) || !strings.Contains(got, test.why) {
				t.Errorf("got %d %q, want %d %s", status, got, test.status, test.why)
			}
			if text := said(); strings.Contains(text, test.why) == test.quiet {
				t.Errorf("the user is told %q", text)
			}
		})
	}
}

// A session that is closed has no tools any more, and its token says so; after the last one nobody listens (behaviour 1152).
func TestForgetToken(t *testing.T) {
	s, said := start(t)
	url, one := s.offerTo(t, "one")
	_, two := s.offerTo(t, "two")
	tools := s.offers[0].tools.(*echo)
	s.Forget("one", nil)
	if !tools.ended.Load() {
		t.Error("what it does has not ended")
	}
	if status, got := post(t, url, one, "hi"); status != 401 || !strings.Contains(got, "has the token of a session that is closed") {
		t.Errorf("got %d %q", status, got)
	}
	if text := said(); text != "" { // an agent says goodbye late
		t.Errorf("the user is told: %s", text)
	}
	if status, got := post(t, url, two, "hi"); status != 200 || got != "two: hi" {
		t.Errorf("the other: got %d %q", status, got)
	}

	_, again := s.offerTo(t, "two")
	if status, _ := post(t, url, two, "hi"); status != 401 {
		t.Errorf("with the token of before: %d", status)
	}
	if status, got := post(t, url, again, "hi"); status != 200 || got != "two: hi" {
		t.Errorf("with the new one: %d %q", status, got)
	}

	s.Forget("two", nil)
	address := strings.Split(url, "/")[2]
	if conn, err := net.Dial("tcp", address); err == nil {
		_ = conn.Close()
		t.Error("somebody listens")
	}
	{
		url, token := s.offerTo(t, "three")
		if status, got := post(t, url, token, "hi"); status != 200 || got != "three: hi" {
			t.Errorf("a later session: %d %q", status, got)
		}
	}

	last := s.offers[0].tools.(*echo)
	s.Close()
	if !last.ended.Load() {
		t.Error("what it does has not ended with the host")
	}
	if _, _, err := s.Offer("four", nil); err == nil {
		t.Error("it is offered while the host is being closed")
	}
}

// What an agent was offered is void without the offer of another one for the same session (behaviour 1201).
func TestForgetAgent(t *testing.T) {
	s, _ := start(t)
	url, before, err := s.Offer("one", 1)
	if err != nil {
		t.Fatal(err)
	}
	_, now, err := s.Offer("one", 2)
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]int{before: 200, now: 200} {
		if status, got := post(t, url, token, "hi"); status != want {
			t.Errorf("as long as there are two: %d %q", status, got)
		}
	}

	s.Forget("one", 1)
	for token, want := range map[string]int{before: 401, now: 200} {
		if status, got := post(t, url, token, "hi"); status != want {
			t.Errorf("got %d %q, want %d", status, got, want)
		}
	}
	s.Forget("one", nil)
	if len(s.offers) != 0 || s.port != nil {
		t.Error("something is offered for no agent")
	}
}

// A message that is too long is refused, whether its length is said or not, and what follows is served (behaviour 1152).
func TestLongMessage(t *testing.T) {
	s, _ := start(t)
	url, token := s.offerTo(t, "one")
	long := strings.Repeat("x", maxBody+1)
	for _, length := range []int64{maxBody + 1, -1} {
		status, got := post(t, url, token, long, func(r *http.Request) { r.ContentLength = length })
		if status != http.StatusRequestEntityTooLarge || !strings.Contains(got, "too long") {
			t.Errorf("%d bytes: got %d %.100q", length, status, got)
		}
	}
	if status, got := post(t, url, token, long[1:]); status != 200 || len(got) != maxBody+len("one: ") {
		t.Errorf("a message of the most bytes: %d, %d bytes", status, len(got))
	}
	full := func(r *http.Request) { r.Header.Set("X", strings.Repeat("x", 2*maxHeader)) }
	if status, _ := post(t, url, token, "hi", full); status != 431 {
		t.Errorf("headers that are too long: %d", status)
	}
}
