package wire

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// tag is that of messages between ranks that set something up. Products have others.
const tag = 1

// A Parcel is elements that go to another rank or come from one.
type Parcel[T comm.Fixed] struct {
	Rank int
	Data []T
}

// Swap sends parcels of this rank to others, each of which it names once, and returns those that
// others sent it, by rank. Nobody knows beforehand whom it will hear from. Empty messages are
// not sent. All ranks call it.
//
// It takes a message for each parcel, and p*log2(p) short ones in all for the lengths.
func Swap[T comm.Fixed](c *comm.Comm, out []Parcel[T]) ([]Parcel[T], error) {
	lengths := make([]Parcel[int64], 0, len(out))
	for _, x := range out {
		if len(x.Data) > 0 {
			lengths = append(lengths, Parcel[int64]{x.Rank, []int64{int64(len(x.Data))}})
		}
	}
	lengths, err := route(c, lengths)
	if err != nil {
		return nil, err
	}
	in := make([]Parcel[T], len(lengths))
	for i, x := range lengths {
		in[i] = Parcel[T]{x.Rank, make([]T, x.Data[0])}
	}
	return in, Deliver(c, in, out)
}

// Deliver is Swap where the receivers have parcels of the right lengths ready.
func Deliver[T comm.Fixed](c *comm.Comm, in, out []Parcel[T]) error {
	f := Flight[T]{C: c}
	for _, x := range in {
		if err := f.Receive(-1, x.Rank, tag, x.Data); err != nil {
			return err
		}
	}
	for _, x := range out {
		if err := f.Send(-1, x.Rank, tag, x.Data); err != nil {
			return err
		}
	}
	return f.Wait()
}

// route brings parcels of one number each to their ranks, handed on from rank to rank, and
// returns what came, by rank. In the round of distance d = 1, 2, 4, ... each rank hands on to the
// rank d after it what has to go that far, by the binary digits of the remaining distance:
//
//	from 1 to 7 of 8 ranks:  6 = 2 + 4,  1 -> 3 -> 7
//
// So each rank sends one message a round, however many parcels there are (Bruck et al. 1997).
func route(c *comm.Comm, out []Parcel[int64]) ([]Parcel[int64], error) {
	const from, to, value, words = 0, 1, 2, 3
	p, rank := c.Size(), c.Rank()
	var have []int64 // parcels of words numbers
	for _, x := range out {
		have = append(have, int64(rank), int64(x.Rank), x.Data[0])
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
	in := make([]Parcel[int64], 0, len(have)/words)
	for x := range slices.Chunk(have, words) {
		in = append(in, Parcel[int64]{int(x[from]), x[value : value+1]})
	}
	slices.SortFunc(in, func(x, y Parcel[int64]) int { return cmp.Compare(x.Rank, y.Rank) })
	return in, nil
}

// pass sends out to rank dst and returns what rank src sends, of whatever length.
func pass(c *comm.Comm, dst int, out []int64, src int) ([]int64, error) {
	sent, err := comm.Isend(c, dst, tag, out)
	if err != nil {
		return nil, err
	}
	s, err := c.Probe(src, tag)
	if err != nil {
		return nil, err
	}
	n, whole := comm.Len[int64](s)
	if !whole {
		return nil, fmt.Errorf("%d bytes from rank %d are not whole numbers", s.Bytes, src)
	}
	in := make([]int64, n)
	if _, err := comm.Recv(c, src, tag, in); err != nil {
		return nil, err
	}
	return in, c.Wait(sent)
}
