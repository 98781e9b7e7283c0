package neon

// elementRows multiply a vector by one lane of another. Lanes of 16 bits are of v0 to v15. DDI
// 0487 section C4.1, Advanced SIMD vector x indexed element.
var elementRows = []row{
	// Floats and integers of one size.
	{"fmla", "vD.T, vN.T, vU", byFloat, 0x0f001000},
	{"fmls", "vD.T, vN.T, vU", byFloat, 0x0f005000},
	{"fmul", "vD.T, vN.T, vU", byFloat, 0x0f009000},
	{"fmulx", "vD.T, vN.T, vU", byFloat, 0x2f009000},
	{"mla", "vD.T, vN.T, vU", byInteger, 0x2f000000},
	{"mls", "vD.T, vN.T, vU", byInteger, 0x2f004000},
	{"mul", "vD.T, vN.T, vU", byInteger, 0x0f008000},
	{"sqdmulh", "vD.T, vN.T, vU", byInteger, 0x0f00c000},
	{"sqrdmulh", "vD.T, vN.T, vU", byInteger, 0x0f00d000},

	// Integers into twice the size.
	{"smull", "vD.T, vN.U, vW", byLong, 0x0f00a000},
	{"smull2", "vD.T, vN.U, vW", byLong2, 0x0f00a000},
	{"smlal", "vD.T, vN.U, vW", byLong, 0x0f002000},
	{"smlal2", "vD.T, vN.U, vW", byLong2, 0x0f002000},
	{"smlsl", "vD.T, vN.U, vW", byLong, 0x0f006000},
	{"smlsl2", "vD.T, vN.U, vW", byLong2, 0x0f006000},
	{"umull", "vD.T, vN.U, vW", byLong, 0x2f00a000},
	{"umull2", "vD.T, vN.U, vW", byLong2, 0x2f00a000},
	{"umlal", "vD.T, vN.U, vW", byLong, 0x2f002000},
	{"umlal2", "vD.T, vN.U, vW", byLong2, 0x2f002000},
	{"umlsl", "vD.T, vN.U, vW", byLong, 0x2f006000},
	{"umlsl2", "vD.T, vN.U, vW", byLong2, 0x2f006000},
}
