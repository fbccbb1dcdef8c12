package permission

func (q *Requests) snapshot(r *request) Snapshot {
	s := Snapshot{
		ID: r.ticket.ID, Version: r.version, at: r.at, made: r.New, details: r.details, file: r.file, width: r.width,
		why: r.why, rules: r.rules, large: r.large,
		editable: q.editable(r) != nil,
	}
	if r.about != nil {
		s.call, s.late = r.about.call, r.about.contradicts
	}
	return s
}

// Snapshot returns a request, and reports whether it is pending.
func (q *Requests) Snapshot(id string) (Snapshot, bool) {
	r := q.find(id)
	if r == nil {
		return Snapshot{}, false
	}
	return q.snapshot(r), true
}

// All returns the ids of all pending requests.
func (q *Requests) All() []string {
	var ids []string
	for _, r := range q.list {
		ids = append(ids, r.ticket.ID)
	}
	return ids
}

// maxShownAtOnce is how many requests the user is shown, with all their lines. Others come when these are answered.
const maxShownAtOnce = 30

// split returns the requests that the user is shown, and those that come when these are answered.
func (q *Requests) split() (now, later []*request) {
	for _, r := range q.list {
		switch {
		case !r.shown:
		case len(now) < maxShownAtOnce:
			now = append(now, r)
		default:
			later = append(later, r)
		}
	}
	return now, later
}

// Shown returns the requests that the user is shown.
func (q *Requests) Shown() []Snapshot {
	list := []Snapshot{}
	now, _ := q.split()
	for _, r := range now {
		list = append(list, q.snapshot(r))
	}
	return list
}

// Drawn notes of requests whether they can only be rejected, as the user is about to be shown.
func (q *Requests) Drawn(list []Shown) {
	for i := range list {
		if r := q.find(list[i].ID); r != nil && r.version == list[i].Version {
			r.large = list[i].Large > 0
		}
	}
}
