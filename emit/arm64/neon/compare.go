package neon

// compareRows compare lane by lane. A lane of the result is all ones or all zeros.
var compareRows = []row{
	// Floats.
	{"fcmeq", three, floats, 0x0e20e400},
	{"fcmge", three, floats, 0x2e20e400},
	{"fcmgt", three, floats, 0x2ea0e400},
	{"facge", three, floats, 0x2e20ec00},
	{"facgt", three, floats, 0x2ea0ec00},
	{"fcmeq", three, halves, 0x0e402400},
	{"fcmge", three, halves, 0x2e402400},
	{"fcmgt", three, halves, 0x2ec02400},
	{"facge", three, halves, 0x2e402c00},
	{"facgt", three, halves, 0x2ec02c00},

	// Floats with zero.
	{"fcmeq", "vD.T, vN.T, #0.0", floats, 0x0ea0d800},
	{"fcmge", "vD.T, vN.T, #0.0", floats, 0x2ea0c800},
	{"fcmgt", "vD.T, vN.T, #0.0", floats, 0x0ea0c800},
	{"fcmle", "vD.T, vN.T, #0.0", floats, 0x2ea0d800},
	{"fcmlt", "vD.T, vN.T, #0.0", floats, 0x0ea0e800},
	{"fcmeq", "vD.T, vN.T, #0.0", halves, 0x0ef8d800},
	{"fcmge", "vD.T, vN.T, #0.0", halves, 0x2ef8c800},
	{"fcmgt", "vD.T, vN.T, #0.0", halves, 0x0ef8c800},
	{"fcmle", "vD.T, vN.T, #0.0", halves, 0x2ef8d800},
	{"fcmlt", "vD.T, vN.T, #0.0", halves, 0x0ef8e800},

	// Integers. CMHI and CMHS are unsigned, CMTST tests a & b != 0.
	{"cmeq", three, integers, 0x2e208c00},
	{"cmge", three, integers, 0x0e203c00},
	{"cmgt", three, integers, 0x0e203400},
	{"cmhi", three, integers, 0x2e203400},
	{"cmhs", three, integers, 0x2e203c00},
	{"cmtst", three, integers, 0x0e208c00},

	// Integers with zero.
	{"cmeq", "vD.T, vN.T, #0", integers, 0x0e209800},
	{"cmge", "vD.T, vN.T, #0", integers, 0x2e208800},
	{"cmgt", "vD.T, vN.T, #0", integers, 0x0e208800},
	{"cmle", "vD.T, vN.T, #0", integers, 0x2e209800},
	{"cmlt", "vD.T, vN.T, #0", integers, 0x0e20a800},
}
