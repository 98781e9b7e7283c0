package neon

// integerRows are lane by lane integers, and bits. Names with s and u are with sign and without,
// with sq and uq they saturate.
var integerRows = []row{
	// Three vectors with lanes up to 64 bits.
	{"add", three, integers, 0x0e208400},
	{"sub", three, integers, 0x2e208400},
	{"addp", three, integers, 0x0e20bc00},
	{"sqadd", three, integers, 0x0e200c00},
	{"uqadd", three, integers, 0x2e200c00},
	{"sqsub", three, integers, 0x0e202c00},
	{"uqsub", three, integers, 0x2e202c00},
	{"sshl", three, integers, 0x0e204400},
	{"ushl", three, integers, 0x2e204400},

	// Up to 32 bits.
	{"mul", three, integers3, 0x0e209c00},
	{"mla", three, integers3, 0x0e209400},
	{"mls", three, integers3, 0x2e209400},
	{"smax", three, integers3, 0x0e206400},
	{"smin", three, integers3, 0x0e206c00},
	{"umax", three, integers3, 0x2e206400},
	{"umin", three, integers3, 0x2e206c00},
	{"smaxp", three, integers3, 0x0e20a400},
	{"sminp", three, integers3, 0x0e20ac00},
	{"umaxp", three, integers3, 0x2e20a400},
	{"uminp", three, integers3, 0x2e20ac00},
	{"sabd", three, integers3, 0x0e207400},
	{"uabd", three, integers3, 0x2e207400},
	{"saba", three, integers3, 0x0e207c00},
	{"uaba", three, integers3, 0x2e207c00},
	{"shadd", three, integers3, 0x0e200400},
	{"uhadd", three, integers3, 0x2e200400},
	{"srhadd", three, integers3, 0x0e201400},
	{"urhadd", three, integers3, 0x2e201400},

	// Two vectors.
	{"neg", two, integers, 0x2e20b800},
	{"abs", two, integers, 0x0e20b800},
	{"clz", two, integers3, 0x2e204800},
	{"cls", two, integers3, 0x0e204800},

	// Bits. BSL selects by the bits of the first vector, BIT and BIF by those of the third.
	{"and", three, bytes, 0x0e201c00},
	{"bic", three, bytes, 0x0e601c00},
	{"orr", three, bytes, 0x0ea01c00},
	{"orn", three, bytes, 0x0ee01c00},
	{"eor", three, bytes, 0x2e201c00},
	{"bsl", three, bytes, 0x2e601c00},
	{"bit", three, bytes, 0x2ea01c00},
	{"bif", three, bytes, 0x2ee01c00},
	{"not", two, bytes, 0x2e205800},
	{"mvn", two, bytes, 0x2e205800},
	{"cnt", two, bytes, 0x0e205800},
	{"rbit", two, bytes, 0x2e605800},
	{"mov", "vD.T, vNM.T", bytes, 0x0ea01c00},

	// Bytes, halves and words in reverse, inside of 16, 32 and 64 bits.
	{"rev16", two, bytes, 0x0e201800},
	{"rev32", two, integers3[:4], 0x2e200800},
	{"rev64", two, integers3, 0x0e200800},

	// Across lanes.
	{"addv", "TD, vN.U", across, 0x0e31b800},
	{"smaxv", "TD, vN.U", across, 0x0e30a800},
	{"sminv", "TD, vN.U", across, 0x0e31a800},
	{"umaxv", "TD, vN.U", across, 0x2e30a800},
	{"uminv", "TD, vN.U", across, 0x2e31a800},
	{"saddlv", "TD, vN.U", acrossLong, 0x0e303800},
	{"uaddlv", "TD, vN.U", acrossLong, 0x2e303800},
	{"addp", "dD, vN.2d", nil, 0x5ef1b800},
}
