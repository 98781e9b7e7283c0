package dist

import "fmt"

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
	var sum uint64
	for k := range min(n, sampledRows) {
		id := k
		if n > sampledRows && k >= sampledRows/4 {
			id = n - 1 - (k - sampledRows/4)
			if k >= sampledRows/2 {
				id = int64(mix64(uint64(n), uint64(k)) % uint64(n))
			}
		}
		rank, row := at(id)
		sum = mix64(mix64(mix64(sum, uint64(id)), uint64(rank)), uint64(row))
	}
	return fmt.Sprintf("%sand all that were looked at have the hash %x", text, sum)
}
