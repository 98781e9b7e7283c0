package comm

import (
	"math"
	"math/bits"
)

// perMessage is how many bytes a message costs besides its own: latency times bandwidth.
// It is what chooses between trees, which need few messages, and rings, which move few
// bytes. It is one number for all transports and machines, since the order of additions
// must not depend on them. It is that of goroutine ranks (0.35 us at 20 GB/s), and about
// that of processes of one machine.
const perMessage = 8 << 10

// rounds is how often ranks double until there are p: the depth of a tree.
func rounds(p int) int { return bits.Len(uint(p - 1)) }

// shares splits n elements over p ranks as evenly as goes, the larger shares first.
func shares(n, p int) (offsets []int) {
	offsets = make([]int, p+1)
	for r := range p {
		offsets[r+1] = offsets[r] + n/p
		if r < n%p {
			offsets[r+1]++
		}
	}
	return offsets
}

// offsets checks that counts has one for every rank, and that they add up to have, the
// length of what name is. It returns where each rank's part begins, and the end.
func (c *Comm) offsets(what, name string, counts []int, have int) ([]int, error) {
	if len(counts) != c.size {
		return nil, c.errorf(what, "%d counts for %s; want one for each of %d ranks", len(counts), name, c.size)
	}
	offsets := make([]int, c.size+1)
	for r, n := range counts {
		if n < 0 || n > math.MaxInt-offsets[r] {
			return nil, c.errorf(what, "the count of rank %d for %s is %d; want 0 or more, and a sum that is an int", r, name, n)
		}
		offsets[r+1] = offsets[r] + n
	}
	if sum := offsets[c.size]; sum != have {
		return nil, c.errorf(what, "the counts for %s add up to %d, but it has %d elements", name, sum, have)
	}
	return offsets, nil
}

// shift receives in from rank src while it sends out to rank dst. An empty message is not
// sent.
func (c *Comm) shift(tag, dst int, out []byte, src int, in []byte) error {
	var r Request
	var err error
	if len(in) > 0 {
		if r, err = c.irecv(src, tag, in); err != nil {
			return err
		}
	}
	if len(out) > 0 {
		if err := c.give(dst, tag, out); err != nil {
			return err
		}
	}
	if r == nil {
		return nil
	}
	return c.taken(r, src, len(in))
}

// mod is r modulo the number of ranks, for r from -size on.
func (c *Comm) mod(r int) int { return (r + c.size) % c.size }

// Barrier returns when all ranks have called it. It is ceil(log2 p) rounds of empty
// messages (dissemination: Hensgen, Finkel, Manber 1988).
func (c *Comm) Barrier() error {
	return c.collective("Barrier", call{tag: tagBarrier, root: -1, n: -1}, func() error {
		if c.native != nil {
			return c.called(c.native.Barrier)
		}
		for d := 1; d < c.size; d *= 2 {
			src := c.mod(c.rank - d)
			r, err := c.irecv(src, tagBarrier, nil)
			if err == nil {
				err = c.send(c.mod(c.rank+d), tagBarrier, nil)
			}
			if err == nil {
				err = c.taken(r, src, 0)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// checkLength is an error unless what is called name has the length want.
func (c *Comm) checkLength(what, name string, have, want int, why string) error {
	if have != want {
		return c.errorf(what, "%s has %d elements; want %d, %s", name, have, want, why)
	}
	return nil
}

// times is n*p, or an error if that overflows int.
func (c *Comm) times(what string, n int) (int, error) {
	if n > math.MaxInt/c.size {
		return 0, c.errorf(what, "%d elements of each rank are too many", n)
	}
	return n * c.size, nil
}

// equal is the counts of ranks that have n elements each.
func (c *Comm) equal(n int) []int {
	counts := make([]int, c.size)
	for r := range counts {
		counts[r] = n
	}
	return counts
}
