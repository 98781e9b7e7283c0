package neon

// immediateRows fill vectors with an immediate of 8 bits, or do logic with one: abc:defgh, and
// cmode says how it is spread. DDI 0487 section C4.1, Advanced SIMD modified immediate.
var immediateRows = []row{
	// Bytes, and masks of bytes.
	{"movi", "vD.T, #I", bytes, 0x0f00e400},
	{"movi", "vD.2d, #MASK", nil, 0x6f00e400},
	{"movi", "dD, #MASK", nil, 0x2f00e400},

	// Halves and words, shifted by bytes. MSL shifts in ones.
	{"movi", "vD.T, #I", halves, 0x0f008400},
	{"movi", "vD.T, #I, lsl #SB", halves, 0x0f008400},
	{"movi", "vD.T, #I", words, 0x0f000400},
	{"movi", "vD.T, #I, lsl #SD", words, 0x0f000400},
	{"mvni", "vD.T, #I", halves, 0x2f008400},
	{"mvni", "vD.T, #I, lsl #SB", halves, 0x2f008400},
	{"mvni", "vD.T, #I", words, 0x2f000400},
	{"mvni", "vD.T, #I, lsl #SD", words, 0x2f000400},
	{"orr", "vD.T, #I", halves, 0x0f009400},
	{"orr", "vD.T, #I, lsl #SB", halves, 0x0f009400},
	{"orr", "vD.T, #I", words, 0x0f001400},
	{"orr", "vD.T, #I, lsl #SD", words, 0x0f001400},
	{"bic", "vD.T, #I", halves, 0x2f009400},
	{"bic", "vD.T, #I, lsl #SB", halves, 0x2f009400},
	{"bic", "vD.T, #I", words, 0x2f001400},
	{"bic", "vD.T, #I, lsl #SD", words, 0x2f001400},
	{"movi", "vD.T, #I, msl #MSL", words, 0x0f00c400},
	{"mvni", "vD.T, #I, msl #MSL", words, 0x2f00c400},

	// Floats.
	{"fmov", "vD.T, #F", shapes{{"2s", 0}, {"4s", q}, {"2d", q | 1<<29}}, 0x0f00f400},
	{"fmov", "vD.T, #F", halves, 0x0f00fc00},
	{"fmov", "TD, #FS", scalars, 0x1e201000},
}
