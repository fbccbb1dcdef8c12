package reviewing

import (
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// painted is a host whose Neovim is told colours.
type painted struct {
	feature.Host
	got chan []coloured
}

func (p painted) ExecLua(_ string, _ any, args ...any) error {
	p.got <- args[1].([]coloured)
	return nil
}

// A text whose colours cannot be found costs no other its own, and nothing is said of it (behaviour 1358).
func TestColoursOfOthers(t *testing.T) {
	faults := make(chan *caught.Error, 1)
	caught.OnPanic(func(err *caught.Error) { faults <- err })
	t.Cleanup(func() { caught.OnPanic(func(*caught.Error) {}) })
	type hunk = struct {
		Key   string `msgpack:"key"`
		Sum   string `msgpack:"sum"`
		Row   int    `msgpack:"row"`
		Count int    `msgpack:"count"`
	}
	broken, fine := oldText{Lines: []string{"return 1"}}, oldText{Lines: []string{"return 2"}}
	broken.Hunks, fine.Hunks = append(broken.Hunks, hunk{Key: "broken", Row: -1, Count: 2}), append(fine.Hunks, hunk{Key: "fine", Count: 1})

	h := painted{got: make(chan []coloured, 2)}
	colour(h, coloursArgs{Path: "/f.go", Texts: []oldText{broken, fine}})
	select {
	case got := <-h.got:
		if len(got) != 1 || got[0].Key != "fine" || len(got[0].Colours) == 0 {
			t.Errorf("got %v", got)
		}
	case err := <-faults:
		t.Errorf("it is said: %v", err)
	case <-time.After(10 * time.Second):
		t.Error("nothing is coloured")
	}
}
