package machine

// zen4Clock is that of the EPYC 9004 which the numbers of zen4 were measured on, with
// 512-bit multiply-adds on one core of two.
const zen4Clock = 3.694e9

// zen4 is a core of the EPYC 9004. What a cycle does is of AMD's Software Optimization
// Guide for the Zen 4 Microarchitecture (57647), sections 2.6 to 2.12; bytes/s and
// latencies are what verify/roof found on one in a virtual machine.
var zen4 = Machine{
	Name:   "AMD Zen 4",
	Source: "AMD 57647 (Software Optimization Guide), and measured on an EPYC 9004 in a virtual machine",
	Sizes:  "the EPYC 9004's",
	Clock:  zen4Clock,
	Cores:  8, // of one L3
	Caches: [Levels]Level{
		L1:     {Size: 32 << 10, Ways: 8, Read: 60 * zen4Clock, Write: 32 * zen4Clock, Latency: 5 / zen4Clock, Misses: 24},
		L2:     {Size: 1 << 20, Ways: 8, Read: 32 * zen4Clock, Write: 31 * zen4Clock, Latency: 14 / zen4Clock, Misses: 24},
		L3:     {Size: 16 << 20, Ways: 16, Read: 64e9, Write: 62e9, Latency: 50 / zen4Clock, Misses: 24},
		Memory: {Read: 26e9, Write: 23e9, Latency: 115e-9, Misses: 24},
	},
	Stream:   25e9,
	Together: 40e9,
	Pages:    Pages{Size: 4096, Near: 72, Far: 3072, Lookup: 7 / zen4Clock, Walk: 20 / zen4Clock},
	Units: []Units{
		{ISA: "avx512", Vector: 64, FMA: 1, Latency: 4, Loads: 1, Stores: 0.5, Shuffle: 1, Issue: 6, Masked: 0.5, Gather: 2.5},
		{ISA: "avx2", Vector: 32, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 2, Issue: 6, Masked: 6, Gather: 2.5},
		{ISA: "go", Vector: 8, FMA: 2, Latency: 6, Loads: 3, Stores: 2, Shuffle: 1, Issue: 6, Gather: 1},
	},
	Tail: 20,
}
