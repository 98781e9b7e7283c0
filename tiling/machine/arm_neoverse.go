package machine

// Arm's Neoverse cores, as they are in servers of clouds. Sources of the numbers:
//
//	SOG   Arm's Software Optimization Guide of the core, as the scheduling models of LLVM quote it:
//	      N1 PJDOC-466751330-9707, V1 -9685, N2 -18256, V2 -593177
//	TRM   Arm's Technical Reference Manual of the core
//	CC    Chips and Cheese: "Deep Diving Neoverse N1" (Ampere Altra), "Graviton 3: First
//	      Impressions", "ARM's Neoverse N2", "Arm's Neoverse V2, in AWS's Graviton 4"
//	est   an estimate from the neighbouring generation, where nothing better was found
//
// None of them has been measured here. L3, which is a mesh that all cores share, memory, walks,
// masked accesses and gathers are est throughout, and of L3 a core is taken to have 4 MiB. So are
// writes: to L2 they are half of the reads, beyond it three quarters. A pair of stores past the
// caches (STNP) is an ordinary store, so Stream is that of memory's writes.
//
// Latency is that of the accumulator, which SOG has in parentheses: a sum of the same pipe is
// forwarded late, so the next FMLA waits for 2 of 4 cycles. Every pipe for vectors multiplies and adds,
// so none is left for permutations. A masked access is a test and a store for each element; nothing
// gathers, and LD1 of a lane takes a load and a permutation. FCVTL takes two places of multiply-adds
// for four f16, SHLL one for four bf16. Pairs are an SMLAL and an SMLAL2.

// n1Clock is that of Graviton 2.
const n1Clock = 2.5e9

var neoverseN1 = Machine{
	Name:   "Arm Neoverse N1",
	Source: "Arm's Software Optimization Guide, Chips and Cheese on the Ampere Altra, and estimates",
	Sizes:  "those of Graviton 2",
	Clock:  n1Clock,
	Cores:  64,
	Caches: [Levels]Level{
		// Sizes and ways: TRM. Bytes a cycle: two loads and one store of 16 (SOG), and of L2 the 19 of
		// CC. Latency: L1 SOG, L2 TRM (11 cycles).
		L1:     {Size: 64 << 10, Ways: 4, Read: 30 * n1Clock, Write: 15 * n1Clock, Latency: 5 / n1Clock, Misses: 2.3},
		L2:     {Size: 1 << 20, Ways: 8, Read: 19 * n1Clock, Write: 9.5 * n1Clock, Latency: 11 / n1Clock, Misses: 3.2},
		L3:     {Size: 4 << 20, Ways: 16, Read: 25e9, Write: 18e9, Latency: 30e-9, Misses: 11},
		Memory: {Read: 20e9, Write: 15e9, Latency: 95e-9, Misses: 20},
	},
	Stream:   15e9,
	Together: 150e9,                                                                           // est: eight channels of DDR4-3200, 205 GB/s at most
	Pages:    Pages{Size: 4096, Near: 48, Far: 1280, Lookup: 5 / n1Clock, Walk: 50 / n1Clock}, // entries: TRM
	Units: []Units{
		{ISA: "neon", Vector: 16, FMA: 2, Latency: 2, Loads: 2, Stores: 1, Shuffle: 0, Issue: 4, Masked: 6, Gather: 1, Pairs: 0.5, WidenF16: 2, WidenBF16: 1}, // SOG: SMLAL on one pipe
		{ISA: "go", Vector: 8, FMA: 2, Latency: 2, Loads: 2, Stores: 2, Shuffle: 1, Issue: 4, Masked: 0, Gather: 1},
	},
	Tail: 11, // LLVM
}

// v1Clock is that of Graviton 3.
const v1Clock = 2.6e9

var neoverseV1 = Machine{
	Name:   "Arm Neoverse V1",
	Source: "Arm's Software Optimization Guide, and estimates",
	Sizes:  "those of Graviton 3",
	Clock:  v1Clock,
	Cores:  64,
	Caches: [Levels]Level{
		// Sizes and ways: TRM. Bytes a cycle: three loads and two stores of 16 (SOG); L2 est. Latency:
		// L1 SOG, L2 est.
		L1:     {Size: 64 << 10, Ways: 4, Read: 46 * v1Clock, Write: 30 * v1Clock, Latency: 6 / v1Clock, Misses: 4.3},
		L2:     {Size: 1 << 20, Ways: 8, Read: 28 * v1Clock, Write: 14 * v1Clock, Latency: 11 / v1Clock, Misses: 4.8},
		L3:     {Size: 4 << 20, Ways: 16, Read: 30e9, Write: 22e9, Latency: 32e-9, Misses: 15},
		Memory: {Read: 26e9, Write: 20e9, Latency: 118e-9, Misses: 24},
	},
	Stream:   20e9,
	Together: 230e9,                                                                           // est: eight channels of DDR5-4800, 307 GB/s at most
	Pages:    Pages{Size: 4096, Near: 40, Far: 2048, Lookup: 5 / v1Clock, Walk: 50 / v1Clock}, // entries: TRM
	Units: []Units{
		{ISA: "neon", Vector: 16, FMA: 4, Latency: 2, Loads: 3, Stores: 2, Shuffle: 0, Issue: 8, Masked: 6, Gather: 1, Pairs: 1, WidenF16: 2, WidenBF16: 1}, // SOG
		{ISA: "go", Vector: 8, FMA: 4, Latency: 2, Loads: 3, Stores: 2, Shuffle: 1, Issue: 8, Masked: 0, Gather: 1},
	},
	Tail: 11, // est
}

// n2Clock is that of Cobalt 100.
const n2Clock = 3.4e9

var neoverseN2 = Machine{
	Name:   "Arm Neoverse N2",
	Source: "Arm's Software Optimization Guide, and estimates from Neoverse V1",
	Sizes:  "those of Cobalt 100",
	Clock:  n2Clock,
	Cores:  128,
	Caches: [Levels]Level{
		// As Neoverse V1.
		L1:     {Size: 64 << 10, Ways: 4, Read: 46 * n2Clock, Write: 30 * n2Clock, Latency: 6 / n2Clock, Misses: 4.3},
		L2:     {Size: 1 << 20, Ways: 8, Read: 28 * n2Clock, Write: 14 * n2Clock, Latency: 12 / n2Clock, Misses: 5.2},
		L3:     {Size: 4 << 20, Ways: 16, Read: 30e9, Write: 22e9, Latency: 35e-9, Misses: 16},
		Memory: {Read: 26e9, Write: 20e9, Latency: 120e-9, Misses: 24},
	},
	Stream:   20e9,
	Together: 250e9,                                                                           // est: twelve channels of DDR5
	Pages:    Pages{Size: 4096, Near: 44, Far: 1280, Lookup: 5 / n2Clock, Walk: 50 / n2Clock}, // entries: TRM
	Units: []Units{
		{ISA: "neon", Vector: 16, FMA: 2, Latency: 2, Loads: 3, Stores: 2, Shuffle: 0, Issue: 5, Masked: 6, Gather: 1, Pairs: 0.5, BF16: 1, WidenF16: 2, WidenBF16: 1}, // SOG; BFMMLA: others measured twice the rate of float32
		{ISA: "go", Vector: 8, FMA: 2, Latency: 2, Loads: 3, Stores: 2, Shuffle: 1, Issue: 5, Masked: 0, Gather: 1},
	},
	Tail: 10, // CC
}

// v2Clock is that of Graviton 4. Grace and Axion run faster.
const v2Clock = 2.8e9

var neoverseV2 = Machine{
	Name:   "Arm Neoverse V2",
	Source: "Arm's Software Optimization Guide, Chips and Cheese on Graviton 4, and estimates from Neoverse V1",
	Sizes:  "those of Graviton 4",
	Clock:  v2Clock,
	Cores:  96,
	Caches: [Levels]Level{
		// As Neoverse V1, with twice the L2.
		L1:     {Size: 64 << 10, Ways: 4, Read: 46 * v2Clock, Write: 30 * v2Clock, Latency: 6 / v2Clock, Misses: 4.3},
		L2:     {Size: 2 << 20, Ways: 8, Read: 30 * v2Clock, Write: 15 * v2Clock, Latency: 11 / v2Clock, Misses: 5.1},
		L3:     {Size: 4 << 20, Ways: 16, Read: 33e9, Write: 25e9, Latency: 30e-9, Misses: 15},
		Memory: {Read: 28e9, Write: 21e9, Latency: 115e-9, Misses: 28},
	},
	Stream:   21e9,
	Together: 400e9,                                                                           // est: twelve channels of DDR5-5600, 537 GB/s at most
	Pages:    Pages{Size: 4096, Near: 48, Far: 2048, Lookup: 5 / v2Clock, Walk: 50 / v2Clock}, // entries: TRM
	Units: []Units{
		{ISA: "neon", Vector: 16, FMA: 4, Latency: 2, Loads: 3, Stores: 2, Shuffle: 0, Issue: 8, Masked: 6, Gather: 1, Pairs: 1, WidenF16: 2, WidenBF16: 1}, // SOG
		{ISA: "go", Vector: 8, FMA: 4, Latency: 2, Loads: 3, Stores: 2, Shuffle: 1, Issue: 8, Masked: 0, Gather: 1},
	},
	Tail: 10, // LLVM
}
