package session

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/host/edit"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Prompt is what the user sends.
type Prompt struct {
	ID      string // by which it comes back once; "": it never came from the editor
	Text    string
	Context []Attachment
	Edit    *edit.Request // what is asked at lines of a buffer, of which Text is the instruction; nil in a chat
	Held    bool          // it waits until the user says so
	Fix     bool          // it was sent by itself, about errors
	Early   bool          // it was sent before its user could see that the agent wants a login
	Unseen  bool          // it was sent before its user could see that the agent has not taken the mode that was chosen
}

// Attachment is something the user sends with a prompt.
type Attachment struct {
	Path      string `msgpack:"path,omitempty"`
	Name      string `msgpack:"name"`
	Kind      string `msgpack:"kind"`             // "": a file or a text; "folder", "image", "audio", "diff", "clipboard"
	Text      string `msgpack:"text,omitempty"`   // of a loaded buffer, saved or not, or of what has no path
	Loaded    bool   `msgpack:"loaded"`           // Text is what the user has of the file …
	Large     bool   `msgpack:"large"`            // … but was left out for its size
	Mentioned bool   `msgpack:"mentioned"`        // the words of the prompt name it …
	Word      string `msgpack:"word,omitempty"`   // … by this mention, without the @
	As        string `msgpack:"as,omitempty"`     // the same, where it means what was chosen then
	Record    string `msgpack:"record,omitempty"` // local id of an earlier session, which is sent as text
	First     int    `msgpack:"first,omitempty"`  // 1-based lines of Path, 0: all
	Last      int    `msgpack:"last,omitempty"`
}

// names are the attachments that the words of a prompt do not name.
func (p Prompt) names() []string {
	var out []string
	if p.Edit != nil {
		out = append(out, plain.OneLine(p.Edit.Name))
	}
	for _, a := range p.Context {
		if !a.Mentioned {
			out = append(out, plain.OneLine(a.Name))
		}
	}
	return out
}

// rewrite gives a prompt another text, with what that names. What it had beside its words stays, and so does what its words still name:
// lines of a file may be elsewhere by now, and what was chosen by hand has no other name.
func (p *Prompt) rewrite(w Wanted) {
	named := func(a Attachment) bool { return slices.Contains(w.Names, a.Word) }
	had := slices.DeleteFunc(slices.Clone(p.Context), func(a Attachment) bool { return a.Mentioned && !named(a) })
	added := slices.DeleteFunc(slices.Clone(w.Context), func(a Attachment) bool {
		return slices.ContainsFunc(had, func(o Attachment) bool { return o.Mentioned && o.Word == a.Word })
	})
	p.Text, p.Context = w.Text, append(had, added...)
}
