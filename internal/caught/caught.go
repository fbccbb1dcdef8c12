// Package caught keeps a panic from ending the program. Each goroutine of the program is started here, so that a fault in one of them
// costs what that one was for, and no more.
package caught

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Error is a panic that was caught.
type Error struct {
	Place string // the function that has started the goroutine, or was called
	Value any
	Stack []byte
}

func (e *Error) Error() string { return fmt.Sprintf("internal error in %s: %v", e.Place, e.Value) }

// report is what is done about a panic for which nobody else does anything.
var report atomic.Pointer[func(*Error)]

// OnPanic sets what is done about panics in goroutines that [Go] has started. It is called in the goroutine.
func OnPanic(do func(*Error)) { report.Store(&do) }

// Report does what [OnPanic] says.
func Report(err *Error) {
	if r := report.Load(); r != nil {
		(*r)(err)
	}
}

// Go calls a function in a goroutine of its own.
func Go(do func()) {
	place := caller()
	go Run(place, func() { // ends with the function
		do()
		inject(place, ":end")
	})
}

// Group waits for goroutines, as [sync.WaitGroup] does. The zero value has none.
type Group struct{ wait sync.WaitGroup }

// Go calls a function in a goroutine of the group's.
func (g *Group) Go(do func()) {
	g.wait.Add(1)
	place := caller()
	go func() { // ends with the function
		defer g.wait.Done()
		Run(place, do)
	}()
}

// Wait waits until all of them have ended.
func (g *Group) Wait() { g.wait.Wait() }

// After is [time.AfterFunc].
func After(wait time.Duration, do func()) *time.Timer {
	place := caller()
	return time.AfterFunc(wait, func() { Run(place, do) })
}

// Run is [Do] that reports a panic. It reports false then.
func Run(place string, do func()) bool {
	err := catch(place, do)
	if err != nil {
		Report(err)
	}
	return err == nil
}

// GoOr is [Go] with something else to be done about a panic.
func GoOr(do func(), failed func(*Error)) {
	place := caller()
	go func() { // ends with the function
		if err := Do(place, do); err != nil {
			failed(err)
		}
	}()
}

// Do calls a function, and returns the panic that has ended it; nil if none has.
func Do(place string, do func()) *Error {
	return catch(place, func() {
		inject(place, "")
		do()
	})
}

func catch(place string, do func()) (err *Error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Error{place, v, debug.Stack()}
		}
	}()
	do()
	return nil
}

// caller is the function that has called one of this package, maybe through one that is named spawn or after, without its path.
func caller() string {
	var name string
	for depth := 2; depth < 4; depth++ {
		pc, _, _, ok := runtime.Caller(depth)
		if !ok {
			break
		}
		name = runtime.FuncForPC(pc).Name()
		name = name[strings.LastIndexByte(name, '/')+1:]
		if !strings.HasSuffix(name, ".spawn") && !strings.HasSuffix(name, ".after") {
			break
		}
	}

	return name
}
