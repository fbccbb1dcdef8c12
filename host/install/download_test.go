package install

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A server that stops in the middle of an answer is not waited for for ever.
func TestSilence(t *testing.T) {
	defer func(was time.Duration) { silence = was }(silence)
	silence = 50 * time.Millisecond
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"version": `)
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	defer server.Close()
	defer close(over)
	_, err := FetchRegistry(t.Context(), server.URL)
	if err == nil || !strings.Contains(err.Error(), "has said nothing for") {
		t.Errorf("got %v", err)
	}
}

// Nor is one that takes a request and never begins to answer, though it keeps the connection.
func TestNoAnswer(t *testing.T) {
	defer func(was time.Duration) { silence = was }(silence)
	silence = 50 * time.Millisecond
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	defer server.Close()
	defer close(over)
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if _, err := FetchRegistry(ctx, server.URL); err == nil || !strings.Contains(err.Error(), "timeout awaiting response headers") {
		t.Errorf("got %v", err)
	}
}
