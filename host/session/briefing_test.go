package session

import (
	"errors"
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

// Rewinds that a lost prompt has told are to be told again, before those that came since.
func TestRewindsTold(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want []int
	}{
		{"it is heard", nil, []int{2}},
		{"it is lost", errors.New("gone"), []int{1, 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := opened(t)
			s.briefing.Rewind(record.Rewind{Entry: 1})
			s.Prompt(Prompt{Text: "one"})
			turn := s.Take().Begin
			s.briefing.Rewind(record.Rewind{Entry: 2})
			s.Send(turn, Skills{}, unsaved.Message{})
			s.briefing.ToldRewinds(1)
			s.EndTurn(turn, "", test.err, nil, nil)

			var got []int
			for _, r := range s.about().Rewinds {
				got = append(got, r.Entry)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
