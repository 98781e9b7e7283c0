package comm

import (
	"errors"
	"slices"
	"sync"
)

// A waiter is a goroutine that waits for one of several requests.
type waiter struct {
	ch   chan struct{} // holds one wake-up; one that comes late wakes a later waiter in vain
	list []Request
}

var waiters = sync.Pool{New: func() any { return &waiter{ch: make(chan struct{}, 1)} }}

func (w *waiter) wake() {
	select {
	case w.ch <- struct{}{}:
	default:
	}
}

// sleep returns when something was done. Its name in a stack tells a goroutine that waits
// for messages: see standstill.
//
//go:noinline
func (w *waiter) sleep() { <-w.ch }

// wait returns when one of the requests is done, maybe, or the run has ended.
func (m *member) wait(requests []Request) error {
	w := waiters.Get().(*waiter)
	w.list = requests
	asleep := true
	var err error
	for _, r := range requests {
		r, _ := r.(*request)
		if r == nil || r.told || r.state.CompareAndSwap(nil, w) {
			continue
		}
		if asleep = false; !r.isDone() {
			err = errors.New("two goroutines wait for the same request")
		}
		break
	}
	if asleep {
		m.mu.Lock()
		m.waits = append(m.waits, w)
		m.slept++
		m.mu.Unlock()
		if m.w.ended() == nil {
			w.sleep()
		}
		m.mu.Lock()
		i := slices.Index(m.waits, w)
		m.waits = slices.Delete(m.waits, i, i+1)
		m.mu.Unlock()
	}
	for _, r := range requests {
		if r, _ := r.(*request); r != nil {
			r.state.CompareAndSwap(w, nil)
		}
	}
	w.list = nil
	waiters.Put(w)
	return err
}
