package acptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
)

// ReplayOpts are the optional parts of Replay.
type ReplayOpts struct {
	Seed   uint64    // where the output is cut into writes; 0: one write for each line
	Stderr io.Writer // gets the recording's stderr lines; nil drops them
	MapCWD bool      // replaces the recorded working directory in what is sent by the live client's
}

// ids are how a recorded and a live client named the same terminal.
type ids struct{ recorded, live []byte }

// Replay plays a recording as the agent of a live client that may do other things than the recorded one. Each recorded
// line is sent, byte for byte but for the ids of the client's requests and of its terminals, once the live client has sent what the
// recorded client had sent before it. Where they part:
//
//   - a live request that the recording lacks gets -32601;
//   - the answer to a recorded request that the live client does not make is left out;
//   - a live request that comes while another one is due moves the replay on to it: notifications between are sent,
//     requests and answers are not. If the one that was due comes later, it gets its recorded answer at once;
//   - notifications and answers too many are dropped.
//
// It returns nil when the client closes its end, and blocks in reads of in until then; ctx ends it between two messages.
func Replay(ctx context.Context, recording, in io.Reader, out io.Writer, opts ReplayOpts) error {
	entries, err := readRecording(recording)
	if err != nil {
		return err
	}
	if opts.Stderr == nil {
		opts.Stderr = io.Discard
	}

	r := &replay{
		entries: entries, in: bufio.NewReader(in), out: newSplitter(out, opts.Seed), opts: opts,
		asked: map[string]bool{}, answered: map[string]bool{},
	}
	for r.position < len(r.entries) && err == nil {
		if err = ctx.Err(); err == nil {
			err = r.step()
		}
	}

	if err == nil {
		err = r.drain(ctx)
	}

	return ignoreEOF(err)
}

// A replay is the state of one Replay, used by one goroutine.
type replay struct {
	entries  []*entry
	position int // of the entry that is due
	in       *bufio.Reader
	out      *splitter
	opts     ReplayOpts

	waiting  []message       // live requests and notifications for later entries, in order
	asked    map[string]bool // ids of the agent's requests that were sent
	answered map[string]bool // ids of those that the live client answered

	recordedCWD, liveCWD []byte // as they stand inside a JSON string
	terminals            ids    // of the latest terminal, as they stand in JSON
}

// step deals with the entry that is due and moves on.
func (r *replay) step() error {
	e := r.entries[r.position]
	switch {
	case e.Dir == "recv":
		r.position++
		return r.send(e)
	case e.Dir == "stderr":
		r.position++
		_, err := io.WriteString(r.opts.Stderr, e.Raw+"\n")
		return err
	case e.used || !r.due(e):
		r.position++
		return nil
	}

	if len(r.waiting) > 0 && !e.message.isResponse() {
		m := r.waiting[0]
		r.waiting = r.waiting[1:]
		return r.take(m)
	}

	m, err := r.next()
	if err != nil {
		return err
	}
	if e.message.isResponse() && m.Method != "" && r.find(m) >= 0 {
		r.waiting = append(r.waiting, m)
		return nil
	}

	return r.take(m)
}

// due reports whether the live client has to send something before the replay goes on.
func (r *replay) due(e *entry) bool {
	if e.Dir != "send" {
		return false
	}
	if e.message.isResponse() {
		return r.asked[string(e.message.ID)] && !r.answered[string(e.message.ID)]
	}
	return protocol[e.message.Method]
}

// send sends a recorded line, unless it answers a request that the live client has not made.
func (r *replay) send(e *entry) error {
	line := []byte(e.Raw)
	switch {
	case e.message.wantsAnswer():
		r.asked[string(e.message.ID)] = true
		delete(r.answered, string(e.message.ID))
	case e.message.isResponse() && string(e.message.ID) != "null":
		request := r.request(e)
		if request == nil || request.live == nil {
			return nil
		}
		line = e.withID(request.live)
	}

	return r.write(line)
}

// request returns the recorded request that e answers: the latest one before it with this id.
func (r *replay) request(e *entry) *entry {
	var request *entry
	for _, other := range r.entries {
		if other == e {
			break
		}
		if other.Dir == "send" && other.message.wantsAnswer() && bytes.Equal(other.message.ID, e.message.ID) {
			request = other
		}
	}
	return request
}

// next reads from the live client, after all that was to be sent is sent.
func (r *replay) next() (message, error) {
	if err := r.out.flush(); err != nil {
		return message{}, err
	}
	return read(r.in)
}

// find returns the index of the recorded message that m stands for: one of the same session rather than another, one
// that is still ahead rather than one that was passed over, or -1.
func (r *replay) find(m message) int {
	best, bestScore := -1, -1
	for i, e := range r.entries {
		if !e.fits(m) {
			continue
		}

		score := 0
		if e.message.field("sessionId") == m.field("sessionId") {
			score += 2
		}
		if i >= r.position {
			score++
		}
		if score > bestScore {
			best, bestScore = i, score
		}
	}

	return best
}

// take deals with a live message while the recording waits for one.
func (r *replay) take(m message) error {
	if m.Method == "" {
		r.answered[string(m.ID)] = true
		r.learnTerminal(m)
		return nil
	}

	i := r.find(m)
	if i < 0 {
		if !m.wantsAnswer() {
			return nil
		}
		return writeMessage(lineWriter{r.out}, m.ID, "", "error", notFound)
	}

	e := r.entries[i]
	e.used, e.live = true, m.ID
	r.learnCWD(e, m)
	if i < r.position {
		return r.answerLate(e)
	}

	return r.moveTo(i)
}

// moveTo passes over what lies before the entry i, but for notifications.
func (r *replay) moveTo(i int) error {
	for ; r.position < i; r.position++ {
		e := r.entries[r.position]
		if e.Dir != "recv" || e.message.wantsAnswer() {
			continue
		}
		if err := r.send(e); err != nil {
			return err
		}
	}
	return nil
}

// answerLate sends the recorded answer to a request that was passed over, unless it is still ahead.
func (r *replay) answerLate(request *entry) error {
	for _, e := range r.entries[:r.position] {
		if e.Dir == "recv" && e.message.isResponse() && r.request(e) == request {
			return r.send(e)
		}
	}
	return nil
}

// learnCWD notes the two working directories of a session.
func (r *replay) learnCWD(e *entry, m message) {
	recorded, live := e.message.field("cwd"), m.field("cwd")
	if r.opts.MapCWD && recorded != "" && live != "" {
		r.recordedCWD, r.liveCWD = inString(recorded), inString(live)
	}
}

// learnTerminal notes the two ids of a terminal that the live client has made.
func (r *replay) learnTerminal(m message) {
	live := terminalID(m)
	for _, e := range r.entries[r.position:] {
		if live != "" && e.Dir == "send" && e.message.isResponse() && bytes.Equal(e.message.ID, m.ID) {
			r.terminals = ids{inID(terminalID(e.message)), inID(live)}
			return
		}
	}
}

// terminalID is what an answer to terminal/create says.
func terminalID(m message) string {
	var result struct {
		ID string `json:"terminalId"`
	}
	_ = json.Unmarshal(m.Result, &result) // another answer has none
	return result.ID
}

// inID is a terminal's id as a field.
func inID(id string) []byte { return []byte(`"terminalId":"` + string(inString(id)) + `"`) }

// inString escapes text as it stands inside a JSON string.
func inString(text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		return []byte(text)
	}
	return quoted[1 : len(quoted)-1]
}

// write sends one line.
func (r *replay) write(line []byte) error {
	if len(r.recordedCWD) > 0 {
		line = bytes.ReplaceAll(line, r.recordedCWD, r.liveCWD)
	}
	if len(r.terminals.recorded) > 0 {
		line = bytes.ReplaceAll(line, r.terminals.recorded, r.terminals.live)
	}
	return r.out.writeLine(line)
}

// drain answers what the live client still asks after the end of the recording.
func (r *replay) drain(ctx context.Context) error {
	for {
		for _, m := range r.waiting {
			if err := r.take(m); err != nil {
				return err
			}
		}

		r.waiting = nil
		m, err := r.next()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}

		r.waiting = []message{m}
	}
}

// A lineWriter hands whole lines to a splitter.
type lineWriter struct{ to *splitter }

func (w lineWriter) Write(line []byte) (int, error) {
	return len(line), w.to.writeLine(bytes.TrimSuffix(line, []byte("\n")))
}
