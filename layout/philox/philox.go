// Package philox is the bijection Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", 2011. It computes four words from a counter and a key.
// Package gemm/rand has streams of random numbers.
package philox

import "math/bits"

// The multipliers of the two halves of a block, and what their keys grow by each round: the
// golden ratio and the root of 3, less 1.
const (
	Mul0, Mul1   = 0xd2511f53, 0xcd9e8d57
	Weyl0, Weyl1 = 0x9e3779b9, 0xbb67ae85
	Rounds       = 10
)

// Words is the bijection of words, which stay in registers: arrays are passed in memory.
func Words(c0, c1, c2, c3, k0, k1 uint32) (_, _, _, _ uint32) {
	for range Rounds {
		hi0, lo0 := bits.Mul32(Mul0, c0)
		hi1, lo1 := bits.Mul32(Mul1, c2)
		c0, c1, c2, c3 = hi1^c1^k0, lo1, hi0^c3^k1, lo0
		k0 += Weyl0
		k1 += Weyl1
	}
	return c0, c1, c2, c3
}
