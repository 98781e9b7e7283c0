package sparse

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/tiling"
)

// TestWork counts by hand what kernels do for 16 features in f32, two vectors of 32
// bytes and so two panels of one:
//
//	a . b .
//	. . . .
//	c d e .
func TestWork(t *testing.T) {
	m := matrixOf[float32](t, pattern{"", 3, 4, []Entry{{0, 0, 0}, {0, 2, 1}, {2, 0, 2}, {2, 1, 3}, {2, 2, 4}}})
	s := m.structure()
	s.of = new(undivided)
	for _, c := range []struct {
		plan  *plan
		costs Costs
		want  float64
	}{
		{&plan{format: CSR}, Costs{Call: 1}, 1},
		{&plan{format: CSR}, Costs{Entry: 1}, 2 * 5},
		{&plan{format: CSR}, Costs{EntryVector: 1}, 2 * 5},
		{&plan{format: CSR}, Costs{Row: 1}, 2 * 3},
		{&plan{format: CSR}, Costs{RowVector: 1}, 2 * 3},
		{&plan{format: CSR}, Costs{UpdateVector: 1, ClearVector: 1, Part: 1, Slot: 1, Visit: 1}, 0},
		{&plan{format: DCSR}, Costs{Part: 1}, 1},
		{&plan{format: DCSR}, Costs{SlotVector: 1}, 2 * 5},
		{&plan{format: DCSR}, Costs{VisitVector: 1}, 2 * 2},
		{&plan{format: DCSR}, Costs{UpdateVector: 1}, 0},
		{&plan{format: DCSR}, Costs{ClearVector: 1}, 2 * 1}, // the empty row
		{&plan{format: DELL(1)}, Costs{ClearVector: 1}, 2 * 3},
		{&plan{format: COO}, Costs{UpdateVector: 1}, 2 * 5},
		{&plan{format: CSC}, Costs{UpdateVector: 1}, 2 * 5},
		{&plan{format: ELL(3)}, Costs{Slot: 1}, 2 * 9},
		{&plan{format: ELL(3)}, Costs{UpdateVector: 1, ClearVector: 1}, 0},
		{&plan{format: DIA}, Costs{SlotVector: 1}, 2 * 4 * 3},
		{&plan{format: BSR(2)}, Costs{Block: 1}, 2 * 4 * 2},               // 4 blocks of 2 columns
		{&plan{format: BSR(2)}, Costs{BlockVector: 1}, 2 * 4 * 4},         // of 4 slots
		{&plan{format: BSR(2)}, Costs{VisitVector: 1}, 2 * 2 * 2},         // 2 rows of 2 rows
		{&plan{rules: []Rule{Columns(2)}}, Costs{Call: 1}, 2},             //
		{&plan{rules: []Rule{Columns(2)}}, Costs{Row: 1}, 2 * 2 * 3},      // every row, twice
		{&plan{rules: []Rule{Columns(2)}}, Costs{ClearVector: 1}, 0},      // the first part stores
		{&plan{rules: []Rule{Columns(2)}}, Costs{UpdateVector: 1}, 2 * 3}, // and the second adds
		{&plan{rules: []Rule{Hyb(2, 2)}}, Costs{Part: 1}, 3},              // row 0; row 2; both
		{&plan{rules: []Rule{Hyb(2, 2)}}, Costs{Visit: 1}, 2 * 4},         //
		{&plan{rules: []Rule{Hyb(2, 2)}}, Costs{ClearVector: 1}, 2 * 2},   // before the first part only
		{&plan{rules: []Rule{Hyb(2, 2)}}, Costs{UpdateVector: 1}, 2 * 3},  // in the others
	} {
		if err := c.plan.prepare(s); err != nil {
			t.Fatal(err)
		}
		on := Machine{Vector: 32, Panel: 1, Costs: c.costs}
		if have := work(on, 64, m.Rows(), c.plan.parts) * 1e9; math.Abs(have-c.want) > 1e-6 {
			t.Errorf("%s, %+v: %v ns, want %v", c.plan.name, c.costs, have, c.want)
		}
	}
}

// TestSlabCounts: slabs that fill half or all of a cache, where rows are long enough.
func TestSlabCounts(t *testing.T) {
	on := Machine{Caches: tiling.Caches{L1: 1 << 10, L2: 16 << 10, L3: 64 << 10}}
	for _, c := range []struct {
		cols, degree int
		want         []int
	}{
		{100, 50, nil},                    // B of 12.5 KiB is in L2
		{400, 50, []int{4, 8}},            // 50 KiB is in L3
		{400, 10, []int{4}},               // and rows of 10 entries are not cut in 8
		{400, 7, nil},                     //
		{4000, 200, []int{8, 16, 32, 64}}, // 500 KiB is in neither
		{4000, 20, []int{8}},
	} {
		s := Structure{m: 10, n: c.cols, nnz: 10 * c.degree}
		if d := cmp.Diff(slabCounts(s, 128, on), c.want); d != "" {
			t.Errorf("%d columns, %d entries a row: %s", c.cols, c.degree, d)
		}
	}
}
