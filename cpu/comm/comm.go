package comm

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// A Comm is a group of ranks as one of them sees it. Several goroutines of a rank may use
// it at once to send and receive; of its collectives, one runs at a time.
type Comm struct {
	*group
	phase *tally // what it counts for, nil for the phase of the rank
}

// A group is what all Comms of a rank for the same messages share.
type group struct {
	t          Transport
	rank, size int
	counts     *counters // shared with the groups split from this one
	life       *life
	running    atomic.Pointer[string] // the collective that does
	scratch    []uint64               // memory of the collective that runs
	native     Native                 // the transport's own collectives, if they are wanted
	comparing
}

// New returns the group of a transport.
func New(t Transport) *Comm {
	return &Comm{group: &group{t: t, rank: t.Rank(), size: t.Size(), counts: newCounters(), life: new(life)}}
}

// Rank returns the number of this rank, 0 to Size-1.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of ranks.
func (c *Comm) Size() int { return c.size }

// Abort ends all ranks of the job, soon, with this error.
func (c *Comm) Abort(err error) {
	if err == nil {
		err = errors.New("without an error")
	}
	c.t.Abort(err)
}

// Split makes groups of the ranks that give the same color, in the order of key, then of
// rank. All ranks call it; a negative color joins no group and gets nil. The messages of
// two groups never meet. Messages of a group count in the phases of the rank, as before;
// making the group counts as nothing.
func (c *Comm) Split(color, key int) (*Comm, error) {
	var t Transport
	err := c.collective("Split", call{tag: tagSplit, root: -1, n: -1}, func() (err error) {
		if err = c.hear(); err == nil { // before a call that waits for all
			t, err = c.t.Split(color, key)
		}
		return err
	})
	if err != nil || t == nil {
		return nil, err
	}
	g := &Comm{&group{t: t, rank: t.Rank(), size: t.Size(), counts: c.counts, life: c.life.part()}, c.phase}
	if c.native != nil {
		return g, g.setNative(true)
	}
	return g, nil
}

// begin enters a collective, of which a group runs one at a time: their messages are told
// apart by their order only.
func (c *Comm) begin(what string) error {
	if err := c.open(what); err != nil {
		return err
	}
	if !c.running.CompareAndSwap(nil, &what) {
		other := "another collective"
		if p := c.running.Load(); p != nil {
			other = *p
		}
		return c.errorf(what, "%s runs on this Comm at the same time; Split makes one for each goroutine", other)
	}
	return nil
}

func (c *Comm) end() { c.running.Store(nil) }

// errorf is an error of the function called what, on this rank.
func (c *Comm) errorf(what, format string, args ...any) error {
	return fmt.Errorf("comm.%s on rank %d of %d: %s", what, c.rank, c.size, fmt.Sprintf(format, args...))
}

// wrap is err, which the transport gave to the function called what.
func (c *Comm) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	if agreed(err) {
		return fmt.Errorf("comm.%s: %w", what, err)
	}
	return fmt.Errorf("comm.%s on rank %d of %d: %w", what, c.rank, c.size, err)
}

// checkRank refuses a rank that is none of the group.
func (c *Comm) checkRank(what, name string, r int) error {
	if uint(r) >= uint(c.size) {
		return c.errorf(what, "%s is rank %d; want 0 to %d", name, r, c.size-1)
	}
	return nil
}

// checkSource refuses what is neither a rank nor AnySource.
func (c *Comm) checkSource(what string, r int) error {
	if r != AnySource && uint(r) >= uint(c.size) {
		return c.errorf(what, "the source is rank %d; want 0 to %d, or AnySource (%d)", r, c.size-1, AnySource)
	}
	return nil
}

// checkTag refuses a tag that users may not have.
func (c *Comm) checkTag(what string, tag int) error {
	if uint(tag) > MaxUserTag {
		return c.errorf(what, "the tag is %d; want 0 to %d", tag, MaxUserTag)
	}
	return nil
}
