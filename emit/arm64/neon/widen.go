package neon

// widenRows have a result of twice or half the size of lanes. The names that end in 2 take or
// make the high half of a vector.
var widenRows = []row{
	// Both sources are narrow.
	{"saddl", "vD.T, vN.U, vM.U", longs, 0x0e200000},
	{"saddl2", "vD.T, vN.U, vM.U", longs2, 0x0e200000},
	{"uaddl", "vD.T, vN.U, vM.U", longs, 0x2e200000},
	{"uaddl2", "vD.T, vN.U, vM.U", longs2, 0x2e200000},
	{"ssubl", "vD.T, vN.U, vM.U", longs, 0x0e202000},
	{"ssubl2", "vD.T, vN.U, vM.U", longs2, 0x0e202000},
	{"usubl", "vD.T, vN.U, vM.U", longs, 0x2e202000},
	{"usubl2", "vD.T, vN.U, vM.U", longs2, 0x2e202000},
	{"smull", "vD.T, vN.U, vM.U", longs, 0x0e20c000},
	{"smull2", "vD.T, vN.U, vM.U", longs2, 0x0e20c000},
	{"umull", "vD.T, vN.U, vM.U", longs, 0x2e20c000},
	{"umull2", "vD.T, vN.U, vM.U", longs2, 0x2e20c000},
	{"smlal", "vD.T, vN.U, vM.U", longs, 0x0e208000},
	{"smlal2", "vD.T, vN.U, vM.U", longs2, 0x0e208000},
	{"umlal", "vD.T, vN.U, vM.U", longs, 0x2e208000},
	{"umlal2", "vD.T, vN.U, vM.U", longs2, 0x2e208000},
	{"smlsl", "vD.T, vN.U, vM.U", longs, 0x0e20a000},
	{"smlsl2", "vD.T, vN.U, vM.U", longs2, 0x0e20a000},
	{"umlsl", "vD.T, vN.U, vM.U", longs, 0x2e20a000},
	{"umlsl2", "vD.T, vN.U, vM.U", longs2, 0x2e20a000},
	{"sabdl", "vD.T, vN.U, vM.U", longs, 0x0e207000},
	{"sabdl2", "vD.T, vN.U, vM.U", longs2, 0x0e207000},
	{"uabdl", "vD.T, vN.U, vM.U", longs, 0x2e207000},
	{"uabdl2", "vD.T, vN.U, vM.U", longs2, 0x2e207000},

	// The second source is narrow.
	{"saddw", "vD.T, vN.T, vM.U", longs, 0x0e201000},
	{"saddw2", "vD.T, vN.T, vM.U", longs2, 0x0e201000},
	{"uaddw", "vD.T, vN.T, vM.U", longs, 0x2e201000},
	{"uaddw2", "vD.T, vN.T, vM.U", longs2, 0x2e201000},

	// Sums of neighbours.
	{"saddlp", mixed, neighbours, 0x0e202800},
	{"uaddlp", mixed, neighbours, 0x2e202800},
	{"sadalp", mixed, neighbours, 0x0e206800},
	{"uadalp", mixed, neighbours, 0x2e206800},

	// Narrowing.
	{"xtn", mixed, narrows, 0x0e212800},
	{"xtn2", mixed, narrows2, 0x0e212800},
	{"sqxtn", mixed, narrows, 0x0e214800},
	{"sqxtn2", mixed, narrows2, 0x0e214800},
	{"sqxtun", mixed, narrows, 0x2e212800},
	{"sqxtun2", mixed, narrows2, 0x2e212800},
	{"uqxtn", mixed, narrows, 0x2e214800},
	{"uqxtn2", mixed, narrows2, 0x2e214800},
}
