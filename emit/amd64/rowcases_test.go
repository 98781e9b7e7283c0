package amd64

// rowCases are the subjects of TestRows.
var rowCases = []struct {
	name string
	avx2 bool
	body string
	want string
}{
	{name: "fma onto the accumulator", body: `
		%a = load %p : f32x16
		%b = load %p {off=64} : f32x16
		%c = load %p {off=128} : f32x16
		%r = fma %a, %b, %c : f32x16
		store %r, %p
		store %b, %p {off=64}
		store %c, %p {off=128}`, want: `
		VMOVUPS (AX), Z0
		VMOVUPS 64(AX), Z1
		VMOVUPS 128(AX), Z2
		VFMADD231PS Z2, Z1, Z0
		VMOVUPS Z0, (AX)
		VMOVUPS Z1, 64(AX)
		VMOVUPS Z2, 128(AX)`},
	{name: "fma that contains the load of a factor", body: `
		%a = load %p : f32x16
		%x = load %p {off=64} : f32x16
		%b = loadb %p, %n {imm=1, scale=4, off=8} : f32x16
		%c = fma %a, %b, %x : f32x16
		%d = loadb %p {imm=1} : f32x16
		%r = fma %c, %x, %d : f32x16
		store %r, %p`, want: `
		VMOVUPS (AX), Z0
		VMOVUPS 64(AX), Z1
		VFMADD231PS.BCST 8(AX)(CX*4), Z1, Z0
		VFMADD231PS.BCST (AX), Z1, Z0
		VMOVUPS Z0, (AX)`},
	{name: "arithmetic that contains the load of a whole vector", body: `
		%a = load %p : f32x16
		%b = load %p {off=64} : f32x16
		%x = load %p {off=128} : f32x16
		%c = fma %a, %b, %x : f32x16
		%y = load %p, %n {scale=4} : f32x16
		%d = mul %y, %c : f32x16
		%z = load %p {off=192} : f32x16
		%e = sub %d, %z : f32x16
		store %e, %p
		store %b, %p {off=64}`, want: `
		VMOVUPS (AX), Z0
		VMOVUPS 64(AX), Z1
		VFMADD231PS 128(AX), Z1, Z0
		VMULPS (AX)(CX*4), Z0, Z0
		VSUBPS 192(AX), Z0, Z0
		VMOVUPS Z0, (AX)
		VMOVUPS Z1, 64(AX)`},
	{name: "arithmetic that cannot contain it", avx2: true, body: `
		%a = load %p : f32x8
		%s = load %p {off=32} : f32x8
		%b = sub %s, %a : f32x8
		%t = load %p {off=64} : f32x8
		%c = mul %t, %t : f32x8
		%u = load %p {off=96} : f32
		%v = load %p {off=100} : f32
		%w = mul %u, %v : f32
		%x = load %p {off=128} : f32x8
		%d = add %b, %c : f32x8
		%e = add %d, %x : f32x8
		store %e, %p
		store %w, %p`, want: `
		VMOVUPS (AX), Y0
		VMOVUPS 32(AX), Y1
		VSUBPS Y0, Y1, Y1
		VMOVUPS 64(AX), Y0
		VMULPS Y0, Y0, Y0
		VMOVSS 96(AX), X2
		VMOVSS 100(AX), X3
		VMULSS X3, X2, X2
		VMOVUPS 128(AX), Y3
		VADDPS Y0, Y1, Y0
		VADDPS Y3, Y0, Y0
		VMOVUPS Y0, (AX)
		VMOVSS X2, (AX)`},
	{name: "a parameter that is added to a pointer", body: `
		%a = addp %p, %n : ptr
		%s = param {name="n"} : i64
		%b = addp %a, %s : ptr
		store %n, %b`, want: `
		ADDQ CX, AX
		ADDQ 16(DI), AX
		MOVQ CX, (AX)`},
	{name: "conversions that contain the load of what they widen", body: `
		%h = load %p, %n {imm=1, scale=2, off=32} : f16x16
		%f = cvt %h {name="rne"} : f32x16
		%w = load %p {imm=1} : i16x16
		%z = zext %w : i32x16
		store %f, %p
		store %z, %p {off=64}`, want: `
		VCVTPH2PS 32(AX)(CX*2), Z0
		VPMOVZXWD (AX), Z1
		VMOVUPS Z0, (AX)
		VMOVDQU32 Z1, 64(AX)`},
	{name: "the same of AVX2", avx2: true, body: `
		%h = load %p, %n {imm=1, scale=2, off=32} : f16x8
		%f = cvt %h {name="rne"} : f32x8
		%w = load %p {imm=1} : i16x8
		%z = zext %w : i32x8
		store %f, %p
		store %z, %p {off=32}`, want: `
		VCVTPH2PS 32(AX)(CX*2), Y0
		VPMOVZXWD (AX), Y1
		VMOVUPS Y0, (AX)
		VMOVDQU Y1, 32(AX)`},
	{name: "conversions that cannot contain it", body: `
		%h = load %p {imm=1} : f16x16
		%f = cvt %h {name="rne"} : f32x16
		store %h, %p {off=128}
		%w = load %p {imm=1} : i16x16
		store %f, %p
		%z = zext %w : i32x16
		store %z, %p {off=64}`, want: `
		VMOVDQU16 (AX), Y0
		VCVTPH2PS Y0, Z1
		VMOVDQU16 Y0, 128(AX)
		VMOVDQU16 (AX), Y0
		VMOVUPS Z1, (AX)
		VPMOVZXWD Y0, Z0
		VMOVDQU32 Z0, 64(AX)`},
	{name: "fma that cannot contain it", body: `
		%a = load %p : f64x8
		%x = loadb %p {imm=1} : f64x8
		%y = loadb %p {imm=1, off=8} : f64x8
		%b = fma %a, %x, %y : f64x8
		%z = loadb %p {imm=1, off=16} : f64x8
		%c = fma %b, %z, %z : f64x8
		%s = loadb %p {imm=1, off=24} : f64x8
		%r = fma %s, %x, %c : f64x8
		store %r, %p`, want: `
		VMOVUPD (AX), Z0
		VBROADCASTSD (AX), Z1
		VFMADD231PD.BCST 8(AX), Z1, Z0
		VBROADCASTSD 16(AX), Z2
		VFMADD231PD Z2, Z2, Z0
		VBROADCASTSD 24(AX), Z2
		VFMADD231PD Z0, Z1, Z2
		VMOVUPD Z2, (AX)`},
	{name: "fma of AVX2, which has no such form", avx2: true, body: `
		%a = load %p : f32x8
		%x = load %p {off=32} : f32x8
		%b = loadb %p {imm=1} : f32x8
		%r = fma %a, %x, %b : f32x8
		store %r, %p`, want: `
		VMOVUPS (AX), Y0
		VMOVUPS 32(AX), Y1
		VBROADCASTSS (AX), Y2
		VFMADD231PS Y2, Y1, Y0
		VMOVUPS Y0, (AX)`},
	{name: "fma onto the first factor", body: `
		%a = load %p : f64x8
		%b = load %p {off=64} : f64x8
		%c = load %p {off=128} : f64x8
		%r = fma %a, %b, %c : f64x8
		store %r, %p
		store %a, %p {off=64}
		store %c, %p {off=128}`, want: `
		VMOVUPD (AX), Z0
		VMOVUPD 64(AX), Z1
		VMOVUPD 128(AX), Z2
		VFMADD213PD Z0, Z2, Z1
		VMOVUPD Z1, (AX)
		VMOVUPD Z0, 64(AX)
		VMOVUPD Z2, 128(AX)`},
	{name: "fma onto the second factor", avx2: true, body: `
		%a = load %p : f32x8
		%b = load %p {off=64} : f32x8
		%c = load %p {off=128} : f32x8
		%r = fma %a, %b, %c : f32x8
		store %r, %p
		store %a, %p {off=64}
		store %b, %p {off=128}`, want: `
		VMOVUPS (AX), Y0
		VMOVUPS 64(AX), Y1
		VMOVUPS 128(AX), Y2
		VFMADD213PS Y0, Y1, Y2
		VMOVUPS Y2, (AX)
		VMOVUPS Y0, 64(AX)
		VMOVUPS Y1, 128(AX)`},
	{name: "fma with all operands used later", avx2: true, body: `
		%a = load %p : f64
		%b = load %p {off=64} : f64
		%c = load %p {off=128} : f64
		%r = fma %a, %b, %c : f64
		store %r, %p
		store %a, %p {off=64}
		store %b, %p {off=128}
		store %c, %p {off=192}`, want: `
		VMOVSD (AX), X0
		VMOVSD 64(AX), X1
		VMOVSD 128(AX), X2
		VMOVAPS X0, X3
		VFMADD231SD X2, X1, X3
		VMOVSD X3, (AX)
		VMOVSD X0, 64(AX)
		VMOVSD X1, 128(AX)
		VMOVSD X2, 192(AX)`},
	{name: "float arithmetic: the second operand first", avx2: true, body: `
		%a = load %p : f32x8
		%b = load %p {off=64} : f32x8
		%c = add %a, %b : f32x8
		%d = sub %c, %b : f32x8
		%e = mul %d, %b : f32x8
		%f = div %e, %b : f32x8
		%g = max %f, %b : f32x8
		%h = min %g, %b : f32x8
		%i = sqrt %h : f32x8
		store %i, %p`, want: `
		VMOVUPS (AX), Y0
		VMOVUPS 64(AX), Y1
		VADDPS Y1, Y0, Y0
		VSUBPS Y1, Y0, Y0
		VMULPS Y1, Y0, Y0
		VDIVPS Y1, Y0, Y0
		VMAXPS Y1, Y0, Y0
		VMINPS Y1, Y0, Y0
		VSQRTPS Y0, Y0
		VMOVUPS Y0, (AX)`},
	{name: "float arithmetic in 512, 128 and scalar", body: `
		%a = load %p : f64x8
		%b = sub %a, %a : f64x8
		%c = sqrt %b : f64x8
		store %c, %p
		%d = load %p : f64x2
		%e = max %d, %d : f64x2
		store %e, %p
		%f = load %p : f32
		%g = div %f, %f : f32
		%h = sqrt %g : f32
		store %h, %p
		%i = load %p : f64
		%j = min %i, %i : f64
		%l = sqrt %j : f64
		store %l, %p`, want: `
		VMOVUPD (AX), Z0
		VSUBPD Z0, Z0, Z0
		VSQRTPD Z0, Z0
		VMOVUPD Z0, (AX)
		VMOVUPD (AX), X0
		VMAXPD X0, X0, X0
		VMOVUPD X0, (AX)
		VMOVSS (AX), X0
		VDIVSS X0, X0, X0
		VSQRTSS X0, X0, X0
		VMOVSS X0, (AX)
		VMOVSD (AX), X0
		VMINSD X0, X0, X0
		VSQRTSD X0, X0, X0
		VMOVSD X0, (AX)`},
	{name: "integers with immediates", body: `
		%5 = const {imm=5} : i64
		%a = add %n, %5 : i64
		%b = sub %a, %5 : i64
		%c = and %b, %5 : i64
		%d = or %c, %5 : i64
		%e = xor %d, %5 : i64
		%f = shl %e, %5 : i64
		%g = shr %f, %5 : i64
		%h = mul %g, %5 : i64
		store %h, %p`, want: `
		ADDQ $5, CX
		SUBQ $5, CX
		ANDQ $5, CX
		ORQ $5, CX
		XORQ $5, CX
		SHLQ $5, CX
		SHRQ $5, CX
		IMUL3Q $5, CX, CX
		MOVQ CX, (AX)`},
	{name: "integers with immediates, operand used later", body: `
		%5 = const {imm=-5} : i64
		%3 = const {imm=3} : i64
		%a = add %n, %5 : i64
		%b = shl %n, %3 : i64
		%c = mul %n, %5 : i64
		store %a, %p
		store %b, %p
		store %c, %p
		store %n, %p`, want: `
		MOVQ CX, DX
		ADDQ $-5, DX
		LEAQ 0(CX*8), BX
		IMUL3Q $-5, CX, SI
		MOVQ DX, (AX)
		MOVQ BX, (AX)
		MOVQ SI, (AX)
		MOVQ CX, (AX)`},
	{name: "integers in registers", body: `
		%a = add %n, %k : i64
		%b = sub %a, %k : i64
		%c = and %b, %k : i64
		%d = or %c, %k : i64
		%e = xor %d, %k : i64
		%f = shl %e, %k : i64
		%g = shr %f, %k : i64
		%h = mul %g, %k : i64
		store %h, %p`, want: `
		ADDQ DX, CX
		SUBQ DX, CX
		ANDQ DX, CX
		ORQ DX, CX
		XORQ DX, CX
		SHLXQ DX, CX, CX
		SHRXQ DX, CX, CX
		IMULQ DX, CX
		MOVQ CX, (AX)`},
	{name: "integers in registers, both used later", body: `
		%a = add %n, %k : i64
		%b = sub %n, %k : i64
		%c = mul %n, %k : i64
		%d = shl %n, %k : i64
		store %a, %p
		store %b, %p
		store %c, %p
		store %d, %p
		store %n, %p
		store %k, %p`, want: `
		LEAQ (CX)(DX*1), BX
		MOVQ CX, SI
		SUBQ DX, SI
		MOVQ CX, R8
		IMULQ DX, R8
		SHLXQ DX, CX, R9
		MOVQ BX, (AX)
		MOVQ SI, (AX)
		MOVQ R8, (AX)
		MOVQ R9, (AX)
		MOVQ CX, (AX)
		MOVQ DX, (AX)`},
	{name: "integers onto the second operand", body: `
		%a = mul %n, %k : i64
		store %a, %p
		store %n, %p`, want: `
		IMULQ CX, DX
		MOVQ DX, (AX)
		MOVQ CX, (AX)`},
	{name: "subtraction onto the second operand has no form", body: `
		%a = sub %n, %k : i64
		store %a, %p
		store %n, %p`, want: `
		MOVQ CX, BX
		SUBQ DX, BX
		MOVQ BX, (AX)
		MOVQ CX, (AX)`},
	{name: "a constant too large for an immediate", body: `
		%c = const {imm=4294967296} : i64
		%a = add %n, %c : i64
		store %a, %p`, want: `
		MOVQ $4294967296, DX
		ADDQ DX, CX
		MOVQ CX, (AX)`},
	{name: "constants on the left, shared and zero", body: `
		%c = const {imm=7} : i64
		%0 = const : i64
		%a = sub %c, %n : i64
		%b = sub %0, %k : i64
		store %a, %p
		store %b, %p`, want: `
		MOVQ $7, BX
		XORL SI, SI
		SUBQ CX, BX
		SUBQ DX, SI
		MOVQ BX, (AX)
		MOVQ SI, (AX)`},
	{name: "pointers: ADDQ in place, LEAQ beside", body: `
		%16 = const {imm=16} : i64
		%a = addp %p, %n : ptr
		%b = addp %a, %16 : ptr
		store %n, %a, %k {scale=8}
		store %n, %b, %k {scale=8}
		%c = addp %b, %n : ptr
		%d = addp %c, %16 : ptr
		%e = addp %d, %n : ptr
		store %n, %e, %n {scale=2}`, want: `
		ADDQ CX, AX
		LEAQ 16(AX), BX
		MOVQ CX, (AX)(DX*8)
		MOVQ CX, 16(AX)(DX*8)
		ADDQ CX, BX
		ADDQ $16, BX
		ADDQ CX, BX
		MOVQ CX, (BX)(CX*2)`},
	{name: "pointers: a shift is the scale of an address, unless it is used again", body: `
		%1 = const {imm=1} : i64
		%3 = const {imm=3} : i64
		%4 = const {imm=4} : i64
		%s = shl %n, %1 : i64
		%a = addp %p, %s : ptr
		%b = addp %a, %n : ptr
		store %n, %b, %n {scale=8}
		%t = shl %n, %4 : i64
		%c = addp %b, %t : ptr
		store %n, %c, %n {scale=8}
		%u = shl %n, %3 : i64
		%d = addp %c, %u : ptr
		store %u, %d, %n {scale=8}`, want: `
		LEAQ (AX)(CX*2), AX
		ADDQ CX, AX
		MOVQ CX, (AX)(CX*8)
		MOVQ CX, DX
		SHLQ $4, DX
		ADDQ DX, AX
		MOVQ CX, (AX)(CX*8)
		LEAQ 0(CX*8), DX
		ADDQ DX, AX
		MOVQ DX, (AX)(CX*8)`},
	{name: "a carried pointer moves in place", body: `
		%0 = const : i64
		%1 = const {imm=1} : i64
		%64 = const {imm=64} : i64
		%r = for %0, %n, %1, %p : ptr (%i: i64, %a: ptr) {
			store %k, %a
			%b = addp %a, %64 : ptr
			yield %b
		}
		store %k, %r`, want: `
		TESTQ CX, CX
		JLE l2
		PCALIGN $32
		l1:
		MOVQ DX, (AX)
		ADDQ $64, AX
		DECQ CX
		JNZ l1
		l2:
		MOVQ DX, (AX)`},
	{name: "addresses", body: `
		%a = load %p, %n {scale=1} : f32x16
		%b = load %p, %n {scale=8, off=-64} : f64x8
		store %a, %p, %k {scale=2, off=4}
		store %b, %p, %k {scale=4}`, want: `
		VMOVUPS (AX)(CX*1), Z0
		VMOVUPD -64(AX)(CX*8), Z1
		VMOVUPS Z0, 4(AX)(DX*2)
		VMOVUPD Z1, (AX)(DX*4)`},
	{name: "select is a conditional move", body: `
		%c = cmp %n, %k {name="lt"} : i1
		%a = select %c, %n, %k : i64
		store %a, %p`, want: `
		MOVQ DX, BX
		CMPQ CX, DX
		CMOVQLT CX, BX
		MOVQ BX, (AX)`},
	{name: "select by each predicate", body: `
		%9 = const {imm=9} : i64
		%c = cmp %n, %9 {name="eq"} : i1
		%a = select %c, %k, %n : i64
		%d = cmp %a, %9 {name="ne"} : i1
		%b = select %d, %k, %a : i64
		%e = cmp %b, %9 {name="le"} : i1
		%f = select %e, %k, %b : i64
		%g = cmp %f, %9 {name="gt"} : i1
		%h = select %g, %k, %f : i64
		%i = cmp %h, %9 {name="ge"} : i1
		%j = select %i, %k, %h : i64
		store %j, %p`, want: `
		MOVQ CX, BX
		CMPQ CX, $9
		CMOVQEQ DX, BX
		MOVQ BX, CX
		CMPQ BX, $9
		CMOVQNE DX, CX
		MOVQ CX, BX
		CMPQ CX, $9
		CMOVQLE DX, BX
		MOVQ BX, CX
		CMPQ BX, $9
		CMOVQGT DX, CX
		MOVQ CX, BX
		CMPQ CX, $9
		CMOVQGE DX, BX
		MOVQ BX, (AX)`},
	{name: "select of pointers, and of constants", body: `
		%q = param {name="q"} : ptr
		%0 = const : i64
		%c = cmp %n, %0 {name="gt"} : i1
		%a = select %c, %p, %q : ptr
		%b = select %c, %k, %0 : i64
		store %b, %a`, want: `
		MOVQ 8(DI), BX
		XORL SI, SI
		CMPQ CX, $0
		CMOVQGT AX, BX
		MOVQ SI, AX
		CMPQ CX, $0
		CMOVQGT DX, AX
		MOVQ AX, (BX)`},
	{name: "scalars from and to memory", body: `
		%a = load %p : f32
		%b = load %p : f64
		%c = load %p : i64
		%d = load %p : ptr
		store %a, %p
		store %b, %p
		store %c, %p
		store %d, %p`, want: `
		VMOVSS (AX), X0
		VMOVSD (AX), X1
		MOVQ (AX), CX
		MOVQ (AX), DX
		VMOVSS X0, (AX)
		VMOVSD X1, (AX)
		MOVQ CX, (AX)
		MOVQ DX, (AX)`},
	{name: "vectors from and to memory", body: `
		%a = load %p : f32x4
		%b = load %p : f64x4
		%c = load %p : f32x16
		store %a, %p
		store %b, %p
		store %c, %p`, want: `
		VMOVUPS (AX), X0
		VMOVUPD (AX), Y1
		VMOVUPS (AX), Z2
		VMOVUPS X0, (AX)
		VMOVUPD Y1, (AX)
		VMOVUPS Z2, (AX)`},
	{name: "masks on AVX-512", body: `
		%m = maskn %n : i1x16
		%a = loadm %m, %p : f32x16
		storem %a, %m, %p {off=64}
		%o = maskn %k : i1x8
		%b = loadm %o, %p : f64x8
		storem %b, %o, %p {off=64}
		%c = loadm %o, %p : f32x8
		storem %c, %o, %p {off=64}`, want: `
		MOVQ $-1, BX
		BZHIQ CX, BX, SI
		KMOVW SI, K1
		VMOVUPS.Z (AX), K1, Z0
		VMOVUPS Z0, K1, 64(AX)
		MOVQ $-1, CX
		BZHIQ DX, CX, BX
		KMOVB BX, K1
		VMOVUPD.Z (AX), K1, Z0
		VMOVUPD Z0, K1, 64(AX)
		VMOVUPS.Z (AX), K1, Y0
		VMOVUPS Y0, K1, 64(AX)`},
	{name: "masks on AVX2", avx2: true, body: `
		%m = maskn %n : i1x8
		%a = loadm %m, %p : f32x8
		storem %a, %m, %p {off=64}
		%o = maskn %k : i1x4
		%b = loadm %o, %p : f64x4
		storem %b, %o, %p {off=64}`, want: `
		MOVQ $8, BX
		SUBQ CX, BX
		LEAQ tail<>(SB), CX
		VMOVUPS (CX)(BX*4), Y0
		VMASKMOVPS (AX), Y0, Y1
		VMASKMOVPS Y1, Y0, 64(AX)
		MOVQ $4, CX
		SUBQ DX, CX
		LEAQ tail<>(SB), DX
		VMOVUPS (DX)(CX*8), Y0
		VMASKMOVPD (AX), Y0, Y1
		VMASKMOVPD Y1, Y0, 64(AX)
		DATA tail<>+0(SB)/8, $0xffffffffffffffff
		DATA tail<>+8(SB)/8, $0xffffffffffffffff
		DATA tail<>+16(SB)/8, $0xffffffffffffffff
		DATA tail<>+24(SB)/8, $0xffffffffffffffff
		DATA tail<>+32(SB)/8, $0x0000000000000000
		DATA tail<>+40(SB)/8, $0x0000000000000000
		DATA tail<>+48(SB)/8, $0x0000000000000000
		DATA tail<>+56(SB)/8, $0x0000000000000000
		GLOBL tail<>(SB), RODATA|NOPTR, $64`},
	{name: "masks and bits on AVX-512", body: `
		%m = maskof %n : i1x16
		%a = loadm %m, %p : f32x16
		%o = maskof %n : i1x4
		%b = loadm %o, %p : f64x4
		store %b, %p
		%c = cmp %a, %a {name="ne"} : i1x16
		%d = maskbits %c : i64
		store %d, %p`, want: `
		KMOVW CX, K1
		VMOVUPS.Z (AX), K1, Z0
		ANDQ $15, CX
		KMOVB CX, K1
		VMOVUPD.Z (AX), K1, Y1
		VMOVUPD Y1, (AX)
		VCMPPS $4, Z0, Z0, K1
		KMOVW K1, CX
		MOVQ CX, (AX)`},
	{name: "masks and bits on AVX2", avx2: true, body: `
		%m = maskof %n : i1x8
		%a = loadm %m, %p : f32x8
		%c = cmp %a, %a {name="ne"} : i1x8
		%d = maskbits %c : i64
		store %d, %p
		%e = load %p : i16x16
		%f = cmp %e, %e {name="eq"} : i1x16
		%g = maskbits %f : i64
		store %g, %p`, want: `
		VMOVQ CX, X0
		VPBROADCASTD X0, Y0
		VPAND table32_8_ef949dab85a7ab1a<>(SB), Y0, Y0
		VPCMPEQD table32_8_ef949dab85a7ab1a<>(SB), Y0, Y0
		VMASKMOVPS (AX), Y0, Y0
		VCMPPS $4, Y0, Y0, Y0
		VMOVMSKPS Y0, CX
		MOVQ CX, (AX)
		VMOVDQU (AX), Y0
		VPCMPEQW Y0, Y0, Y0
		VPMOVMSKB Y0, DX
		MOVL $0x55555555, CX
		PEXTL CX, DX, DX
		MOVQ DX, (AX)
		DATA table32_8_ef949dab85a7ab1a<>+0(SB)/4, $0x00000001
		DATA table32_8_ef949dab85a7ab1a<>+4(SB)/4, $0x00000002
		DATA table32_8_ef949dab85a7ab1a<>+8(SB)/4, $0x00000004
		DATA table32_8_ef949dab85a7ab1a<>+12(SB)/4, $0x00000008
		DATA table32_8_ef949dab85a7ab1a<>+16(SB)/4, $0x00000010
		DATA table32_8_ef949dab85a7ab1a<>+20(SB)/4, $0x00000020
		DATA table32_8_ef949dab85a7ab1a<>+24(SB)/4, $0x00000040
		DATA table32_8_ef949dab85a7ab1a<>+28(SB)/4, $0x00000080
		GLOBL table32_8_ef949dab85a7ab1a<>(SB), RODATA|NOPTR, $32`},
	{name: "loadb", body: `
		%a = loadb %p {off=4} : f32x16
		%b = loadb %p, %n {scale=8} : f64x8
		%c = loadb %p : f32x4
		%d = loadb %p : f64x2
		store %a, %p
		store %b, %p
		store %c, %p
		store %d, %p`, want: `
		VBROADCASTSS 4(AX), Z0
		VBROADCASTSD (AX)(CX*8), Z1
		VBROADCASTSS (AX), X2
		VMOVDDUP (AX), X3
		VMOVUPS Z0, (AX)
		VMOVUPD Z1, (AX)
		VMOVUPS X2, (AX)
		VMOVUPD X3, (AX)`},
	{name: "splat", body: `
		%a = load %p : f32
		%b = load %p : f64
		%c = splat %a : f32x16
		%d = splat %b : f64x4
		%e = splat %b : f64x2
		store %c, %p
		store %d, %p
		store %e, %p`, want: `
		VMOVSS (AX), X0
		VMOVSD (AX), X1
		VBROADCASTSS X0, Z0
		VBROADCASTSD X1, Y2
		VMOVDDUP X1, X1
		VMOVUPS Z0, (AX)
		VMOVUPD Y2, (AX)
		VMOVUPD X1, (AX)`},
	{name: "shuffles of 256 bits", avx2: true, body: `
		%a = load %p : f32x8
		%b = load %p {off=32} : f32x8
		%c = shuffle %a, %b {perm=[0, 8, 1, 9, 4, 12, 5, 13]} : f32x8
		%d = shuffle %a, %b {perm=[2, 10, 3, 11, 6, 14, 7, 15]} : f32x8
		%e = shuffle %a, %b {perm=[0, 1, 8, 9, 4, 5, 12, 13]} : f32x8
		%f = shuffle %a, %b {perm=[0, 1, 2, 3, 8, 9, 10, 11]} : f32x8
		%g = shuffle %a, %b {perm=[3, 2, 8, 9, 7, 6, 12, 13]} : f32x8
		%h = shuffle %a {perm=[4, 5, 6, 7, 0, 1, 2, 3]} : f32x8
		%i = shuffle %a {perm=[3, 2, 1, 0, 7, 6, 5, 4]} : f32x8
		store %c, %p
		store %d, %p
		store %e, %p
		store %f, %p
		store %g, %p
		store %h, %p
		store %i, %p`, want: `
		VMOVUPS (AX), Y0
		VMOVUPS 32(AX), Y1
		VUNPCKLPS Y1, Y0, Y2
		VUNPCKHPS Y1, Y0, Y3
		VUNPCKLPD Y1, Y0, Y4
		VPERM2F128 $32, Y1, Y0, Y5
		VSHUFPS $75, Y1, Y0, Y1
		VPERM2F128 $1, Y0, Y0, Y6
		VSHUFPS $27, Y0, Y0, Y0
		VMOVUPS Y2, (AX)
		VMOVUPS Y3, (AX)
		VMOVUPS Y4, (AX)
		VMOVUPS Y5, (AX)
		VMOVUPS Y1, (AX)
		VMOVUPS Y6, (AX)
		VMOVUPS Y0, (AX)`},
	{name: "shuffles of 512 bits", body: `
		%a = load %p : f64x8
		%b = load %p {off=64} : f64x8
		%c = shuffle %a, %b {perm=[0, 8, 2, 10, 4, 12, 6, 14]} : f64x8
		%d = shuffle %a, %b {perm=[1, 9, 3, 11, 5, 13, 7, 15]} : f64x8
		%e = shuffle %a, %b {perm=[0, 1, 4, 5, 8, 9, 12, 13]} : f64x8
		%f = shuffle %a, %b {perm=[2, 3, 6, 7, 10, 11, 14, 15]} : f64x8
		store %c, %p
		store %d, %p
		store %e, %p
		store %f, %p`, want: `
		VMOVUPD (AX), Z0
		VMOVUPD 64(AX), Z1
		VUNPCKLPD Z1, Z0, Z2
		VUNPCKHPD Z1, Z0, Z3
		VSHUFF64X2 $136, Z1, Z0, Z4
		VSHUFF64X2 $221, Z1, Z0, Z0
		VMOVUPD Z2, (AX)
		VMOVUPD Z3, (AX)
		VMOVUPD Z4, (AX)
		VMOVUPD Z0, (AX)`},
	{name: "params", body: `
		%a = param {name="x"} : f32
		%b = param {name="y"} : f64
		%c = param {name="x"} : f32x16
		%d = param {name="y"} : f64x2
		%e = param {name="q"} : ptr
		store %a, %e
		store %b, %e
		store %c, %e
		store %d, %e`, want: `
		VMOVSS 32(DI), X0
		VMOVSD 40(DI), X1
		VBROADCASTSS 32(DI), Z2
		VMOVDDUP 40(DI), X3
		MOVQ 8(DI), AX
		VMOVSS X0, (AX)
		VMOVSD X1, (AX)
		VMOVUPS Z2, (AX)
		VMOVUPD X3, (AX)`},
	{name: "prefetch", body: `
		prefetch %p
		prefetch %p, %n {imm=1, scale=1, off=64}`, want: `
		PREFETCHT0 (AX)
		PREFETCHT1 64(AX)(CX*1)`},
	{name: "zero vectors", body: `
		%a = const : f32x16
		%b = const : f64x4
		%c = const : f32
		store %a, %p
		store %b, %p
		store %c, %p`, want: `
		VPXORD Z0, Z0, Z0
		VXORPS Y1, Y1, Y1
		VXORPS X2, X2, X2
		VMOVUPS Z0, (AX)
		VMOVUPD Y1, (AX)
		VMOVSS X2, (AX)`},
	{name: "constants in memory: one datum each, minus zero is not zero", body: `
		%a = const {f=1.5} : f32x16
		%b = const {f=-0} : f64x4
		%c = const {f=1.5} : f32
		%d = const {f=1} : f64
		%e = const {f=1} : f64x2
		store %a, %p
		store %b, %p
		store %c, %p
		store %d, %p
		store %e, %p`, want: `
		VBROADCASTSS const32_3fc00000<>(SB), Z0
		VBROADCASTSD const64_8000000000000000<>(SB), Y1
		VMOVSS const32_3fc00000<>(SB), X2
		VMOVSD const64_3ff0000000000000<>(SB), X3
		VMOVDDUP const64_3ff0000000000000<>(SB), X4
		VMOVUPS Z0, (AX)
		VMOVUPD Y1, (AX)
		VMOVSS X2, (AX)
		VMOVSD X3, (AX)
		VMOVUPD X4, (AX)
		DATA const32_3fc00000<>+0(SB)/4, $0x3fc00000
		GLOBL const32_3fc00000<>(SB), RODATA|NOPTR, $4
		DATA const64_3ff0000000000000<>+0(SB)/8, $0x3ff0000000000000
		GLOBL const64_3ff0000000000000<>(SB), RODATA|NOPTR, $8
		DATA const64_8000000000000000<>+0(SB)/8, $0x8000000000000000
		GLOBL const64_8000000000000000<>(SB), RODATA|NOPTR, $8`},
	{name: "copy", body: `
		%a = copy %n : i64
		%b = load %p : f32x16
		%c = copy %b : f32x16
		store %a, %p
		store %n, %p
		store %b, %p
		store %c, %p`, want: `
		MOVQ CX, DX
		VMOVUPS (AX), Z0
		VMOVAPS Z0, Z1
		MOVQ DX, (AX)
		MOVQ CX, (AX)
		VMOVUPS Z0, (AX)
		VMOVUPS Z1, (AX)`},
	{name: "for counts down if the index is not read", body: `
		%0 = const : i64
		%1 = const {imm=1} : i64
		%r = for %0, %n, %1, %k : i64 (%i: i64, %x: i64) {
			%y = mul %x, %x : i64
			yield %y
		}
		store %r, %p`, want: `
		TESTQ CX, CX
		JLE l2
		PCALIGN $32
		l1:
		IMULQ DX, DX
		DECQ CX
		JNZ l1
		l2:
		MOVQ DX, (AX)`},
	{name: "for counts up", body: `
		%0 = const : i64
		%4 = const {imm=4} : i64
		for %0, %n, %4 (%i: i64) {
			store %k, %p, %i {scale=8}
			yield
		}`, want: `
		XORL BX, BX
		CMPQ BX, CX
		JGE l2
		PCALIGN $32
		l1:
		MOVQ DX, (AX)(BX*8)
		ADDQ $4, BX
		CMPQ BX, CX
		JLT l1
		l2:`},
	{name: "for once, to a constant", body: `
		%2 = const {imm=2} : i64
		%1 = const {imm=1} : i64
		%9 = const {imm=9} : i64
		for %2, %9, %1 {once} (%i: i64) {
			store %k, %p, %i {scale=8}
			yield
		}`, want: `
		MOVQ 24(DI), CX
		MOVQ $2, DX
		PCALIGN $32
		l1:
		MOVQ CX, (AX)(DX*8)
		ADDQ $1, DX
		CMPQ DX, $9
		JLT l1`},
	{name: "loops in loops: the inner one is aligned", body: `
		%0 = const : i64
		%1 = const {imm=1} : i64
		for %0, %n, %1 {once} (%i: i64) {
			for %0, %k, %1 {once} (%j: i64) {
				store %k, %p
				yield
			}
			yield
		}`, want: `
		l1:
		MOVQ DX, BX
		PCALIGN $32
		l3:
		MOVQ DX, (AX)
		DECQ BX
		JNZ l3
		DECQ CX
		JNZ l1`},
	{name: "while", body: `
		%0 = const : i64
		%1 = const {imm=1} : i64
		%r = while %n : i64 (%a: i64) {
			%c = cmp %a, %0 {name="gt"} : i1
			yield %c, %a
		} do (%b: i64) {
			%d = sub %b, %1 : i64
			store %d, %p
			yield %d
		}
		store %r, %p`, want: `
		l1:
		MOVQ CX, DX
		CMPQ CX, $0
		JLE l2
		MOVQ DX, CX
		SUBQ $1, CX
		MOVQ CX, (AX)
		JMP l1
		l2:
		MOVQ DX, (AX)`},
	{name: "if without results or an else side", body: `
		%0 = const : i64
		%c = cmp %n, %0 {name="ne"} : i1
		if %c {
			store %n, %p
			yield
		} else {
			yield
		}`, want: `
		CMPQ CX, $0
		JEQ l1
		MOVQ CX, (AX)
		l1:`},
	{name: "if with results", avx2: true, body: `
		%7 = const {imm=7} : i64
		%z = const : f32x8
		%v = load %p : f32x8
		%c = cmp %n, %k {name="ge"} : i1
		%a, %b = if %c : i64, f32x8 {
			%d = add %n, %k : i64
			yield %d, %v
		} else {
			yield %7, %z
		}
		store %a, %p
		store %b, %p
		store %v, %p`, want: `
		VMOVUPS (AX), Y0
		CMPQ CX, DX
		JLT l1
		ADDQ DX, CX
		VMOVAPS Y0, Y1
		JMP l2
		l1:
		MOVQ $7, CX
		VXORPS Y1, Y1, Y1
		l2:
		MOVQ CX, (AX)
		VMOVUPS Y1, (AX)
		VMOVUPS Y0, (AX)`},
	{name: "a condition is compared where it is used", body: `
		%c = cmp %n, %k {name="lt"} : i1
		store %n, %p
		%0 = const : i64
		if %c {
			store %k, %p
			yield
		} else {
			store %0, %p
			yield
		}`, want: `
		MOVQ CX, (AX)
		XORL BX, BX
		CMPQ CX, DX
		JGE l1
		MOVQ DX, (AX)
		JMP l2
		l1:
		MOVQ BX, (AX)
		l2:`},
	{name: "two carried integers trade places", body: `
		%0 = const : i64
		%1 = const {imm=1} : i64
		%a, %b = for %0, %n, %1, %n, %k : i64, i64 (%i: i64, %x: i64, %y: i64) {
			yield %y, %x
		}
		store %a, %p
		store %b, %p {off=8}`, want: `
		MOVQ CX, BX
		TESTQ CX, CX
		JLE l2
		PCALIGN $32
		l1:
		XCHGQ DX, BX
		DECQ CX
		JNZ l1
		l2:
		MOVQ BX, (AX)
		MOVQ DX, 8(AX)`},
	{name: "a cycle of three pointers and one that follows", body: `
		%0 = const : i64
		%1 = const {imm=1} : i64
		%q = param {name="q"} : ptr
		%s = addp %q, %n : ptr
		%a, %b, %c, %d = for %0, %k, %1, %p, %q, %s, %s : ptr, ptr, ptr, ptr (%i: i64, %x: ptr, %y: ptr, %z: ptr, %o: ptr) {
			yield %y, %z, %x, %x
		}
		store %n, %a
		store %n, %b
		store %n, %c
		store %n, %d`, want: `
		MOVQ 8(DI), BX
		LEAQ (BX)(CX*1), SI
		MOVQ SI, R8
		TESTQ DX, DX
		JLE l2
		PCALIGN $32
		l1:
		MOVQ AX, R8
		XCHGQ BX, AX
		XCHGQ SI, BX
		DECQ DX
		JNZ l1
		l2:
		MOVQ CX, (AX)
		MOVQ CX, (BX)
		MOVQ CX, (SI)
		MOVQ CX, (R8)`},
	{name: "two vectors trade places through a third register", avx2: true, body: `
		%0 = const : i64
		%1 = const {imm=1} : i64
		%v = load %p : f32x8
		%w = load %p {off=32} : f32x8
		%a, %b = for %0, %n, %1, %v, %w : f32x8, f32x8 (%i: i64, %x: f32x8, %y: f32x8) {
			yield %y, %x
		}
		store %a, %p
		store %b, %p`, want: `
		VMOVUPS (AX), Y0
		VMOVUPS 32(AX), Y1
		TESTQ CX, CX
		JLE l2
		PCALIGN $32
		l1:
		VMOVAPS Y1, Y2
		VMOVAPS Y0, Y1
		VMOVAPS Y2, Y0
		DECQ CX
		JNZ l1
		l2:
		VMOVUPS Y0, (AX)
		VMOVUPS Y1, (AX)`},
	{name: "vectors shift along", avx2: true, body: `
		%0 = const : i64
		%1 = const {imm=1} : i64
		%v = load %p : f32x8
		%a, %b = for %0, %n, %1, %v, %v : f32x8, f32x8 (%i: i64, %x: f32x8, %y: f32x8) {
			%z = load %p {off=32} : f32x8
			yield %y, %z
		}
		store %a, %p
		store %b, %p`, want: `
		VMOVUPS (AX), Y0
		VMOVAPS Y0, Y1
		TESTQ CX, CX
		JLE l2
		PCALIGN $32
		l1:
		VMOVUPS 32(AX), Y0
		VMOVAPS Y1, Y2
		VMOVAPS Y0, Y1
		VMOVAPS Y2, Y0
		DECQ CX
		JNZ l1
		l2:
		VMOVUPS Y0, (AX)
		VMOVUPS Y1, (AX)`},
}
