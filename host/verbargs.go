package host

import (
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// What the user does, as Lua tells it. Every verb carries the local id of its session and a number, N, which the host's
// next word on that session names as seen.
type (
	openArgs struct {
		feature.Target
		Agent  agents.Spec `msgpack:"agent"`
		Cwd    string      `msgpack:"cwd"`
		Dirs   []string    `msgpack:"dirs"`   // further folders
		Remote string      `msgpack:"remote"` // the agent's id, to go on with a session of before
		Strict bool        `msgpack:"strict"` // that session and no other
		Fork   string      `msgpack:"fork"`   // the agent's id of a session to begin as a copy of
		From   string      `msgpack:"from"`   // our id of that session, whose record is copied
		Cut    string      `msgpack:"cut"`    // the prompt of it, by its key, before which the copy ends; "": all of it
		Title  string      `msgpack:"title"`  // the agent's, from its list; of a copy that of the other session
		Lost   bool        `msgpack:"lost"`   // the host that had it has ended
		Width  int         `msgpack:"width"`  // cells of a row of its transcript; 0: no window shows it

		Place *record.Place `msgpack:"place"` // the session is for lines of a buffer
	}
	promptArgs struct {
		feature.Target
		ID      string               `msgpack:"id"` // by which it comes back
		Text    string               `msgpack:"text"`
		Context []session.Attachment `msgpack:"context"`
		Known   session.Known        `msgpack:"known"` // as last shown
	}
	queueArgs struct {
		feature.Target
		Action string `msgpack:"action"` // "now", "steer", "edit", "remove" or "up"
		Index  int    `msgpack:"index"`  // from 1
		Text   string `msgpack:"text"`   // of the prompt meant; if it is not there any more, nothing is done
	}
	requeueArgs struct {
		feature.Target
		Shown []string         `msgpack:"shown"` // the queue as the user saw it
		Want  []session.Wanted `msgpack:"want"`
	}
	fillArgs struct {
		feature.Target
		ID      string         `msgpack:"id"`
		Version int            `msgpack:"version"`
		Action  string         `msgpack:"action"` // "accept", "decline" or "cancel"
		Values  map[string]any `msgpack:"values"` // by field: a string, a bool, or a list of strings
	}
	lookArgs struct {
		feature.Target
		ID    string `msgpack:"id"`
		What  string `msgpack:"what"`  // "details", or the "next" or "previous" file; or "width":
		Width int    `msgpack:"width"` // cells that a line may have
	}
	permitArgs struct {
		feature.Target
		Reason  string `msgpack:"reason"` // why it is rejected, for the agent
		ID      string `msgpack:"id"`
		Option  string `msgpack:"option"`
		Version int    `msgpack:"version"`
		By      string `msgpack:"by"`      // "user" or "function"
		Changed bool   `msgpack:"changed"` // the user has changed what is to be written …
		Path    string `msgpack:"path"`    // … into this file …
		Text    string `msgpack:"text"`    // … to this
	}
	setArgs struct {
		feature.Target
		Option string `msgpack:"option"`
		Value  any    `msgpack:"value"`
	}
	childArgs struct {
		feature.Target
		Block string `msgpack:"block"`
		Part  string `msgpack:"part"` // of the block; ""
	}
	widthArgs struct {
		feature.Target
		Width int `msgpack:"width"` // cells of a row of the narrowest window of the transcript
	}
	restArgs struct {
		N     int    `msgpack:"n"`
		Agent string `msgpack:"agent"` // name
	}
	warmArgs struct {
		N     int         `msgpack:"n"`
		Agent agents.Spec `msgpack:"agent"`
		Cwd   string      `msgpack:"cwd"`
	}
	sessionArgs struct{ feature.Target }
	restartArgs struct {
		feature.Target
		Agent *agents.Spec `msgpack:"agent"` // how it is configured by now
	}
	pathArgs struct {
		Path string `msgpack:"path"`
		N    int    `msgpack:"n"`
	}
)
