package neon

// loadRows load and store scalars and vectors with an offset, and prefetch. ! and an offset after
// the brackets write the sum to the base. DDI 0487 section C4.1, Loads and stores; PRFM is in C6.2.
var loadRows = []row{
	// One register. U is the unit of the offset, W that of an index.
	{"ldr", "TD, [xB]", sizes, 0x3d400000},
	{"ldr", "TD, [xB, #U]", sizes, 0x3d400000},
	{"ldr", "TD, [xB, xM]", sizes, 0x3c606800},
	{"ldr", "TD, [xB, xM, lsl #W]", sizes, 0x3c607800},
	{"ldr", "TD, [xB, #O]!", sizes, 0x3c400c00},
	{"ldr", "TD, [xB], #O", sizes, 0x3c400400},
	{"str", "TD, [xB]", sizes, 0x3d000000},
	{"str", "TD, [xB, #U]", sizes, 0x3d000000},
	{"str", "TD, [xB, xM]", sizes, 0x3c206800},
	{"str", "TD, [xB, xM, lsl #W]", sizes, 0x3c207800},
	{"str", "TD, [xB, #O]!", sizes, 0x3c000c00},
	{"str", "TD, [xB], #O", sizes, 0x3c000400},
	{"ldur", "TD, [xB]", sizes, 0x3c400000},
	{"ldur", "TD, [xB, #O]", sizes, 0x3c400000},
	{"stur", "TD, [xB]", sizes, 0x3c000000},
	{"stur", "TD, [xB, #O]", sizes, 0x3c000000},

	// Two registers.
	{"ldp", "TD, TV, [xB]", pairs, 0x2d400000},
	{"ldp", "TD, TV, [xB, #U]", pairs, 0x2d400000},
	{"ldp", "TD, TV, [xB, #U]!", pairs, 0x2dc00000},
	{"ldp", "TD, TV, [xB], #U", pairs, 0x2cc00000},
	{"stp", "TD, TA, [xB]", pairs, 0x2d000000},
	{"stp", "TD, TA, [xB, #U]", pairs, 0x2d000000},
	{"stp", "TD, TA, [xB, #U]!", pairs, 0x2d800000},
	{"stp", "TD, TA, [xB], #U", pairs, 0x2c800000},
	{"ldnp", "TD, TV, [xB]", pairs, 0x2c400000},
	{"ldnp", "TD, TV, [xB, #U]", pairs, 0x2c400000},
	{"stnp", "TD, TA, [xB]", pairs, 0x2c000000},
	{"stnp", "TD, TA, [xB, #U]", pairs, 0x2c000000},

	// Prefetches.
	{"prfm", "T, [xB]", hints, 0xf9800000},
	{"prfm", "T, [xB, #O8]", hints, 0xf9800000},
	{"prfm", "T, [xB, xM]", hints, 0xf8a06800},
	{"prfm", "T, [xB, xM, lsl #3]", hints, 0xf8a07800},
	{"prfum", "T, [xB]", hints, 0xf8800000},
	{"prfum", "T, [xB, #O]", hints, 0xf8800000},
}
