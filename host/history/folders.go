package history

import (
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// returning are folders that come back: they are made before what is in them, and get their modes after it. The zero value has none.
type returning struct {
	begun   bool
	done    []string
	refused []refusal
	modes   []func()
}

type refusal struct {
	path string
	err  error
}

// begin makes the folders, once.
func (r *returning) begin(list []checkpoint.Folder) {
	if r.begun {
		return
	}

	r.begun = true
	for _, f := range list {
		mode, err := rewind.MakeFolder(f)
		if err != nil {
			r.refused = append(r.refused, refusal{f.Path, err})
			continue
		}
		r.done = append(r.done, f.Path)
		r.modes = append(r.modes, func() {
			if err := mode(); err != nil {
				r.refused = append(r.refused, refusal{f.Path, err})
			}
		})
	}
}

// finish gives the folders their modes.
func (r *returning) finish() {
	for _, mode := range r.modes {
		mode()
	}
}
