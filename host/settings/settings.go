// Package settings has what the user's configuration says to the host.
package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"time"

	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Settings are what the user's configuration says to the host.
type Settings struct {
	Interface int    `msgpack:"interface"`
	StateDir  string `msgpack:"state_dir"`
	FS        struct {
		Outside struct {
			Read  string `msgpack:"read"`  // "allow", "ask" or "deny"
			Write string `msgpack:"write"` // the same
		} `msgpack:"outside"`
		Secret        []string `msgpack:"secret"`
		FormatOnWrite bool     `msgpack:"format_on_write"`
		MaxRead       float64  `msgpack:"max_read"` // bytes
		Unsaved       any      `msgpack:"unsaved"`  // "tell", "save", "ask" or false
		Checkpoints   bool     `msgpack:"checkpoints"`
		Diagnostics   struct {
			AfterTurn any `msgpack:"after_turn"` // "offer", "send" or false
		} `msgpack:"diagnostics"`
	} `msgpack:"fs"`
	Terminal struct {
		Tail  int               `msgpack:"tail"`
		Size  []int             `msgpack:"size"` // columns, rows
		Env   map[string]string `msgpack:"env"`
		OSC52 bool              `msgpack:"osc52"`
	} `msgpack:"terminal"`
	Chat struct {
		FoldThoughts bool `msgpack:"fold_thoughts"`
		FoldCalls    bool `msgpack:"fold_calls"`
	} `msgpack:"chat"`
	Record struct {
		Enabled bool    `msgpack:"enabled"`
		MaxMB   float64 `msgpack:"max_mb"`
	} `msgpack:"record"`
	Session struct {
		Detach      any     `msgpack:"detach"`       // "busy", "always" or false: whether the host lives on when Neovim ends
		IdleMinutes float64 `msgpack:"idle_minutes"` // a detached host in which nothing has happened for so long ends; 0: never
	} `msgpack:"session"`
	Notify struct {
		Permission bool     `msgpack:"permission"`
		TurnEnd    bool     `msgpack:"turn_end"`
		Command    []string `msgpack:"command"` // that is run, with a text, when something waits while no Neovim is attached
	} `msgpack:"notify"`
	Usage struct {
		Budget float64 `msgpack:"budget"` // dollars a day; 0: none
	} `msgpack:"usage"`
	Start struct {
		IdleMinutes float64 `msgpack:"idle_minutes"` // 0: agents are never ended for being idle
	} `msgpack:"start"`
	Log struct {
		Level    string  `msgpack:"level"`    // "debug": what goes to and from agents is written to a file, too
		Messages float64 `msgpack:"messages"` // kept in memory, of each agent
		Path     string  `msgpack:"path"`
	} `msgpack:"log"`
	Skills struct {
		Folders []string `msgpack:"folders"`
		Enabled *bool    `msgpack:"enabled"` // nil: for agents that read none themselves
		Budget  float64  `msgpack:"budget"`  // bytes
	} `msgpack:"skills"`
	Keys struct {
		SendErrors string `msgpack:"send_errors"` // "" if it is off
	} `msgpack:"keys"`
	Tools struct {
		Enabled *bool `msgpack:"enabled"` // nil: yes
	} `msgpack:"tools"`
	Rules  []rules.Rule     `msgpack:"rules"`
	Icons  transcript.Icons `msgpack:"icons"`
	Review string           `msgpack:"review"` // "off": changes are not kept for a review
}

// Idle is how long an agent may be idle before it is ended; 0: for ever.
func (s *Settings) Idle() time.Duration {
	return time.Duration(s.Start.IdleMinutes * float64(time.Minute))
}

// AwayTime is how long a detached host lives in which nothing happens; 0: for ever.
func (s *Settings) AwayTime() time.Duration {
	return time.Duration(s.Session.IdleMinutes * float64(time.Minute))
}

// UnsavedText is what is done about unsaved text before a prompt is sent: "tell", "save" or "ask"; "": nothing.
func (s *Settings) UnsavedText() string {
	how, _ := s.FS.Unsaved.(string)
	return how
}

// Records reports whether anything of sessions is written to the disk.
func (s *Settings) Records() bool { return s.Record.Enabled && s.StateDir != "" }

// RecordDir is the folder for the records of sessions.
func (s *Settings) RecordDir() string { return filepath.Join(s.StateDir, "sessions") }

// SessionDir is the folder for what is kept of a session's changes, "" if nothing is recorded; without a session, the one of all of them.
func (s *Settings) SessionDir(session string) string {
	if !s.Records() {
		return ""
	}
	return filepath.Join(s.StateDir, "review", session)
}

// Checking is what is done about new errors after a turn: "offer", "send" or "" for nothing.
func (s *Settings) Checking() string {
	how, _ := s.FS.Diagnostics.AfterTurn.(string)
	return how
}

// FolderFile is where something of a folder is kept.
func (s *Settings) FolderFile(what, cwd string) string {
	sum := sha256.Sum256([]byte(cwd))
	return filepath.Join(s.StateDir, what, hex.EncodeToString(sum[:8])+".json")
}
