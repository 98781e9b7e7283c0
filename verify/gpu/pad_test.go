package gpu

import "strings"

// padEquivalents are of the kernel that copies operands. Its first loop copies four elements of a thread in a turn, its
// second one the others: all of them, if need be.
var padEquivalents = []equivalence{
	same(`_pad$`, `number: .*: sub\.s64 `, "one turn of the first loop less, of the second four more").of(`^sub\(min\(.*, arg_along\), 96\)$`),
	same(`_pad$`, `guard: .* -> bra `, "no turn of the first loop").of(`^if setp\(var\(.*, sub\(min\(`),
	same(`_pad$`, `removed: .*: bra\.uni `, "one turn of the first loop").where(func(f *facts, _ int, p, _ parsed) bool {
		top := f.label(p.args[0])
		return top > 0 && strings.Contains(f.formula(top+1), "sub(min(")
	}),
}
