package lower

import (
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Every mutant of kernels made from axes is caught, too.
func TestNestMutants(t *testing.T) {
	skipShort(t)
	pointers, indices, values := testMatrix()
	m, err := sparse.FromCSR(len(testRows), testCols, pointers, indices, values)
	if err != nil {
		t.Fatal(err)
	}
	var counts tally
	for _, f := range []sparse.Format{sparse.CSC, sparse.DCSR, sparse.ELL(6), sparse.SELL(2, 4), sparse.DIA, sparse.SRBCRS(2, 16)} {
		m := m
		if f.Name == sparse.DIA.Name { // else it has as many diagonals as rows
			m = m.RowSlice(0, 8)
		}
		p, err := m.To(f)
		if err != nil {
			t.Fatal(err)
		}
		n := lookup(t, p)
		n.Op, n.Vectors = NewSum(emit.F64), 1
		fs, _, err := n.Lower(amd64.AVX2)
		if err != nil {
			t.Fatal(err)
		}
		for m := range counts.mutants(fs[1], 12) {
			bad := m.f.Check()
			for _, mode := range []int64{kernel.ModeStore, kernel.ModeScale, kernel.ModeUpdate} {
				if bad == nil {
					bad = interpret(m.f, emit.F64, p, 3, 3, mode, arithmetic{})
				}
			}
			switch {
			case bad != nil:
				counts.caught++
			case slices.ContainsFunc(truths, func(s string) bool { return strings.Contains(m.what, s) }):
				counts.same++
			default:
				t.Errorf("%s survives: %s", f, m.what)
			}
		}
	}
	if t.Log(counts); counts.same > 20 {
		t.Errorf("%d mutants are said to mean the same", counts.same)
	}
}

// truths are changes to how a condition is made that leave it: only the sign of a
// number is looked at, any bit is as true as the lowest where a branch or another
// truth follows, and the step of a loop that runs once at most means nothing.
var truths = []string{
	"const {imm=-1} : i64: one less", "const {imm=63} : i64: one less", "const {imm=1} : i64: one more",
	"shr %16, %17 : i64: dropped", "shr %18, %19 : i64: dropped", "and %54, %55 : i64: dropped",
}
