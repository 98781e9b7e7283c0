package sparse_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// testOperands are matrices of many shapes, some not canonical.
func testOperands() map[string]sparse.Matrix[float64] {
	r := rand.New(level.PCG(1, 2))
	messy := func(m, n, entries int) sparse.Matrix[float64] {
		pointers, indices, values := make([]int, m+1), []int{}, []float64{}
		for range entries {
			pointers[r.IntN(m)+1]++
			indices, values = append(indices, r.IntN(n)), append(values, float64(r.IntN(9)-4))
		}
		for i := range m {
			pointers[i+1] += pointers[i]
		}
		return sparsetest.Must(sparse.FromCSR(m, n, pointers, indices, values))
	}
	return map[string]sparse.Matrix[float64]{
		"zero": {}, "0 x 5": sparsetest.Must(sparse.FromCOO[float64, int](0, 5, nil, nil, nil)), "5 x 0": sparsetest.Must(sparse.FromCOO[float64, int](5, 0, nil, nil, nil)),
		"empty": sparsetest.Must(sparse.FromCOO[float64, int](4, 6, nil, nil, nil)), "one": messy(1, 1, 1), "few": messy(4, 6, 5), "many": messy(6, 5, 40),
		"wide": messy(2, 90, 60), "tall": messy(90, 3, 60), "full": messy(3, 3, 60),
		"special": sparsetest.Must(sparse.FromCOO(2, 4, []int{0, 0, 1, 1, 1}, []int{1, 3, 0, 2, 3},
			[]float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), math.Inf(-1), -7})),
	}
}

// places is what a matrix stores, by place.
func places(m sparse.Matrix[float64]) map[[2]int]float64 {
	p := map[[2]int]float64{}
	for e, v := range m.Canonical().All() {
		p[[2]int{e.I, e.J}] = v
	}
	return p
}

// wantPlaces checks that have is canonical, rows x cols, and stores just what want says.
func wantPlaces(t *testing.T, what string, have sparse.Matrix[float64], rows, cols int, want map[[2]int]float64) {
	t.Helper()
	if have.Rows() != rows || have.Cols() != cols || !have.Sorted() || have.HasDuplicates() {
		t.Fatalf("%s: %v, unsorted %v, duplicates %v; want %d x %d", what, have, !have.Sorted(), have.HasDuplicates(), rows, cols)
	}
	if p, x, v := have.CSR(); !sparsetest.Must(sparse.FromCSR(rows, cols, p, x, v)).Equal(have) {
		t.Fatalf("%s: its arrays are no matrix", what)
	}
	if have.NNZ() != len(want) {
		t.Fatalf("%s: %d entries, want %d", what, have.NNZ(), len(want))
	}
	for e, v := range have.All() {
		w, ok := want[[2]int{e.I, e.J}]
		if !ok || math.Float64bits(v) != math.Float64bits(w) && (v == v || w == w) {
			t.Fatalf("%s: (%d, %d) is %v, want %v (%v)", what, e.I, e.J, v, w, ok)
		}
	}
}

// eachPlace makes the places that f says, of a rows x cols matrix.
func eachPlace(rows, cols int, f func(i, j int) (float64, bool)) map[[2]int]float64 {
	p := map[[2]int]float64{}
	for i := range rows {
		for j := range cols {
			if v, ok := f(i, j); ok {
				p[[2]int{i, j}] = v
			}
		}
	}
	return p
}

func TestElementWise(t *testing.T) {
	sub := func(x, y float64) float64 { return 2*x - 3*y }
	all := testOperands()
	for na, a := range all {
		for nb, b := range all {
			x, y := places(a), places(b)
			at := func(i, j int) (u, v float64, inU, inV bool) {
				u, inU = x[[2]int{i, j}]
				v, inV = y[[2]int{i, j}]
				return
			}
			for op, do := range map[string]func() (sparse.Matrix[float64], error){
				"union":     func() (sparse.Matrix[float64], error) { return a.Union(b, sub) },
				"combine":   func() (sparse.Matrix[float64], error) { return a.Combine(b, sub) },
				"intersect": func() (sparse.Matrix[float64], error) { return a.Intersect(b, sub) },
				"multiply":  func() (sparse.Matrix[float64], error) { return a.Multiply(b) },
				"add":       func() (sparse.Matrix[float64], error) { return a.Add(b) },
			} {
				what := op + " of " + na + " and " + nb
				have, err := do()
				if a.Rows() != b.Rows() || a.Cols() != b.Cols() {
					if !errors.Is(err, sparse.ErrShape) {
						t.Fatalf("%s: %v", what, err)
					}
					continue
				}
				wantPlaces(t, what, sparsetest.Must(have, err), a.Rows(), a.Cols(), eachPlace(a.Rows(), a.Cols(), func(i, j int) (float64, bool) {
					u, v, inU, inV := at(i, j)
					switch {
					case !inU && !inV || (op == "intersect" || op == "multiply") && !(inU && inV):
						return 0, false
					case op == "multiply":
						return u * v, true
					case op == "combine" || op != "add" && inU && inV:
						return sub(u, v), true
					case inU && inV:
						return u + v, true
					case inU:
						return u, true
					}
					return v, true
				}))
			}
			if a.NNZ()*b.NNZ() < 2000 {
				wantPlaces(t, "kron of "+na+" and "+nb, sparsetest.Must(sparse.Kron(a, b)), a.Rows()*b.Rows(), a.Cols()*b.Cols(), eachPlace(a.Rows()*b.Rows(), a.Cols()*b.Cols(), func(i, j int) (float64, bool) {
					u, inU := x[[2]int{i / b.Rows(), j / b.Cols()}]
					v, inV := y[[2]int{i % b.Rows(), j % b.Cols()}]
					return u * v, inU && inV
				}))
			}
		}
	}
}

func TestStructural(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	for name, m := range testOperands() {
		x := places(m)
		at := func(i, j int) (float64, bool) { v, ok := x[[2]int{i, j}]; return v, ok }
		for _, k := range []int{0, 1, -1, 3, -200, 200, math.MaxInt, math.MinInt} {
			wantPlaces(t, name+": tril", m.Tril(k), m.Rows(), m.Cols(), eachPlace(m.Rows(), m.Cols(), func(i, j int) (float64, bool) {
				v, ok := at(i, j)
				return v, ok && j-i <= k
			}))
			wantPlaces(t, name+": triu", m.Triu(k), m.Rows(), m.Cols(), eachPlace(m.Rows(), m.Cols(), func(i, j int) (float64, bool) {
				v, ok := at(i, j)
				return v, ok && j-i >= k
			}))
			var want []float64
			for i := range m.Rows() {
				if j := i + k; j >= 0 && j < m.Cols() && (k < 300 && k > -300) {
					v, _ := at(i, j)
					want = append(want, v)
				}
			}
			if have := m.DiagonalAt(k); fmt.Sprint(have) != fmt.Sprint(append([]float64{}, want...)) {
				t.Errorf("%s: diagonal %d is %v, want %v", name, k, have, want)
			}
		}
		wantPlaces(t, name+": apply", m.Apply(func(i, j int, v float64) float64 { return v + float64(100*i+j) }), m.Rows(), m.Cols(),
			eachPlace(m.Rows(), m.Cols(), func(i, j int) (float64, bool) { v, ok := at(i, j); return v + float64(100*i+j), ok }))
		if i0, i1, j0, j1 := m.Rows()/3, m.Rows(), m.Cols()/4, m.Cols()-m.Cols()/5; true {
			wantPlaces(t, name+": slice", m.Slice(i0, i1, j0, j1), i1-i0, j1-j0, eachPlace(i1-i0, j1-j0, func(i, j int) (float64, bool) { return at(i+i0, j+j0) }))
		}
		rows, cols := r.Perm(m.Rows()), r.Perm(m.Cols())
		wantPlaces(t, name+": permuted rows", sparsetest.Must(m.PermuteRows(rows)), m.Rows(), m.Cols(), eachPlace(m.Rows(), m.Cols(), func(i, j int) (float64, bool) { return at(rows[i], j) }))
		wantPlaces(t, name+": permuted columns", sparsetest.Must(m.PermuteCols(cols)), m.Rows(), m.Cols(), eachPlace(m.Rows(), m.Cols(), func(i, j int) (float64, bool) { return at(i, cols[j]) }))
		rows, cols = append(rows, rows[:min(2, m.Rows())]...), append(cols[:m.Cols()/2], cols[:m.Cols()/3]...)
		wantPlaces(t, name+": taken rows", sparsetest.Must(m.TakeRows(rows)), len(rows), m.Cols(), eachPlace(len(rows), m.Cols(), func(i, j int) (float64, bool) { return at(rows[i], j) }))
		wantPlaces(t, name+": taken columns", sparsetest.Must(m.TakeCols(cols)), m.Rows(), len(cols), eachPlace(m.Rows(), len(cols), func(i, j int) (float64, bool) { return at(i, cols[j]) }))

		byRow, byCol := make([]float64, m.Rows()), make([]float64, m.Cols())
		for i := range byRow {
			byRow[i] = float64(i - 2)
		}
		for j := range byCol {
			byCol[j] = float64(3 - j)
		}
		if !strings.Contains(name, "special") {
			wantPlaces(t, name+": scaled rows", sparsetest.Must(m.ScaleRows(byRow)).Canonical(), m.Rows(), m.Cols(), eachPlace(m.Rows(), m.Cols(), func(i, j int) (float64, bool) { v, ok := at(i, j); return byRow[i] * v, ok }))
			wantPlaces(t, name+": scaled columns", sparsetest.Must(m.ScaleCols(byCol)).Canonical(), m.Rows(), m.Cols(), eachPlace(m.Rows(), m.Cols(), func(i, j int) (float64, bool) { v, ok := at(i, j); return v * byCol[j], ok }))
		}
		dense := m.ToDense()
		wantExtremes(t, name, dense, aggregate.RowMax(m), aggregate.RowMin(m), aggregate.RowArgMax(m), aggregate.RowArgMin(m))
		wantExtremes(t, name+" transposed", dense.T(), aggregate.ColMax(m), aggregate.ColMin(m), aggregate.ColArgMax(m), aggregate.ColArgMin(m))
		wantNorms(t, name, m)
	}
}

// wantExtremes compares with a loop over all elements of each row.
func wantExtremes(t *testing.T, name string, d layout.Matrix[float64], most, least []float64, argMost, argLeast []int) {
	t.Helper()
	for i := range d.Rows {
		high, low, atHigh, atLow := math.Inf(-1), math.Inf(1), -1, -1
		for j := range d.Cols {
			v := d.Data[i*d.RowStride+j*d.ColStride]
			if atHigh < 0 || v > high || v != v && high == high {
				high, atHigh = v, j
			}
			if atLow < 0 || v < low || v != v && low == low {
				low, atLow = v, j
			}
		}
		if have, want := fmt.Sprint(most[i]+0, least[i]+0, argMost[i], argLeast[i]), fmt.Sprint(high+0, low+0, atHigh, atLow); have != want {
			t.Errorf("%s, row %d: max, min and where are %s, want %s", name, i, have, want)
		}
	}
}

func wantNorms(t *testing.T, name string, m sparse.Matrix[float64]) {
	t.Helper()
	one, inf, most, squares := 0.0, 0.0, 0.0, 0.0
	d := m.ToDense()
	for i := range m.Rows() {
		row := 0.0
		for j := range m.Cols() {
			v := math.Abs(d.Data[i*d.RowStride+j*d.ColStride])
			row += v
			most = max(most, v)
			squares += v * v
		}
		inf = max(inf, row)
	}
	for j := range m.Cols() {
		col := 0.0
		for i := range m.Rows() {
			col += math.Abs(d.Data[i*d.RowStride+j*d.ColStride])
		}
		one = max(one, col)
	}
	for what, pair := range map[string][2]float64{"1": {aggregate.Norm1(m), one}, "inf": {aggregate.NormInf(m), inf}, "max": {aggregate.NormMax(m), most}, "Frobenius": {aggregate.NormFrobenius(m), math.Sqrt(squares)}} {
		if have, want := pair[0], pair[1]; !(math.Abs(have-want) <= 1e-14*want) && !(have != have && want != want) && have != want {
			t.Errorf("%s: the %s norm is %v, want %v", name, what, have, want)
		}
	}
}

// TestNormFrobeniusRange: squares that are no numbers do not spoil it.
func TestNormFrobeniusRange(t *testing.T) {
	for _, x := range []float64{1e300, 1e-300} {
		m := sparsetest.Must(sparse.FromCOO(2, 2, []int{0, 1}, []int{1, 0}, []float64{3 * x, -4 * x}))
		if have := aggregate.NormFrobenius(m); math.Abs(have-5*x) > 1e-14*x {
			t.Errorf("of 3 and 4 times %v: %v", x, have)
		}
	}
}

func TestStack(t *testing.T) {
	all := testOperands()
	few, many, full := all["few"], all["many"], all["full"]
	id := sparsetest.Must(sparse.Identity[float64](5))
	m := sparsetest.Must(sparse.Block([][]sparse.Matrix[float64]{{few, {}, {}}, {{}, many, {}}, {{}, id, full.Transpose().RowSlice(0, 0)}}[:2]))
	if m.Rows() != 10 || m.Cols() != 11 {
		t.Errorf("%v", m)
	}
	x, y := places(few), places(many)
	wantPlaces(t, "block", m, 10, 11, eachPlace(10, 11, func(i, j int) (float64, bool) {
		if i < 4 && j < 6 {
			v, ok := x[[2]int{i, j}]
			return v, ok
		}
		v, ok := y[[2]int{i - 4, j - 6}]
		return v, ok && i >= 4 && j >= 6
	}))
	wantPlaces(t, "side by side", sparsetest.Must(sparse.HStack(few, few)), 4, 12, eachPlace(4, 12, func(i, j int) (float64, bool) { v, ok := x[[2]int{i, j % 6}]; return v, ok }))
	wantPlaces(t, "one below another", sparsetest.Must(sparse.VStack(many, id)), 11, 5, eachPlace(11, 5, func(i, j int) (float64, bool) {
		if i >= 6 {
			return 1, i-6 == j
		}
		v, ok := y[[2]int{i, j}]
		return v, ok
	}))
	wantPlaces(t, "of nothing", sparsetest.Must(sparse.HStack[float64]()), 0, 0, nil)
	wantPlaces(t, "without rows", sparsetest.Must(sparse.HStack(all["0 x 5"], all["0 x 5"])), 0, 10, nil)
	wantPlaces(t, "diagonal", sparsetest.Must(sparse.FromDiagonal([]float64{1, 0, 3}, -2)), 5, 5, map[[2]int]float64{{2, 0}: 1, {3, 1}: 0, {4, 2}: 3})
	wantPlaces(t, "diagonal", sparsetest.Must(sparse.FromDiagonal([]float64{1, 0, 3}, 1)), 4, 4, map[[2]int]float64{{0, 1}: 1, {1, 2}: 0, {2, 3}: 3})
}

// TestOperationsRefuse: what does not fit is said with its numbers.
func TestOperationsRefuse(t *testing.T) {
	m := testOperands()["few"]
	wide := sparsetest.Must(sparse.FromCOO(1, sparse.MaxDim, []int{0}, []int{5}, []float64{1}))
	long := sparsetest.Must(sparse.FromDense(layout.Matrix[float64]{Rows: 1, Cols: 1 << 16, RowStride: 1, ColStride: 0, Data: []float64{1}}))
	for _, c := range []struct {
		err  error
		kind error
		want string
	}{
		{second(m.Union(m.Transpose(), nil)), sparse.ErrShape, "sparse.Matrix.Union: 4 x 6 and 6 x 4; they are the same"},
		{second(m.TakeRows([]int{0, 4})), sparse.ErrIndex, "sparse.Matrix.TakeRows: list[1] is 4, the matrix is 4 x 6"},
		{second(m.TakeCols([]int{-1})), sparse.ErrIndex, "sparse.Matrix.TakeCols: list[0] is -1, the matrix is 4 x 6"},
		{second(m.PermuteRows([]int{0, 1, 1, 2})), sparse.ErrIndex, "sparse.Matrix.PermuteRows: order[2] is row 1 again; want each once"},
		{second(m.PermuteCols([]int{0, 1})), sparse.ErrLength, "sparse.Matrix.PermuteCols: 2 numbers for 6 columns; want each once"},
		{second(m.ScaleRows(nil)), sparse.ErrLength, "sparse.Matrix.ScaleRows: 0 factors for 4 x 6; one a row"},
		{second(m.ScaleCols(nil)), sparse.ErrLength, "sparse.Matrix.ScaleCols: 0 factors for 4 x 6; one a column"},
		{second(sparse.Identity[float64](-1)), sparse.ErrSize, "sparse.Identity: size -1 x -1; sizes are from 0 to 134217728"},
		{second(sparse.FromDiagonal([]float64{1}, math.MaxInt)), sparse.ErrSize, "sparse.FromDiagonal: 1 values on diagonal"},
		{second(sparse.Kron(wide, wide)), sparse.ErrSize, "sparse.Kron: size 1 x 18014398509481984; sizes are from 0 to 134217728"},
		{second(sparse.HStack(wide, wide)), sparse.ErrSize, "sparse.HStack: size 1 x 268435456; sizes are from 0 to 134217728"},
		{second(sparse.VStack(slices.Repeat([]sparse.Matrix[float64]{long}, 1<<15)...)), sparse.ErrSize, fmt.Sprintf("sparse.VStack: 2147483648 entries; at most %d fit", sparse.MaxSlots)},
		{second(sparse.HStack(m, m.Transpose())), sparse.ErrShape, "sparse.HStack: block (0, 1) is 6 x 4, one before it has 4 rows; all of a row have as many rows"},
		{second(sparse.Block([][]sparse.Matrix[float64]{{m}, {m, m}})), sparse.ErrLength, "sparse.Block: row 1 has 2 blocks, the first has 1; each has as many"},
	} {
		if !errors.Is(c.err, c.kind) || !strings.HasPrefix(c.err.Error(), c.want) {
			t.Errorf("%v\nwant %s", c.err, c.want)
		}
	}
	for _, p := range [][4]int{{-1, 2, 0, 0}, {0, 5, 0, 0}, {0, 0, 3, 2}, {0, 0, 0, 7}} {
		func() {
			defer func() {
				if _, ok := recover().(layout.ShapeError); !ok {
					t.Errorf("slice %v: no ShapeError", p)
				}
			}()
			m.Slice(p[0], p[1], p[2], p[3])
		}()
	}
	_, _, before := m.CSR()
	sparsetest.Must(m.ScaleRows([]float64{2, 2, 2, 2}))
	m.Apply(func(i, j int, v float64) float64 { return 0 })
	if _, _, after := m.CSR(); !slices.Equal(before, after) {
		t.Error("an operation changed its operand")
	}
}

func second[A any](_ A, err error) error { return err }
