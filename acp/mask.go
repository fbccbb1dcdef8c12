package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	masked    = "***"
	minSecret = 8 // bytes
)

// secrets are literals to hide, the longest first, so that one within another is hidden whole.
type secrets []string

func (s *secrets) add(secret string) {
	if len(secret) < minSecret {
		return
	}
	for _, form := range forms(secret) {
		at, found := slices.BinarySearchFunc(*s, form, func(a, b string) int {
			if len(a) != len(b) {
				return len(b) - len(a)
			}
			return strings.Compare(a, b)
		})
		if !found {
			*s = slices.Insert(*s, at, form)
		}
	}
}

// Secrets are texts to hide wherever they stand. The zero value hides nothing; it is safe for concurrent use.
type Secrets struct {
	mu   sync.Mutex
	list secrets
}

// Add hides a text of 8 bytes or more from now on, also as JSON writes it. Shorter ones would hide too much.
func (s *Secrets) Add(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list.add(secret)
}

// Hide returns the text with each secret replaced by three asterisks.
func (s *Secrets) Hide(text string) string {
	s.mu.Lock()
	mask := s.list.masker()
	s.mu.Unlock()
	return mask(text, false)
}

// forms are the ways a secret can be written: as it is, and within a JSON string with the escapes that are common.
func forms(secret string) []string {
	list := []string{secret}
	if quoted, err := jsontext.AppendQuote(nil, secret); err == nil {
		list = append(list, string(quoted[1:len(quoted)-1]))
		list = append(list, strings.ReplaceAll(list[1], "/", `\/`), ascii(list[1]))
	}
	if quoted, err := json.Marshal(secret); err == nil { // escapes for HTML
		list = append(list, string(quoted[1:len(quoted)-1]))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ascii returns a JSON string with escapes for what is not ASCII.
func ascii(text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < utf8.RuneSelf {
			out = append(out, byte(unit))
		} else {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return string(out)
}

// masker returns a function that hides the secrets there are now, in a text that may have been cut at its end.
func (s secrets) masker() func(text string, cut bool) string {
	if len(s) == 0 {
		return func(text string, _ bool) string { return text }
	}

	pairs := make([]string, 0, 2*len(s))
	for _, secret := range s {
		pairs = append(pairs, secret, masked)
	}

	replacer := strings.NewReplacer(pairs...)
	own := slices.Clone(s)
	return func(text string, cut bool) string {
		if cut {
			text = own.trim(text)
		}
		return replacer.Replace(text)
	}
}

// trim takes the beginning of a secret off the end of a text.
func (s secrets) trim(text string) string {
	longest := 0
	for _, secret := range s {
		for n := min(len(secret)-1, len(text)); n > longest; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				longest = n
			}
		}
	}
	return text[:len(text)-longest]
}

// secretive is an outgoing message with secrets: it reports them, and returns the form for the log.
type secretive interface {
	masked(report func(secret string)) any
}

func (r *NewSessionRequest) masked(report func(string)) any {
	c := *r
	c.MCPServers = maskServers(r.MCPServers, report)
	return &c
}

func (r *LoadSessionRequest) masked(report func(string)) any {
	c := *r
	c.MCPServers = maskServers(r.MCPServers, report)
	return &c
}

func (r *ResumeSessionRequest) masked(report func(string)) any {
	c := *r
	c.MCPServers = maskServers(r.MCPServers, report)
	return &c
}

func (r *ForkSessionRequest) masked(report func(string)) any {
	c := *r
	c.MCPServers = maskServers(r.MCPServers, report)
	return &c
}

func (r *AuthenticateRequest) masked(report func(string)) any {
	c := *r
	c.Meta = nil
	for name, value := range r.Meta {
		if c.Meta == nil {
			c.Meta = make(Meta)
		}
		reportStrings(value, report)
		c.Meta[name] = Raw(`"` + masked + `"`)
	}
	return &c
}

func (r *CreateElicitationResponse) masked(report func(string)) any {
	c := *r
	c.Content = nil
	for name, value := range r.Content {
		if c.Content == nil {
			c.Content = make(map[string]any)
		}
		switch value := value.(type) {
		case string:
			report(value)
		case []string:
			for _, item := range value {
				report(item)
			}
		}
		c.Content[name] = masked
	}

	return &c
}

func maskServers(servers []MCPServer, report func(string)) []MCPServer {
	list := make([]MCPServer, 0, len(servers))
	for _, server := range servers {
		switch s := server.(type) {
		case *MCPServerStdio:
			c := *s
			c.Env = make([]EnvVariable, 0, len(s.Env))
			for _, v := range s.Env {
				report(v.Value)
				c.Env = append(c.Env, EnvVariable{Name: v.Name, Value: masked})
			}
			server = &c
		case *MCPServerHTTP:
			c := *s
			c.Headers = maskHeaders(s.Headers, report)
			server = &c
		case *MCPServerSSE:
			c := *s
			c.Headers = maskHeaders(s.Headers, report)
			server = &c
		}

		list = append(list, server)
	}

	return list
}

func maskHeaders(headers []HTTPHeader, report func(string)) []HTTPHeader {
	list := make([]HTTPHeader, 0, len(headers))
	for _, h := range headers {
		report(h.Value)
		if _, credentials, ok := strings.Cut(h.Value, " "); ok { // Bearer …
			report(credentials)
		}
		list = append(list, HTTPHeader{Name: h.Name, Value: masked})
	}
	return list
}

// reportStrings reports every string within a JSON value.
func reportStrings(raw Raw, report func(string)) {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return
	}

	var walk func(any)
	walk = func(value any) {
		switch value := value.(type) {
		case string:
			report(value)
		case []any:
			for _, item := range value {
				walk(item)
			}
		case map[string]any:
			for _, item := range value {
				walk(item)
			}
		}
	}

	walk(value)
}
