package permission

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/input"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// subject is the tool call that a request is about, as the request describes it. An agent may use one id for several calls
// at once, so what a request says of its call stays, whatever is said under that id later. An update that contradicts it is
// shown beside it, and makes a new version of the request.
type subject struct {
	own  *acp.ToolCallUpdate // what the request says, with what it lacks of the call as it was known
	base *transcript.Call    // what updates say, requests left out
	call *transcript.Call    // base, with own on top
	late *transcript.Call    // call, with the updates since the request on top

	folder string // of the session

	contradicts *transcript.Call // late if what it describes is something else than call; nil: it is not
}

// newSubject returns the subject of a request; before is the call as it was known before the request, nil if it was not.
func newSubject(own *acp.ToolCallUpdate, before *transcript.Call, folder string) *subject {
	s := &subject{own: own, base: &transcript.Call{ID: own.ToolCallID, Kind: acp.ToolKindOther}, folder: folder}
	if before != nil {
		s.base = before.Clone()
		s.own = before.Completed(own)
	}
	s.merge()
	s.late = s.call
	return s
}

// merge puts what the request says on top of what updates say. An empty member of its input says nothing either.
func (s *subject) merge() {
	own := *s.own
	own.RawInput = input.Fill(own.RawInput, s.base.RawInput)
	s.call = s.base.Clone()
	s.call.Patch(&own)
}

// update applies an update of the call.
func (s *subject) update(u *acp.ToolCallUpdate) {
	s.base, s.late = s.base.Clone(), s.late.Clone() // snapshots have the old ones
	s.base.Patch(u)
	s.late.Patch(u)
	s.merge()
	s.contradicts = nil
	if does(s.late, s.folder) != does(s.call, s.folder) {
		s.contradicts = s.late
	}
}

// Carried returns what a request says of its call. An empty field says nothing: some agents send all fields, and an empty list
// would take away the plan or the diff that the update before has brought.
func Carried(u *acp.ToolCallUpdate) *acp.ToolCallUpdate {
	out := *u
	if len(u.Content.Value) == 0 {
		out.Content = acp.Opt[[]acp.ToolCallContent]{}
	}
	if len(u.Locations.Value) == 0 {
		out.Locations = acp.Opt[[]acp.ToolCallLocation]{}
	}
	if emptyRaw(u.RawInput) {
		out.RawInput = nil
	}
	if emptyRaw(u.RawOutput) {
		out.RawOutput = nil
	}
	if u.Title != nil && strings.TrimSpace(*u.Title) == "" {
		out.Title = nil
	}
	if u.Name != nil && *u.Name == "" {
		out.Name = nil
	}

	return &out
}

func emptyRaw(raw acp.Raw) bool {
	return len(raw) == 0 || input.Member{Value: jsontext.Value(raw)}.Empty()
}

var seed = maphash.MakeSeed()

// digest hashes texts.
type digest struct{ maphash.Hash }

func newDigest() *digest {
	var d digest
	d.SetSeed(seed)
	return &d
}

func (d *digest) add(texts ...string) {
	for _, text := range texts {
		_, _ = d.WriteString(text) // it never fails
		_ = d.WriteByte(0)
	}
}

func (d *digest) addDiffs(diffs []*acp.Diff) {
	for _, diff := range diffs {
		d.add(diff.Path, diff.NewText)
		if diff.OldText != nil {
			d.add(*diff.OldText)
		} else {
			_ = d.WriteByte(1)
		}
	}
}

// sum stands for all that a request says of its call, to the user, to rules and to the permission function. Some agents repeat
// a call right after they have asked about it; an answer that is on its way then still counts.
func (s *subject) sum() uint64 {
	d := newDigest()
	for _, c := range []*transcript.Call{s.call, s.contradicts} {
		if c == nil {
			continue
		}
		d.add(string(c.Kind), c.Title, c.Name, c.Server, string(c.RawInput))
		for _, l := range c.Locations {
			d.add(l.Path)
		}
		d.add(c.Texts()...)
		d.addDiffs(c.Diffs())
	}

	return d.Sum64()
}

// does stands for what a call would do, all that rules are asked about among it: two calls for which it differs are not the same to who
// allows them. Titles and words may differ, and some agents name the session's folder only later.
func does(c *transcript.Call, folder string) uint64 {
	d := newDigest()
	r := RuleRequestOf(c, "", "")
	if r.Dir == folder {
		r.Dir = ""
	}
	slices.Sort(r.Paths)
	d.add(r.Kind, r.Tool, r.Command, r.Dir, r.Odd, planOf(c))
	d.add(slices.Compact(r.Paths)...)
	d.add(r.Unknown...)
	for _, in := range c.Inputs(func(string, bool) bool { return false }) {
		d.add(in.Name, in.Value)
	}
	d.addDiffs(c.Diffs())
	return d.Sum64()
}
