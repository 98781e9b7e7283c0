package neon

// convertRows convert vectors between floats and integers of their size, and between sizes of
// floats. The rows that end in 2 read or write the high half. FCVTXN rounds to odd.
var convertRows = []row{
	// Floats and integers.
	{"fcvtzs", two, floats, 0x0ea1b800},
	{"fcvtzu", two, floats, 0x2ea1b800},
	{"fcvtns", two, floats, 0x0e21a800},
	{"fcvtnu", two, floats, 0x2e21a800},
	{"fcvtas", two, floats, 0x0e21c800},
	{"fcvtms", two, floats, 0x0e21b800},
	{"fcvtps", two, floats, 0x0ea1a800},
	{"scvtf", two, floats, 0x0e21d800},
	{"ucvtf", two, floats, 0x2e21d800},
	{"fcvtzs", two, halves, 0x0ef9b800},
	{"fcvtzu", two, halves, 0x2ef9b800},
	{"fcvtns", two, halves, 0x0e79a800},
	{"fcvtnu", two, halves, 0x2e79a800},
	{"fcvtas", two, halves, 0x0e79c800},
	{"fcvtms", two, halves, 0x0e79b800},
	{"fcvtps", two, halves, 0x0ef9a800},
	{"scvtf", two, halves, 0x0e79d800},
	{"ucvtf", two, halves, 0x2e79d800},

	// Sizes of floats.
	{"fcvtl", mixed, shapes{{"4s/4h", 0}, {"2d/2s", 1 << 22}}, 0x0e217800},
	{"fcvtl2", mixed, shapes{{"4s/8h", q}, {"2d/4s", q | 1<<22}}, 0x0e217800},
	{"fcvtn", mixed, shapes{{"4h/4s", 0}, {"2s/2d", 1 << 22}}, 0x0e216800},
	{"fcvtn2", mixed, shapes{{"8h/4s", q}, {"4s/2d", q | 1<<22}}, 0x0e216800},
	{"fcvtxn", "vD.2s, vN.2d", nil, 0x2e616800},
	{"fcvtxn2", "vD.4s, vN.2d", nil, 0x6e616800},
	{"bfcvtn", "vD.4h, vN.4s", nil, 0x0ea16800},
	{"bfcvtn2", "vD.8h, vN.4s", nil, 0x4ea16800},
}
