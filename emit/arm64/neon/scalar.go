package neon

// scalarRows are scalars of f32, f64 and f16 (FEAT_FP16 for arithmetic). DDI 0487 section C4.1,
// Data processing: scalar floating-point.
var scalarRows = []row{
	// Arithmetic.
	{"fadd", "TD, TN, TM", scalars, 0x1e202800},
	{"fsub", "TD, TN, TM", scalars, 0x1e203800},
	{"fmul", "TD, TN, TM", scalars, 0x1e200800},
	{"fdiv", "TD, TN, TM", scalars, 0x1e201800},
	{"fmax", "TD, TN, TM", scalars, 0x1e204800},
	{"fmin", "TD, TN, TM", scalars, 0x1e205800},
	{"fmaxnm", "TD, TN, TM", scalars, 0x1e206800},
	{"fminnm", "TD, TN, TM", scalars, 0x1e207800},
	{"fnmul", "TD, TN, TM", scalars, 0x1e208800},
	{"fmadd", "TD, TN, TM, TA", scalars, 0x1f000000},
	{"fmsub", "TD, TN, TM, TA", scalars, 0x1f008000},
	{"fnmadd", "TD, TN, TM, TA", scalars, 0x1f200000},
	{"fnmsub", "TD, TN, TM, TA", scalars, 0x1f208000},
	{"fmov", "TD, TN", scalars, 0x1e204000},
	{"fabs", "TD, TN", scalars, 0x1e20c000},
	{"fneg", "TD, TN", scalars, 0x1e214000},
	{"fsqrt", "TD, TN", scalars, 0x1e21c000},
	{"frintn", "TD, TN", scalars, 0x1e244000},
	{"frintm", "TD, TN", scalars, 0x1e254000},
	{"frintp", "TD, TN", scalars, 0x1e24c000},
	{"frintz", "TD, TN", scalars, 0x1e25c000},
	{"frinta", "TD, TN", scalars, 0x1e264000},
	{"frinti", "TD, TN", scalars, 0x1e27c000},
	{"frintx", "TD, TN", scalars, 0x1e274000},

	// Comparison, into flags. FCMPE signals for every NaN.
	{"fcmp", "TN, TM", scalars, 0x1e202000},
	{"fcmp", "TN, #0.0", scalars, 0x1e202008},
	{"fcmpe", "TN, TM", scalars, 0x1e202010},
	{"fcmpe", "TN, #0.0", scalars, 0x1e202018},

	// Choice by flags.
	{"fcsel", "TD, TN, TM, U", choices, 0x1e200c00},

	// Sizes of floats.
	{"fcvt", "TD, UN", shapes{{"d/s", 1 << 15}, {"h/s", 3 << 15}, {"s/d", 1 << 22}, {"h/d", 1<<22 | 3<<15}, {"s/h", 3 << 22}, {"d/h", 3<<22 | 1<<15}}, 0x1e224000},
	{"bfcvt", "hD, sN", nil, 0x1e634000},

	// General registers.
	{"fcvtzs", "UD, TN", scalarGeneral, 0x1e380000},
	{"fcvtzu", "UD, TN", scalarGeneral, 0x1e390000},
	{"fcvtns", "UD, TN", scalarGeneral, 0x1e200000},
	{"fcvtnu", "UD, TN", scalarGeneral, 0x1e210000},
	{"fcvtas", "UD, TN", scalarGeneral, 0x1e240000},
	{"fcvtms", "UD, TN", scalarGeneral, 0x1e300000},
	{"fcvtps", "UD, TN", scalarGeneral, 0x1e280000},
	{"scvtf", "TD, UN", scalarGeneral, 0x1e220000},
	{"ucvtf", "TD, UN", scalarGeneral, 0x1e230000},
	{"fmov", "UD, TN", sameSize, 0x1e260000},
	{"fmov", "TD, UN", sameSize, 0x1e270000},
	{"fmov", "xD, vN.d[1]", nil, 0x9eae0000},
	{"fmov", "vD.d[1], xN", nil, 0x9eaf0000},
}
