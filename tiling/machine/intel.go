package machine

// Intel's server cores with two units for 512-bit multiply-adds. Sources of the
// numbers:
//
//	IOM   Intel 64 and IA-32 Architectures Optimization Reference Manual, 248966: the
//	      chapters on Skylake Server, Sunny Cove and Golden Cove
//	LLVM  the scheduling models of LLVM for Skylake Server, Ice Lake and Sapphire Rapids
//	uops  uops.info
//	AT    AnandTech's reviews of the Xeon 8280 and 8380
//	CC    Chips and Cheese, "Golden Cove Hits Servers"
//	roof  one core of an Emerald Rapids, measured: 217 and 109 GFLOP/s, L1 400, L2 165, L3
//	      and memory 15 GB/s
//	est   an estimate from the neighbouring generation, where nothing better was found
//
// L3 is a mesh of slices that all cores share. One core reads from it little faster than from memory, and its
// share is set to eight slices. Writes are est throughout. They are half of the reads of L2, which fetches a
// line and writes it back through one port, and three quarters of those of L3 and memory. Lines at once from
// memory are the fill buffers of IOM (12, and 16 from Golden Cove on). Nearer levels have no more than come
// in order. A permutation of 512 bits takes the place of a multiply-add, so that none is left. Widening f16
// takes one place of a multiply-add (port 0 or 1: llvm-mca). For bf16 a shift does, and with 512 bits so does
// the extension before it (port 5). Gathers are without what microcode against Downfall adds to them.

// skylakeClock is what a Xeon of these keeps up with 512-bit multiply-adds on all cores;
// it is the base of what clouds offer.
const skylakeClock = 2.8e9 // est

// skylakeServer is of Cascade Lake and Cooper Lake too, which have the same core.
var skylakeServer = Machine{
	Name:   "Intel Skylake-SP or Cascade Lake",
	Source: "Intel 248966, LLVM's scheduling model, AnandTech's review of the Xeon 8280, and estimates from Emerald Rapids",
	Sizes:  "those of the Xeon 8280",
	Clock:  skylakeClock,
	Cores:  28,
	Caches: [Levels]Level{
		// Sizes, ways, bytes a cycle (128 read at most from L1, some 48 from L2): IOM.
		// Latency: LLVM (5 cycles), AT (14; L3 46 cycles at 2.7 GHz), memory est.
		L1:     {Size: 32 << 10, Ways: 8, Read: 115 * skylakeClock, Write: 60 * skylakeClock, Latency: 5 / skylakeClock, Misses: 9},
		L2:     {Size: 1 << 20, Ways: 16, Read: 48 * skylakeClock, Write: 24 * skylakeClock, Latency: 14 / skylakeClock, Misses: 10},
		L3:     {Size: 11 << 20, Ways: 11, Read: 16e9, Write: 12e9, Latency: 17e-9, Misses: 4.2}, // bytes: est
		Memory: {Read: 12e9, Write: 9e9, Latency: 90e-9, Misses: 12},                             // est
	},
	Stream:   10e9,                                                                                      // est
	Together: 100e9,                                                                                     // est: six channels of DDR4-2933, 141 GB/s at most
	Pages:    Pages{Size: 4096, Near: 64, Far: 1536, Lookup: 9 / skylakeClock, Walk: 60 / skylakeClock}, // entries: IOM; costs: est, below a hypervisor
	Units: []Units{
		{ISA: "avx512", Vector: 64, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 0, Issue: 4, Masked: 0, Gather: 0.65, Pairs: 1, WidenF16: 1, WidenBF16: 2},   // LLVM: ports 0 and 5
		{ISA: "avx2", Vector: 32, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 1, Issue: 4, Masked: 0.5, Gather: 0.65, Pairs: 1.5, WidenF16: 1, WidenBF16: 1}, // LLVM: ports 0 and 1, one for permutations left; uops: 5 cycles for 8 gathered
		{ISA: "go", Vector: 8, FMA: 1, Latency: 8, Loads: 2, Stores: 1, Shuffle: 1, Issue: 4, Masked: 0, Gather: 1},                                                // two units for both kinds
	},
	Tail: 14, // LLVM
}

// iceLakeClock: as skylakeClock.
const iceLakeClock = 2.9e9 // est

var iceLakeServer = Machine{
	Name:   "Intel Ice Lake-SP",
	Source: "Intel 248966, LLVM's scheduling model, AnandTech's review of the Xeon 8380, and estimates from Emerald Rapids",
	Sizes:  "those of the Xeon 8380",
	Clock:  iceLakeClock,
	Cores:  40,
	Caches: [Levels]Level{
		// Sizes and ways of L1 and L2: AT; bytes a cycle: IOM. Latency: LLVM (5 cycles), L2 as
		// Skylake's, L3 and memory est.
		L1:     {Size: 48 << 10, Ways: 12, Read: 118 * iceLakeClock, Write: 62 * iceLakeClock, Latency: 5 / iceLakeClock, Misses: 9},
		L2:     {Size: 1280 << 10, Ways: 20, Read: 48 * iceLakeClock, Write: 24 * iceLakeClock, Latency: 14 / iceLakeClock, Misses: 10},
		L3:     {Size: 12 << 20, Ways: 12, Read: 16e9, Write: 12e9, Latency: 22e-9, Misses: 5.5}, // bytes: est
		Memory: {Read: 13e9, Write: 10e9, Latency: 95e-9, Misses: 12},                            // est
	},
	Stream:   11e9,                                                                                      // est
	Together: 150e9,                                                                                     // est: eight channels of DDR4-3200, 205 GB/s at most
	Pages:    Pages{Size: 4096, Near: 64, Far: 2048, Lookup: 7 / iceLakeClock, Walk: 60 / iceLakeClock}, // entries: IOM; costs: est, below a hypervisor
	Units: []Units{
		{ISA: "avx512", Vector: 64, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 0, Issue: 5, Masked: 0, Gather: 0.65, Pairs: 1, WidenF16: 1, WidenBF16: 2},   // LLVM; gather: est
		{ISA: "avx2", Vector: 32, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 1, Issue: 5, Masked: 0.5, Gather: 0.65, Pairs: 1.5, WidenF16: 1, WidenBF16: 1}, // two stores a cycle only to one line
		{ISA: "go", Vector: 8, FMA: 1, Latency: 8, Loads: 2, Stores: 2, Shuffle: 1, Issue: 5, Masked: 0, Gather: 1},
	},
	Tail: 14, // LLVM
}

// sapphireClock: as skylakeClock.
const sapphireClock = 3.0e9 // est

var sapphireRapids = Machine{
	Name:   "Intel Sapphire Rapids",
	Source: "Intel 248966, LLVM's scheduling model, Chips and Cheese, and estimates from Emerald Rapids, which has the same core",
	Sizes:  "those of the Xeon 8480",
	Clock:  sapphireClock,
	Cores:  56,
	Caches: [Levels]Level{
		// Sizes and ways: IOM. Bytes a cycle: roof's of L1 and L2; L3 and memory est.
		// Latency: LLVM (5 cycles), L2 IOM, L3 and memory est from CC.
		L1:     {Size: 48 << 10, Ways: 12, Read: 118 * sapphireClock, Write: 62 * sapphireClock, Latency: 5 / sapphireClock, Misses: 9},
		L2:     {Size: 2 << 20, Ways: 16, Read: 48 * sapphireClock, Write: 24 * sapphireClock, Latency: 15 / sapphireClock, Misses: 11},
		L3:     {Size: 15 << 20, Ways: 15, Read: 14e9, Write: 10e9, Latency: 33e-9, Misses: 7},
		Memory: {Read: 13e9, Write: 10e9, Latency: 115e-9, Misses: 16},
	},
	Stream:   12e9,                                                                                        // est
	Together: 220e9,                                                                                       // est: eight channels of DDR5-4800, 307 GB/s at most
	Pages:    Pages{Size: 4096, Near: 96, Far: 2048, Lookup: 7 / sapphireClock, Walk: 60 / sapphireClock}, // entries: IOM; costs: est, below a hypervisor
	Units:    goldenCove,
	Tail:     17, // est: a longer pipeline than Ice Lake's
}

// goldenCove is what the cores of Sapphire and Emerald Rapids start in a cycle: LLVM, and
// for gathers est. VDPBF16PS is measured, see [SlowBF16]; a product of tiles is 16 rows in 16
// cycles: IOM.
var goldenCove = []Units{
	{ISA: "avx512", Vector: 64, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 0, Issue: 6, Masked: 0, Gather: 0.6, Pairs: 1, BF16: 0.25, Tiles: 16, WidenF16: 1, WidenBF16: 2},
	{ISA: "avx2", Vector: 32, FMA: 2, Latency: 4, Loads: 3, Stores: 1, Shuffle: 1, Issue: 6, Masked: 0.5, Gather: 0.6, Pairs: 1.5, WidenF16: 1, WidenBF16: 1}, // two stores a cycle only to one line
	{ISA: "go", Vector: 8, FMA: 1.5, Latency: 7, Loads: 3, Stores: 2, Shuffle: 1, Issue: 6, Masked: 0, Gather: 1},                                             // two units multiply, two others add, one is in both
}

// emeraldClock is what makes 217 GFLOP/s of 64 flop a cycle.
const emeraldClock = 3.39e9

var emeraldRapids = Machine{
	Name:   "Intel Emerald Rapids",
	Source: "measured on one core of family 6 model 207, Intel 248966, LLVM's scheduling model, and estimates",
	Sizes:  "those of the Xeon 8592+",
	Clock:  emeraldClock, // roof
	Cores:  64,
	Caches: [Levels]Level{
		// Sizes of L1 and L2 and bytes read: roof. Ways, latency: as Sapphire Rapids; L3
		// has five MiB a core, of which 20 ways are est.
		L1:     {Size: 48 << 10, Ways: 12, Read: 400e9, Write: 62 * emeraldClock, Latency: 5 / emeraldClock, Misses: 9},
		L2:     {Size: 2 << 20, Ways: 16, Read: 165e9, Write: 24 * emeraldClock, Latency: 15 / emeraldClock, Misses: 11},
		L3:     {Size: 40 << 20, Ways: 20, Read: 15e9, Write: 11e9, Latency: 33e-9, Misses: 7.5},
		Memory: {Read: 15e9, Write: 11e9, Latency: 115e-9, Misses: 16},
	},
	Stream:   13e9,                                                                                      // est
	Together: 250e9,                                                                                     // est: eight channels of DDR5-5600, 358 GB/s at most
	Pages:    Pages{Size: 4096, Near: 96, Far: 2048, Lookup: 7 / emeraldClock, Walk: 60 / emeraldClock}, // entries: IOM; costs: est, below a hypervisor
	Units:    goldenCove,
	Tail:     17, // est: a longer pipeline than Ice Lake's
}
