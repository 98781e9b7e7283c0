package emu

import "math"

// opcodes has every instruction that is executed, by the word before the first dot.
var opcodes = map[string]func(c *compiler){
	// Numbers of all kinds: inst_arith.go, inst_int.go, inst_float.go, inst_half.go.
	"add": with((*compiler).arith, family{
		ints:   func(c *compiler, t typ) { c.intSum(t, 1) },
		floats: func(c *compiler, t typ) { c.float2(t, add32, add64) },
		halves: func(c *compiler, t typ) { c.half2(t, addOdd) },
	}),
	"sub": with((*compiler).arith, family{
		ints: func(c *compiler, t typ) { c.intSum(t, -1) },
		floats: func(c *compiler, t typ) {
			c.float2(t, func(a, b float32, r rounding) float32 { return add32(a, -b, r) },
				func(a, b float64, r rounding) float64 { return add64(a, -b, r) })
		},
		halves: func(c *compiler, t typ) { c.half2(t, func(a, b float64) float64 { return addOdd(a, -b) }) },
	}),
	"mul": with((*compiler).arith, family{
		ints:   (*compiler).intMul,
		floats: func(c *compiler, t typ) { c.float2(t, mul32, mul64) },
		halves: func(c *compiler, t typ) { c.half2(t, func(a, b float64) float64 { return a * b }) },
	}),
	"mad": with((*compiler).arith, family{ints: (*compiler).intMad, floats: (*compiler).floatFma}),
	"fma": with((*compiler).arith, family{floats: (*compiler).floatFma, halves: (*compiler).halfFma}),
	"div": with((*compiler).arith, family{ints: (*compiler).intDiv, floats: (*compiler).floatDiv}),
	"abs": with((*compiler).arith, family{(*compiler).intAbs, signed(withoutSign), halfSigned(withoutSign)}),
	"neg": with((*compiler).arith, family{(*compiler).intNeg, signed(withOther), halfSigned(withOther)}),
	"min": with((*compiler).extremum, true), "max": with((*compiler).extremum, false),
	"rem": (*compiler).rem, "sad": (*compiler).sad,
	"rcp":  with((*compiler).approx, approximate{f: func(v float64) float64 { return 1 / v }, gross: true, exact32: rcp32, exact64: rcp64}),
	"sqrt": with((*compiler).approx, approximate{f: math.Sqrt, exact32: sqrt32, exact64: sqrt64}), "rsqrt": with((*compiler).approx, approximate{f: rsqrt, gross: true}),
	"ex2": with((*compiler).approx, approximate{f: math.Exp2, half: true}), "lg2": with((*compiler).approx, approximate{f: math.Log2}),
	"sin": with((*compiler).approx, approximate{f: math.Sin}), "cos": with((*compiler).approx, approximate{f: math.Cos}),
	"tanh": with((*compiler).approx, approximate{f: math.Tanh, half: true}), "copysign": (*compiler).copysign, "testp": (*compiler).testp,
	// inst_carry.go, inst_narrow.go
	"addc": func(c *compiler) { c.carrySum(true, false) }, "subc": func(c *compiler) { c.carrySum(true, true) }, "madc": with((*compiler).carryMad, true),
	"mul24": (*compiler).mul24, "mad24": (*compiler).mad24, "dp2a": (*compiler).dp2a, "dp4a": (*compiler).dp4a,
	"bmsk": (*compiler).bmsk, "szext": (*compiler).szext, "fns": (*compiler).fns,
	// inst_bits.go
	"and": with((*compiler).logic, func(x, y uint64) uint64 { return x & y }), "or": with((*compiler).logic, func(x, y uint64) uint64 { return x | y }),
	"xor": with((*compiler).logic, func(x, y uint64) uint64 { return x ^ y }), "not": (*compiler).not, "cnot": (*compiler).cnot,
	"shl": (*compiler).shl, "shr": (*compiler).shr, "shf": (*compiler).shf, "lop3": (*compiler).lop3, "prmt": (*compiler).prmt,
	"bfe": (*compiler).bfe, "bfi": (*compiler).bfi, "bfind": (*compiler).bfind, "popc": (*compiler).popc, "clz": (*compiler).clz, "brev": (*compiler).brev,
	// inst_video.go
	"vadd": with((*compiler).videoArith, func(a, b int64) int64 { return a + b }), "vsub": with((*compiler).videoArith, func(a, b int64) int64 { return a - b }),
	"vmin": with((*compiler).videoArith, func(a, b int64) int64 { return min(a, b) }), "vmax": with((*compiler).videoArith, func(a, b int64) int64 { return max(a, b) }),
	"vabsdiff": with((*compiler).videoArith, func(a, b int64) int64 { return max(a-b, b-a) }),
	"vshl":     with((*compiler).videoShift, func(a, n int64) int64 { return a << n }), "vshr": with((*compiler).videoShift, func(a, n int64) int64 { return a >> n }),
	"vmad": (*compiler).vmad, "vset": (*compiler).vset,
	// inst_select.go, inst_cvt.go, inst_mov.go
	"setp": (*compiler).setp, "set": (*compiler).set, "selp": (*compiler).selp, "slct": (*compiler).slct,
	"cvt": (*compiler).cvt, "mov": (*compiler).mov, "cvta": (*compiler).cvta, "isspacep": (*compiler).isspacep,
	// inst_mem.go
	"ld": (*compiler).ld, "ldu": (*compiler).ld, "st": (*compiler).st,
	"prefetch": (*compiler).prefetch, "prefetchu": (*compiler).prefetch, "discard": (*compiler).prefetch, "applypriority": (*compiler).prefetch,
	// inst_flow.go, inst_call.go
	"bra": (*compiler).bra, "brx": (*compiler).brx, "ret": (*compiler).ret, "exit": (*compiler).exit, "trap": (*compiler).trap, "call": (*compiler).call,
	"nanosleep": (*compiler).nanosleep,
	// inst_hint.go
	"createpolicy": (*compiler).createpolicy, "griddepcontrol": (*compiler).griddepcontrol, "pmevent": (*compiler).pmevent,
	// inst_bar.go, inst_cluster.go, inst_warp.go
	"bar": (*compiler).bar, "barrier": (*compiler).bar, "mapa": (*compiler).mapa, "getctarank": (*compiler).getctarank,
	"shfl": (*compiler).shfl, "vote": (*compiler).vote, "match": (*compiler).match, "activemask": (*compiler).activemask,
	"redux": (*compiler).redux, "elect": (*compiler).elect,
	// inst_atom.go
	"atom": with((*compiler).atomic, true), "red": with((*compiler).atomic, false), "membar": (*compiler).membar, "fence": (*compiler).fence,
	// inst_async.go, inst_mbarrier.go
	"cp": (*compiler).cp, "mbarrier": (*compiler).mbarrier,
	// inst_matrix.go, inst_mma.go, inst_wmma.go
	"ldmatrix": (*compiler).ldmatrix, "stmatrix": (*compiler).stmatrix, "movmatrix": (*compiler).movmatrix, "mma": (*compiler).mma, "wmma": (*compiler).wmma,
}

// with is an instruction of several that make says, the one of x.
func with[T any](make func(c *compiler, x T), x T) func(c *compiler) {
	return func(c *compiler) { make(c, x) }
}
