package host

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/files"
)

// partial is a Neovim that answers as many calls as it has parts of an answer, and then no more.
type partial struct {
	parts []files.Inspected
	next  int // the buffer at which to go on, after each part
	asked []files.Inspection
}

func (p *partial) ExecLua(_ string, result any, args ...any) error {
	p.asked = append(p.asked, args[0].(files.Inspection))
	if len(p.parts) == 0 {
		return errors.New("it waits for a key")
	}
	to := reflect.ValueOf(result).Elem() // of a type that only the caller has
	to.FieldByName("Inspected").Set(reflect.ValueOf(p.parts[0]))
	if p.parts = p.parts[1:]; len(p.parts) > 0 || p.next > 0 {
		to.FieldByName("Next").SetInt(int64(p.next))
	}
	return nil
}

// What has come with the first part of an answer counts, whether or not the others come; then it is not known that all buffers have heard
// of the merge windows (behaviour 1177).
func TestInspectInParts(t *testing.T) {
	first := files.Inspected{Loaded: []files.LoadedFile{{Path: "/a"}}, Unsaved: []files.InspectedFile{{Name: "/a"}}, Asked: true}
	ask := files.Inspection{Windows: files.Windows{Number: 1}, Unsaved: true, Question: files.Question{ID: 1}}

	ed := &partial{parts: []files.Inspected{first}, next: 50}
	got, err := fileEditor{ed: ed}.Inspect(context.Background(), ask)
	if err != nil || !got.Asked || len(got.Unsaved) != 1 || len(got.Loaded) != 1 || got.Told {
		t.Errorf("the second part does not come: got %+v, %v", got, err)
	}
	if len(ed.asked) != 2 || ed.asked[1].Unsaved || ed.asked[1].Question.ID != 0 || ed.asked[1].Windows.Number != 1 {
		t.Errorf("asked %+v, want the windows alone the second time", ed.asked)
	}

	ed = &partial{parts: []files.Inspected{first}}
	if got, err = (fileEditor{ed: ed}).Inspect(context.Background(), ask); err != nil || !got.Told {
		t.Errorf("all of it comes: got %+v, %v", got, err)
	}
	if _, err = (fileEditor{ed: &partial{}}).Inspect(context.Background(), ask); err == nil {
		t.Error("nothing comes, and there is no error")
	}
}
