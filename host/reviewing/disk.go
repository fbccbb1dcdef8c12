package reviewing

import (
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/review"
)

// disk has what is saved of the sessions' changes. Its methods wait for that.
type disk struct {
	host    feature.Host
	writing feature.Warner
}

// read returns the changes that are saved of a session, nil if there are none.
func (d *disk) read(session string) (*review.Changes, error) {
	dir := d.host.SessionDir(session)
	if dir == "" {
		return nil, nil
	}

	saved, err := review.Read(dir)
	if err != nil || len(saved) == 0 {
		return nil, err
	}
	return review.Restore(saved)
}

// write writes what of a session's changes has changed.
func (d *disk) write(session string, saved review.Saved) {
	dir := d.host.SessionDir(session)
	if dir == "" {
		saved.Discard()
		return
	}

	if len(saved) == 0 {
		return
	}
	d.writing.Warn(d.host, dir, "the changes to review are not saved", saved.Write(dir))
}
