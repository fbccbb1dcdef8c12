package transcript

import "slices"

// What finished calls and texts are made of is held so that the user can unfold it. Beyond a bound the oldest of it is cut to its
// ends, which says so: an agent may send any number of megabytes.

const (
	maxHeld  = 64 << 20 // bytes that are held whole
	leastCut = 16 << 10 // bytes of what is cut at all …
	keptEnd  = 4 << 10  // … and of each end that stays
	maxBlock = 8 << 20  // bytes of a text after which another block begins
)

// holdable is a finished call or a closed block of text.
type holdable interface {
	pends() bool // it is not recorded or not drawn yet
	cut() bool   // it keeps only its ends; false: it goes on after all
}

// holding is what a transcript holds whole, the oldest first.
type holding struct {
	list  []holdable
	sizes map[holdable]int  // in bytes
	gone  map[holdable]bool // what was cut: its record stays as it was, if it had one
	bytes int
}

// add holds what has ended, or has changed since, and cuts the oldest beyond the bound.
func (h *holding) add(thing holdable, bytes int) {
	if h.sizes == nil {
		h.sizes, h.gone = map[holdable]int{}, map[holdable]bool{}
	}

	before, known := h.sizes[thing]
	if bytes <= leastCut && !known {
		return
	}
	if !known {
		h.list = append(h.list, thing)
	}

	h.sizes[thing] = bytes
	h.bytes += bytes - before
	h.settle()
}

// settle cuts the oldest beyond the bound. What is not recorded yet waits, unless it is very much.
func (h *holding) settle() {
	for h.bytes > maxHeld && len(h.list) > 0 {
		first := h.list[0]
		pends := first.pends()
		if pends && h.bytes <= 2*maxHeld {
			return
		}
		h.bytes -= h.sizes[first]
		delete(h.sizes, first)
		h.list[0] = nil
		h.list = h.list[1:]
		if first.cut() {
			h.gone[first] = !pends
		}
	}
}

// forget holds a thing no more, which is not shown any longer.
func (h *holding) forget(thing holdable) {
	h.bytes -= h.sizes[thing]
	delete(h.sizes, thing)
	delete(h.gone, thing)
	h.list = slices.DeleteFunc(h.list, func(o holdable) bool { return o == thing })
}

// recorded reports whether the record of a thing is to stay as it is.
func (h *holding) recorded(thing holdable) bool { return h.gone[thing] }

// wasCut reports whether a thing was cut.
func (h *holding) wasCut(thing holdable) bool {
	_, cut := h.gone[thing]
	return cut
}
