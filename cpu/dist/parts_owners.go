package dist

import "math/big"

// ownerSums are sums of numbers of rows and of columns and of their squares, modulo 2^64.
// If n numbers below n are not all different, their sums differ from those of all
// numbers, except by coincidence.
func ownerSums(rows, cols []int64) []uint64 {
	sums := make([]uint64, 4)
	for k, list := range [][]int64{rows, cols} {
		for _, id := range list {
			sums[2*k] += uint64(id)
			sums[2*k+1] += uint64(id) * uint64(id)
		}
	}
	return sums
}

// ownedOnce reports whether sums, added up over all ranks, are those of all rows and columns.
func ownedOnce(sums []uint64, rows, cols int64) bool {
	for k, n := range []int64{rows, cols} {
		first, squares := wholeSums(n)
		if sums[2*k] != first || sums[2*k+1] != squares {
			return false
		}
	}
	return true
}

// wholeSums are n(n-1)/2 and n(n-1)(2n-1)/6, modulo 2^64.
func wholeSums(n int64) (first, squares uint64) {
	x, m, d := big.NewInt(n), big.NewInt(n-1), new(big.Int)
	x.Mul(x, m)
	d.Rsh(x, 1)
	word := new(big.Int).SetUint64(^uint64(0))
	first = d.And(d, word).Uint64()
	m.Add(m, big.NewInt(n)) // 2n-1
	x.Mul(x, m).Div(x, big.NewInt(6))
	return first, x.And(x, word).Uint64()
}
