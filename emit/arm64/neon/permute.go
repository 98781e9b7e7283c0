package neon

// permuteRows move lanes inside of vectors.
var permuteRows = []row{
	// Two vectors into one.
	{"zip1", three, integers, 0x0e003800},
	{"zip2", three, integers, 0x0e007800},
	{"uzp1", three, integers, 0x0e001800},
	{"uzp2", three, integers, 0x0e005800},
	{"trn1", three, integers, 0x0e002800},
	{"trn2", three, integers, 0x0e006800},

	// EXT takes bytes of two vectors from the given one.
	{"ext", "vD.8b, vN.8b, vM.8b, #E", nil, 0x2e000000},
	{"ext", "vD.16b, vN.16b, vM.16b, #EQ", nil, 0x6e000000},

	// Tables of 1 to 4 vectors. TBX keeps lanes whose index is too large, TBL clears them.
	{"tbl", "vD.T, {vN.16b}, vM.T", bytes, 0x0e000000},
	{"tbl", "vD.T, {vN.16b, vP.16b}, vM.T", bytes, 0x0e002000},
	{"tbl", "vD.T, {vN.16b, vP.16b, vQ.16b}, vM.T", bytes, 0x0e004000},
	{"tbl", "vD.T, {vN.16b, vP.16b, vQ.16b, vR.16b}, vM.T", bytes, 0x0e006000},
	{"tbx", "vD.T, {vN.16b}, vM.T", bytes, 0x0e001000},
	{"tbx", "vD.T, {vN.16b, vP.16b}, vM.T", bytes, 0x0e003000},
	{"tbx", "vD.T, {vN.16b, vP.16b, vQ.16b}, vM.T", bytes, 0x0e005000},
	{"tbx", "vD.T, {vN.16b, vP.16b, vQ.16b, vR.16b}, vM.T", bytes, 0x0e007000},
}
