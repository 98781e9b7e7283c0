package machine

// The fast cores of Apple's processors for computers. Sources of the numbers:
//
//	ACOG  Apple Silicon CPU Optimization Guide
//	DJ    Dougall Johnson, "Apple Microarchitecture Research": what instructions of the M1 take
//	AT    AnandTech's reviews of the M1 and the M1 Max
//	est   an estimate from the neighbouring generation, where nothing better was found
//
// None of them has been measured here. The cache of the system takes the place of L3. Four cores of a
// cluster share an L2, of which a quarter is that of one. Bytes of L2 and beyond, lines at once,
// walks, masked accesses and gathers are est throughout. Lines of these machines have 128 bytes, and lines
// at once count 64 of them. The four pipes for vectors are alike (DJ): none is left for
// permutations, and widening takes a place of a multiply-add. Pairs are an SMLAL and an SMLAL2.

// appleUnits is what these cores start in a cycle: DJ, for the M1; three loads and two stores, of
// 16 bytes each (ACOG).
var appleUnits = []Units{
	{ISA: "neon", Vector: 16, FMA: 4, Latency: 4, Loads: 3, Stores: 2, Shuffle: 0, Issue: 8, Masked: 6, Gather: 1, Pairs: 2, WidenF16: 1, WidenBF16: 1},
	{ISA: "go", Vector: 8, FMA: 4, Latency: 4, Loads: 3, Stores: 2, Shuffle: 1, Issue: 8, Masked: 0, Gather: 1},
}

// m1Clock is the most of the M1: AT.
const m1Clock = 3.2e9

var m1 = Machine{
	Name:   "Apple M1",
	Source: "Dougall Johnson's measurements, AnandTech's reviews, and estimates",
	Sizes:  "those of the M1",
	Clock:  m1Clock,
	Cores:  4,
	Caches: [Levels]Level{
		// Sizes, latency of memory and bytes of memory that one core reads: AT. Latency of L1: est, as
		// three cycles (AT) are those of an integer.
		L1:     {Size: 128 << 10, Ways: 8, Read: 46 * m1Clock, Write: 30 * m1Clock, Latency: 5 / m1Clock, Misses: 3.6},
		L2:     {Size: 3 << 20, Ways: 12, Read: 30 * m1Clock, Write: 20 * m1Clock, Latency: 18 / m1Clock, Misses: 8.4},
		L3:     {Size: 8 << 20, Ways: 16, Read: 60e9, Write: 40e9, Latency: 35e-9, Misses: 30},
		Memory: {Read: 58e9, Write: 35e9, Latency: 97e-9, Misses: 40},
	},
	Stream:   35e9,
	Together: 60e9,                                                                              // est: 68 GB/s at most
	Pages:    Pages{Size: 16384, Near: 160, Far: 3072, Lookup: 7 / m1Clock, Walk: 40 / m1Clock}, // entries: AT
	Units:    appleUnits,
	Tail:     13, // est
}

// m2Clock is the most of the M2.
const m2Clock = 3.5e9

var m2 = Machine{
	Name:   "Apple M2",
	Source: "estimates from the M1",
	Sizes:  "those of the M2",
	Clock:  m2Clock,
	Cores:  4,
	Caches: [Levels]Level{
		L1:     {Size: 128 << 10, Ways: 8, Read: 46 * m2Clock, Write: 30 * m2Clock, Latency: 5 / m2Clock, Misses: 3.6},
		L2:     {Size: 4 << 20, Ways: 16, Read: 30 * m2Clock, Write: 20 * m2Clock, Latency: 18 / m2Clock, Misses: 8.4},
		L3:     {Size: 8 << 20, Ways: 16, Read: 75e9, Write: 45e9, Latency: 37e-9, Misses: 40},
		Memory: {Read: 70e9, Write: 40e9, Latency: 105e-9, Misses: 48},
	},
	Stream:   40e9,
	Together: 85e9, // est: 100 GB/s at most
	Pages:    Pages{Size: 16384, Near: 160, Far: 3072, Lookup: 7 / m2Clock, Walk: 40 / m2Clock},
	Units:    appleUnits,
	Tail:     13,
}

// m3Clock is the most of the M3.
const m3Clock = 4.05e9

var m3 = Machine{
	Name:   "Apple M3",
	Source: "estimates from the M1",
	Sizes:  "those of the M3",
	Clock:  m3Clock,
	Cores:  4,
	Caches: [Levels]Level{
		L1:     {Size: 128 << 10, Ways: 8, Read: 46 * m3Clock, Write: 30 * m3Clock, Latency: 5 / m3Clock, Misses: 3.6},
		L2:     {Size: 4 << 20, Ways: 16, Read: 30 * m3Clock, Write: 20 * m3Clock, Latency: 18 / m3Clock, Misses: 8.4},
		L3:     {Size: 8 << 20, Ways: 16, Read: 80e9, Write: 50e9, Latency: 37e-9, Misses: 44},
		Memory: {Read: 75e9, Write: 45e9, Latency: 110e-9, Misses: 52},
	},
	Stream:   45e9,
	Together: 85e9, // est: 100 GB/s at most
	Pages:    Pages{Size: 16384, Near: 160, Far: 3072, Lookup: 7 / m3Clock, Walk: 40 / m3Clock},
	Units:    appleUnits,
	Tail:     13,
}

// m4Clock is the most of the M4. At 32 flop a cycle it makes 141 GFLOP/s of float32; 132 have been
// measured by others.
const m4Clock = 4.4e9

var m4 = Machine{
	Name:   "Apple M4",
	Source: "estimates from the M1",
	Sizes:  "those of the M4",
	Clock:  m4Clock,
	Cores:  4,
	Caches: [Levels]Level{
		L1:     {Size: 128 << 10, Ways: 8, Read: 46 * m4Clock, Write: 30 * m4Clock, Latency: 5 / m4Clock, Misses: 3.6},
		L2:     {Size: 4 << 20, Ways: 16, Read: 30 * m4Clock, Write: 20 * m4Clock, Latency: 20 / m4Clock, Misses: 9.3},
		L3:     {Size: 8 << 20, Ways: 16, Read: 95e9, Write: 60e9, Latency: 37e-9, Misses: 52},
		Memory: {Read: 90e9, Write: 55e9, Latency: 105e-9, Misses: 60},
	},
	Stream:   55e9,
	Together: 105e9, // est: 120 GB/s at most
	Pages:    Pages{Size: 16384, Near: 160, Far: 3072, Lookup: 7 / m4Clock, Walk: 40 / m4Clock},
	Units:    appleUnits,
	Tail:     13,
}
