package comm

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tilesmith/tilesmith/tiling/cost"
)

// Delay returns the group of c, with its counters, where messages take the time of a link on
// the side that sends them. A message is handed to the transport when it has arrived by
// [cost.Port]. Its send is done when the transport's is. Until then its memory must not
// change, as with any Isend. A Send waits that long, however short its message. It is for
// transports of processes, where [Local] cannot help: overlap is measured with it under
// MPI.
//
// The sender must run for a message to leave. A goroutine of its own hands the message
// over, and so does any call of the rank into the transport.
//
// All ranks call it, and use no longer c itself; closing the new one closes c. Groups split
// from it have the same delays and share the port. It has no collectives of the transport's
// own, since those would not be delayed.
func Delay(c *Comm, l cost.Link) (*Comm, error) {
	if err := checkLink(l); err != nil {
		return nil, c.wrap("Delay", err)
	}
	t := &delayed{Transport: c.t, port: newPort(l), world: true}
	return &Comm{&group{t: t, rank: c.rank, size: c.size, counts: c.counts, life: c.life}, c.phase}, nil
}

// mostLatency is the longest that a message may take to start: a [time.Duration] holds it.
const mostLatency = 1e9

// checkLink is for messages that take time, where a bandwidth of 0 is no limit.
func checkLink(l cost.Link) error {
	if !(l.Latency >= 0 && l.Latency <= mostLatency) || !(l.Bandwidth >= 0) {
		return fmt.Errorf("a latency of %v s and a bandwidth of %v bytes a second; want a latency from 0 to %v s and a bandwidth of 0 or more", l.Latency, l.Bandwidth, mostLatency)
	}
	return nil
}

type delayed struct {
	Transport
	port  *port
	world bool // not split from another
}

// A slow request is a send that waits at the port, or has been handed over.
type slow struct {
	t        Transport
	dst, tag int
	b        []byte

	inner Request // once it landed
	err   error   // of handing it over
	state atomic.Int32
	told  bool
}

// States of a slow request.
const (
	waits int32 = iota
	landed
)

func (r *slow) land() {
	r.inner, r.err = r.t.Isend(r.dst, r.tag, r.b)
	r.state.Store(landed)
}

func (r *slow) Status() (Status, error) {
	if r.inner == nil {
		return Status{}, r.err
	}
	return r.inner.Status()
}

func (t *delayed) Isend(dst, tag int, b []byte) (Request, error) {
	if dst == t.Rank() {
		return t.Transport.Isend(dst, tag, b)
	}
	r := &slow{t: t.Transport, dst: dst, tag: tag, b: b}
	t.port.send(len(b), r)
	return r, nil
}

func (t *delayed) Send(dst, tag int, b []byte) error {
	r, err := t.Isend(dst, tag, b)
	if err != nil {
		return err
	}
	if _, err := t.Some([]Request{r}, true, nil); err != nil {
		return err
	}
	_, err = r.Status()
	return err
}

func (t *delayed) Recv(src, tag int, b []byte) (Status, error) {
	t.port.pump()
	return t.Transport.Recv(src, tag, b)
}

func (t *delayed) Probe(src, tag int) (Status, error) {
	t.port.pump()
	return t.Transport.Probe(src, tag)
}

// nap is how long Some waits between two looks while a send waits at the port. Nothing
// wakes it for both that send and the transport.
const nap = 20 * time.Microsecond

var timers = sync.Pool{New: func() any { return newTimer() }}

func (t *delayed) Some(requests []Request, wait bool, done []int) ([]int, error) {
	inner := make([]Request, len(requests))
	var alarm *timer
	n := len(done)
	for {
		t.port.pump()
		atPort := false
		for i, r := range requests {
			s, ok := r.(*slow)
			switch {
			case !ok:
				inner[i] = r
			case s.told:
			case s.state.Load() == waits:
				atPort = true
			case s.inner == nil: // failed
				s.told = true
				done = append(done, i)
			default:
				inner[i] = s.inner
			}
		}
		found := len(done) > n
		m := len(done)
		var err error
		done, err = t.Transport.Some(inner, wait && !atPort && !found, done)
		for _, i := range done[m:] {
			if s, ok := requests[i].(*slow); ok {
				s.told = true
			}
		}
		if err != nil || len(done) > n || !wait || !atPort {
			return done, err
		}
		if alarm == nil {
			alarm = timers.Get().(*timer)
			defer timers.Put(alarm)
		}
		alarm.sleep(nap)
	}
}

func (t *delayed) Split(color, key int) (Transport, error) {
	s, err := t.Transport.Split(color, key)
	if err != nil || s == nil {
		return nil, err
	}
	return &delayed{Transport: s, port: t.port}, nil
}

func (t *delayed) Close() error {
	if t.world {
		t.port.close()
	}
	return t.Transport.Close()
}
