package terminals

import (
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

const (
	// maxFeed is the largest send to a terminal buffer: more at once holds Neovim's loop.
	maxFeed = 2 << 10
	// followPause is the least time between two looks at a command that prints.
	followPause = 30 * time.Millisecond
	// waitingFirst is how long a command is silent before the first look whether it waits for the user.
	waitingFirst = 10 * time.Second
	// waitingMost is the longest time between two such looks.
	waitingMost = 16 * time.Second
)

// follow redraws the calls that show the terminal whenever it changes and, for its time, once a second, and looks whether
// it waits for the user.
func (t *Term) follow() {
	v := t.View()
	defer v.Close()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	look, every := waitingFirst, time.Second // until the next look whether it waits, and how long it was until the last
	for over := false; !over; {
		select {
		case <-v.Poke():
			look, every = waitingFirst, time.Second
			t.setWaiting(false)
		case <-tick.C:
			if look -= time.Second; look <= 0 {
				every = min(2*every, waitingMost)
				look = every
				t.setWaiting(t.Waiting())
			}
		case <-t.Done():
			over = true
		case <-t.set.done:
			return
		}

		t.noteEnd()
		t.owner.TerminalChanged(t.name)
		select {
		case <-time.After(followPause):
		case <-t.set.done:
		}
	}
}

// noteEnd says that the command has ended, once it has; what it left behind may still print.
func (t *Term) noteEnd() {
	_, exit := t.State()
	t.mu.Lock()
	ended := exit != nil && t.ended.IsZero()
	if ended {
		t.ended, t.waiting = time.Now(), false
	}
	t.mu.Unlock()
	if ended {
		t.show(false)
	}
}

// setWaiting notes whether the command waits for the user, and says so when it begins to.
func (t *Term) setWaiting(on bool) {
	t.mu.Lock()
	was := t.waiting
	t.waiting = on
	t.mu.Unlock()
	if on != was {
		t.show(false)
	}
}

// Watch notes which buffer shows the terminal, and whether a window shows that.
func (t *Term) Watch(buffer int, on bool) {
	t.mu.Lock()
	t.buffer, t.shown = buffer, on
	begin := on && !t.feeding
	t.feeding = t.feeding || begin
	t.mu.Unlock()
	t.poke.Poke()
	if begin {
		caught.Go(t.feed) // until its buffer or the session is gone, or the host ends
	}
}

// feed sends what the command prints to its buffer, a send at a time, each awaited. A new buffer gets what is kept of the
// past; one that no window shows gets nothing until one does.
func (t *Term) feed() {
	for {
		t.mu.Lock()
		buffer := t.buffer
		t.mu.Unlock()
		if !t.feedTo(buffer) {
			return
		}
	}
}

// feedTo feeds one buffer until it is gone or there is another, and reports whether there is.
func (t *Term) feedTo(buffer int) bool {
	v := t.View()
	defer v.Close()
	for {
		t.mu.Lock()
		other, shown := t.buffer != buffer, t.shown
		if t.gone {
			t.feeding = false
		}

		gone := t.gone
		t.mu.Unlock()

		if gone || other {
			return other && !gone
		}

		var chunk []byte
		if shown {
			chunk, _ = v.Next(maxFeed)
		}
		if len(chunk) == 0 {
			poke := v.Poke()
			if !shown {
				poke = nil
			}
			select {
			case <-poke:
			case <-t.poke:
			case <-t.set.done:
				return false
			}
			continue
		}
		if !t.set.send(t.id, buffer, string(chunk)) {
			return t.another(buffer)
		}
	}
}

// another reports whether there is another buffer than the one that was just found gone; else the feed is over.
func (t *Term) another(buffer int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.feeding = t.buffer != buffer
	return t.feeding
}
