package dist

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// A halo says what rows one rank sends and receives: rows of something that each rank
// has a few of, and whose rows others need.
type halo struct {
	in, out []haloPeer // one for each rank with something to send, by rank
}

// A haloPeer is the rows that come from a rank or go to it. They are sent in as many
// messages as there are chunks with rows in them.
type haloPeer struct {
	rank int
	at   []int // the rows of chunk k are at[k] to at[k+1]-1: of rows, or of all that come in
	// rows says what is sent: row i of this rank's rows, or, as ^i, row i of those that it
	// computes for others. It is nil for what comes in.
	rows []int32
}

func (p *haloPeer) count() int { return p.at[len(p.at)-1] - p.at[0] }

// messages yields peer and chunk of each message in a list of peers, by peer.
func messages(peers []haloPeer, yield func(p *haloPeer, k int)) {
	for i := range peers {
		p := &peers[i]
		for k := range len(p.at) - 1 {
			if p.at[k+1] > p.at[k] {
				yield(p, k)
			}
		}
	}
}

// received is how many rows come in, sent how many go out.
func (h *halo) received() (n int) {
	for i := range h.in {
		n += h.in[i].count()
	}
	return n
}

func (h *halo) sent() (n int) {
	for i := range h.out {
		n += h.out[i].count()
	}
	return n
}

// Tags of the messages of this package.
const (
	tagSetup = 1
	tagRows  = 2
	tagBack  = 3 // of products with the transposed matrix
	tagBatch = 4 // and the following, two for each of so many batches
	batches  = 1000
)

// swap sends out[q] to every rank q, a message each even if it is empty, and returns what
// came from each. All ranks call it.
func swap[T comm.Fixed](c *comm.Comm, out [][]T) ([][]T, error) {
	p, rank := c.Size(), c.Rank()
	in := make([][]T, p)
	in[rank] = slices.Clone(out[rank])
	requests := make([]comm.Request, p)
	for k := 1; k < p; k++ {
		q := (rank + k) % p
		r, err := comm.Isend(c, q, tagSetup, out[q])
		if err != nil {
			return nil, err
		}
		requests[q] = r
	}
	for k := 1; k < p; k++ {
		q := (rank - k + p) % p
		s, err := c.Probe(q, tagSetup)
		if err != nil {
			return nil, err
		}
		n, whole := comm.Len[T](s)
		if !whole {
			return nil, fmt.Errorf("rank %d: %d bytes of rank %d are no whole elements", rank, s.Bytes, q)
		}
		in[q] = make([]T, n)
		if _, err := comm.Recv(c, q, tagSetup, in[q]); err != nil {
			return nil, err
		}
	}
	return in, c.Wait(requests...)
}

// everywhere gives what every rank has to all of them.
func everywhere[T comm.Fixed](c *comm.Comm, x []T) ([][]T, error) {
	lengths := make([]int64, c.Size())
	if err := comm.AllGather(c, lengths, []int64{int64(len(x))}); err != nil {
		return nil, err
	}
	counts, n := make([]int, len(lengths)), 0
	for q, l := range lengths {
		counts[q] = int(l)
		n += counts[q]
	}
	all, out := make([]T, n), make([][]T, len(counts))
	if err := comm.AllGatherV(c, all, counts, x); err != nil {
		return nil, err
	}
	for q, l := range counts {
		out[q], all = all[:l], all[l:]
	}
	return out, nil
}
