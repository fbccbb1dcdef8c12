package host

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"

	"github.com/neovim/go-client/msgpack"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/terminals"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// What the user does, as Lua tells it. Every verb carries the local id of its session and a number, N, which the host's
// next word on that session names as seen.
type (
	// target is the session that a verb is about, by its local id, and the number of the verb.
	target struct {
		Session string `msgpack:"session"`
		N       int    `msgpack:"n"`
	}
	openArgs struct {
		target
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
		target
		Text    string               `msgpack:"text"`
		Context []session.Attachment `msgpack:"context"`
	}
	queueArgs struct {
		target
		Action string `msgpack:"action"` // "now", "steer", "edit", "remove" or "up"
		Index  int    `msgpack:"index"`  // from 1
		Text   string `msgpack:"text"`   // of the prompt meant; if it is not there any more, nothing is done
	}
	requeueArgs struct {
		target
		Shown []string         `msgpack:"shown"` // the queue as the user saw it
		Want  []session.Wanted `msgpack:"want"`
	}
	usageArgs struct {
		By string `msgpack:"by"` // a [usage.By]
	}
	fillArgs struct {
		target
		ID      string         `msgpack:"id"`
		Version int            `msgpack:"version"`
		Action  string         `msgpack:"action"` // "accept", "decline" or "cancel"
		Values  map[string]any `msgpack:"values"` // by field: a string, a bool, or a list of strings
	}
	ruleArgs struct {
		target
		ID    string `msgpack:"id"`    // of the permission that the rule is suggested for
		Index int    `msgpack:"index"` // of the suggestion, from 1
		Text  string `msgpack:"text"`  // of a rule to remove
		Scope string `msgpack:"scope"` // "session" or "project"
	}
	lookArgs struct {
		target
		ID   string `msgpack:"id"`
		What string `msgpack:"what"` // "details", or the "next" or "previous" file
	}
	permitArgs struct {
		target
		Reason  string `msgpack:"reason"` // why it is rejected, for the agent
		ID      string `msgpack:"id"`
		Option  string `msgpack:"option"`
		Version int    `msgpack:"version"`
		By      string `msgpack:"by"`      // "user" or "function"
		Changed bool   `msgpack:"changed"` // the user has changed what is to be written …
		Text    string `msgpack:"text"`    // … to this
	}
	setArgs struct {
		target
		Option string `msgpack:"option"`
		Value  any    `msgpack:"value"`
	}
	blockArgs struct {
		target
		Block string `msgpack:"block"`
		Part  string `msgpack:"part"` // of the block; ""
		Row   int    `msgpack:"row"`  // in the block, from 0
		Text  string `msgpack:"text"` // of the row
	}
	sourceArgs struct {
		target
		Block string `msgpack:"block"`
		Row   int    `msgpack:"row"`  // in the block, from 0
		Col   int    `msgpack:"col"`  // in the row, in bytes from 0
		What  string `msgpack:"what"` // "link", "code" or "markdown"
	}
	shownArgs struct {
		target
		From transcript.RowPlace `msgpack:"from"`
		To   transcript.RowPlace `msgpack:"to"`
	}
	widthArgs struct {
		target
		Width int `msgpack:"width"` // cells of a row of the narrowest window of the transcript
	}
	exportArgs struct {
		target
		Path  string `msgpack:"path"` // "": shown in a window
		Force bool   `msgpack:"force"`
	}
	listArgs struct {
		N      int           `msgpack:"n"`
		Query  string        `msgpack:"query"`
		Cwd    string        `msgpack:"cwd"`    // "": of all folders
		Folder string        `msgpack:"folder"` // to start agents in
		Agents []agents.Spec `msgpack:"agents"` // to be asked beside those that run
		More   bool          `msgpack:"more"`   // the next pages of the last list
	}
	renameArgs struct {
		target
		Name   string `msgpack:"name"`
		Agent  string `msgpack:"agent"` // what follows is for a session that was never open here
		Remote string `msgpack:"remote"`
		Cwd    string `msgpack:"cwd"`
		Title  string `msgpack:"title"`
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
	eraseArgs struct {
		target
		Agent  agents.Spec `msgpack:"agent"`
		Remote string      `msgpack:"remote"`
		Cwd    string      `msgpack:"cwd"`
	}
	skillsArgs struct {
		N     int         `msgpack:"n"`
		Cwd   string      `msgpack:"cwd"`
		Why   string      `msgpack:"why"` // for Lua
		Agent agents.Spec `msgpack:"agent"`
		Name  string      `msgpack:"name"` // of the one to be changed …
		Path  string      `msgpack:"path"`
		On    bool        `msgpack:"on"` // … to active, or not
	}
	findArgs struct {
		target
		Query string `msgpack:"query"`
		Token int    `msgpack:"token"` // of the answer
	}
	loginArgs struct {
		target
		Method string `msgpack:"method"` // "": the configured one, or the user is asked
		Asked  bool   `msgpack:"asked"`  // for a key …
		Key    string `msgpack:"key"`    // … which is this, or "" to go without
		Status int    `msgpack:"status"` // that the command of a terminal ended with
	}
	sessionArgs struct{ target }
	restartArgs struct {
		target
		Agent *agents.Spec `msgpack:"agent"` // how it is configured by now
	}
	pathArgs struct {
		Path string `msgpack:"path"`
		N    int    `msgpack:"n"`
	}
	logArgs struct {
		N       int    `msgpack:"n"`
		On      bool   `msgpack:"on"`      // a window shows it
		View    int    `msgpack:"view"`    // number of the window, or of its filter
		Filter  string `msgpack:"filter"`  // words that the messages are to have
		Key     string `msgpack:"key"`     // of a message to unfold
		Session string `msgpack:"session"` // whose agent's log is saved; "": the last one's
		Path    string `msgpack:"path"`    // … to this file
	}
	terminalArgs struct {
		Terminal string `msgpack:"terminal"`
		N        int    `msgpack:"n"`
		Data     string `msgpack:"data"`
		Cols     int    `msgpack:"cols"`
		Rows     int    `msgpack:"rows"`
		Window   int    `msgpack:"window"` // number of the buffer that shows it
		On       bool   `msgpack:"on"`
	}
)

// register names the verbs. All are notifications, handled on one goroutine of go-client, so none may wait.
func (h *Host) register(handle func(string, any) error) error {
	var once sync.Once
	verbs := map[string]any{
		"hello":       func(s Settings) { once.Do(func() { h.hello(s) }) },
		"open":        h.open,
		"prompt":      onSession(h, (*Session).prompt),
		"cancel":      onSession(h, func(s *Session, _ sessionArgs) { s.cancel() }),
		"queue":       onSession(h, (*Session).requeue),
		"requeue":     onSession(h, func(s *Session, a requeueArgs) { s.do(func(st *session.State) { st.Reorder(a.Shown, a.Want) }) }),
		"permit":      onSession(h, func(s *Session, a permitArgs) { s.permit(a) }),
		"permit_now":  h.permitNow, // a request, answered at once
		"fill":        onSession(h, (*Session).fill),
		"propose":     onSession(h, (*Session).propose),
		"rule_add":    onSession(h, (*Session).addRule),
		"rule_remove": onSession(h, (*Session).removeRule),
		"rules":       onSession(h, func(s *Session, _ sessionArgs) { s.listRules() }),
		"inspect":     onSession(h, (*Session).inspect),
		"set":         onSession(h, (*Session).set),
		"warm":        func(a warmArgs) { h.agents.Get(a.Agent, a.Cwd) },
		"rest":        func(a restArgs) { h.agents.Rest(a.Agent) },
		"sessions":    h.list,
		"rename":      h.rename,
		"erase":       h.erase,
		"view":        h.view,
		"skills":      h.listSkills,
		"usage":       h.spending.show,
		"skill":       h.setSkill,
		"find":        onSession(h, (*Session).find),
		"find_now":    h.findNow, // a request, answered from memory
		"again":       onSession(h, (*Session).again),
		"close":       onSession(h, func(s *Session, _ sessionArgs) { s.close() }),
		"login": onSession(h, func(s *Session, a loginArgs) {
			go s.login(a.Method, key{a.Asked, a.Key}) // ends when the agent has answered or has taken too long
		}),
		"login_ended": onSession(h, func(s *Session, a loginArgs) {
			go s.loginEnded(a.Status) // ends when the agent has ended
		}),
		"logout": onSession(h, func(s *Session, _ sessionArgs) {
			go s.logout() // ends when the agent has answered or has taken too long
		}),
		"restart": onSession(h, func(s *Session, a restartArgs) {
			go s.restart(a.Agent) // ends when the agent has stopped
		}),
		"redraw":     onSession(h, func(s *Session, _ sessionArgs) { s.do(func(st *session.State) { st.Redraw(false) }) }),
		"width":      onSession(h, (*Session).setWidth),
		"shown":      onSession(h, (*Session).look),
		"source_now": h.sourceNow, // a request, answered from memory
		"toggle":     onSession(h, (*Session).toggle),
		"jump":       onSession(h, (*Session).jump),
		"export": onSession(h, func(s *Session, a exportArgs) {
			go s.export(a) // ends when the file is written
		}),
		"look":        h.lookAt,
		"send_errors": onSession(h, func(s *Session, _ sessionArgs) { s.sendErrors() }),
		"known":       h.questions.known,
		"safe":        func(sessionArgs) { h.files.SafeMode() },
		"loaded": func(r files.Report) {
			h.files.Loaded(r)
			h.history.loaded(r)
			h.review.look(pathsArgs{Paths: []string{r.Path}})
		},
		"turns":       onSession(h, (*Session).listTurns),
		"rewind":      onSession(h, (*Session).rewind),
		"review_look": h.review.look,
		"decide":      h.review.decide,
		"undecide":    h.review.undo,
		"review_base": h.review.base,
		"edit":        onSession(h, (*Session).edit),
		"edit_typed":  onSession(h, func(s *Session, a editArgs) { s.do(func(st *session.State) { st.Typed(a.Lines, a.Seen) }) }),
		"edit_step":   onSession(h, func(s *Session, a editArgs) { s.do(func(st *session.State) { st.StepPlace(a.By) }) }),
		"edit_take":   h.takeEdit, // a request, answered from memory
		"edit_left":   onSession(h, func(s *Session, a editArgs) { s.do(func(st *session.State) { st.LeavePlace(a.Result) }) }),
		"log":         h.showLog,
		"log_entry": func(a logArgs) {
			go h.unfoldLog(a) // ends when Neovim answers or goes away
		},
		"log_save": func(a logArgs) {
			go h.saveLog(a) // ends when the file is written
		},
		"terminal_input":  h.onTerminal(func(t *terminals.Term, a terminalArgs) { t.Write([]byte(a.Data)) }),
		"terminal_resize": h.onTerminal(func(t *terminals.Term, a terminalArgs) { t.Resize(uint16(a.Cols), uint16(a.Rows)) }),
		"terminal_kill":   h.onTerminal(func(t *terminals.Term, _ terminalArgs) { t.Kill() }),
		"terminal_view":   h.onTerminal(func(t *terminals.Term, a terminalArgs) { t.Watch(a.Window, a.On) }),
	}
	for name, fn := range verbs {
		if err := handle(name, h.tolerant(name, fn)); err != nil {
			return fmt.Errorf("verb %s: %w", name, err)
		}
	}
	return nil
}

// tolerant makes a notification that takes anything, and says what it cannot read: go-client would end the connection, and
// with it every session.
func (h *Host) tolerant(name string, fn any) any {
	verb := reflect.ValueOf(fn)
	if verb.Type().NumOut() > 0 {
		return fn // a request, whose caller hears of it
	}
	return func(given any) {
		var text bytes.Buffer
		args := reflect.New(verb.Type().In(0))
		err := msgpack.NewEncoder(&text).Encode(given)
		if err == nil {
			err = msgpack.NewDecoder(&text).Decode(args.Interface())
		}
		if err != nil {
			h.say("error", fmt.Sprintf("%s: what the plugin said cannot be read: %v", name, err))
			return
		}
		verb.Call([]reflect.Value{args.Elem()})
	}
}

// permitNow is permit for one who wants to know whether the answer counts.
func (h *Host) permitNow(a permitArgs) (counts bool, err error) {
	s := h.session(a.Session)
	return s != nil && s.permit(a), nil
}

// onSession makes a verb of a session. The verb is noted as seen when it is done: a frame that says it was seen shows it.
func onSession[A interface{ about() target }](h *Host, do func(*Session, A)) func(A) {
	return func(a A) {
		t := a.about()
		s := h.session(t.Session)
		if s == nil {
			return // closed meanwhile
		}
		do(s, a)
		s.do(func(st *session.State) { st.Saw(t.N) })
	}
}

func (t target) about() target { return t }

func (h *Host) onTerminal(do func(*terminals.Term, terminalArgs)) func(terminalArgs) {
	return func(a terminalArgs) {
		if t := h.terms.Find(a.Terminal); t != nil {
			do(t, a)
		}
	}
}

func (h *Host) hello(s Settings) {
	h.given.Store(&s)
	h.spending.start()
	h.agents.SetLogging(agents.Logging{Messages: int(s.Log.Messages), Debug: s.Log.Level == "debug", Path: s.Log.Path})
	go h.files.WarnOfCutSaves() // ends when it has looked
	go h.review.sweep()         // ends when it has removed what is left over
	if idle := s.idle(); idle > 0 {
		go h.agents.EndIdle(idle) // until close
	}
	if s.Interface != Interface {
		h.say("error", fmt.Sprintf("the program (interface %d) and the plugin (%d) do not match: run :AcpBuild, then restart Neovim", Interface, s.Interface))
	}
}

// lookAt has the disk looked at: for a file, or where none is named for a save that waits.
func (h *Host) lookAt(a pathArgs) {
	if a.Path == "" {
		h.files.SaveWaits()
		return
	}
	h.files.Suspect(a.Path)
}

func (h *Host) open(a openArgs) {
	s := h.session(a.Session)
	fresh := s == nil
	if fresh {
		s = newSession(h, a)
		h.mu.Lock()
		h.sessions[a.Session] = s
		h.mu.Unlock()
	}
	s.do(func(st *session.State) { st.Saw(a.N) })
	h.files.Poke()
	if !ask(s, (*session.State).Claim) {
		return
	}
	go func() { // ends when the session is ready or has failed
		switch {
		case fresh && a.Cut != "":
			if err := s.inheritUntil(a.From, a.Fork, a.Cut); err != nil {
				s.failed(nil, err)
				return
			}
		case fresh && a.Fork != "":
			s.inherit(a.From, a.Title)
		}
		s.connect()
	}()
}
