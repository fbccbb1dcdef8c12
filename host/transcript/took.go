package transcript

import (
	"fmt"
	"slices"
	"time"
)

// stretch is an interval of time.
type stretch struct{ from, to time.Time }

// waits records whether a call waits for the user, which does not count as its time.
func (it *item) waits(on bool, now time.Time) {
	switch {
	case on && it.asked.IsZero():
		it.asked = now
	case !on && !it.asked.IsZero():
		it.waited = append(it.waited, stretch{it.asked, now})
		it.asked = time.Time{}
	}
}

// worked returns the intervals in which a call was running, in order, until now if it is unfinished; nil if unknown.
func (it *item) worked(now time.Time) []stretch {
	if it.began.IsZero() {
		return nil
	}
	if !it.ended.IsZero() {
		now = it.ended
	}

	waited := it.waited
	if !it.asked.IsZero() {
		waited = append(slices.Clone(waited), stretch{it.asked, now})
	}

	var parts []stretch
	from := it.began
	for _, w := range waited {
		if w.from.After(from) {
			parts = append(parts, stretch{from, w.from})
		}
		from = w.to
	}

	if now.After(from) {
		parts = append(parts, stretch{from, now})
	}

	return parts
}

// took returns the running time of calls: concurrent ones count once, pauses between them and waiting for the user do not
// count. It is 0 if unknown.
func took(items []*item, now time.Time) time.Duration {
	var all []stretch
	for _, it := range items {
		if it.began.IsZero() {
			return 0
		}
		all = append(all, it.worked(now)...)
	}

	slices.SortFunc(all, func(a, b stretch) int { return a.from.Compare(b.from) })
	var total time.Duration
	var end time.Time
	for _, s := range all {
		if s.from.Before(end) {
			s.from = end
		}
		if s.to.After(s.from) {
			total += s.to.Sub(s.from)
			end = s.to
		}
	}

	return total
}

func clock(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// seconds says how long something took: "4 s", "1 m 12 s".
func seconds(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	switch {
	case s >= 3600:
		return fmt.Sprintf("%d h %d m", s/3600, s%3600/60)
	case s >= 60:
		return fmt.Sprintf("%d m %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d s", s)
}
