package neon

// dotRows are dot products of 4 bytes or 2 halves into a lane of 32 bits, and products of 2x8
// or 2x4 matrices. Extensions: FEAT_DotProd, FEAT_I8MM, FEAT_BF16, FEAT_FHM.
var dotRows = []row{
	// Dot products of vectors.
	{"sdot", "vD.T, vN.U, vM.U", bytes4, 0x0e809400},
	{"udot", "vD.T, vN.U, vM.U", bytes4, 0x2e809400},
	{"usdot", "vD.T, vN.U, vM.U", bytes4, 0x0e809c00},
	{"bfdot", "vD.T, vN.U, vM.U", shapes{{"2s/4h", 0}, {"4s/8h", q}}, 0x2e40fc00},

	// By an element of 32 bits.
	{"sdot", "vD.T, vN.U, vM.4b[HL]", bytes4, 0x0f80e000},
	{"udot", "vD.T, vN.U, vM.4b[HL]", bytes4, 0x2f80e000},
	{"usdot", "vD.T, vN.U, vM.4b[HL]", bytes4, 0x0f80f000},
	{"sudot", "vD.T, vN.U, vM.4b[HL]", bytes4, 0x0f00f000},
	{"bfdot", "vD.T, vN.U, vM.2h[HL]", shapes{{"2s/4h", 0}, {"4s/8h", q}}, 0x0f40f000},

	// Matrices: 2x2 += 2x8 * 8x2 of bytes, 2x4 * 4x2 of bf16.
	{"smmla", "vD.4s, vN.16b, vM.16b", nil, 0x4e80a400},
	{"ummla", "vD.4s, vN.16b, vM.16b", nil, 0x6e80a400},
	{"usmmla", "vD.4s, vN.16b, vM.16b", nil, 0x4e80ac00},
	{"bfmmla", "vD.4s, vN.8h, vM.8h", nil, 0x6e40ec00},

	// Even and odd lanes of bf16 into f32.
	{"bfmlalb", "vD.4s, vN.8h, vM.8h", nil, 0x2ec0fc00},
	{"bfmlalt", "vD.4s, vN.8h, vM.8h", nil, 0x6ec0fc00},
	{"bfmlalb", "vD.4s, vN.8h, vL.h[HLM]", nil, 0x0fc0f000},
	{"bfmlalt", "vD.4s, vN.8h, vL.h[HLM]", nil, 0x4fc0f000},

	// Low and high halves of f16 into f32.
	{"fmlal", "vD.T, vN.U, vM.U", halfHalves, 0x0e20ec00},
	{"fmlal2", "vD.T, vN.U, vM.U", halfHalves, 0x2e20cc00},
	{"fmlsl", "vD.T, vN.U, vM.U", halfHalves, 0x0ea0ec00},
	{"fmlsl2", "vD.T, vN.U, vM.U", halfHalves, 0x2ea0cc00},
	{"fmlal", "vD.T, vN.U, vL.h[HLM]", halfHalves, 0x0f800000},
	{"fmlal2", "vD.T, vN.U, vL.h[HLM]", halfHalves, 0x2f808000},
	{"fmlsl", "vD.T, vN.U, vL.h[HLM]", halfHalves, 0x0f804000},
	{"fmlsl2", "vD.T, vN.U, vL.h[HLM]", halfHalves, 0x2f80c000},
}
