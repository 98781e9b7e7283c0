package arm64

import (
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// suite makes the programs of these tests.
var suite = &asmtest.Suite{Backend: Backend{}, Machine: shared, Narrowest: 64, Lanes: []int{2, 2, 4, 4, 8, 16}, Has: has,
	Shuffle: randomShuffle, Shuffles: shuffles, Late: late}

// has reports whether NEON computes op on vectors: all of them, on every type.
func has(emit.Target, string, emit.Type) bool { return true }

// late: some operations are several instructions.
func late(op *emit.Op) []int {
	switch r := op.Result(); op.Def.Name {
	case "fma": // onto a copy
		if r.Type.Lanes > 1 {
			return []int{1, 2}
		}
	case "shr", "sar": // by what is negated first
		if r.Type.Lanes > 1 && !asm.IsConst(op.Args[1]) {
			return []int{0}
		}
	case "shuffle": // what the second lookup reads
		x, y := op.Args[0], op.Args[len(op.Args)-1]
		if plainShuffle(x.Type, op.Attr.Perm, x == y) == nil && x != y {
			return []int{len(op.Args) - 1}
		}
	case "inst":
		if len(op.Args) == 3 { // multiply-adds
			return []int{1, 2}
		}
	}
	return nil
}

// randomShuffle returns one that is an instruction, or any.
func randomShuffle(r *rand.Rand, ty emit.Type) []int {
	n := ty.Lanes
	perm := make([]int, n)
	p, first, kind := asmtest.Pick(r, permutations), r.IntN(2*n), r.IntN(5)
	for i := range perm {
		switch kind {
		case 0:
			perm[i] = p.perm(n, i)
		case 1:
			perm[i] = min(first, n) + i
		case 2:
			perm[i] = first
		default:
			perm[i] = r.IntN(2 * n)
		}
	}
	return perm
}

// shuffles lists those that are one instruction, and some that are not.
func shuffles(ty emit.Type) (all []asmtest.Moves) {
	n := ty.Lanes
	list := func(name string, perm func(k, i int) int, count int) {
		m := asmtest.Moves{Name: name}
		for k := range count {
			one := make([]int, n)
			for i := range one {
				one[i] = perm(k, i)
			}
			m.Perms = append(m.Perms, one)
		}
		all = append(all, m)
	}
	for _, p := range permutations {
		list(p.mnemonic, func(_, i int) int { return p.perm(n, i) }, 1)
	}
	list("ext", func(k, i int) int { return k + i }, n+1)
	list("dup", func(k, _ int) int { return k }, 2*n)
	list("reverse", func(k, i int) int { return n - 1 - i + k*n }, 2)
	r := rand.New(level.PCG(7, uint64(n)))
	list("any", func(k, i int) int { return r.IntN(2 * n) }, 12)
	return all
}
