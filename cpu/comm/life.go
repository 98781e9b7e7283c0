package comm

import (
	"errors"
	"sync/atomic"
)

// ErrClosed is what calls in a group return that was closed, or whose world was.
var ErrClosed = errors.New("the group is closed")

// A life is how long a group may be used: until it is closed, or the world from which it
// was split.
type life struct {
	world  *life // nil for a world
	closed atomic.Bool
	begun  atomic.Int64 // requests of which no call has said that they are done
}

func (l *life) over() bool {
	return l.closed.Load() || l.world != nil && l.world.closed.Load()
}

// begin counts n requests, for the group and for the world.
func (l *life) begin(n int64) {
	l.begun.Add(n)
	if l.world != nil {
		l.world.begun.Add(n)
	}
}

// part is the life of a group that is split from this one.
func (l *life) part() *life {
	if l.world != nil {
		l = l.world
	}
	return &life{world: l}
}

// open is an error if the group is closed.
func (c *Comm) open(what string) error {
	if c.life.over() {
		return c.wrap(what, ErrClosed)
	}
	return nil
}

// Close gives back what the group holds; no call in it works any more. All of its ranks
// call it, when none of its messages is on the way. It is an error if a message was begun
// and not waited for. Groups split from it live on, but not those of a world, which is a
// group that was not split from another.
func (c *Comm) Close() error {
	if err := c.open("Close"); err != nil {
		return err
	}
	if n := c.life.begun.Load(); n > 0 {
		return c.errorf("Close", "it closes a group with %d messages that were begun and not waited for", n)
	}
	if c.life.closed.Swap(true) {
		return c.wrap("Close", ErrClosed)
	}
	return c.wrap("Close", c.t.Close())
}

// finish closes a world whose ranks have returned, unless they did.
func (c *Comm) finish() error {
	if err := c.Close(); err != nil && !errors.Is(err, ErrClosed) {
		return err
	}
	return nil
}
