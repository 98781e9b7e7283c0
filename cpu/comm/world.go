package comm

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tilesmith/tilesmith/tiling/cost"
)

// A world is one run of goroutine ranks.
type world struct {
	eager   int
	members []*member
	ports   []*port // of ranks, if messages take time
	over    atomic.Pointer[EndedError]

	mu     sync.Mutex
	groups []*party
}

// A member is one rank of a world.
type member struct {
	w    *world
	rank int
	port *port // nil if messages take no time

	mu    sync.Mutex
	waits []*waiter // its goroutines that wait
	slept int       // how often one began to
	gone  bool      // it has returned
	id    uint64    // the number of its goroutine
}

func newWorld(p int, l Local) *world {
	w := &world{eager: l.Eager, members: make([]*member, p)}
	for r := range w.members {
		w.members[r] = &member{w: w, rank: r}
		if l.Link != (cost.Link{}) {
			w.members[r].port = newPort(l.Link)
			w.ports = append(w.ports, w.members[r].port)
		}
	}
	return w
}

// add keeps a group, for what is left in it at the end.
func (w *world) add(g *party) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.groups = append(w.groups, g)
}

// An EndedError is what a call of a rank returns after the run has ended for a reason
// elsewhere.
type EndedError struct {
	Cause error
}

func (e *EndedError) Error() string { return "the run has ended: " + e.Cause.Error() }

// Unwrap returns the reason.
func (e *EndedError) Unwrap() error { return e.Cause }

// A PanicError is a rank that panicked.
type PanicError struct {
	Rank  int
	Value any
	Stack []byte // of the goroutine that panicked
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n\n%s", e.Value, e.Stack) }

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// ended returns an EndedError if the run has ended, or nil.
func (w *world) ended() error {
	if e := w.over.Load(); e != nil {
		return e
	}
	return nil
}

// end ends the run, the first time.
func (w *world) end(cause error) {
	if !w.over.CompareAndSwap(nil, &EndedError{cause}) {
		return
	}
	for _, m := range w.members {
		m.mu.Lock()
		for _, x := range m.waits {
			x.wake()
		}
		m.mu.Unlock()
	}
}

// pump lands what has arrived, for those who look rather than sleep.
func (w *world) pump() {
	for _, p := range w.ports {
		p.pump()
	}
}

func (w *world) run(f func(c *Comm) error) error {
	g := newParty(w.members)
	errs := make([]error, len(w.members))
	var all sync.WaitGroup
	for r, m := range w.members {
		all.Go(func() { errs[r] = m.run(New(&local{m: m, g: g, rank: r}), f) })
	}
	returned := make(chan struct{})
	go func() { all.Wait(); close(returned) }()
	w.watch(returned)
	for _, p := range w.ports {
		p.close()
	}
	if err := ownErrors(errs); err != nil {
		return err
	}
	if e := w.over.Load(); e != nil {
		return e.Cause
	}
	return w.unreceived()
}

// ownErrors joins those errors of ranks that did not come from another rank, each once.
func ownErrors(errs []error) error {
	texts := make([]string, len(errs))
	for r, err := range errs {
		if e := (*EndedError)(nil); err != nil && !errors.As(err, &e) {
			texts[r] = "error: " + err.Error()
		}
	}
	var own []error
	for _, g := range alike(texts) {
		if g.value != "" {
			own = append(own, whose(ranksText(g.ranks), errs[g.ranks[0]]))
		}
	}
	return errors.Join(own...)
}

// run runs one rank.
func (m *member) run(c *Comm, f func(c *Comm) error) (err error) {
	m.mu.Lock()
	m.id = goroutine()
	m.mu.Unlock()
	returned := false
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{m.rank, v, debug.Stack()}
		} else if !returned {
			err = errors.New("its goroutine ended without returning, by runtime.Goexit, as FailNow of a test does")
		}
		if err != nil {
			m.w.end(whose(ranksText([]int{m.rank}), err))
		}
		m.mu.Lock()
		m.gone = true
		m.mu.Unlock()
	}()
	err = f(c)
	returned = true
	if err == nil {
		err = c.finish()
	}
	return err
}

// look is how long nothing may happen until the watch takes a closer look.
const look = 50 * time.Millisecond

// watch waits until all ranks have returned, and ends the run if they wait for ever.
func (w *world) watch(returned <-chan struct{}) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	before := -1
	for {
		select {
		case <-returned:
			return
		case <-tick.C:
		}
		now := w.stuck()
		if now >= 0 && now == before {
			w.end(w.deadlock())
		}
		before = now
	}
}
