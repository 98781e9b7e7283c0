package comm

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A Count is what one rank sent and received in a phase. Collectives count as the messages
// that they consist of. Messages that check whether ranks call the same do not count, here
// or in predictions. Messages from a rank to itself do not count either.
//
// A message counts for the phase in which its send or receive was begun. It is sent when
// Send or Isend took it, and received when the receive is done.
type Count struct {
	Phase                    string
	Sent, Received           int64 // messages
	BytesSent, BytesReceived int64
	Calls                    int64 // of the transport's own collectives, see Comm.Native
}

// Send counts a message of so many bytes that is sent. An empty one is not.
func (n *Count) Send(bytes int64) {
	if bytes > 0 {
		n.Sent++
		n.BytesSent += bytes
	}
}

// Receive counts a message that is received, likewise.
func (n *Count) Receive(bytes int64) {
	if bytes > 0 {
		n.Received++
		n.BytesReceived += bytes
	}
}

// Add adds what another phase, or rank, counted.
func (n *Count) Add(x Count) {
	n.Sent += x.Sent
	n.Received += x.Received
	n.BytesSent += x.BytesSent
	n.BytesReceived += x.BytesReceived
	n.Calls += x.Calls
}

// counters are those of a rank.
type counters struct {
	mu     sync.Mutex
	phases []*tally // in the order of their first use
	now    atomic.Pointer[tally]
}

// A tally is a Count that several goroutines write.
type tally struct {
	phase                                           string
	sent, received, bytesSent, bytesReceived, calls atomic.Int64
}

func newCounters() *counters {
	n := &counters{phases: []*tally{{}}}
	n.now.Store(n.phases[0])
	return n
}

func (t *tally) send(bytes int) {
	t.sent.Add(1)
	t.bytesSent.Add(int64(bytes))
}

func (t *tally) receive(bytes int) {
	t.received.Add(1)
	t.bytesReceived.Add(int64(bytes))
}

func (t *tally) count() Count {
	return Count{t.phase, t.sent.Load(), t.received.Load(), t.bytesSent.Load(), t.bytesReceived.Load(), t.calls.Load()}
}

// Phase begins a phase and returns the name of the one before. Everything that this rank
// begins from now on, in this group and all groups split from the same one, belongs to the
// phase. The name is "" at first. A name may be used again.
func (c *Comm) Phase(name string) (before string) {
	n := c.counts
	n.mu.Lock()
	defer n.mu.Unlock()
	before = n.now.Load().phase
	n.now.Store(n.get(name))
	return before
}

// In returns the same group, counting for the phase of this name whatever Phase says, and
// so do groups split from it. A library uses it for messages of its own, so that it does
// not disturb a phase that another goroutine entered.
func (c *Comm) In(phase string) *Comm {
	n := c.counts
	n.mu.Lock()
	defer n.mu.Unlock()
	return &Comm{c.group, n.get(phase)}
}

// now is the tally for what is begun now.
func (c *Comm) now() *tally {
	if c.phase != nil {
		return c.phase
	}
	return c.counts.now.Load()
}

// get returns the tally of a phase. The caller holds mu.
func (n *counters) get(phase string) *tally {
	for _, t := range n.phases {
		if t.phase == phase {
			return t
		}
	}
	t := &tally{phase: phase}
	n.phases = append(n.phases, t)
	return t
}

// Counts returns the counters of this rank by phase, in the order of their first use,
// so that the first is that of "".
func (c *Comm) Counts() []Count {
	c.counts.mu.Lock()
	defer c.counts.mu.Unlock()
	var list []Count
	for _, t := range c.counts.phases {
		list = append(list, t.count())
	}
	return list
}

// Total returns the sum of the counters of this rank in the phases named, or in all if
// none is named. Its Phase is "".
func (c *Comm) Total(phases ...string) Count {
	var sum Count
	for _, n := range c.Counts() {
		if len(phases) == 0 || slices.Contains(phases, n.Phase) {
			sum.Add(n)
		}
	}
	return sum
}
