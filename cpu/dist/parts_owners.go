package dist

import "math/big"

// ownerSums are sums of numbers of rows and of columns and of their squares, modulo 2^64:
// as many different numbers below n as there are have other sums than all of them have,
// but for coincidences.
func ownerSums(rows, cols []int64) []int64 {
	sums := make([]int64, 4)
	for k, list := range [][]int64{rows, cols} {
		for _, id := range list {
			sums[2*k] += id
			sums[2*k+1] += id * id
		}
	}
	return sums
}

// ownedOnce reports whether the sums that ranks have behind three other numbers are those
// of all rows and columns.
func ownedOnce(all [][]int64, rows, cols int64) bool {
	have := make([]int64, 4)
	for _, s := range all {
		for k, x := range s[3:7] {
			have[k] += x
		}
	}
	for k, n := range []int64{rows, cols} {
		first, squares := wholeSums(n)
		if have[2*k] != first || have[2*k+1] != squares {
			return false
		}
	}
	return true
}

// wholeSums are n(n-1)/2 and n(n-1)(2n-1)/6, modulo 2^64.
func wholeSums(n int64) (first, squares int64) {
	x, m, d := big.NewInt(n), big.NewInt(n-1), new(big.Int)
	x.Mul(x, m)
	d.Rsh(x, 1)
	word := new(big.Int).SetUint64(^uint64(0))
	first = int64(d.And(d, word).Uint64())
	m.Add(m, big.NewInt(n)) // 2n-1
	x.Mul(x, m).Div(x, big.NewInt(6))
	return first, int64(x.And(x, word).Uint64())
}
