package tools

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/mcp"
	"github.com/nvim-acp/nvim-acp/host/mcp/loopback"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// refusesStdio reports whether an agent is known to take no stdio MCP servers.
func refusesStdio(a *agents.Agent) bool {
	return a.Spec.Quirk("refuses_stdio") || a.Refuses.Stdio.Load()
}

// reachesHTTP reports whether an agent can reach tools over HTTP.
func reachesHTTP(a *agents.Agent) bool { return a.Can().MCPCapabilities.HTTP && a.Place().Loopback() }

// overHTTP reports whether an agent is offered the editor's tools over HTTP: one that reaches them in no other way.
func overHTTP(a *agents.Agent) bool { return refusesStdio(a) && reachesHTTP(a) }

// handler returns what serves a session's tools over HTTP.
func (t *Tools) handler(id string) loopback.Handler {
	s := t.host.Session(id)
	if s == nil {
		return nil
	}
	return mcp.NewHandler(toolSession{s, t}, t.config.Version, func(more int) { t.clients(s, more) })
}

// httpServer is the server of the editor's tools for a session's agent that takes it over HTTP only.
func (t *Tools) httpServer(s feature.Session, a *agents.Agent, names []string) (acp.MCPServer, error) {
	url, token, err := t.loopback.Offer(s.LocalID(), a)
	if err != nil {
		return nil, err
	}

	a.Log.Mask(token)
	return &acp.MCPServerHTTP{
		Name: mcp.FreeName(names), URL: url, Headers: []acp.HTTPHeader{{Name: "Authorization", Value: "Bearer " + token}},
	}, nil
}

// withoutStdio returns the servers that are no stdio servers, and a sentence on each of the others.
func withoutStdio(list []acp.MCPServer, agent string) (rest []acp.MCPServer, wrong []string) {
	rest = []acp.MCPServer{}
	for _, server := range list {
		if stdio, ok := server.(*acp.MCPServerStdio); ok {
			wrong = append(wrong, fmt.Sprintf("MCP server %s is not passed on to %s: it takes no stdio MCP servers",
				plain.OneLine(stdio.Name), agent))
			continue
		}
		rest = append(rest, server)
	}
	return rest, wrong
}

// What agents say of stdio servers: that they take none, with hardly another word in between, or that one of the servers lacks what others
// have. That a server did not start is neither.
const (
	no      = `(\bnot|n't|\bnever|\bno longer) `
	gap     = `[\s"'\x60()-]{1,3}`
	fillers = `(` + gap + `(based|mcp|servers?|transports?|types?|connections?|is|are|was|were|currently))*`
)

var (
	saysNoStdio = lazy.Regexp(`(?i)` +
		`\bstdio` + fillers + `(` + gap + `\w+)?` + fillers + gap +
		`(unsupported|disabled|` + no + `(\w+ )?(supported|allowed|accepted|permitted))\b|` +
		`\bstdio` + gap + `(transports?|types?)` + gap + `(is |are |was |were )?(refused|rejected)\b|` +
		`(` + no + `(support|allow|accept|permit)|\bunsupported|\bdisallowed)\b[^.;,]{0,40}\bstdio\b|` +
		`\b(supports?|allows?|accepts?|permits?|supported|allowed|accepted|permitted)\b[^.:;]{0,40}\b(got|not)( an?)? stdio\b`)
	lacksKind = lazy.Regexp(`(?i)\bmcp[ _-]?servers?\b["\]\s]{0,4}[\[.,\s]{1,4}(\d+)\b[^\d]{0,20}\b(type|url)\b`)
)

// aboutStdio reports whether an error says that an agent takes no stdio servers, of which it was given some.
func aboutStdio(e *acp.Error, given []acp.MCPServer) bool {
	text := e.Message + " " + string(e.Data)
	if saysNoStdio().MatchString(text) {
		return true
	}
	return e.Code == acp.CodeInvalidParams && slices.ContainsFunc(lacksKind().FindAllStringSubmatch(text, -1), func(found []string) bool {
		n, err := strconv.Atoi(found[1])
		return err == nil && n < len(given) && isStdio(given[n])
	})
}

// isStdio reports whether a server is a stdio server.
func isStdio(server acp.MCPServer) bool {
	_, ok := server.(*acp.MCPServerStdio)
	return ok
}

// NoteRefusedStdio notes that an agent has refused to open a session because of stdio servers, none of which it is given from then on, and
// reports whether to ask again. One that takes no others is not asked again.
func NoteRefusedStdio(a *agents.Agent, given []acp.MCPServer, err error) bool {
	var wrong *acp.Error
	if !errors.As(err, &wrong) || !reachesHTTP(a) {
		return false
	}

	if !slices.ContainsFunc(given, isStdio) || !aboutStdio(wrong, given) {
		return false
	}

	a.Refuses.Stdio.Store(true)
	return true
}

// SayWithoutTools says once that an agent that takes no stdio servers does not have the editor's tools: it does not say so itself.
func (t *Tools) SayWithoutTools(s feature.Session, a *agents.Agent) {
	if !refusesStdio(a) {
		return
	}
	text := s.Spec().Title + " takes no stdio MCP servers, so it does not have the editor's tools, nor such servers of yours"
	if overHTTP(a) {
		text = s.Spec().Title + " has not connected to the editor's tools, which it is offered over HTTP"
	}
	s.Do(func(st *session.State) { st.Tools().Refused(text) })
}
