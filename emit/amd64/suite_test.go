package amd64

import (
	"math/rand/v2"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
)

// suite makes the programs of these tests.
var suite = &asmtest.Suite{Backend: Backend{}, Machine: shared, Narrowest: 128, Lanes: []int{4, 4, 8, 8, 16}, Has: has,
	Shuffle: randomShuffle, Shuffles: shuffles, Late: late, Refusals: []string{"VPERM2F128 reaches"}}

// has reports whether the target computes on vectors of integers of type ty: some
// operations take lanes of twice their width, or of 32 or 64 bits, on the way.
func has(t emit.Target, name string, ty emit.Type) bool {
	way := ty.Elem.Bits()
	switch name {
	case "mul", "shl", "shr", "sar", "umulh", "popcnt", "clz":
		if ty.Elem == emit.I8 {
			way = 16
		}
	case "shiftv":
		if ty.Elem == emit.I8 || t.Bits == 256 && ty.Elem == emit.I16 {
			way = map[bool]int{true: 32, false: 16}[t.Bits == 256]
		}
	case "maskof": // 16 lanes at most on AVX2
		way = map[bool]int{true: max(16, way), false: way}[t.Bits == 256]
	case "udiv", "urem":
		way = map[emit.Elem]int{emit.I8: 32, emit.I16: 32, emit.I32: 64, emit.I64: 64}[ty.Elem]
	}
	return way*ty.Lanes <= t.Bits
}

// late: some operations are a copy of one operand and an instruction that reads the others.
func late(op *emit.Op) []int {
	switch r := op.Result(); {
	case op.Def.Name == "sub" && !r.Type.Elem.Float() && r.Type.Lanes == 1:
		return []int{1}
	case op.Def.Name == "select" && r.Type.Lanes == 1:
		return []int{0, 1}
	}
	return nil
}

// randomShuffle returns what a row of permutations does to two vectors, nil if it is not
// defined there.
func randomShuffle(r *rand.Rand, ty emit.Type) []int {
	p := asmtest.Pick(r, permutations)
	imm := 0
	if p.imm {
		imm = r.IntN(256)
	}
	return p.apply(ty, imm, laneNumbers(0, ty.Lanes), laneNumbers(ty.Lanes, ty.Lanes))
}

// shuffles lists what the rows of permutations do to two vectors, with some of their selectors.
func shuffles(ty emit.Type) (all []asmtest.Moves) {
	for _, p := range permutations {
		m := asmtest.Moves{Name: strings.ToLower(p.mnemonic)}
		for imm := 0; imm < 256; imm += 27 {
			if perm := p.apply(ty, imm, laneNumbers(0, ty.Lanes), laneNumbers(ty.Lanes, ty.Lanes)); perm != nil && (p.imm || imm == 0) {
				m.Perms = append(m.Perms, perm)
			}
		}
		if m.Perms != nil {
			all = append(all, m)
		}
	}
	return all
}
