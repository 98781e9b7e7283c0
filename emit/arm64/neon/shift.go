package neon

// shiftRows are shifts by an immediate, which is immh:immb: the size of lanes plus a shift to the
// left, or twice the size less one to the right. DDI 0487 section C4.1, Advanced SIMD shift by
// immediate.
var shiftRows = []row{
	// To the left. SLI and SRI keep the bits of the result that they shift nothing into.
	{"shl", "vD.T, vN.T, #SL", shifts, 0x0f005400},
	{"sli", "vD.T, vN.T, #SL", shifts, 0x2f005400},

	// To the right.
	{"sshr", "vD.T, vN.T, #SR", shifts, 0x0f000400},
	{"ushr", "vD.T, vN.T, #SR", shifts, 0x2f000400},
	{"ssra", "vD.T, vN.T, #SR", shifts, 0x0f001400},
	{"usra", "vD.T, vN.T, #SR", shifts, 0x2f001400},
	{"srshr", "vD.T, vN.T, #SR", shifts, 0x0f002400},
	{"urshr", "vD.T, vN.T, #SR", shifts, 0x2f002400},
	{"sri", "vD.T, vN.T, #SR", shifts, 0x2f004400},

	// Into twice the size. SXTL and UXTL shift by 0.
	{"sshll", "vD.T, vN.U, #SL", longShifts, 0x0f00a400},
	{"sshll2", "vD.T, vN.U, #SL", longShifts2, 0x0f00a400},
	{"ushll", "vD.T, vN.U, #SL", longShifts, 0x2f00a400},
	{"ushll2", "vD.T, vN.U, #SL", longShifts2, 0x2f00a400},
	{"sxtl", mixed, longShifts, 0x0f00a400},
	{"sxtl2", mixed, longShifts2, 0x0f00a400},
	{"uxtl", mixed, longShifts, 0x2f00a400},
	{"uxtl2", mixed, longShifts2, 0x2f00a400},

	// Into half of it.
	{"shrn", "vD.T, vN.U, #SR", narrowShifts, 0x0f008400},
	{"shrn2", "vD.T, vN.U, #SR", narrowShifts2, 0x0f008400},
	{"rshrn", "vD.T, vN.U, #SR", narrowShifts, 0x0f008c00},
	{"rshrn2", "vD.T, vN.U, #SR", narrowShifts2, 0x0f008c00},
	{"sqshrn", "vD.T, vN.U, #SR", narrowShifts, 0x0f009400},
	{"sqshrn2", "vD.T, vN.U, #SR", narrowShifts2, 0x0f009400},
	{"sqrshrn", "vD.T, vN.U, #SR", narrowShifts, 0x0f009c00},
	{"sqrshrn2", "vD.T, vN.U, #SR", narrowShifts2, 0x0f009c00},
	{"sqshrun", "vD.T, vN.U, #SR", narrowShifts, 0x2f008400},
	{"sqshrun2", "vD.T, vN.U, #SR", narrowShifts2, 0x2f008400},
	{"sqrshrun", "vD.T, vN.U, #SR", narrowShifts, 0x2f008c00},
	{"sqrshrun2", "vD.T, vN.U, #SR", narrowShifts2, 0x2f008c00},
	{"uqshrn", "vD.T, vN.U, #SR", narrowShifts, 0x2f009400},
	{"uqshrn2", "vD.T, vN.U, #SR", narrowShifts2, 0x2f009400},
	{"uqrshrn", "vD.T, vN.U, #SR", narrowShifts, 0x2f009c00},
	{"uqrshrn2", "vD.T, vN.U, #SR", narrowShifts2, 0x2f009c00},
}
