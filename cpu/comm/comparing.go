package comm

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Ranks that call a collective with other arguments than the rest would get wrong
// results, or wait for ever. So each rank that enters one tells its arguments, in a dozen
// bytes, to the rank after it, and receives those of the rank before it. If all pairs of
// neighbours agree, all ranks agree. A rank waits for that message while it waits for
// something else, and at the latest at the end, so nobody waits twice. These messages are
// not counted: like a transport's own headers, they are none of a user's.
//
// Goroutine ranks compare in shared memory instead, and send nothing.

// A comparer is a transport whose ranks can compare without messages.
type comparer interface {
	// compare says what this rank does as the n-th collective of the group. It returns a
	// rank that said something else, and what, or nil.
	compare(n uint64, said []byte) (rank int, theirs []byte)
}

// A prompt is a transport whose Send of so many bytes may be taken not to wait for the
// receive. Its ranks need not begin to receive before they send.
type prompt interface{ Prompt(bytes int) bool }

// comparing is the part of a group that compares.
type comparing struct {
	n      uint64    // of collectives
	said   []byte    // what this rank says of the one that runs
	hears  []byte    // what the rank before it does
	unsure bool      // the rank before it was not heard yet
	heard  *counted  // the request for that, if it was begun
	both   []Request // for waiting
}

// collective runs f, which is a collective of a group, unless the ranks disagree.
func (c *Comm) collective(what string, k call, f func() error) error {
	if err := c.begin(what); err != nil {
		return err
	}
	defer c.end()
	err := c.tell(&k)
	if err == nil {
		err = f()
	}
	if err == nil {
		err = c.hear()
	} else if known := c.heardOf(err); known != nil {
		err = known // which is why, mostly
	}
	return c.wrap(what, err)
}

// tell says to other ranks what this one calls.
func (c *Comm) tell(k *call) error {
	c.n++
	if c.heard != nil { // of a collective that failed
		c.hears = nil
	}
	c.said, c.heard, c.unsure = k.append(c.said[:0], c.n), nil, false
	if c.size == 1 {
		return nil
	}
	if t, ok := c.t.(comparer); ok {
		if rank, theirs := t.compare(c.n, c.said); theirs != nil {
			return disagreement(c.rank, c.said, rank, theirs)
		}
		return nil
	}
	if c.hears == nil {
		c.hears = make([]byte, mostSaid)
	}
	c.unsure = true
	if t, ok := c.t.(prompt); !ok || !t.Prompt(mostSaid) {
		if err := c.listen(); err != nil {
			return err
		}
	}
	return c.t.Send(c.mod(c.rank+1), tagCompare, c.said)
}

// listen begins to receive what the rank before this one says.
func (c *Comm) listen() error {
	if c.heard != nil || !c.unsure {
		return nil
	}
	r, err := c.t.Irecv(c.mod(c.rank-1), tagCompare, c.hears)
	if err == nil {
		c.heard = &counted{t: r, rank: c.rank}
	}
	return err
}

// hearFirst is hear where the next message is of the rank before this one, which said what it
// calls before it sent that.
func (c *Comm) hearFirst(src int) error {
	if !c.unsure || src != c.mod(c.rank-1) {
		return nil
	}
	return c.hear()
}

// hear waits until the rank before this one has said what it calls.
func (c *Comm) hear() error { return c.heardBy(true) }

func (c *Comm) heardBy(wait bool) error {
	if !c.unsure {
		return nil
	}
	if c.heard == nil && wait {
		s, err := c.t.Recv(c.mod(c.rank-1), tagCompare, c.hears)
		return c.judge(s, err)
	}
	if err := c.listen(); err != nil {
		return err
	}
	c.both = append(c.both[:0], c.heard)
	done, err := c.some(c.both, wait, nil)
	if err != nil || len(done) == 0 {
		return err
	}
	return c.judge(c.heard.Status())
}

// judge compares, once the rank before this one has been heard.
func (c *Comm) judge(s Status, err error) error {
	c.heard, c.unsure = nil, false
	if err != nil {
		c.hears = nil
		return err
	}
	if theirs := c.hears[:s.Bytes]; !bytes.Equal(c.said, theirs) {
		theirs = bytes.Clone(theirs)
		c.hears = nil // for later ones, of which nobody knows what they are of
		return disagreement(c.rank, c.said, s.Source, theirs)
	}
	return nil
}

// explaining is how long a rank waits for the reason why a message has another length than it expects.
const explaining = time.Second

// heardOf is hear after the collective has failed by err. The message of the rank before this one may still
// be on its way. A message of a wrong length shows that ranks disagree, so it is worth some waiting, and not
// all: that rank may call nothing.
func (c *Comm) heardOf(err error) error {
	known := c.heardBy(false)
	var length *lengthError
	if !errors.As(err, &length) {
		return known
	}
	for until := time.Now().Add(explaining); known == nil && c.unsure && time.Now().Before(until); known = c.heardBy(false) {
		time.Sleep(time.Millisecond)
	}
	return known
}

// await is wait for requests of a collective. It returns early if the ranks disagree.
func (c *Comm) await(requests ...Request) error {
	for c.unsure {
		if err := c.listen(); err != nil {
			return err
		}
		c.both = append(append(c.both[:0], requests...), c.heard)
		done, err := c.some(c.both, true, nil)
		if err != nil {
			return err
		}
		for _, i := range done {
			if i == len(requests) {
				if err := c.judge(c.heard.Status()); err != nil {
					return err
				}
			}
		}
		if len(requests) == 1 && requests[0] != nil && len(done) > 0 && done[0] == 0 {
			_, err := requests[0].Status()
			return err
		}
		if len(done) == 0 { // all were done before
			break
		}
	}
	return c.wait(requests...)
}

// said is what the ranks of a group say of one collective.
type said struct {
	rank, came int
	text       []byte // of the first rank that came
}

// sayings are those that not all ranks have come to.
type sayings struct {
	mu   sync.Mutex
	open map[uint64]*said
	free []*said
}

func (t *local) compare(n uint64, text []byte) (rank int, theirs []byte) {
	x := &t.g.sayings
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.open[n]
	if s == nil {
		if last := len(x.free) - 1; last >= 0 {
			s, x.free = x.free[last], x.free[:last]
		} else {
			s = new(said)
		}
		s.rank, s.came, s.text = t.rank, 0, append(s.text[:0], text...)
		if x.open == nil {
			x.open = map[uint64]*said{}
		}
		x.open[n] = s
	}
	if !bytes.Equal(s.text, text) {
		rank, theirs = s.rank, bytes.Clone(s.text)
	}
	if s.came++; s.came == len(t.g.members) {
		delete(x.open, n)
		x.free = append(x.free, s)
	}
	return rank, theirs
}

// uncalled is an error if some ranks of a group have called a collective, and others have
// returned without it. Either nothing was sent, or a message is left.
func (w *world) uncalled() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, g := range w.groups {
		x := &g.sayings
		x.mu.Lock()
		defer x.mu.Unlock()
		if len(x.open) == 0 {
			continue
		}
		s := x.open[slices.Min(slices.Collect(maps.Keys(x.open)))] // others may follow from it
		what, n := describeCall(s.text)
		return &DisagreeError{Text: fmt.Sprintf("the ranks disagree: rank %d calls %s, as collective %d of a group of %d ranks, of which %d never do",
			g.members[s.rank].rank, what, n, len(g.members), len(g.members)-s.came)}
	}
	return nil
}
