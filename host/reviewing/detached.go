package reviewing

// DetachEditor notes which files are loaded in a Neovim that leaves now: what is not saved there will be gone. It does not wait.
func (r *Review) DetachEditor(loaded []string) { r.left.set(loaded) }

// AttachEditor has all marks, and the list, drawn by a Neovim that knows nothing of them, and buffers followed in which undo and redo may
// bring some back. It does not wait.
func (r *Review) AttachEditor() { r.Poke(r.ledger.All("")...) }

// CatchUp takes in what has become of files since a Neovim has left: as soon as another has them loaded, what differs is the user's
// doing. It waits for the disk, and for Neovim maxCatchUp at most.
func (r *Review) CatchUp() {
	r.each(r.ledger.Paths(), func(path string) []string { return r.atWork(path, nil) })
}
