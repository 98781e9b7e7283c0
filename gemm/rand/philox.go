package rand

import "math/bits"

// The multipliers of the two halves of a block, and what their keys grow by each round: the
// golden ratio and the root of 3, less 1.
const (
	mul0, mul1   = 0xd2511f53, 0xcd9e8d57
	weyl0, weyl1 = 0x9e3779b9, 0xbb67ae85
	rounds       = 10
)

// Block is the bijection of Philox 4x32-10 that key selects, at counter: four words, as
// random as those of any other counter and key.
func Block(counter [4]uint32, key [2]uint32) [4]uint32 {
	c0, c1, c2, c3 := philox(counter[0], counter[1], counter[2], counter[3], key[0], key[1])
	return [4]uint32{c0, c1, c2, c3}
}

// philox is Block of words, which stay in registers: arrays are passed in memory.
func philox(c0, c1, c2, c3, k0, k1 uint32) (_, _, _, _ uint32) {
	for range rounds {
		hi0, lo0 := bits.Mul32(mul0, c0)
		hi1, lo1 := bits.Mul32(mul1, c2)
		c0, c1, c2, c3 = hi1^c1^k0, lo1, hi0^c3^k1, lo0
		k0 += weyl0
		k1 += weyl1
	}
	return c0, c1, c2, c3
}

// Keys returns the keys that key has in each round of [Block], which kernels in vector instructions take
// from memory.
func Keys(key [2]uint32) (keys [rounds][2]uint32) {
	for r := range keys {
		keys[r] = key
		key[0] += weyl0
		key[1] += weyl1
	}
	return keys
}
