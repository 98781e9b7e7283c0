package machine

// AMD's Zen cores, as they are in servers. Where the numbers are from:
//
//	SOG   AMD's Software Optimization Guide for the family: 56305 (Zen 2), 56665 (Zen 3),
//	      57647 (Zen 4), 58455 (Zen 5); its instruction latency table for units
//	HC    "Next Generation Zen 5 Core", Hot Chips 2024
//	AT    AnandTech's reviews of Rome and Milan: latencies by level, memory in no order
//	roof  verify/roof on one core of a virtual machine: an EPYC 9004 at 3.69 GHz, an EPYC
//	      of family 26 model 2 at 4.2 GHz
//	est   an estimate from the neighbouring generation, where nothing better was found
//
// Stores that are not in order of caches, page walks and masked stores of Zen 2 and 3 are
// est from roof's Zen 4. Tail is the common penalty of a branch mispredicted (SOG, 2.8).

// zen4Clock is that of roof's EPYC 9004, in 512-bit multiply-adds as in scalar code.
const zen4Clock = 3.694e9

var zen4 = Machine{
	Name:   "AMD Zen 4",
	Source: "AMD 57647, and verify/roof on an EPYC 9004 in a virtual machine",
	Sizes:  "those of the EPYC 9004",
	Clock:  zen4Clock, // roof
	Cores:  8,         // of one L3
	Caches: [Levels]Level{
		// Sizes and ways: SOG 2.6 and 2.12; L3's is half of the 32 MiB of eight cores.
		// Bytes: roof; a cycle reads 64 from L1 and 32 from L2 and writes 32 (SOG 2.12).
		// Latency, lines at once: roof.
		L1:     {Size: 32 << 10, Ways: 8, Read: 222e9, Write: 118e9, Latency: 4 / zen4Clock, Misses: 8},
		L2:     {Size: 1 << 20, Ways: 8, Read: 118e9, Write: 116e9, Latency: 14 / zen4Clock, Misses: 24},
		L3:     {Size: 16 << 20, Ways: 16, Read: 64e9, Write: 62e9, Latency: 50 / zen4Clock, Misses: 24},
		Memory: {Read: 26e9, Write: 23e9, Latency: 115e-9, Misses: 24},
	},
	Stream:   25e9,
	Together: 40e9,
	// Entries: SOG 2.12.3; costs: roof.
	Pages: Pages{Size: 4096, Near: 72, Far: 3072, Lookup: 7 / zen4Clock, Walk: 20 / zen4Clock},
	Units: []Units{
		// SOG 2.11 and its table: 512 bits take a pipe of 256 bits twice; of four pipes two
		// multiply-add and two permute, one of them both. Masked, gather: roof.
		{ISA: "avx512", Vector: 64, FMA: 1, Latency: 4, Loads: 1, Stores: 0.5, Shuffle: 0.5, Issue: 6, Masked: 0.5, Gather: 1.2},
		{ISA: "avx2", Vector: 32, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 1, Issue: 6, Masked: 6, Gather: 1.2},
		{ISA: "go", Vector: 8, FMA: 2, Latency: 6, Loads: 3, Stores: 2, Shuffle: 1, Issue: 6, Masked: 0, Gather: 1},
	},
	Tail: 13,
}

// zen3Clock is what an EPYC 7763 keeps up on a few cores.
const zen3Clock = 3.5e9

var zen3 = Machine{
	Name:   "AMD Zen 3",
	Source: "AMD 56665, AnandTech's review of the EPYC 7763, and estimates from Zen 4",
	Sizes:  "those of the EPYC 7003",
	Clock:  zen3Clock, // est: the EPYC 7763's boost
	Cores:  8,         // of one L3
	Caches: [Levels]Level{
		// Sizes, ways and bytes a cycle: SOG 2.6 and 2.12, less what roof's Zen 4 lacks of
		// them; latency: L1 and L2 SOG, L3 46 cycles SOG, memory AT.
		L1:     {Size: 32 << 10, Ways: 8, Read: 60 * zen3Clock, Write: 32 * zen3Clock, Latency: 4 / zen3Clock, Misses: 8},
		L2:     {Size: 512 << 10, Ways: 8, Read: 31 * zen3Clock, Write: 30 * zen3Clock, Latency: 12 / zen3Clock, Misses: 24},
		L3:     {Size: 16 << 20, Ways: 16, Read: 17 * zen3Clock, Write: 16 * zen3Clock, Latency: 46 / zen3Clock, Misses: 24}, // bytes: est
		Memory: {Read: 22e9, Write: 18e9, Latency: 115e-9, Misses: 24},                                                       // est
	},
	Stream:   22e9,                                                                                // est
	Together: 35e9,                                                                                // est: eight cores behind one link to the I/O die
	Pages:    Pages{Size: 4096, Near: 64, Far: 2048, Lookup: 7 / zen3Clock, Walk: 20 / zen3Clock}, // entries: SOG 2.12.3
	Units: []Units{
		{ISA: "avx2", Vector: 32, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 1, Issue: 6, Masked: 6, Gather: 1}, // SOG 2.11; gather: 8 cycles for 8, uops.info
		{ISA: "go", Vector: 8, FMA: 2, Latency: 6, Loads: 3, Stores: 2, Shuffle: 1, Issue: 6, Masked: 0, Gather: 1},
	},
	Tail: 13,
}

// zen2Clock is what an EPYC 7742 keeps up on a few cores.
const zen2Clock = 3.3e9

var zen2 = Machine{
	Name:   "AMD Zen 2",
	Source: "AMD 56305, AnandTech's review of the EPYC 7742, and estimates from Zen 4",
	Sizes:  "those of the EPYC 7002",
	Clock:  zen2Clock, // est: the EPYC 7742's boost is 3.4 GHz
	Cores:  4,         // of one L3
	Caches: [Levels]Level{
		// Sizes, ways and bytes a cycle: SOG 2.6 and 2.12; latency: AT (4, 13, 34 cycles and
		// 113 to 134 ns), L3 SOG's 39.
		L1:     {Size: 32 << 10, Ways: 8, Read: 60 * zen2Clock, Write: 31 * zen2Clock, Latency: 4 / zen2Clock, Misses: 8},
		L2:     {Size: 512 << 10, Ways: 8, Read: 30 * zen2Clock, Write: 25 * zen2Clock, Latency: 13 / zen2Clock, Misses: 22},
		L3:     {Size: 8 << 20, Ways: 16, Read: 16 * zen2Clock, Write: 14 * zen2Clock, Latency: 39 / zen2Clock, Misses: 22}, // bytes: est; half of the 16 MiB of four cores
		Memory: {Read: 20e9, Write: 15e9, Latency: 122e-9, Misses: 22},                                                      // est, latency AT
	},
	Stream:   20e9,                                                                                // est
	Together: 30e9,                                                                                // est
	Pages:    Pages{Size: 4096, Near: 64, Far: 2048, Lookup: 7 / zen2Clock, Walk: 25 / zen2Clock}, // entries: SOG 2.12.3; walk: est
	Units: []Units{
		{ISA: "avx2", Vector: 32, FMA: 2, Latency: 5, Loads: 2, Stores: 1, Shuffle: 1, Issue: 6, Masked: 9, Gather: 1.2}, // SOG 2.11; masked and gather: est
		{ISA: "go", Vector: 8, FMA: 2, Latency: 6, Loads: 2, Stores: 1, Shuffle: 1, Issue: 6, Masked: 0, Gather: 1},
	},
	Tail: 16,
}

// zen5Clock is that of roof's EPYC.
const zen5Clock = 4.2e9

var zen5 = Machine{
	Name:   "AMD Zen 5",
	Source: "AMD 58455, Hot Chips 2024, and verify/roof on an EPYC of family 26 model 2 in a virtual machine",
	Sizes:  "those of the EPYC 9005",
	Clock:  zen5Clock, // roof
	Cores:  8,         // of one L3
	Caches: [Levels]Level{
		// Sizes and ways: SOG 2.6, HC; L3's what roof found that a core had of 32 MiB.
		// Bytes: roof. Latency: L1 and L2 SOG (4 and 14 cycles), L3 and memory est.
		L1:     {Size: 48 << 10, Ways: 12, Read: 528e9, Write: 268e9, Latency: 4 / zen5Clock, Misses: 8},
		L2:     {Size: 1 << 20, Ways: 16, Read: 262e9, Write: 262e9, Latency: 14 / zen5Clock, Misses: 32}, // lines at once: est
		L3:     {Size: 20 << 20, Ways: 16, Read: 122e9, Write: 116e9, Latency: 50 / zen5Clock, Misses: 32},
		Memory: {Read: 44e9, Write: 34e9, Latency: 115e-9, Misses: 32},
	},
	Stream:   40e9,                                                                                // est
	Together: 60e9,                                                                                // roof
	Pages:    Pages{Size: 4096, Near: 96, Far: 4096, Lookup: 7 / zen5Clock, Walk: 20 / zen5Clock}, // entries: HC
	Units: []Units{
		// SOG 2.11: pipes of 512 bits, of which two multiply-add and two permute, one of
		// them both; loads and stores: roof. Masked, gather: est from Zen 4.
		{ISA: "avx512", Vector: 64, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 1, Issue: 8, Masked: 0.5, Gather: 1.2},
		{ISA: "avx2", Vector: 32, FMA: 2, Latency: 4, Loads: 2, Stores: 2, Shuffle: 1, Issue: 8, Masked: 6, Gather: 1.2},
		{ISA: "go", Vector: 8, FMA: 2, Latency: 5, Loads: 4, Stores: 2, Shuffle: 1, Issue: 8, Masked: 0, Gather: 1},
	},
	Tail: 15,
}
