package dist

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// A parcel is elements that go to another rank or come from one.
type parcel[T comm.Fixed] struct {
	rank int
	data []T
}

// swap sends parcels of this rank to others, each of which it names once, and returns those that
// others sent it, by rank. Nobody knows beforehand whom it will hear from. Empty messages are
// not sent. All ranks call it.
//
// It takes a message for each parcel, and p*log2(p) short ones in all for the lengths.
func swap[T comm.Fixed](c *comm.Comm, out []parcel[T]) ([]parcel[T], error) {
	lengths := make([]parcel[int64], 0, len(out))
	for _, x := range out {
		if len(x.data) > 0 {
			lengths = append(lengths, parcel[int64]{x.rank, []int64{int64(len(x.data))}})
		}
	}
	lengths, err := route(c, lengths)
	if err != nil {
		return nil, err
	}
	in := make([]parcel[T], len(lengths))
	for i, x := range lengths {
		in[i] = parcel[T]{x.rank, make([]T, x.data[0])}
	}
	return in, deliver(c, in, out)
}

// deliver is swap where the receivers have parcels of the right lengths ready.
func deliver[T comm.Fixed](c *comm.Comm, in, out []parcel[T]) error {
	peers := make([]int, 0, len(in)+len(out))
	for _, x := range slices.Concat(in, out) {
		peers = append(peers, x.rank)
	}
	slices.Sort(peers)
	peers = slices.Compact(peers)
	send, recv := make([][]T, len(peers)), make([][]T, len(peers))
	for _, x := range in {
		at, _ := slices.BinarySearch(peers, x.rank)
		recv[at] = x.data
	}
	for _, x := range out {
		at, _ := slices.BinarySearch(peers, x.rank)
		send[at] = x.data
	}
	return comm.Exchange(c, tagSetup, peers, send, recv)
}

// route brings parcels of one number each to their ranks, handed on from rank to rank, and
// returns what came, by rank. In the round of distance d = 1, 2, 4, ... each rank hands on to the
// rank d after it what has to go that far, by the binary digits of the remaining distance:
//
//	from 1 to 7 of 8 ranks:  6 = 2 + 4,  1 -> 3 -> 7
//
// So each rank sends one message a round, however many parcels there are (Bruck et al. 1997).
func route(c *comm.Comm, out []parcel[int64]) ([]parcel[int64], error) {
	const from, to, value, words = 0, 1, 2, 3
	p, rank := c.Size(), c.Rank()
	var have []int64 // parcels of words numbers
	for _, x := range out {
		have = append(have, int64(rank), int64(x.rank), x.data[0])
	}
	for d := 1; d < p; d *= 2 {
		var kept, on []int64
		for x := range slices.Chunk(have, words) {
			if left := (int(x[to]) - rank + p) % p; left&d != 0 {
				on = append(on, x...)
			} else {
				kept = append(kept, x...)
			}
		}
		came, err := pass(c, (rank+d)%p, on, (rank-d+p)%p)
		if err != nil {
			return nil, err
		}
		if len(came)%words != 0 {
			return nil, fmt.Errorf("rank %d sent %d numbers where parcels have %d each", (rank-d+p)%p, len(came), words)
		}
		have = append(kept, came...)
	}
	in := make([]parcel[int64], 0, len(have)/words)
	for x := range slices.Chunk(have, words) {
		in = append(in, parcel[int64]{int(x[from]), x[value : value+1]})
	}
	slices.SortFunc(in, func(x, y parcel[int64]) int { return cmp.Compare(x.rank, y.rank) })
	return in, nil
}

// pass sends out to rank dst and returns what rank src sends, of whatever length.
func pass(c *comm.Comm, dst int, out []int64, src int) ([]int64, error) {
	sent, err := comm.Isend(c, dst, tagSetup, out)
	if err != nil {
		return nil, err
	}
	s, err := c.Probe(src, tagSetup)
	if err != nil {
		return nil, err
	}
	n, whole := comm.Len[int64](s)
	if !whole {
		return nil, fmt.Errorf("%d bytes from rank %d are not whole numbers", s.Bytes, src)
	}
	in := make([]int64, n)
	if _, err := comm.Recv(c, src, tagSetup, in); err != nil {
		return nil, err
	}
	return in, c.Wait(sent)
}
