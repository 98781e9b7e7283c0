package comm

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tilesmith/tilesmith/tiling/cost"
)

// A port is a [cost.Port] in real time. Messages land in the order in which they were sent. A
// goroutine sleeps until the next message is due. Anyone who looks at due ones before it wakes
// up delivers them as well, so that messages come on time when all processors compute.
type port struct {
	cost.Port
	due atomic.Int64 // when the first lands, since the start of time; never if there is none

	landing sync.Mutex // held while one leaves the queue until it has landed
	mu      sync.Mutex
	queue   []flight
	news    chan struct{} // holds one: the queue is not empty any more
	on      bool          // the goroutine runs
	closed  bool
}

// A flight is a message on its way.
type flight struct {
	at time.Duration
	lander
}

// A lander is a message as a port sees it.
type lander interface{ land() }

const never = math.MaxInt64

var epoch = time.Now()

// clock is the monotonic time.
func clock() time.Duration { return time.Since(epoch) }

func newPort(l cost.Link) *port {
	p := &port{Port: cost.Port{Link: l}, news: make(chan struct{}, 1)}
	p.due.Store(never)
	return p
}

// send lets a message of n bytes leave.
func (p *port) send(n int, l lander) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := time.Duration(p.Send(clock().Seconds(), float64(n)) * 1e9)
	p.queue = append(p.queue, flight{at, l})
	if len(p.queue) > 1 {
		return
	}
	p.due.Store(int64(at))
	if !p.on && !p.closed {
		p.on = true
		go p.run()
	}
	p.wake()
}

func (p *port) wake() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// pump lands what is due, unless somebody else is at it.
func (p *port) pump() {
	for p.due.Load() <= int64(clock()) && p.landing.TryLock() {
		p.land(clock())
		p.landing.Unlock()
	}
}

// land lands the first message if it is due by now. The caller holds landing.
func (p *port) land(now time.Duration) {
	p.mu.Lock()
	if len(p.queue) == 0 || p.queue[0].at > now {
		p.mu.Unlock()
		return
	}
	first := p.queue[0]
	p.queue[0] = flight{}
	p.queue = p.queue[1:]
	p.setDue()
	p.mu.Unlock()
	first.land()
}

func (p *port) setDue() {
	if len(p.queue) == 0 {
		p.due.Store(never)
	} else {
		p.due.Store(int64(p.queue[0].at))
	}
}

// drop takes back the letter of a send, and reports whether it had not landed.
func (p *port) drop(r *request) bool {
	p.landing.Lock()
	defer p.landing.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, f := range p.queue {
		if l, ok := f.lander.(*letter); ok && l.from == r {
			p.queue = append(p.queue[:i], p.queue[i+1:]...)
			p.setDue()
			return true
		}
	}
	return false
}

// flush lands everything at once.
func (p *port) flush() {
	p.landing.Lock()
	defer p.landing.Unlock()
	for p.due.Load() != never {
		p.land(never)
	}
}

// close ends the goroutine, soon.
func (p *port) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.wake()
}

// run lands messages when they are due.
func (p *port) run() {
	t := newTimer()
	defer t.close()
	for {
		p.mu.Lock()
		closed := p.closed
		p.mu.Unlock()
		due := time.Duration(p.due.Load())
		switch {
		case closed:
			return
		case due == never:
			p.idle()
		default:
			t.sleep(due - clock())
			p.pump()
		}
	}
}

// idle waits for a message to be sent. Its name in a stack tells that none is on its way:
// see standstill.
//
//go:noinline
func (p *port) idle() { <-p.news }
