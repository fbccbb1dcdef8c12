package elsewhere

// There returns a path as [Place.There] will once a place for a folder is ready. It reads links.
func (s *Spec) There(cwd, here string) string {
	if s == nil || s.Sandbox { // which has the same paths
		return here
	}
	p := &Place{spec: *s, needs: Needs{Cwd: cwd}}
	shares, err := p.shares()
	if err != nil {
		return here
	}
	if p.paths, err = NewMap("", shares); err != nil {
		return here
	}
	return p.There(here)
}
