package driver

import "sync/atomic"

// life counts the calls that use a thing, so that it is not destroyed during one.
// Handles of the driver are addresses, and a wrong one ends the process.
type life struct {
	state atomic.Int64  // calls under way, and the bit ended
	idle  chan struct{} // gets a value when the last call of an ended thing returns
}

const ended = 1 << 62

func newLife() life { return life{idle: make(chan struct{}, 1)} }

// enter begins a call, or reports false if the thing has ended.
func (l *life) enter() bool {
	if l.state.Add(1)&ended == 0 {
		return true
	}
	l.exit()
	return false
}

// exit ends a call.
func (l *life) exit() {
	if l.state.Add(-1) == ended {
		select {
		case l.idle <- struct{}{}:
		default:
		}
	}
}

// end waits for the calls under way and lets no further ones begin. It reports
// false if another end came first, and does not wait then.
func (l *life) end() bool {
	old := l.state.Or(ended)
	if old&ended != 0 {
		return false
	}
	if old != 0 {
		<-l.idle
	}
	return true
}
