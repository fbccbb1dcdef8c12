package host

import "time"

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

func (t *term) wake() {
	select {
	case t.poke <- struct{}{}:
	default:
	}
}

// changed redraws the calls that show the terminal.
func (t *term) changed() {
	s := t.session
	s.mu.Lock()
	s.log.TerminalChanged(t.name)
	s.mu.Unlock()
	s.poke()
}

// follow redraws the calls that show the terminal whenever it changes and, for its time, once a second, and looks whether
// it waits for the user.
func (t *term) follow() {
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
		case <-t.host.render.done:
			return
		}
		t.noteEnd()
		t.changed()
		select {
		case <-time.After(followPause):
		case <-t.host.render.done:
		}
	}
}

// noteEnd says that the command has ended, once it has; what it left behind may still print.
func (t *term) noteEnd() {
	_, exit := t.State()
	t.mu.Lock()
	ended := exit != nil && t.ended.IsZero()
	if ended {
		t.ended, t.waiting = time.Now(), false
	}
	t.mu.Unlock()
	if ended {
		t.tell(false)
	}
}

// setWaiting notes whether the command waits for the user, and says so when it begins to.
func (t *term) setWaiting(on bool) {
	t.mu.Lock()
	was := t.waiting
	t.waiting = on
	t.mu.Unlock()
	if on != was {
		t.tell(false)
	}
}

// watch notes which buffer shows the terminal, and whether a window shows that.
func (t *term) watch(window int, on bool) {
	t.mu.Lock()
	t.window, t.shown = window, on
	begin := on && !t.feeding
	t.feeding = t.feeding || begin
	t.mu.Unlock()
	t.wake()
	if begin {
		go t.feed() // until its buffer or the session is gone, or the host ends
	}
}

// feed sends what the command prints to its buffer, a send at a time, each awaited. A new buffer gets what is kept of the
// past; one that no window shows gets nothing until one does.
func (t *term) feed() {
	for {
		t.mu.Lock()
		window := t.window
		t.mu.Unlock()
		if !t.feedTo(window) {
			return
		}
	}
}

// feedTo feeds one buffer until it is gone or there is another, and reports whether there is.
func (t *term) feedTo(window int) bool {
	v := t.View()
	defer v.Close()
	for {
		t.mu.Lock()
		other, shown := t.window != window, t.shown
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
			case <-t.host.render.done:
				return false
			}
			continue
		}
		taken := false
		if err := t.host.ed.ExecLua(luaFeed, &taken, t.id, window, string(chunk)); err != nil || !taken {
			return t.another(window)
		}
	}
}

// another reports whether there is another buffer than the one that was just found gone; else the feed is over.
func (t *term) another(window int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.feeding = t.window != window
	return t.feeding
}
