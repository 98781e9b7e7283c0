package advise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// zen4 is a machine that is the same everywhere.
func zen4(isa string) Machine {
	return Machine{Machine: *machine.Reference(isa), ISA: isa, Threads: 1}
}

// TestCount counts by hand what kernels do for 16 features in f32, a vector of 64 bytes:
//
//	a . b .
//	. . . .
//	c d e .
func TestCount(t *testing.T) {
	m := matrixOf[float32](t, sparsetest.Where("", 3, 4, func(i, j int) bool { return i == 0 && j%2 == 0 || i == 2 && j < 3 }))
	s := runs.Of(m.Raw())
	on := zen4("avx512")
	kern := kernelsFor(on.Of(on.ISA), 4)
	for _, c := range []struct {
		plan                  *plan
		vectors, muls, stores float64
	}{
		{&plan{format: format.CSR}, 5, 5 + 3*3, 3},                         // four sums of each row are joined
		{&plan{format: format.DCSR}, 5, 5, 2 + 1},                          // the empty row is cleared
		{&plan{format: format.COO}, 5 + 5, 5 + 5*2, 5 + 3},                 // C is cleared, and each entry reads it and adds
		{&plan{format: format.CSC}, 5 + 5, 5 + 5, 5 + 3},                   // likewise; a value is multiplied by alpha
		{&plan{format: format.ELL(3)}, 5, 5, 3},                            // padding is tested only
		{&plan{format: format.DIA}, 5, 5, 3},                               //
		{&plan{format: format.BSR(2)}, 4*2 + 4, 4*4 + 4, 4 + 4},            // 4 blocks of 2 columns; B is copied and looked at
		{&plan{pruned: true}, 5 + 3 + 4, 5 + 4, 3 + 4},                     // and here multiplied by alpha
		{&plan{rules: []rule.Rule{rule.Columns(2)}}, 5 + 3, 29, 6},         // two visits of each row, of which one adds
		{&plan{rules: []rule.Rule{rule.Hyb(2, 2)}}, 5 + 3, 5 + 3*2, 4 + 2}, // row 0, and row 2 in pieces, which add; two rows are cleared
	} {
		if err := c.plan.prepare(s, &kern); err != nil {
			t.Fatal(err)
		}
		var sum ops
		for _, w := range c.plan.count(&on, s, 64, 4) {
			sum.plus(1, w.ops)
		}
		have, want := [3]float64{sum.vectors, sum.muls, sum.stores}, [3]float64{c.vectors, c.muls, c.stores}
		if have != want {
			t.Errorf("%s: %v vectors, multiplications and stores; want %v", c.plan.name, have, want)
		}
	}
}

// TestCycles: the busiest unit counts.
func TestCycles(t *testing.T) {
	u := &machine.Units{Issue: 4, Loads: 2, Stores: 1, FMA: .5, Masked: 3}
	scalar := &machine.Units{Loads: 4}
	for _, c := range []struct {
		ops
		want float64
	}{
		{ops{steps: 12, vectors: 2, muls: 1, stores: 2}, 3},
		{ops{steps: 12, masked: 2}, 9},
		{ops{steps: 12, vectors: 8, loads: 4}, 5},
		{ops{steps: 12, muls: 5, splats: 10}, 10 + 20*splatShare},
		{ops{steps: 12, stores: 7}, 7},
	} {
		if have := c.cycles(u, scalar); have != c.want {
			t.Errorf("%+v: %v cycles, want %v", c.ops, have, c.want)
		}
	}
}

// TestSlabCounts: slabs down to half of L1, where rows have two entries left in each.
func TestSlabCounts(t *testing.T) {
	on := small()
	on.Caches[machine.L1].Size = 1 << 10
	for _, c := range []struct {
		cols, degree int
		want         []int
	}{
		{4, 50, nil}, // B of 512 bytes is in L1
		{100, 50, []int{2, 4, 8, 16}},
		{400, 50, []int{2, 4, 8, 16}},
		{400, 10, []int{2, 4}},
		{400, 3, nil},
		{40000, 2000, []int{2, 4, 8, 16, 32, 64}},
	} {
		s := runs.Set{M: 10, N: c.cols, NNZ: 10 * c.degree}
		if d := cmp.Diff(slabCounts(s, 128, &on), c.want); d != "" {
			t.Errorf("%d columns, %d entries a row: %s", c.cols, c.degree, d)
		}
	}
}

// TestSurprises: rows that repeat are known, and of others those that are few.
func TestSurprises(t *testing.T) {
	of := func(lengths ...int32) runs.Set {
		var s runs.Set
		at := int32(0)
		for range 20000 / len(lengths) {
			for _, n := range lengths {
				s.First, s.Last = append(s.First, at), append(s.Last, at+n)
				at += n
			}
		}
		s.M = len(s.First)
		return s
	}
	if n := surprises(of(1, 5, 2), 1, 20000); n > 10 {
		t.Errorf("%v surprises in rows that repeat", n)
	}
	r := rand.New(level.PCG(1, 2))
	var lengths []int32
	for range 20000 {
		lengths = append(lengths, r.Int32N(2))
	}
	rows := of(lengths...)
	if all := surprises(rows, 1, 1<<30); all < 8000 || all > 12000 {
		t.Errorf("%v surprises in 20000 rows of none or one entry, want about half", all)
	} else if some := surprises(rows, 1, 2*foresight); math.Abs(some-all*(1-tiling.Kept(2))) > 1 {
		t.Errorf("%v surprises of %v in twice the rows that a core knows", some, all)
	}
	if n := surprises(rows, 1, 10); n > 20 {
		t.Errorf("%v surprises in a product of ten rows", n)
	}
}
