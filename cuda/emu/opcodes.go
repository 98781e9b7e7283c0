package emu

// opcodes has every instruction that is executed, by the word before the first dot.
var opcodes = map[string]func(c *compiler){
	// inst_arith.go, inst_int.go, inst_float.go, inst_half.go
	"add": (*compiler).add, "sub": (*compiler).sub, "mul": (*compiler).mul, "mad": (*compiler).mad, "fma": (*compiler).fma,
	"div": (*compiler).div, "rem": (*compiler).rem, "abs": (*compiler).abs, "neg": (*compiler).neg,
	"min": (*compiler).min, "max": (*compiler).max,
	"sad": (*compiler).sad,
	"rcp": (*compiler).rcp, "sqrt": (*compiler).sqrt, "rsqrt": (*compiler).rsqrt, "ex2": (*compiler).ex2, "lg2": (*compiler).lg2,
	"sin": (*compiler).sin, "cos": (*compiler).cos, "tanh": (*compiler).tanh,
	"copysign": (*compiler).copysign, "testp": (*compiler).testp,
	// inst_carry.go, inst_narrow.go
	"addc": (*compiler).addc, "subc": (*compiler).subc, "madc": (*compiler).madc,
	"mul24": (*compiler).mul24, "mad24": (*compiler).mad24, "dp2a": (*compiler).dp2a, "dp4a": (*compiler).dp4a,
	"bmsk": (*compiler).bmsk, "szext": (*compiler).szext, "fns": (*compiler).fns,
	// inst_bits.go
	"and": (*compiler).and, "or": (*compiler).or, "xor": (*compiler).xor, "not": (*compiler).not, "cnot": (*compiler).cnot,
	"shl": (*compiler).shl, "shr": (*compiler).shr, "shf": (*compiler).shf, "lop3": (*compiler).lop3, "prmt": (*compiler).prmt,
	"bfe": (*compiler).bfe, "bfi": (*compiler).bfi, "bfind": (*compiler).bfind, "popc": (*compiler).popc, "clz": (*compiler).clz, "brev": (*compiler).brev,
	// inst_video.go
	"vadd": (*compiler).vadd, "vsub": (*compiler).vsub, "vabsdiff": (*compiler).vabsdiff, "vmin": (*compiler).vmin, "vmax": (*compiler).vmax,
	"vshl": (*compiler).vshl, "vshr": (*compiler).vshr, "vmad": (*compiler).vmad, "vset": (*compiler).vset,
	// inst_select.go, inst_cvt.go, inst_mov.go
	"setp": (*compiler).setp, "set": (*compiler).set, "selp": (*compiler).selp, "slct": (*compiler).slct,
	"cvt": (*compiler).cvt, "mov": (*compiler).mov, "cvta": (*compiler).cvta, "isspacep": (*compiler).isspacep,
	// inst_mem.go
	"ld": (*compiler).ld, "ldu": (*compiler).ld, "st": (*compiler).st, "prefetch": (*compiler).prefetch, "prefetchu": (*compiler).prefetch,
	// inst_flow.go, inst_call.go
	"bra": (*compiler).bra, "brx": (*compiler).brx, "ret": (*compiler).ret, "exit": (*compiler).exit, "trap": (*compiler).trap, "call": (*compiler).call,
	"createpolicy": (*compiler).createpolicy, "griddepcontrol": (*compiler).griddepcontrol, "pmevent": (*compiler).pmevent, // inst_hint.go
	"nanosleep": (*compiler).nanosleep, "discard": (*compiler).prefetch, "applypriority": (*compiler).prefetch,
	// inst_bar.go, inst_warp.go
	"bar": (*compiler).bar, "barrier": (*compiler).bar, "mapa": (*compiler).mapa, "getctarank": (*compiler).getctarank, // inst_cluster.go
	"shfl": (*compiler).shfl, "vote": (*compiler).vote, "match": (*compiler).match, "activemask": (*compiler).activemask,
	"redux": (*compiler).redux, "elect": (*compiler).elect,
	// inst_atom.go
	"atom": (*compiler).atom, "red": (*compiler).red, "membar": (*compiler).membar, "fence": (*compiler).fence,
	// inst_async.go, inst_mbarrier.go
	"cp": (*compiler).cp, "mbarrier": (*compiler).mbarrier,
	// inst_matrix.go, inst_mma.go
	"ldmatrix": (*compiler).ldmatrix, "stmatrix": (*compiler).stmatrix, "movmatrix": (*compiler).movmatrix, "mma": (*compiler).mma, "wmma": (*compiler).wmma, // inst_wmma.go
}
