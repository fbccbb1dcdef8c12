package loopback

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// bearer returns the token of a request, "" if it has none or several.
func bearer(r *http.Request) string {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// local reports whether the pages that a request comes from, if any, are of this machine.
func local(origins []string) bool {
	return !slices.ContainsFunc(origins, func(origin string) bool {
		u, err := url.Parse(origin)
		return err != nil || !slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, u.Hostname())
	})
}

// refusal is why a request is refused.
type refusal struct {
	status int
	why    string // goes on from "the request"
	tell   bool   // the user of it
}

// write answers with a refusal, as JSON-RPC has errors, and ends the connection.
func (no *refusal) write(w http.ResponseWriter) {
	text, _ := json.Marshal("refused: the request " + no.why) // strings are plain values
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Connection", "close")
	if no.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	w.WriteHeader(no.status)
	_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":` + string(text) + "}}\n"))
}

// slow is an answer that may take its time as a whole, but whose parts are read as they come: else its connection ends.
type slow struct {
	http.ResponseWriter
	limit *http.ResponseController
}

// Unwrap is for [http.ResponseController].
func (s slow) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// patient begins the time in which the next part is to be read.
func (s slow) patient() { _ = s.limit.SetWriteDeadline(time.Now().Add(maxWait)) }

func (s slow) Write(p []byte) (int, error) {
	s.patient()
	return s.ResponseWriter.Write(p)
}
