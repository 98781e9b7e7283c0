package neon

// moveRows move lanes between vectors, scalars and general registers. imm5 has the size of a
// lane as its lowest 1 and the index above. DDI 0487 section C4.1, Advanced SIMD copy.
var moveRows = []row{
	// To all lanes.
	{"dup", "vD.T, vN.U[X]", lanesOf, 0x0e000400},
	{"dup", "vD.T, UN", fromGeneral, 0x0e000c00},

	// To one lane.
	{"ins", "vD.T[X], vN.T[Y]", lanes, 0x6e000400},
	{"ins", "vD.T[X], UN", lanesGeneral, 0x4e001c00},
	{"mov", "vD.T[X], vN.T[Y]", lanes, 0x6e000400},
	{"mov", "vD.T[X], UN", lanesGeneral, 0x4e001c00},

	// To a scalar.
	{"dup", "TD, vN.T[X]", lanes, 0x5e000400},
	{"mov", "TD, vN.T[X]", lanes, 0x5e000400},

	// To a general register.
	{"umov", "wD, vN.T[X]", lanes[:3], 0x0e003c00},
	{"umov", "xD, vN.T[X]", shapes{{"d", q | 8<<16}}, 0x0e003c00},
	{"mov", "wD, vN.T[X]", lanes[2:3], 0x0e003c00},
	{"mov", "xD, vN.T[X]", shapes{{"d", q | 8<<16}}, 0x0e003c00},
	{"smov", "wD, vN.T[X]", lanes[:2], 0x0e002c00},
	{"smov", "xD, vN.T[X]", shapes{{"b", q | 1<<16}, {"h", q | 2<<16}, {"s", q | 4<<16}}, 0x0e002c00},
}
