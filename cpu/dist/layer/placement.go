package layer

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
)

// sampledRows is how many rows are looked at to tell placements apart.
const sampledRows = 1 << 12

// describe returns a text that differs if placements of n rows differ in one of the rows
// looked at. These are all rows, or the first, the last, and some spread between. It
// names some.
func (at Placement) describe(n int64) string {
	if n == 0 {
		return "of nothing"
	}
	text := ""
	for k, id := range []int64{0, 1, n / 2, n - 1} {
		if k > 0 && id <= int64(k-1) || id >= n {
			continue // of few rows
		}
		rank, row := at(id)
		text += fmt.Sprintf("row %d is row %d of rank %d, ", id, row, rank)
	}
	h, rng := fnv.New64a(), rand.New(rand.NewPCG(uint64(n), 0))
	for k := range min(n, sampledRows) {
		id := k
		if n > sampledRows && k >= sampledRows/4 {
			id = n - 1 - (k - sampledRows/4)
			if k >= sampledRows/2 {
				id = rng.Int64N(n)
			}
		}
		rank, row := at(id)
		fmt.Fprintln(h, id, rank, row)
	}
	return fmt.Sprintf("%sand all that were looked at have the hash %x", text, h.Sum64())
}
