package machine

// Qualcomm's core for laptops. Sources of the numbers:
//
//	LLVM  the scheduling model of LLVM for Oryon
//	AT    AnandTech, "The Qualcomm Snapdragon X Architecture Deep Dive"
//	CC    Chips and Cheese on the Snapdragon X Elite and its successor
//	est   an estimate from Apple's cores, where nothing better was found
//
// It has not been measured here. As with Apple, the cache of the system takes the place of L3, and
// a quarter of a cluster's L2 is that of one core. Bytes, lines at once, walks, masked accesses and
// gathers are est throughout.

// oryonClock is that of many cores of an X1E-80: CC.
const oryonClock = 3.4e9

var oryon = Machine{
	Name:   "Qualcomm Oryon",
	Source: "LLVM's scheduling model, AnandTech, Chips and Cheese, and estimates",
	Sizes:  "those of the Snapdragon X Elite",
	Clock:  oryonClock,
	Cores:  12,
	Caches: [Levels]Level{
		// Sizes and ways: AT. Latency: L1 LLVM (5 cycles), L2 CC (17).
		L1:     {Size: 96 << 10, Ways: 6, Read: 60 * oryonClock, Write: 30 * oryonClock, Latency: 5 / oryonClock, Misses: 4.7},
		L2:     {Size: 3 << 20, Ways: 12, Read: 40 * oryonClock, Write: 24 * oryonClock, Latency: 17 / oryonClock, Misses: 10.6},
		L3:     {Size: 6 << 20, Ways: 16, Read: 85e9, Write: 50e9, Latency: 40e-9, Misses: 50},
		Memory: {Read: 75e9, Write: 45e9, Latency: 103e-9, Misses: 50},
	},
	Stream:   45e9,
	Together: 110e9,                                                                                  // est: 135 GB/s at most
	Pages:    Pages{Size: 4096, Near: 224, Far: 8192, Lookup: 7 / oryonClock, Walk: 50 / oryonClock}, // entries: AT
	Units: []Units{
		// LLVM: four pipes for vectors, four for loads of which two store. Pairs and widening: est.
		{ISA: "neon", Vector: 16, FMA: 4, Latency: 4, Loads: 4, Stores: 2, Shuffle: 0, Issue: 8, Masked: 6, Gather: 1, Pairs: 2, WidenF16: 1, WidenBF16: 1},
		{ISA: "go", Vector: 8, FMA: 4, Latency: 4, Loads: 4, Stores: 2, Shuffle: 1, Issue: 8, Masked: 0, Gather: 1},
	},
	Tail: 13, // LLVM
}
