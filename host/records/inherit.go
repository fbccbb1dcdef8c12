package records

import (
	"errors"
	"fmt"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Inherit gives a session that begins as a copy what the record of the other one says, its options and rules, and what the agent is still
// to be told there, and says what it is. It waits for the disk.
func (k *Keeper) Inherit(from, title string) {
	r, s := k.records, k.session
	var rec record.Record
	text, shown := "", ""
	if from != "" {
		rec, _ = k.load(from) // without one there is nothing to show
		text, shown = r.hooks.Untold(s, from)
	}

	k.mu.Lock()
	defer k.mu.Unlock()

	s.Do(func(st *session.State) {
		st.Inherit(rec, title)
		if text != "" {
			st.Briefing().Tell(text)
			st.Screen().Say(shown, "AcpNotice")
		}
	})
	k.waiting = append(k.waiting, rec.Entries...)
}

// load reads the record of another session, with all that was just said there. The session begins with the options that the user has chosen
// in the other one.
func (k *Keeper) load(from string) (record.Record, error) {
	r := k.records
	if other := r.host.Session(from); other != nil {
		r.hooks.Keeper(other).write(true)
		var values map[string]any
		cost, known := acp.Cost{}, false
		other.Do(func(st *session.State) {
			values = st.Options().Values()
			cost, known = st.Spending().Cost()
		})
		k.session.Do(func(st *session.State) {
			if known {
				st.Spending().BeginWith(cost)
			}
			st.Options().BeginWith(values)
		})
	}

	r.settle(from)
	rec, err := record.Load(r.dir(), from)
	other := r.host.Session(from)
	if other == nil {
		k.session.Do(func(st *session.State) { st.Options().BeginWith(rec.Session.Options) })
		return rec, err
	}
	other.Do(func(st *session.State) { session.Newest(st, &rec.Session) })
	return rec, err
}

// InheritUntil gives a session that goes on from an earlier point of another one the record of that until then. It returns the prompt
// before which that is, with the time from which on what is lost was done here, and the last one before it whose time is known: what has
// come with a replay was not done here. It waits for the disk.
func (k *Keeper) InheritUntil(from, fork, key string) (cut, before transcript.Moment, err error) {
	rec, err := k.load(from)
	if err != nil {
		return cut, before, fmt.Errorf("the record of the session before: %w", err)
	}

	log := transcript.New(transcript.Options{})
	log.Restore(rec.Entries)
	moments := log.Blocks().Moments()
	for i, m := range moments {
		if m.Key == key {
			cut = m
			cut.Time = transcript.Since(moments, i)
			break
		}
		if !m.Time.IsZero() {
			before = m
		}
	}

	entries, ok := transcript.Until(rec.Entries, key)
	if !ok || cut.Key == "" {
		return cut, before, errors.New("the session before has no such prompt any more")
	}

	rec.Entries = entries
	past := append([]record.Past{{Session: from, Until: time.Now().UnixMilli()}}, rec.Session.Past...)

	k.mu.Lock()
	defer k.mu.Unlock()

	k.session.Do(func(st *session.State) {
		st.InheritUntil(rec, session.Cut{Fork: fork, Prompt: session.FirstLine(cut.Text), Behind: cut.Behind, First: cut.First}, past)
	})
	k.waiting = append(k.waiting, rec.Entries...)
	return cut, before, nil
}
