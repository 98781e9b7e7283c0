package rand

import "github.com/tilesmith/tilesmith/layout/philox"

// Block is the bijection of Philox 4x32-10 that key selects, at counter: four words, as
// random as those of any other counter and key.
func Block(counter [4]uint32, key [2]uint32) [4]uint32 {
	c0, c1, c2, c3 := philox.Words(counter[0], counter[1], counter[2], counter[3], key[0], key[1])
	return [4]uint32{c0, c1, c2, c3}
}

// Keys returns the keys that key has in each round of [Block], which kernels in vector instructions take
// from memory.
func Keys(key [2]uint32) (keys [philox.Rounds][2]uint32) {
	for r := range keys {
		keys[r] = key
		key[0] += philox.Weyl0
		key[1] += philox.Weyl1
	}
	return keys
}
