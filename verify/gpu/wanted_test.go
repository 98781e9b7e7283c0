package gpu

import (
	"slices"
	"strconv"
	"strings"
)

// wanted are the bits of a register that anything depends on, as far as is seen through so
// many of those that read it.
func (f *facts) wanted(r string, depth int) (want uint64) {
	for _, u := range f.uses[r] {
		want |= f.wantedBy(f.code[u], r, depth)
	}
	return want
}

// wantedBy are the bits that p wants of r, which it reads.
func (f *facts) wantedBy(p parsed, r string, depth int) uint64 {
	name, kind, _ := strings.Cut(p.op, ".")
	if name == "st" && strings.HasSuffix(kind, "8") && p.args[1] == r && !strings.Contains(p.args[0], r) && p.guard != r {
		return ones(8)
	}
	if depth == 0 || !p.writes() || register.FindString(p.args[0]) != p.args[0] || !slices.Contains(p.args[1:], r) {
		return ^uint64(0)
	}
	of := func() uint64 { return f.wanted(p.args[0], depth-1) & ones(width(p.args[0])) }
	number := func(i int) (uint, bool) {
		if i >= len(p.args) {
			return 0, false
		}
		n, err := strconv.ParseUint(p.args[i], 10, 32)
		return uint(n), err == nil
	}
	switch n, ok := number(2); {
	case name == "or", name == "xor", name == "mov", p.op == "cvt.u16.u32", p.op == "cvt.u32.u16":
		return of()
	case name == "and" && ok:
		return of() & uint64(n)
	case name == "and":
		return of()
	case name == "shr" && kind[0] == 'u' && ok:
		return of() << n
	case name == "shl" && ok:
		return of() >> n
	case p.op == "bfe.u32" && ok:
		if long, ok := number(3); ok {
			return of() & ones(int(long)) << n
		}
	case p.op == "bfi.b32" && p.args[1] != p.args[2]:
		at, ok := number(3)
		long, ok2 := number(4)
		switch field := ones(int(long)) << at; {
		case !ok || !ok2:
		case p.args[1] == r:
			return of() & field >> at
		case p.args[2] == r:
			return of() &^ field
		}
	}
	return ^uint64(0)
}
