package machine

// AMD's Zen cores, as they are in servers. Sources of the numbers:
//
//	SOG   AMD's Software Optimization Guide for the family: 56305 (Zen 2), 56665 (Zen 3),
//	      57647 (Zen 4), 58455 (Zen 5); sections are those of Zen 3's and 4's, as the
//	      scheduling models of LLVM quote them, which stand for SOG in units
//	HC    "Next Generation Zen 5 Core", Hot Chips 2024
//	AT    AnandTech's reviews of Rome and Milan: latencies by level, memory in no order
//	roof  verify/roof on one core of a virtual machine: an EPYC 9004 at 3.69 GHz, an EPYC
//	      of family 26 model 2 at 4.2 GHz
//	est   an estimate from the neighbouring generation, where nothing better was found
//
// L3, memory, streaming stores, page walks and masked stores are est from roof's Zen 4 unless another source
// is given. So is widening: that of bf16 takes the place of one multiply-add, that of f16 of none. They took
// 10 %, and nothing, of products of 1024 x 1024 x 1024 with nine rows a tile. Tail is the common penalty of
// a branch mispredicted (SOG 2.8), Issue what is dispatched in a cycle (SOG 2.9.8).

// zen4Clock is that of roof's EPYC 9004, in 512-bit multiply-adds as in scalar code.
const zen4Clock = 3.694e9

var zen4 = Machine{
	Name:   "AMD Zen 4",
	Source: "AMD 57647, and verify/roof on an EPYC 9004 in a virtual machine",
	Sizes:  "those of the EPYC 9004",
	Clock:  zen4Clock, // roof
	Cores:  8,         // of one L3
	Caches: [Levels]Level{
		// Sizes and ways: SOG 2.6; of the 32 MiB of L3 of eight cores what roof
		// found that one had. The rest: roof; a cycle reads 64 bytes from L1 and 32 from
		// L2 and writes 32 (SOG 2.12).
		L1:     {Size: 32 << 10, Ways: 8, Read: 222e9, Write: 118e9, Latency: 5 / zen4Clock, Misses: 4.7},
		L2:     {Size: 1 << 20, Ways: 8, Read: 118e9, Write: 115e9, Latency: 15 / zen4Clock, Misses: 7.3},
		L3:     {Size: 10 << 20, Ways: 16, Read: 95e9, Write: 95e9, Latency: 14e-9, Misses: 14},
		Memory: {Read: 21e9, Write: 21e9, Latency: 145e-9, Misses: 18}, // read 15 to 26, as neighbours let it
	},
	Stream:   60e9, // roof: 42 to 83, never less than twice what ordinary stores do
	Together: 35e9, // est: roof's two cores read 31
	// Entries: SOG 2.12; costs: roof, a walk below a hypervisor.
	Pages: Pages{Size: 4096, Near: 72, Far: 3072, Lookup: 7 / zen4Clock, Walk: 50 / zen4Clock},
	Units: []Units{
		// SOG 2.11.1, 2.12: 512 bits take a pipe of 256 bits twice. Of four pipes two
		// multiply-add and two permute; one does both. There are two loads of 256 bits and
		// one store, of narrower ones three and two. Masked: roof; gather: measured so.
		{ISA: "avx512", Vector: 64, FMA: 1, Latency: 4, Loads: 1, Stores: 0.5, Shuffle: 0.5, Issue: 6, Masked: 0.1, Gather: 1.2, WidenBF16: 1},
		{ISA: "avx2", Vector: 32, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 1, Issue: 6, Masked: 5.5, Gather: 1.2, WidenBF16: 1},
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
		// Sizes, ways and bytes a cycle: SOG, less what roof's Zen 4 lacks of
		// them. Latency: L1, L2 and L3 (46 cycles) SOG, memory est: AT has less, without a
		// hypervisor.
		L1:     {Size: 32 << 10, Ways: 8, Read: 60 * zen3Clock, Write: 32 * zen3Clock, Latency: 5 / zen3Clock, Misses: 4.7},
		L2:     {Size: 512 << 10, Ways: 8, Read: 31 * zen3Clock, Write: 30 * zen3Clock, Latency: 12 / zen3Clock, Misses: 5.8},
		L3:     {Size: 10 << 20, Ways: 16, Read: 24 * zen3Clock, Write: 22 * zen3Clock, Latency: 46 / zen3Clock, Misses: 16}, // bytes: est
		Memory: {Read: 22e9, Write: 18e9, Latency: 130e-9, Misses: 18},                                                       // est
	},
	Stream:   22e9,                                                                                // est
	Together: 35e9,                                                                                // est: eight cores behind one link to the I/O die
	Pages:    Pages{Size: 4096, Near: 64, Far: 2048, Lookup: 7 / zen3Clock, Walk: 50 / zen3Clock}, // entries: SOG
	Units: []Units{
		{ISA: "avx2", Vector: 32, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 1, Issue: 6, Masked: 5.5, Gather: 1, WidenBF16: 1}, // SOG; gather: 8 cycles for 8, uops.info
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
		// Sizes, ways and bytes a cycle: SOG; latency: AT (4 and 13 cycles, memory
		// 113 to 134 ns in no order), L3 SOG's 39 cycles.
		L1:     {Size: 32 << 10, Ways: 8, Read: 60 * zen2Clock, Write: 31 * zen2Clock, Latency: 5 / zen2Clock, Misses: 4.7},
		L2:     {Size: 512 << 10, Ways: 8, Read: 30 * zen2Clock, Write: 25 * zen2Clock, Latency: 13 / zen2Clock, Misses: 6},
		L3:     {Size: 6 << 20, Ways: 16, Read: 20 * zen2Clock, Write: 18 * zen2Clock, Latency: 39 / zen2Clock, Misses: 12}, // bytes: est; a part of the 16 MiB of four cores
		Memory: {Read: 20e9, Write: 15e9, Latency: 130e-9, Misses: 18},                                                      // est, latency AT
	},
	Stream:   20e9,                                                                                // est
	Together: 30e9,                                                                                // est
	Pages:    Pages{Size: 4096, Near: 64, Far: 2048, Lookup: 7 / zen2Clock, Walk: 60 / zen2Clock}, // entries: SOG; walk: est
	Units: []Units{
		{ISA: "avx2", Vector: 32, FMA: 2, Latency: 5, Loads: 2, Stores: 1, Shuffle: 1, Issue: 6, Masked: 6, Gather: 1.2, WidenBF16: 1}, // SOG; masked and gather: est
		{ISA: "go", Vector: 8, FMA: 2, Latency: 6, Loads: 2, Stores: 1, Shuffle: 1, Issue: 6, Masked: 0, Gather: 1},
	},
	Tail: 17, // LLVM
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
		// Bytes: roof. Latency: L1 and L2 SOG (4 or 5, and 14 cycles); L3, memory and lines
		// at once est from Zen 4; L1's and L2's no more than come in order.
		L1:     {Size: 48 << 10, Ways: 12, Read: 528e9, Write: 268e9, Latency: 5 / zen5Clock, Misses: 9.8},
		L2:     {Size: 1 << 20, Ways: 16, Read: 262e9, Write: 262e9, Latency: 14 / zen5Clock, Misses: 13},
		L3:     {Size: 20 << 20, Ways: 16, Read: 122e9, Write: 116e9, Latency: 13e-9, Misses: 20},
		Memory: {Read: 44e9, Write: 34e9, Latency: 140e-9, Misses: 24},
	},
	Stream:   70e9,                                                                                // est
	Together: 60e9,                                                                                // roof
	Pages:    Pages{Size: 4096, Near: 96, Far: 4096, Lookup: 7 / zen5Clock, Walk: 50 / zen5Clock}, // entries: HC
	Units: []Units{
		// SOG, HC: pipes of 512 bits, of which two multiply-add and two permute, one of
		// them both; loads and stores: roof. Masked, gather: est from Zen 4.
		{ISA: "avx512", Vector: 64, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 1, Issue: 8, Masked: 0.1, Gather: 1.2, WidenBF16: 1},
		{ISA: "avx2", Vector: 32, FMA: 2, Latency: 4, Loads: 2, Stores: 2, Shuffle: 1, Issue: 8, Masked: 5.5, Gather: 1.2, WidenBF16: 1},
		{ISA: "go", Vector: 8, FMA: 2, Latency: 5, Loads: 4, Stores: 2, Shuffle: 1, Issue: 8, Masked: 0, Gather: 1},
	},
	Tail: 15,
}
