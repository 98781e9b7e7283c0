package machine

// Arm's Cortex cores, as they are in small machines. The sources are those of the Neoverse cores,
// and besides:
//
//	LLVM  the scheduling model of LLVM for Cortex-A57
//	RPi   what Raspberry Pi says of its computers
//
// As there, est is what has no source, L3, memory, walks, masked accesses and gathers are est
// throughout, and no core has been measured here. Four cores share the L2 of A57 and A72, of which
// a quarter is that of one. These have no L3: the numbers of L3 are those of half of L2, as a core has
// it while others need less.

// a57Clock is that of the Jetson TX1.
const a57Clock = 1.9e9

var cortexA57 = Machine{
	Name:   "Arm Cortex-A57",
	Source: "LLVM's scheduling model, and estimates from Cortex-A72",
	Sizes:  "those of the Jetson TX1",
	Clock:  a57Clock,
	Cores:  4,
	Caches: [Levels]Level{
		// Sizes: TRM. Bytes a cycle: a load of 16 and half a store; L2 est. Latency: L1 LLVM, L2 est.
		L1:     {Size: 32 << 10, Ways: 2, Read: 15 * a57Clock, Write: 7.5 * a57Clock, Latency: 5 / a57Clock, Misses: 1.1},
		L2:     {Size: 512 << 10, Ways: 16, Read: 8 * a57Clock, Write: 4 * a57Clock, Latency: 21 / a57Clock, Misses: 2.6},
		L3:     {Size: 1 << 20, Ways: 16, Read: 8 * a57Clock, Write: 4 * a57Clock, Latency: 21 / a57Clock, Misses: 2.6},
		Memory: {Read: 7e9, Write: 4e9, Latency: 140e-9, Misses: 6},
	},
	Stream:   4e9,
	Together: 14e9,                                                                              // est
	Pages:    Pages{Size: 4096, Near: 32, Far: 1024, Lookup: 6 / a57Clock, Walk: 60 / a57Clock}, // entries: TRM
	Units: []Units{
		// LLVM: a vector of 16 bytes takes both pipes, and the next of the same sums waits for 5 of 10 cycles.
		{ISA: "neon", Vector: 16, FMA: 1, Latency: 5, Loads: 1, Stores: 0.5, Shuffle: 0, Issue: 3, Masked: 6, Gather: 2, Pairs: 0.5, WidenF16: 2, WidenBF16: 1},
		{ISA: "go", Vector: 8, FMA: 2, Latency: 5, Loads: 1, Stores: 1, Shuffle: 1, Issue: 3, Masked: 0, Gather: 1},
	},
	Tail: 16, // LLVM
}

// a72Clock is that of the Raspberry Pi 4: RPi. Later ones are at 1.8 GHz.
const a72Clock = 1.5e9

var cortexA72 = Machine{
	Name:   "Arm Cortex-A72",
	Source: "Arm's Software Optimization Guide, and estimates",
	Sizes:  "those of the Raspberry Pi 4",
	Clock:  a72Clock,
	Cores:  4,
	Caches: [Levels]Level{
		// Sizes: TRM, RPi. Bytes a cycle: a load of 16 and half a store (SOG); L2 est. Latency: L1 SOG, L2 est.
		L1:     {Size: 32 << 10, Ways: 2, Read: 15 * a72Clock, Write: 7.5 * a72Clock, Latency: 5 / a72Clock, Misses: 1.1},
		L2:     {Size: 256 << 10, Ways: 16, Read: 8 * a72Clock, Write: 4 * a72Clock, Latency: 21 / a72Clock, Misses: 2.6},
		L3:     {Size: 512 << 10, Ways: 16, Read: 8 * a72Clock, Write: 4 * a72Clock, Latency: 21 / a72Clock, Misses: 2.6},
		Memory: {Read: 4.5e9, Write: 2.5e9, Latency: 140e-9, Misses: 6},
	},
	Stream:   2.5e9,
	Together: 5e9,                                                                               // est: 32 bits of LPDDR4-3200, 12.8 GB/s at most
	Pages:    Pages{Size: 4096, Near: 32, Far: 1024, Lookup: 6 / a72Clock, Walk: 60 / a72Clock}, // entries: TRM
	Units: []Units{
		// SOG: pipes of 8 bytes, of which a vector takes both. The next of the same sums waits for 3 of 7 cycles.
		{ISA: "neon", Vector: 16, FMA: 1, Latency: 3, Loads: 1, Stores: 0.5, Shuffle: 0, Issue: 3, Masked: 6, Gather: 2, Pairs: 0.5, WidenF16: 2, WidenBF16: 1},
		{ISA: "go", Vector: 8, FMA: 2, Latency: 3, Loads: 1, Stores: 1, Shuffle: 1, Issue: 3, Masked: 0, Gather: 1},
	},
	Tail: 15, // est
}

// a76Clock is that of the Raspberry Pi 5: RPi.
const a76Clock = 2.4e9

var cortexA76 = Machine{
	Name:   "Arm Cortex-A76",
	Source: "Arm's Software Optimization Guide, and estimates from Neoverse N1, which has the same pipes",
	Sizes:  "those of the Raspberry Pi 5",
	Clock:  a76Clock,
	Cores:  4,
	Caches: [Levels]Level{
		// Sizes: RPi; of the 2 MiB of L3 half. The rest: Neoverse N1.
		L1:     {Size: 64 << 10, Ways: 4, Read: 30 * a76Clock, Write: 15 * a76Clock, Latency: 5 / a76Clock, Misses: 2.3},
		L2:     {Size: 512 << 10, Ways: 8, Read: 19 * a76Clock, Write: 9.5 * a76Clock, Latency: 11 / a76Clock, Misses: 3.2},
		L3:     {Size: 1 << 20, Ways: 16, Read: 22e9, Write: 16e9, Latency: 20e-9, Misses: 6.8},
		Memory: {Read: 10e9, Write: 6e9, Latency: 125e-9, Misses: 16},
	},
	Stream:   6e9,
	Together: 12e9,                                                                              // est: 32 bits of LPDDR4X-4267, 17 GB/s at most
	Pages:    Pages{Size: 4096, Near: 48, Far: 1280, Lookup: 5 / a76Clock, Walk: 50 / a76Clock}, // entries: TRM
	Units: []Units{
		{ISA: "neon", Vector: 16, FMA: 2, Latency: 2, Loads: 2, Stores: 1, Shuffle: 0, Issue: 4, Masked: 6, Gather: 1, Pairs: 0.5, WidenF16: 2, WidenBF16: 1}, // SOG
		{ISA: "go", Vector: 8, FMA: 2, Latency: 2, Loads: 2, Stores: 2, Shuffle: 1, Issue: 4, Masked: 0, Gather: 1},
	},
	Tail: 11, // est
}
