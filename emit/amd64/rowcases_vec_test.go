package amd64

func init() {
	rowCases = append(rowCases, vectorCases...)
}

// vectorCases are the subjects of TestRows for elementwise operations.
var vectorCases = []struct {
	name string
	avx2 bool
	body string
	want string
}{
	{name: "the bits of other lanes", body: `
		%a = load %p : i32x16
		%b = recast %a : i8x64
		store %b, %p
		store %a, %p`, want: `
		VMOVDQU32 (AX), Z0
		VMOVDQU8 Z0, (AX)
		VMOVDQU32 Z0, (AX)`},
	{name: "integers of 512 bits", body: `
		%a = load %p : i32x16
		%b = load %p {off=64} : i32x16
		%3 = const {imm=3} : i32x16
		%c = add %a, %b : i32x16
		%d = mul %c, %b : i32x16
		%e = and %d, %b : i32x16
		%f = shl %e, %3 : i32x16
		%g = sar %f, %b : i32x16
		%h = imin %g, %b : i32x16
		%i = imax %h, %b : i32x16
		store %i, %p`, want: `
		VMOVDQU32 (AX), Z0
		VMOVDQU32 64(AX), Z1
		VPADDD Z1, Z0, Z0
		VPMULLD Z1, Z0, Z0
		VPANDD Z1, Z0, Z0
		VPSLLD $3, Z0, Z0
		VPSRAVD Z1, Z0, Z0
		VPMINSD Z1, Z0, Z0
		VPMAXSD Z1, Z0, Z0
		VMOVDQU32 Z0, (AX)`},
	{name: "integers of 8, 16 and 64 bits", body: `
		%a = load %p : i8x64
		%b = sub %a, %a : i8x64
		store %b, %p
		%c = load %p : i16x16
		%d = imax %c, %c : i16x16
		%e = shr %d, %d : i16x16
		store %e, %p
		%f = load %p : i64x2
		%g = mul %f, %f : i64x2
		%h = xor %g, %f : i64x2
		store %h, %p`, want: `
		VMOVDQU8 (AX), Z0
		VPSUBB Z0, Z0, Z0
		VMOVDQU8 Z0, (AX)
		VMOVDQU16 (AX), Y0
		VPMAXSW Y0, Y0, Y0
		VPSRLVW Y0, Y0, Y0
		VMOVDQU16 Y0, (AX)
		VMOVDQU64 (AX), X0
		VPMULLQ X0, X0, X1
		VPXORQ X0, X1, X0
		VMOVDQU64 X0, (AX)`},
	{name: "integers on AVX2", avx2: true, body: `
		%a = load %p : i32x8
		%3 = const {imm=3} : i32x8
		%b = mul %a, %a : i32x8
		%c = or %b, %a : i32x8
		%d = sar %c, %3 : i32x8
		%e = shr %d, %a : i32x8
		store %e, %p
		%f = load %p : i64x4
		%g = sar %f, %f : i64x4
		%9 = const {imm=9} : i64x4
		%h = sar %g, %9 : i64x4
		%i = imin %h, %f : i64x4
		store %i, %p`, want: `
		VMOVDQU (AX), Y0
		VPMULLD Y0, Y0, Y1
		VPOR Y0, Y1, Y1
		VPSRAD $3, Y1, Y1
		VPSRLVD Y0, Y1, Y1
		VMOVDQU Y1, (AX)
		VMOVDQU (AX), Y0
		VPBROADCASTQ const64_8000000000000000<>(SB), Y1
		VPSRLVQ Y0, Y1, Y1
		VPSRLVQ Y0, Y0, Y2
		VPXOR Y1, Y2, Y2
		VPSUBQ Y1, Y2, Y2
		VPBROADCASTQ const64_0040000000000000<>(SB), Y1
		VPSRLQ $9, Y2, Y2
		VPXOR Y1, Y2, Y2
		VPSUBQ Y1, Y2, Y2
		VPCMPGTQ Y2, Y0, Y1
		VPBLENDVB Y1, Y2, Y0, Y0
		VMOVDQU Y0, (AX)
		DATA const64_0040000000000000<>+0(SB)/8, $0x0040000000000000
		GLOBL const64_0040000000000000<>(SB), RODATA|NOPTR, $8
		DATA const64_8000000000000000<>+0(SB)/8, $0x8000000000000000
		GLOBL const64_8000000000000000<>(SB), RODATA|NOPTR, $8`},
	{name: "comparison and choice on AVX-512", body: `
		%a = load %p : f32x16
		%b = load %p {off=64} : f32x16
		%m = cmp %a, %b {name="lt"} : i1x16
		%n2 = cmp %a, %b {name="ne"} : i1x16
		%o = and %m, %n2 : i1x16
		%c = select %o, %a, %b : f32x16
		store %c, %p
		%i = load %p : i16x2
		%w = cmp %i, %i {name="le"} : i1x2
		%j = select %w, %i, %i : i16x2
		store %j, %p`, want: `
		VMOVUPS (AX), Z0
		VMOVUPS 64(AX), Z1
		VCMPPS $17, Z1, Z0, K1
		VCMPPS $4, Z1, Z0, K2
		KANDW K2, K1, K1
		VBLENDMPS Z0, Z1, K1, Z1
		VMOVUPS Z1, (AX)
		VMOVD (AX), X0
		VPCMPW $2, X0, X0, K1
		KSHIFTLW $14, K1, K1
		KSHIFTRW $14, K1, K1
		VPBLENDMW X0, X0, K1, X0
		VMOVD X0, (AX)`},
	{name: "comparison and choice on AVX2", avx2: true, body: `
		%a = load %p : f32x8
		%b = load %p {off=64} : f32x8
		%m = cmp %a, %b {name="ge"} : i1x8
		%i = bitcast %a : i32x8
		%j = bitcast %b : i32x8
		%n2 = cmp %i, %j {name="le"} : i1x8
		%o = xor %m, %n2 : i1x8
		%c = select %o, %a, %b : f32x8
		store %c, %p
		%d = load %p : i16x8
		%f = select %m, %d, %d : i16x8
		store %f, %p`, want: `
		VMOVUPS (AX), Y0
		VMOVUPS 64(AX), Y1
		VCMPPS $29, Y1, Y0, Y2
		VPCMPGTD Y1, Y0, Y3
		VPCMPEQD Y4, Y4, Y4
		VPXOR Y4, Y3, Y3
		VPXOR Y3, Y2, Y3
		VBLENDVPS Y3, Y0, Y1, Y1
		VMOVUPS Y1, (AX)
		VMOVDQU (AX), X0
		VEXTRACTI128 $1, Y2, X1
		VPACKSSDW X1, X2, X1
		VPBLENDVB X1, X0, X0, X0
		VMOVDQU X0, (AX)`},
	{name: "masks at another width", avx2: true, body: `
		%a = load %p : i8x4
		%m = cmp %a, %a {name="lt"} : i1x4
		%b = load %p : f64x4
		%c = cmp %b, %b {name="lt"} : i1x4
		%t = maskn %n : i1x4
		%d = select %m, %b, %b : f64x4
		%e = select %c, %a, %a : i8x4
		%f = loadm %t, %p : f32x4
		store %d, %p
		store %e, %p
		store %f, %p`, want: `
		VMOVD (AX), X0
		VPCMPGTB X0, X0, X1
		VMOVUPD (AX), Y2
		VCMPPD $17, Y2, Y2, Y3
		MOVQ $4, DX
		SUBQ CX, DX
		LEAQ tail<>(SB), CX
		VPMOVSXBQ X1, Y4
		VBLENDVPD Y4, Y2, Y2, Y2
		VEXTRACTI128 $1, Y3, X1
		VSHUFPS $0x88, X1, X3, X1
		VPACKSSDW X1, X1, X1
		VPACKSSWB X1, X1, X1
		VPBLENDVB X1, X0, X0, X0
		VMOVUPS 16(CX)(DX*4), X1
		VMASKMOVPS (AX), X1, X1
		VMOVUPD Y2, (AX)
		VMOVD X0, (AX)
		VMOVUPS X1, (AX)
		DATA tail<>+0(SB)/8, $0xffffffffffffffff
		DATA tail<>+8(SB)/8, $0xffffffffffffffff
		DATA tail<>+16(SB)/8, $0xffffffffffffffff
		DATA tail<>+24(SB)/8, $0xffffffffffffffff
		DATA tail<>+32(SB)/8, $0x0000000000000000
		DATA tail<>+40(SB)/8, $0x0000000000000000
		DATA tail<>+48(SB)/8, $0x0000000000000000
		DATA tail<>+56(SB)/8, $0x0000000000000000
		GLOBL tail<>(SB), RODATA|NOPTR, $64`},
	{name: "masks in K registers", body: `
		%m = maskn %n : i1x4
		%a = load %p : f64x4
		%c = cmp %a, %a {name="eq"} : i1x4
		%t = const {imm=1} : i1x4
		%o = xor %c, %t : i1x4
		%s = select %m, %c, %o : i1x4
		storem %a, %s, %p
		%b = loadm %s, %p : bf16x4
		storem %b, %m, %p
		%w = maskn %k : i1x64
		%d = loadm %w, %p : i8x64
		storem %d, %w, %p`, want: `
		MOVQ $-1, BX
		BZHIQ CX, BX, SI
		KMOVB SI, K1
		VMOVUPD (AX), Y0
		VCMPPD $0, Y0, Y0, K2
		MOVQ $15, CX
		KMOVB CX, K3
		KXORW K3, K2, K3
		KXORW K3, K2, K2
		KANDW K1, K2, K2
		KXORW K3, K2, K2
		VMOVUPD Y0, K2, (AX)
		VMOVDQU16.Z (AX), K2, X0
		VMOVDQU16 X0, K1, (AX)
		MOVQ $-1, CX
		BZHIQ DX, CX, BX
		KMOVQ BX, K1
		VMOVDQU8.Z (AX), K1, Z0
		VMOVDQU8 Z0, K1, (AX)`},
	{name: "masked bytes and words on AVX2", avx2: true, body: `
		%m = maskn %n : i1x4
		%a = loadm %m, %p : i16x4
		storem %a, %m, %p {off=6}`, want: `
		MOVQ $4, DX
		SUBQ CX, DX
		LEAQ tail<>(SB), CX
		VMOVUPS 24(CX)(DX*2), X0
		VPMOVMSKB X0, CX
		VPXOR X1, X1, X1
		BTL $0, CX
		JCC l1
		VPINSRW $0, (AX), X1, X1
		l1:
		BTL $2, CX
		JCC l2
		VPINSRW $1, 2(AX), X1, X1
		l2:
		BTL $4, CX
		JCC l3
		VPINSRW $2, 4(AX), X1, X1
		l3:
		BTL $6, CX
		JCC l4
		VPINSRW $3, 6(AX), X1, X1
		l4:
		VPMOVMSKB X0, CX
		BTL $0, CX
		JCC l5
		VPEXTRW $0, X1, 6(AX)
		l5:
		BTL $2, CX
		JCC l6
		VPEXTRW $1, X1, 8(AX)
		l6:
		BTL $4, CX
		JCC l7
		VPEXTRW $2, X1, 10(AX)
		l7:
		BTL $6, CX
		JCC l8
		VPEXTRW $3, X1, 12(AX)
		l8:
		DATA tail<>+0(SB)/8, $0xffffffffffffffff
		DATA tail<>+8(SB)/8, $0xffffffffffffffff
		DATA tail<>+16(SB)/8, $0xffffffffffffffff
		DATA tail<>+24(SB)/8, $0xffffffffffffffff
		DATA tail<>+32(SB)/8, $0x0000000000000000
		DATA tail<>+40(SB)/8, $0x0000000000000000
		DATA tail<>+48(SB)/8, $0x0000000000000000
		DATA tail<>+56(SB)/8, $0x0000000000000000
		GLOBL tail<>(SB), RODATA|NOPTR, $64`},
	{name: "bits, rounding and conversion on AVX-512", body: `
		%a = load %p : f32x16
		%b = round %a {name="floor"} : f32x16
		%c = cvt %b {name="trunc"} : i32x16
		%d = bitcast %a : i32x16
		%e = add %c, %d : i32x16
		%f = sat %e {name="u"} : i8x16
		store %f, %p
		%g = sat %e {name="s"} : i16x16
		store %g, %p
		%h = cvt %e {name="rne"} : f32x16
		%i = cvt %h {name="rne"} : f16x16
		store %i, %p
		%j = trunc %e : i8x16
		%l = sext %j : i16x16
		store %l, %p
		%o = cvt %i {name="rne"} : f32x16
		store %o, %p`, want: `
		VMOVUPS (AX), Z0
		VRNDSCALEPS $9, Z0, Z1
		VCVTTPS2DQ Z1, Z1
		VPADDD Z0, Z1, Z0
		VPXORD Z1, Z1, Z1
		VPMAXSD Z1, Z0, Z1
		VPMOVUSDB Z1, X1
		VMOVDQU8 X1, (AX)
		VPMOVSDW Z0, Y1
		VMOVDQU16 Y1, (AX)
		VCVTDQ2PS Z0, Z1
		VCVTPS2PH $0, Z1, Y1
		VMOVDQU16 Y1, (AX)
		VPMOVDB Z0, X0
		VPMOVSXBW X0, Y0
		VMOVDQU16 Y0, (AX)
		VCVTPH2PS Y1, Z0
		VMOVUPS Z0, (AX)`},
	{name: "to and from double width", body: `
		%a = load %p : f64x4
		%b = cvt %a {name="rne"} : f32x4
		store %b, %p
		%c = cvt %a {name="trunc"} : i32x4
		store %c, %p
		%d = cvt %a {name="rne"} : i64x4
		%e = cvt %d {name="rne"} : f32x4
		%f = cvt %e {name="rne"} : f64x4
		store %f, %p`, want: `
		VMOVUPD (AX), Y0
		VCVTPD2PSY Y0, X1
		VMOVUPS X1, (AX)
		VCVTTPD2DQY Y0, X1
		VMOVDQU32 X1, (AX)
		VCVTPD2QQ Y0, Y0
		VCVTQQ2PSY Y0, X0
		VCVTPS2PD X0, Y0
		VMOVUPD Y0, (AX)`},
	{name: "rounding and conversion on AVX2", avx2: true, body: `
		%a = load %p : f32x8
		%b = round %a {name="rne"} : f32x8
		%c = cvt %b {name="rne"} : i32x8
		%d = sat %c {name="u"} : i8x8
		store %d, %p
		%e = trunc %c : i16x8
		store %e, %p
		%f = load %p : i64x4
		%g = trunc %f : i32x4
		store %g, %p
		%h = zext %d : i32x8
		store %h, %p`, want: `
		VMOVUPS (AX), Y0
		VROUNDPS $8, Y0, Y0
		VCVTPS2DQ Y0, Y0
		VEXTRACTI128 $1, Y0, X1
		VPACKSSDW X1, X0, X1
		VPACKUSWB X1, X1, X1
		VMOVQ X1, (AX)
		VPBROADCASTD const32_0000ffff<>(SB), Y2
		VPAND Y2, Y0, Y0
		VEXTRACTI128 $1, Y0, X2
		VPACKUSDW X2, X0, X2
		VMOVDQU X2, (AX)
		VMOVDQU (AX), Y0
		VEXTRACTI128 $1, Y0, X2
		VSHUFPS $0x88, X2, X0, X2
		VMOVDQU X2, (AX)
		VPMOVZXBD X1, Y1
		VMOVDQU Y1, (AX)
		DATA const32_0000ffff<>+0(SB)/4, $0x0000ffff
		GLOBL const32_0000ffff<>(SB), RODATA|NOPTR, $4`},
	{name: "bf16", body: `
		%a = load %p : bf16x16
		%b = cvt %a {name="rne"} : f32x16
		%c = add %b, %b : f32x16
		%d = cvt %c {name="rne"} : bf16x16
		store %d, %p`, want: `
		VMOVDQU16 (AX), Y0
		VPMOVZXWD Y0, Z0
		VPSLLD $16, Z0, Z0
		VADDPS Z0, Z0, Z0
		VPSRLD $16, Z0, Z1
		VPBROADCASTD const32_00000001<>(SB), Z2
		VPANDD Z2, Z1, Z2
		VPADDD Z2, Z0, Z2
		VPBROADCASTD const32_00007fff<>(SB), Z3
		VPADDD Z3, Z2, Z2
		VCMPPS $4, Z0, Z0, K1
		VPBROADCASTD const32_00000040<>(SB), Z0
		VPORD Z0, Z1, Z0
		VPSRLD $16, Z2, Z2
		VPBLENDMD Z0, Z2, K1, Z2
		VPMOVDW Z2, Y2
		VMOVDQU16 Y2, (AX)
		DATA const32_00000001<>+0(SB)/4, $0x00000001
		GLOBL const32_00000001<>(SB), RODATA|NOPTR, $4
		DATA const32_00000040<>+0(SB)/4, $0x00000040
		GLOBL const32_00000040<>(SB), RODATA|NOPTR, $4
		DATA const32_00007fff<>+0(SB)/4, $0x00007fff
		GLOBL const32_00007fff<>(SB), RODATA|NOPTR, $4`},
	{name: "a bitcast costs nothing while both are used", avx2: true, body: `
		%a = load %p : f32x8
		%b = bitcast %a : i32x8
		%c = add %b, %b : i32x8
		%d = bitcast %c : f32x8
		%e = add %a, %d : f32x8
		%f = xor %b, %c : i32x8
		store %e, %p
		store %f, %p`, want: `
		VMOVUPS (AX), Y0
		VPADDD Y0, Y0, Y1
		VADDPS Y1, Y0, Y2
		VPXOR Y1, Y0, Y0
		VMOVUPS Y2, (AX)
		VMOVDQU Y0, (AX)`},
	{name: "narrow integers and scalars", avx2: true, body: `
		%a = load %p : i8
		%b = sext %a : i32
		%c = load %p : i16
		%d = zext %c : i64
		%e = trunc %d : i32
		%f = add %b, %e : i32
		%g = splat %f : i32x8
		store %g, %p
		store %f, %p
		%h = cvt %f {name="rne"} : f32
		%i = round %h {name="ceil"} : f32
		%j = cvt %i {name="trunc"} : i64
		store %j, %p
		%l = bitcast %i : i32
		%2 = const {imm=2} : i32
		%m = shr %l, %2 : i32
		store %m, %p
		%o = cvt %i {name="rne"} : f64
		store %o, %p
		%u = imax %l, %m : i32
		store %u, %p`, want: `
		MOVBLZX (AX), CX
		MOVBQSX CX, CX
		MOVWLZX (AX), DX
		MOVWQZX DX, DX
		ADDQ DX, CX
		VMOVQ CX, X0
		VPBROADCASTD X0, Y0
		VMOVDQU Y0, (AX)
		MOVL CX, (AX)
		VXORPS X0, X0, X0
		VCVTSI2SSL CX, X0, X0
		VROUNDSS $10, X0, X0, X0
		VCVTTSS2SIQ X0, CX
		MOVQ CX, (AX)
		VMOVD X0, CX
		MOVQ CX, DX
		SHRL $2, DX
		MOVL DX, (AX)
		VCVTSS2SD X0, X0, X0
		VMOVSD X0, (AX)
		MOVQ DX, BX
		CMPL CX, DX
		CMOVQGT CX, BX
		MOVL BX, (AX)`},
	{name: "splats and constants", body: `
		%a = load %p : i32
		%b = splat %a : i32x16
		store %b, %p
		%c = loadb %p : i8x16
		store %c, %p
		%d = const {imm=-2} : i16x32
		store %d, %p
		%e = const {f=1.5} : bf16x8
		store %e, %p
		%f = load %p : f32x2
		store %f, %p
		%g = load %p : i8x4
		store %g, %p`, want: `
		MOVL (AX), CX
		VPBROADCASTD CX, Z0
		VMOVDQU32 Z0, (AX)
		VPBROADCASTB (AX), X0
		VMOVDQU8 X0, (AX)
		VPBROADCASTW const16_fffe<>(SB), Z0
		VMOVDQU16 Z0, (AX)
		VPBROADCASTW const16_3fc0<>(SB), X0
		VMOVDQU16 X0, (AX)
		VMOVQ (AX), X0
		VMOVQ X0, (AX)
		VMOVD (AX), X0
		VMOVD X0, (AX)
		DATA const16_3fc0<>+0(SB)/2, $0x3fc0
		GLOBL const16_3fc0<>(SB), RODATA|NOPTR, $2
		DATA const16_fffe<>+0(SB)/2, $0xfffe
		GLOBL const16_fffe<>(SB), RODATA|NOPTR, $2`},
	{name: "choice of a scalar float", avx2: true, body: `
		%a = load %p : f32
		%b = load %p {off=4} : f32
		%c = cmp %n, %k {name="lt"} : i1
		%d = select %c, %a, %b : f32
		store %d, %p`, want: `
		VMOVSS (AX), X0
		VMOVSS 4(AX), X1
		CMPQ CX, DX
		JGE l1
		VMOVAPS X0, X1
		l1:
		VMOVSS X1, (AX)`},
	{name: "bits and upper halves", body: `
		%a = load %p : i16x32
		%b = umulh %a, %a : i16x32
		store %b, %p
		%c = load %p : i64x8
		%1 = const {imm=3000000000} : i64x8
		%33 = const {imm=33} : i64x8
		%d = shr %c, %33 : i64x8
		%e = mul %d, %1 : i64x8
		store %e, %p
		%f = popcnt %n : i64
		%g = clz %f : i64
		store %g, %p`, want: `
		VMOVDQU16 (AX), Z0
		VPMULHUW Z0, Z0, Z0
		VMOVDQU16 Z0, (AX)
		VMOVDQU64 (AX), Z0
		VPBROADCASTQ const64_00000000b2d05e00<>(SB), Z1
		VPSRLQ $33, Z0, Z0
		VPMULUDQ Z1, Z0, Z0
		VMOVDQU64 Z0, (AX)
		POPCNTQ CX, CX
		LZCNTQ CX, CX
		MOVQ CX, (AX)
		DATA const64_00000000b2d05e00<>+0(SB)/8, $0x00000000b2d05e00
		GLOBL const64_00000000b2d05e00<>(SB), RODATA|NOPTR, $8`},
	{name: "tables", body: `
		%a = load %p : i32x16
		%3 = const {imm=3} : i32x16
		%b = and %a, %3 : i32x16
		%c = table %b {table=[1, 2, 3, 4]} : i32x16
		store %c, %p`, want: `
		VMOVDQU32 (AX), Z0
		VPBROADCASTD const32_00000003<>(SB), Z1
		VPANDD Z1, Z0, Z0
		VPERMD table32_16_8d2eda5eabb77aa1<>(SB), Z0, Z0
		VMOVDQU32 Z0, (AX)
		DATA const32_00000003<>+0(SB)/4, $0x00000003
		GLOBL const32_00000003<>(SB), RODATA|NOPTR, $4
		DATA table32_16_8d2eda5eabb77aa1<>+0(SB)/4, $0x00000001
		DATA table32_16_8d2eda5eabb77aa1<>+4(SB)/4, $0x00000002
		DATA table32_16_8d2eda5eabb77aa1<>+8(SB)/4, $0x00000003
		DATA table32_16_8d2eda5eabb77aa1<>+12(SB)/4, $0x00000004
		DATA table32_16_8d2eda5eabb77aa1<>+16(SB)/4, $0x00000000
		DATA table32_16_8d2eda5eabb77aa1<>+20(SB)/4, $0x00000000
		DATA table32_16_8d2eda5eabb77aa1<>+24(SB)/4, $0x00000000
		DATA table32_16_8d2eda5eabb77aa1<>+28(SB)/4, $0x00000000
		DATA table32_16_8d2eda5eabb77aa1<>+32(SB)/4, $0x00000000
		DATA table32_16_8d2eda5eabb77aa1<>+36(SB)/4, $0x00000000
		DATA table32_16_8d2eda5eabb77aa1<>+40(SB)/4, $0x00000000
		DATA table32_16_8d2eda5eabb77aa1<>+44(SB)/4, $0x00000000
		DATA table32_16_8d2eda5eabb77aa1<>+48(SB)/4, $0x00000000
		DATA table32_16_8d2eda5eabb77aa1<>+52(SB)/4, $0x00000000
		DATA table32_16_8d2eda5eabb77aa1<>+56(SB)/4, $0x00000000
		DATA table32_16_8d2eda5eabb77aa1<>+60(SB)/4, $0x00000000
		GLOBL table32_16_8d2eda5eabb77aa1<>(SB), RODATA|NOPTR, $64`},
	{name: "a table to gather from", avx2: true, body: `
		%a = load %p : i64x4
		%1 = const {imm=1} : i64x4
		%b = and %a, %1 : i64x4
		%c = table %b {table=[5, 6]} : i64x4
		store %c, %p`, want: `
		VMOVDQU (AX), Y0
		VPBROADCASTQ const64_0000000000000001<>(SB), Y1
		VPAND Y1, Y0, Y0
		LEAQ table64_2_b70a5d074331a7e6<>(SB), CX
		VPCMPEQD Y1, Y1, Y1
		VPGATHERQQ Y1, (CX)(Y0*8), Y2
		VMOVDQU Y2, (AX)
		DATA const64_0000000000000001<>+0(SB)/8, $0x0000000000000001
		GLOBL const64_0000000000000001<>(SB), RODATA|NOPTR, $8
		DATA table64_2_b70a5d074331a7e6<>+0(SB)/8, $0x0000000000000005
		DATA table64_2_b70a5d074331a7e6<>+8(SB)/8, $0x0000000000000006
		GLOBL table64_2_b70a5d074331a7e6<>(SB), RODATA|NOPTR, $16`},
}
