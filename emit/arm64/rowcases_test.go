package arm64

// rowCases are the subjects of TestRows.
var rowCases = []struct{ name, body, want string }{
	{"fma onto its accumulator", `
		%a = load %p : f32x4
		%b = load %p {off=16} : f32x4
		%c = fma %a, %b, %b : f32x4
		store %c, %p`, `
		FMOVQ (R1), F0
		FMOVQ 16(R1), F1
		fmla v0.4s, v1.4s, v1.4s
		FMOVQ F0, (R1)`},
	{"fma onto a copy", `
		%a = load %p : f64x2
		%b = load %p {off=16} : f64x2
		%c = fma %a, %b, %b : f64x2
		store %a, %p
		store %c, %p`, `
		FMOVQ (R1), F0
		FMOVQ 16(R1), F1
		mov v2.16b, v0.16b
		fmla v2.2d, v1.2d, v1.2d
		FMOVQ F0, (R1)
		FMOVQ F2, (R1)`},
	{"fma by elements that one load brings", `
		%a = load %p : f32x4
		%b = load %p {off=16} : f32x4
		%x = loadb %p {off=104} : f32x4
		%y = loadb %p {off=100} : f32x4
		%z = loadb %p {off=108} : f32x4
		%w = loadb %p {off=96} : f32x4
		%c = fma %a, %b, %x : f32x4
		%d = fma %c, %y, %a : f32x4
		%e = fma %d, %b, %z : f32x4
		%f = fma %e, %b, %w : f32x4
		store %f, %p`, `
		FMOVQ (R1), F0
		FMOVQ 16(R1), F1
		FMOVQ 96(R1), F2
		mov v3.16b, v0.16b
		fmla v3.4s, v1.4s, v2.s[2]
		fmla v3.4s, v0.4s, v2.s[1]
		fmla v3.4s, v1.4s, v2.s[3]
		fmla v3.4s, v1.4s, v2.s[0]
		FMOVQ F3, (R1)`},
	{"fma by elements of three numbers", `
		%a = load %p : f32x4
		%b = load %p {off=16} : f32x4
		%x = loadb %p {off=96} : f32x4
		%y = loadb %p {off=100} : f32x4
		%z = loadb %p {off=104} : f32x4
		%c = fma %a, %b, %x : f32x4
		%d = fma %c, %b, %y : f32x4
		%e = fma %d, %b, %z : f32x4
		store %e, %p`, `
		FMOVQ (R1), F0
		FMOVQ 16(R1), F1
		FMOVD 96(R1), F2
		FMOVS 104(R1), F3
		fmla v0.4s, v1.4s, v2.s[0]
		fmla v0.4s, v1.4s, v2.s[1]
		fmla v0.4s, v1.4s, v3.s[0]
		FMOVQ F0, (R1)`},
	{"fma by elements that an index finds", `
		%a = load %p : f32x4
		%x = loadb %p, %n {scale=4, off=4} : f32x4
		%y = loadb %p, %n {scale=4} : f32x4
		%c = fma %a, %a, %x : f32x4
		%d = fma %c, %a, %y : f32x4
		store %d, %p`, `
		FMOVQ (R1), F0
		ADD R2<<2, R1, R2
		FMOVD (R2), F1
		mov v2.16b, v0.16b
		fmla v2.4s, v0.4s, v1.s[1]
		fmla v2.4s, v0.4s, v1.s[0]
		FMOVQ F2, (R1)`},
	{"fma of numbers that another operation takes too", `
		%a = load %p : f64x2
		%x = loadb %p {off=96} : f64x2
		%y = loadb %p {off=104} : f64x2
		%c = fma %a, %a, %x : f64x2
		%d = fma %c, %a, %y : f64x2
		%e = add %d, %y : f64x2
		store %e, %p`, `
		FMOVQ (R1), F0
		FMOVD 96(R1), F1
		ADD $104, R1, R17
		ld1r {v2.2d}, [x17]
		mov v3.16b, v0.16b
		fmla v3.2d, v0.2d, v1.d[0]
		fmla v3.2d, v0.2d, v2.2d
		fadd v3.2d, v3.2d, v2.2d
		FMOVQ F3, (R1)`},
	{"arithmetic of scalars", `
		%a = load %p : f32
		%b = load %p {off=4} : f64
		%c = cvt %a {name="rne"} : f64
		%d = fma %c, %b, %c : f64
		%e = div %d, %b : f64
		%f = sqrt %e : f64
		%g = max %f, %b : f64
		%h = round %g {name="floor"} : f64
		store %h, %p {off=8}`, `
		FMOVS (R1), F0
		FMOVD 4(R1), F1
		fcvt d0, s0
		fmadd d0, d1, d0, d0
		fdiv d0, d0, d1
		fsqrt d0, d0
		fcmp d0, d1
		fcsel d0, d0, d1, gt
		frintm d0, d0
		FMOVD F0, 8(R1)`},
	{"max and min of vectors", `
		%a = load %p : f32x4
		%b = load %p {off=16} : f32x4
		%c = max %a, %b : f32x4
		%d = min %c, %b : f32x4
		store %d, %p`, `
		FMOVQ (R1), F0
		FMOVQ 16(R1), F1
		fcmgt v2.4s, v0.4s, v1.4s
		bsl v2.16b, v0.16b, v1.16b
		fcmgt v0.4s, v1.4s, v2.4s
		bsl v0.16b, v2.16b, v1.16b
		FMOVQ F0, (R1)`},
	{"integers in general registers", `
		%a = load %p : i32
		%7 = const {imm=7} : i32
		%b = add %a, %7 : i32
		%c = mul %b, %a : i32
		%d = sub %c, %b : i32
		%e = shl %d, %7 : i32
		%f = sar %e, %a : i32
		%g = xor %f, %a : i32
		%h = or %g, %d : i32
		%i = and %h, %7 : i32
		store %i, %p`, `
		MOVWU (R1), R2
		ADD $7, R2, R3
		MUL R2, R3, R4
		SUB R3, R4, R4
		LSLW $7, R4, R3
		ASRW R2, R3, R3
		EOR R2, R3, R2
		ORR R4, R2, R2
		AND $7, R2, R2
		MOVW R2, (R1)`},
	{"division and its rest", `
		%a = udiv %n, %k : i64
		%b = urem %a, %k : i64
		store %b, %p`, `
		MOVD R2, R16
		MOVD R3, R17
		UDIV R17, R16, R16
		MOVD R16, R2
		MOVD R2, R16
		MOVD R3, R17
		UDIV R17, R16, R26
		MSUB R17, R16, R26, R16
		MOVD R16, R2
		MOVD R2, (R1)`},
	{"halves of products", `
		%a = umulh %n, %k : i64
		%b = load %p : i16x8
		%c = umulh %b, %b : i16x8
		%d = load %p : i64x2
		%e = umulh %d, %d : i64x2
		store %a, %p
		store %c, %p {off=16}
		store %e, %p {off=32}`, `
		UMULH R3, R2, R2
		FMOVQ (R1), F0
		umull v1.4s, v0.4h, v0.4h
		umull2 v0.4s, v0.8h, v0.8h
		uzp2 v0.8h, v1.8h, v0.8h
		FMOVQ (R1), F1
		umov x16, v1.d[0]
		umov x17, v1.d[0]
		UMULH R17, R16, R16
		ins v1.d[0], x16
		umov x16, v1.d[1]
		umov x17, v1.d[1]
		UMULH R17, R16, R16
		ins v1.d[1], x16
		MOVD R2, (R1)
		FMOVQ F0, 16(R1)
		FMOVQ F1, 32(R1)`},
	{"bits that are counted", `
		%a = popcnt %n : i64
		%b = clz %k : i64
		%c = load %p : i32x4
		%d = popcnt %c : i32x4
		%e = clz %d : i32x4
		store %a, %p
		store %b, %p {off=8}
		store %e, %p {off=16}`, `
		fmov d0, x2
		cnt v0.8b, v0.8b
		addv b0, v0.8b
		umov w2, v0.b[0]
		CLZ R3, R3
		FMOVQ (R1), F0
		cnt v0.16b, v0.16b
		uaddlp v0.8h, v0.16b
		uaddlp v0.4s, v0.8h
		clz v0.4s, v0.4s
		MOVD R2, (R1)
		MOVD R3, 8(R1)
		FMOVQ F0, 16(R1)`},
	{"integers of vectors", `
		%a = load %p : i16x8
		%b = load %p {off=16} : i16x8
		%c = add %a, %b : i16x8
		%d = mul %c, %b : i16x8
		%e = imin %d, %b : i16x8
		%f = imax %e, %a : i16x8
		%3 = const {imm=3} : i16x8
		%g = shl %f, %3 : i16x8
		%h = shr %g, %b : i16x8
		%i = sar %h, %3 : i16x8
		store %i, %p`, `
		FMOVQ (R1), F0
		FMOVQ 16(R1), F1
		add v2.8h, v0.8h, v1.8h
		mul v2.8h, v2.8h, v1.8h
		smin v2.8h, v2.8h, v1.8h
		smax v0.8h, v2.8h, v0.8h
		shl v0.8h, v0.8h, #3
		neg v1.8h, v1.8h
		ushl v1.8h, v0.8h, v1.8h
		sshr v1.8h, v1.8h, #3
		FMOVQ F1, (R1)`},
	{"products of 64 bits", `
		%a = load %p : i64x2
		%b = mul %a, %a : i64x2
		store %b, %p`, `
		FMOVQ (R1), F0
		umov x16, v0.d[0]
		umov x17, v0.d[0]
		MUL R17, R16, R16
		ins v0.d[0], x16
		umov x16, v0.d[1]
		umov x17, v0.d[1]
		MUL R17, R16, R16
		ins v0.d[1], x16
		FMOVQ F0, (R1)`},
	{"constants", `
		%a = const {f=-2.5} : f32x4
		%b = const {f=0.1} : f64x2
		%c = const {imm=-3} : i8x16
		%d = const : i32x4
		%e = const {f=1} : f32
		%f = const {imm=1099511627776} : i64
		store %a, %p
		store %b, %p
		store %c, %p
		store %d, %p
		store %e, %p
		store %f, %p`, `
		fmov v0.4s, #-2.50000000
		MOVD $4591870180066957722, R16
		dup v1.2d, x16
		movi v2.16b, #253
		VEOR V3.B16, V3.B16, V3.B16
		MOVD $1065353216, R16
		fmov s4, w16
		MOVD $1099511627776, R2
		FMOVQ F0, (R1)
		FMOVQ F1, (R1)
		FMOVQ F2, (R1)
		FMOVQ F3, (R1)
		FMOVS F4, (R1)
		MOVD R2, (R1)`},
	{"parameters and copies", `
		%x = param {name="x"} : f32
		%y = param {name="y"} : f64x2
		%z = copy %y : f64x2
		%w = splat %x : f32x2
		%v = splat %n : i64x2
		store %y, %p
		store %z, %p {off=16}
		store %w, %p {off=32}
		store %v, %p {off=40}`, `
		FMOVS 32(R0), F0
		ADD $40, R0, R16
		ld1r {v1.2d}, [x16]
		mov v2.16b, v1.16b
		dup v0.2s, v0.s[0]
		dup v3.2d, x2
		FMOVQ F1, (R1)
		FMOVQ F2, 16(R1)
		FMOVD F0, 32(R1)
		FMOVQ F3, 40(R1)`},
	{"addresses", `
		%a = load %p {off=8} : f64
		%b = load %p, %n {scale=4, off=16} : i32
		%c = load %p {off=4095} : f32x4
		%d = load %p {off=-256} : f32x4
		%e = load %p, %n {scale=8, off=65536} : f32x4
		%f = loadb %p, %n {scale=4, off=4} : f32x4
		%g = loadb %p {off=1} : i8x8
		store %a, %p, %n {scale=1}
		store %b, %p
		store %c, %p
		store %d, %p
		store %e, %p
		store %f, %p
		store %g, %p`, `
		FMOVD 8(R1), F0
		ADD R2<<2, R1, R17
		MOVWU 16(R17), R3
		ADD $4095, R1, R17
		FMOVQ (R17), F1
		FMOVQ -256(R1), F2
		ADD R2<<3, R1, R17
		ADD $65536, R17, R17
		FMOVQ (R17), F3
		ADD R2<<2, R1, R17
		ADD $4, R17, R17
		ld1r {v4.4s}, [x17]
		ADD $1, R1, R17
		ld1r {v5.8b}, [x17]
		ADD R2, R1, R17
		FMOVD F0, (R17)
		MOVW R3, (R1)
		FMOVQ F1, (R1)
		FMOVQ F2, (R1)
		FMOVQ F3, (R1)
		FMOVQ F4, (R1)
		FMOVD F5, (R1)`},
	{"a shift that is part of an addition", `
		%3 = const {imm=5} : i64
		%i = shl %n, %3 : i64
		%q = addp %p, %i : ptr
		%r = addp %q, %k : ptr
		%8 = const {imm=8} : i64
		%s = addp %r, %8 : ptr
		store %s, %r`, `
		ADD R2<<5, R1, R1
		ADD R3, R1, R1
		ADD $8, R1, R2
		MOVD R2, (R1)`},
	{"masks of comparisons", `
		%a = load %p : f32x4
		%b = load %p {off=16} : f32x4
		%m = cmp %a, %b {name="lt"} : i1x4
		%o = cmp %a, %b {name="ne"} : i1x4
		%u = and %m, %o : i1x4
		%c = select %u, %a, %b : f32x4
		store %c, %p`, `
		FMOVQ (R1), F0
		FMOVQ 16(R1), F1
		fcmgt v2.4s, v1.4s, v0.4s
		fcmeq v3.4s, v0.4s, v1.4s
		mvn v3.16b, v3.16b
		and v2.16b, v2.16b, v3.16b
		bsl v2.16b, v0.16b, v1.16b
		FMOVQ F2, (R1)`},
	{"a mask at another width", `
		%a = load %p : f64x2
		%m = cmp %a, %a {name="eq"} : i1x2
		%b = load %p {off=16} : i16x2
		%c = load %p {off=20} : i16x2
		%d = select %m, %b, %c : i16x2
		store %d, %p
		store %b, %p {off=16}
		store %c, %p {off=16}`, `
		FMOVQ (R1), F0
		fcmeq v0.2d, v0.2d, v0.2d
		FMOVS 16(R1), F1
		FMOVS 20(R1), F2
		xtn v3.2s, v0.2d
		xtn v3.4h, v3.4s
		bsl v3.16b, v1.16b, v2.16b
		FMOVS F3, (R1)
		FMOVS F1, 16(R1)
		FMOVS F2, 16(R1)`},
	{"masks of n lanes and masked accesses", `
		%m = maskn %n : i1x4
		%a = loadm %m, %p {off=300} : f32x4
		storem %a, %m, %p, %k {scale=4}`, `
		MOVD $4, R4
		SUB R2, R4, R4
		MOVD $tail<>(SB), R2
		ADD R4<<2, R2, R16
		FMOVQ 16(R16), F0
		xtn v1.4h, v0.4s
		fmov x16, d1
		movi v2.2d, #0
		TBZ $0, R16, l1
		ADD $300, R1, R17
		ld1 {v2.s}[0], [x17]
		l1:
		TBZ $16, R16, l2
		ADD $304, R1, R17
		ld1 {v2.s}[1], [x17]
		l2:
		TBZ $32, R16, l3
		ADD $308, R1, R17
		ld1 {v2.s}[2], [x17]
		l3:
		TBZ $48, R16, l4
		ADD $312, R1, R17
		ld1 {v2.s}[3], [x17]
		l4:
		xtn v1.4h, v0.4s
		fmov x16, d1
		TBZ $0, R16, l5
		ADD R3<<2, R1, R17
		st1 {v2.s}[0], [x17]
		l5:
		TBZ $16, R16, l6
		ADD R3<<2, R1, R17
		ADD $4, R17, R17
		st1 {v2.s}[1], [x17]
		l6:
		TBZ $32, R16, l7
		ADD R3<<2, R1, R17
		ADD $8, R17, R17
		st1 {v2.s}[2], [x17]
		l7:
		TBZ $48, R16, l8
		ADD R3<<2, R1, R17
		ADD $12, R17, R17
		st1 {v2.s}[3], [x17]
		l8:
		GLOBL tail<>(SB), RODATA|NOPTR, $64`},
	{"masked accesses of bytes", `
		%a = load %p : i8x4
		%m = cmp %a, %a {name="lt"} : i1x4
		%b = loadm %m, %p : i8x4
		store %b, %p`, `
		FMOVS (R1), F0
		cmgt v0.8b, v0.8b, v0.8b
		fmov x16, d0
		movi v0.2d, #0
		TBZ $0, R16, l1
		ld1 {v0.b}[0], [x1]
		l1:
		TBZ $8, R16, l2
		ADD $1, R1, R17
		ld1 {v0.b}[1], [x17]
		l2:
		TBZ $16, R16, l3
		ADD $2, R1, R17
		ld1 {v0.b}[2], [x17]
		l3:
		TBZ $24, R16, l4
		ADD $3, R1, R17
		ld1 {v0.b}[3], [x17]
		l4:
		FMOVS F0, (R1)`},
	{"bits of a mask", `
		%a = load %p : i8x8
		%m = cmp %a, %a {name="gt"} : i1x8
		%b = maskbits %m : i64
		store %b, %p`, `
		FMOVD (R1), F0
		cmgt v0.8b, v0.8b, v0.8b
		sshll v1.8h, v0.8b, #0
		MOVD $table16_8_ef949dab85a7ab1a<>(SB), R17
		FMOVQ (R17), F0
		and v0.16b, v0.16b, v1.16b
		addv h0, v0.8h
		umov w2, v0.h[0]
		MOVD R2, (R1)
		DATA table16_8_ef949dab85a7ab1a<>+0(SB)/2, $0x0001
		DATA table16_8_ef949dab85a7ab1a<>+2(SB)/2, $0x0002
		DATA table16_8_ef949dab85a7ab1a<>+4(SB)/2, $0x0004
		DATA table16_8_ef949dab85a7ab1a<>+6(SB)/2, $0x0008
		DATA table16_8_ef949dab85a7ab1a<>+8(SB)/2, $0x0010
		DATA table16_8_ef949dab85a7ab1a<>+10(SB)/2, $0x0020
		DATA table16_8_ef949dab85a7ab1a<>+12(SB)/2, $0x0040
		DATA table16_8_ef949dab85a7ab1a<>+14(SB)/2, $0x0080
		GLOBL table16_8_ef949dab85a7ab1a<>(SB), RODATA|NOPTR, $16`},
	{"a mask of bits", `
		%a = load %p : i32x4
		%m = maskof %n : i1x4
		%b = load %p {off=16} : i32x4
		%c = select %m, %a, %b : i32x4
		store %c, %p`, `
		FMOVQ (R1), F0
		MOVD $table32_4_10569131308e79ea<>(SB), R17
		FMOVQ (R17), F1
		dup v3.4s, w2
		cmtst v3.4s, v3.4s, v1.4s
		FMOVQ 16(R1), F1
		bsl v3.16b, v0.16b, v1.16b
		FMOVQ F3, (R1)
		DATA table32_4_10569131308e79ea<>+0(SB)/4, $0x00000001
		DATA table32_4_10569131308e79ea<>+4(SB)/4, $0x00000002
		DATA table32_4_10569131308e79ea<>+8(SB)/4, $0x00000004
		DATA table32_4_10569131308e79ea<>+12(SB)/4, $0x00000008
		GLOBL table32_4_10569131308e79ea<>(SB), RODATA|NOPTR, $16`},
	{"conditions", `
		%c = cmp %n, %k {name="lt"} : i1
		%a = select %c, %n, %k : i64
		%3 = const {imm=3} : i64
		%d = cmp %n, %3 {name="ge"} : i1
		%x = load %p : f32
		%y = load %p {off=4} : f32
		%b = select %d, %x, %y : f32
		store %a, %p
		store %b, %p {off=8}`, `
		CMP R3, R2
		CSEL LT, R2, R3, R3
		FMOVS (R1), F0
		FMOVS 4(R1), F1
		CMP $3, R2
		FCSELS GE, F0, F1, F1
		MOVD R3, (R1)
		FMOVS F1, 8(R1)`},
	{"widening", `
		%a = load %p : i8x4
		%b = sext %a : i32x4
		%c = load %p : i16x4
		%d = zext %c : i32x4
		%e = load %p : i8
		%f = sext %e : i64
		store %b, %p
		store %d, %p {off=16}
		store %f, %p {off=32}`, `
		FMOVS (R1), F0
		sshll v0.8h, v0.8b, #0
		sshll v0.4s, v0.4h, #0
		FMOVD (R1), F1
		ushll v1.4s, v1.4h, #0
		MOVBU (R1), R2
		MOVB R2, R2
		FMOVQ F0, (R1)
		FMOVQ F1, 16(R1)
		MOVD R2, 32(R1)`},
	{"narrowing", `
		%a = load %p : i32x4
		%b = trunc %a : i8x4
		%c = sat %a {name="s"} : i16x4
		%d = sat %a {name="u"} : i8x4
		%e = trunc %n : i32
		store %b, %p
		store %c, %p {off=16}
		store %d, %p {off=32}
		store %e, %p {off=48}`, `
		FMOVQ (R1), F0
		xtn v1.4h, v0.4s
		xtn v1.8b, v1.8h
		sqxtn v2.4h, v0.4s
		sqxtun v0.4h, v0.4s
		uqxtn v0.8b, v0.8h
		FMOVS F1, (R1)
		FMOVD F2, 16(R1)
		FMOVS F0, 32(R1)
		MOVW R2, 48(R1)`},
	{"floats of other widths", `
		%a = load %p : f16x4
		%b = cvt %a {name="rne"} : f32x4
		%c = load %p {off=16} : f64x2
		%d = cvt %c {name="rne"} : f32x2
		%e = cvt %b {name="rne"} : f16x4
		store %d, %p
		store %e, %p {off=16}`, `
		FMOVD (R1), F0
		fcvtl v0.4s, v0.4h
		FMOVQ 16(R1), F1
		fcvtn v1.2s, v1.2d
		fcvtn v0.4h, v0.4s
		FMOVD F1, (R1)
		FMOVD F0, 16(R1)`},
	{"bf16", `
		%a = load %p : bf16x4
		%b = cvt %a {name="rne"} : f32x4
		store %b, %p`, `
		FMOVD (R1), F0
		ushll v0.4s, v0.4h, #0
		shl v0.4s, v0.4s, #16
		FMOVQ F0, (R1)`},
	{"integers to floats", `
		%a = load %p : i64x2
		%b = cvt %a {name="rne"} : f32x2
		%c = load %p {off=16} : i32x4
		%d = cvt %c {name="rne"} : f32x4
		%e = cvt %n {name="rne"} : f64
		store %b, %p
		store %d, %p
		store %e, %p`, `
		FMOVQ (R1), F0
		umov x16, v0.d[0]
		scvtf s1, x16
		ins v0.s[0], v1.s[0]
		umov x16, v0.d[1]
		scvtf s1, x16
		ins v0.s[1], v1.s[0]
		FMOVQ 16(R1), F1
		scvtf v1.4s, v1.4s
		scvtf d2, x2
		FMOVD F0, (R1)
		FMOVQ F1, (R1)
		FMOVD F2, (R1)`},
	{"floats to integers", `
		%a = load %p : f32x4
		%b = cvt %a {name="trunc"} : i32x4
		store %b, %p`, `
		FMOVQ (R1), F0
		fcvtzs v1.4s, v0.4s
		MOVD $1325400064, R16
		dup v2.4s, w16
		fcmgt v0.4s, v2.4s, v0.4s
		MOVD $2147483648, R16
		dup v2.4s, w16
		bsl v0.16b, v1.16b, v2.16b
		FMOVQ F0, (R1)`},
	{"a float to an integer", `
		%a = load %p : f64
		%b = cvt %a {name="rne"} : i32
		%c = cvt %a {name="trunc"} : i64
		store %b, %p
		store %c, %p {off=8}`, `
		FMOVD (R1), F0
		fcvtns x16, d0
		MOVD $-2147483648, R17
		fcmp d0, d0
		CSEL VC, R16, R17, R2
		MOVW R2, R16
		CMP R16, R2
		CSEL EQ, R2, R17, R2
		fcvtzs x16, d0
		MOVD $-9223372036854775808, R17
		fcmp d0, d0
		CSEL VC, R16, R17, R3
		ADDS $1, R3, R16
		CSEL VS, R17, R3, R3
		MOVW R2, (R1)
		MOVD R3, 8(R1)`},
	{"the bits of another type", `
		%a = load %p : f32x4
		%b = bitcast %a : i32x4
		%c = recast %b : i8x16
		%d = bitcast %n : f64
		%e = add %d, %d : f64
		%f = bitcast %e : i64
		store %c, %p
		store %f, %p`, `
		FMOVQ (R1), F0
		fmov d1, x2
		fadd d1, d1, d1
		fmov x2, d1
		FMOVQ F0, (R1)
		MOVD R2, (R1)`},
	{"shuffles that are one instruction", `
		%a = load %p : f32x4
		%b = load %p {off=16} : f32x4
		%c = shuffle %a, %b {perm=[0, 4, 1, 5]} : f32x4
		%d = shuffle %c, %b {perm=[2, 3, 6, 7]} : f32x4
		%e = shuffle %d, %b {perm=[1, 3, 5, 7]} : f32x4
		%f = shuffle %e, %b {perm=[1, 5, 3, 7]} : f32x4
		%g = shuffle %f, %b {perm=[3, 4, 5, 6]} : f32x4
		%h = shuffle %g, %b {perm=[6, 6, 6, 6]} : f32x4
		%i = shuffle %h, %h {perm=[2, 3, 0, 1]} : f32x4
		%j = shuffle %i, %b {perm=[4, 5, 6, 7]} : f32x4
		store %j, %p`, `
		FMOVQ (R1), F0
		FMOVQ 16(R1), F1
		zip1 v0.4s, v0.4s, v1.4s
		zip2 v0.2d, v0.2d, v1.2d
		uzp2 v0.4s, v0.4s, v1.4s
		trn2 v0.4s, v0.4s, v1.4s
		ext v0.16b, v0.16b, v1.16b, #12
		dup v0.4s, v1.s[2]
		ext v0.16b, v0.16b, v0.16b, #8
		ext v0.16b, v1.16b, v1.16b, #0
		FMOVQ F0, (R1)`},
	{"any shuffle", `
		%a = load %p : i8x8
		%b = load %p {off=8} : i8x8
		%c = shuffle %a, %b {perm=[3, 9, 1, 1, 15, 0, 8, 2]} : i8x8
		store %c, %p
		%d = shuffle %c, %c {perm=[7, 6, 5, 4, 3, 2, 1, 0]} : i8x8
		store %d, %p`, `
		FMOVD (R1), F0
		FMOVD 8(R1), F1
		MOVD $table64_2_b458aaeccb897843<>(SB), R17
		FMOVQ (R17), F2
		tbl v3.16b, {v0.16b}, v2.16b
		MOVD $table64_2_b9e83a009926d24c<>(SB), R17
		FMOVQ (R17), F2
		tbx v3.16b, {v1.16b}, v2.16b
		FMOVD F3, (R1)
		MOVD $table64_2_6d599c5fe0782f4d<>(SB), R17
		FMOVQ (R17), F0
		tbl v1.16b, {v3.16b}, v0.16b
		FMOVD F1, (R1)
		DATA table64_2_6d599c5fe0782f4d<>+0(SB)/8, $0x0001020304050607
		DATA table64_2_6d599c5fe0782f4d<>+8(SB)/8, $0xffffffffffffffff
		GLOBL table64_2_6d599c5fe0782f4d<>(SB), RODATA|NOPTR, $16
		DATA table64_2_b458aaeccb897843<>+0(SB)/8, $0x02ff00ff0101ff03
		DATA table64_2_b458aaeccb897843<>+8(SB)/8, $0xffffffffffffffff
		GLOBL table64_2_b458aaeccb897843<>(SB), RODATA|NOPTR, $16
		DATA table64_2_b9e83a009926d24c<>+0(SB)/8, $0xff00ff07ffff01ff
		DATA table64_2_b9e83a009926d24c<>+8(SB)/8, $0xffffffffffffffff
		GLOBL table64_2_b9e83a009926d24c<>(SB), RODATA|NOPTR, $16`},
	{"a table", `
		%a = load %p : i32x2
		%b = table %a {table=[1, 2, 4, 8]} : f32x2
		store %b, %p`, `
		FMOVD (R1), F0
		MOVD $table32_4_10569131308e79ea<>(SB), R16
		umov w17, v0.s[0]
		ADD R17<<2, R16, R17
		ld1 {v0.s}[0], [x17]
		umov w17, v0.s[1]
		ADD R17<<2, R16, R17
		ld1 {v0.s}[1], [x17]
		FMOVD F0, (R1)
		DATA table32_4_10569131308e79ea<>+0(SB)/4, $0x00000001
		DATA table32_4_10569131308e79ea<>+4(SB)/4, $0x00000002
		DATA table32_4_10569131308e79ea<>+8(SB)/4, $0x00000004
		DATA table32_4_10569131308e79ea<>+12(SB)/4, $0x00000008
		GLOBL table32_4_10569131308e79ea<>(SB), RODATA|NOPTR, $16`},
	{"prefetches", `
		prefetch %p {imm=1, off=64}
		prefetch %p, %n {scale=8}`, `
		ADD $64, R1, R17
		PRFM (R17), PLDL2KEEP
		ADD R2<<3, R1, R17
		PRFM (R17), PLDL1KEEP`},
	{"a loop that counts", `
		%0 = const : i64
		%1 = const {imm=1} : i64
		%z = const : f32x4
		%r = for %0, %n, %1, %z : f32x4 (%i: i64, %x: f32x4) {
		%a = load %p : f32x4
		%y = fma %x, %a, %a : f32x4
		yield %y
		}
		store %r, %p`, `
		VEOR V0.B16, V0.B16, V0.B16
		CMP $0, R2
		BLE l2
		PCALIGN $32
		l1:
		FMOVQ (R1), F1
		fmla v0.4s, v1.4s, v1.4s
		SUB $1, R2
		CBNZ R2, l1
		l2:
		FMOVQ F0, (R1)`},
	{"a loop with an index and a step", `
		%0 = const : i64
		%9 = const {imm=9} : i64
		%3 = const {imm=3} : i64
		for %0, %9, %3 (%i: i64) {
		store %i, %p, %i {scale=8}
		yield
		}`, `
		MOVD $0, R2
		CMP $9, R2
		BGE l2
		PCALIGN $32
		l1:
		ADD R2<<3, R1, R17
		MOVD R2, (R17)
		ADD $3, R2
		CMP $9, R2
		BLT l1
		l2:`},
	{"a loop whose values trade places", `
		%0 = const : i64
		%1 = const {imm=1} : i64
		%a = load %p : f32x4
		%b = load %p {off=16} : f32x4
		%r, %s = for %0, %n, %1, %a, %b : f32x4, f32x4 (%i: i64, %x: f32x4, %y: f32x4) {
		yield %y, %x
		}
		store %r, %p
		store %s, %p`, `
		FMOVQ (R1), F0
		FMOVQ 16(R1), F1
		CMP $0, R2
		BLE l2
		PCALIGN $32
		l1:
		eor v1.16b, v1.16b, v0.16b
		eor v0.16b, v1.16b, v0.16b
		eor v1.16b, v1.16b, v0.16b
		SUB $1, R2
		CBNZ R2, l1
		l2:
		FMOVQ F0, (R1)
		FMOVQ F1, (R1)`},
	{"while", `
		%r = while %n : i64 (%x: i64) {
		%0 = const : i64
		%c = cmp %x, %0 {name="gt"} : i1
		yield %c, %x
		} do (%y: i64) {
		%1 = const {imm=1} : i64
		%z = sub %y, %1 : i64
		yield %z
		}
		store %r, %p`, `
		l1:
		MOVD R2, R3
		CMP $0, R2
		BLE l2
		SUB $1, R3, R2
		B l1
		l2:
		MOVD R3, (R1)`},
	{"if", `
		%c = cmp %n, %k {name="eq"} : i1
		%r = if %c : i64 {
		yield %k
		} else {
		%7 = const {imm=7} : i64
		yield %7
		}
		store %r, %p`, `
		CMP R3, R2
		BNE l1
		B l2
		l1:
		MOVD $7, R3
		l2:
		MOVD R3, (R1)`},
}
