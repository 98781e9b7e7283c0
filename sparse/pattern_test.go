package sparse_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// TestPattern holds what is done with patterns to the same done with matrices of ones.
func TestPattern(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	either := func(x, _ float64) float64 { return x }
	for name, m := range testOperands() {
		p, ones := m.Pattern(), m.Apply(func(int, int, float64) float64 { return 1 })
		rows, cols := m.Dims()
		same := func(what string, have sparse.Pattern, want sparse.Matrix[float64]) {
			t.Helper()
			if full := sparse.Ones[float64](have); !full.Equal(want) || !full.Sorted() || full.HasDuplicates() || have.NNZ() != want.NNZ() {
				t.Errorf("%s, %s: %v, want %v", name, what, have, want)
			}
		}
		same("itself", p, ones)
		same("transposed", p.Transpose(), ones.Transpose())
		for k := -3; k <= 3; k++ {
			same("tril", p.Tril(k), ones.Tril(k))
			same("triu", p.Triu(k), ones.Triu(k))
		}
		i0, j0 := rows/3, cols/4
		same("slice", p.Slice(i0, rows, j0, cols-cols/4), ones.Slice(i0, rows, j0, cols-cols/4))
		byRow, byCol := r.Perm(rows), r.Perm(cols)
		same("rows permuted", sparsetest.Must(p.PermuteRows(byRow)), sparsetest.Must(ones.PermuteRows(byRow)))
		same("columns permuted", sparsetest.Must(p.PermuteCols(byCol)), sparsetest.Must(ones.PermuteCols(byCol)))
		if rows > 0 && cols > 0 {
			same("rows taken", sparsetest.Must(p.TakeRows([]int{rows - 1, 0, 0})), sparsetest.Must(ones.TakeRows([]int{rows - 1, 0, 0})))
			same("columns taken", sparsetest.Must(p.TakeCols([]int{cols - 1, 0, 0})), sparsetest.Must(ones.TakeCols([]int{cols - 1, 0, 0})))
		}
		odd := func(i, j int, _ float64) bool { return (i+j)%2 > 0 || i == j }
		o := p.Select(func(i, j int) bool { return odd(i, j, 1) })
		other := ones.Select(odd)
		same("selected", o, other)
		same("union", sparsetest.Must(p.Tril(0).Union(o)), sparsetest.Must(ones.Tril(0).Union(other, either)))
		same("intersection", sparsetest.Must(p.Tril(0).Intersect(o)), sparsetest.Must(ones.Tril(0).Intersect(other, either)))
		in := other.Pattern()
		same("difference", sparsetest.Must(p.Minus(o)), ones.Select(func(i, j int, _ float64) bool { return !in.Has(i, j) }))
		same("difference of what is elsewhere", sparsetest.Must(o.Tril(-1).Minus(p.Triu(0))), other.Tril(-1))
		for j, n := range p.ColCounts() {
			if float64(n) != aggregate.ColSums(ones)[j] {
				t.Errorf("%s: column %d has %d entries", name, j, n)
			}
		}
		for i, n := range p.RowCounts() {
			row := []int{}
			for j := range ones.Row(i) {
				row = append(row, j)
			}
			if n != len(row) || n != p.RowNNZ(i) || !slices.Equal(slices.AppendSeq([]int{}, p.Row(i)), row) {
				t.Errorf("%s: row %d is %v, want %v", name, i, slices.Collect(p.Row(i)), row)
			}
		}
		var is, js []int
		for e := range p.All() {
			if is, js = append(is, e.I, e.I), append(js, e.J, e.J); e.K != len(is)/2-1 || !p.Has(e.I, e.J) {
				t.Errorf("%s: entry %v", name, e)
			}
		}
		r.Shuffle(len(is), func(x, y int) { is[x], is[y], js[x], js[y] = is[y], is[x], js[y], js[x] })
		same("from edges, twice", sparsetest.Must(sparse.PatternFromCOO(rows, cols, is, js)), ones)
		pointers, indices, _ := m.CSR() // also of what is not canonical
		same("from rows", sparsetest.Must(sparse.PatternFromCSR(rows, cols, pointers, indices)), ones)
		pointers, indices = p.CSR()
		same("from its rows", sparsetest.Must(sparse.PatternFromCSR(rows, cols, pointers, indices)), ones)
		var text bytes.Buffer
		if err := files.WritePattern(&text, p); err != nil {
			t.Error(err)
		}
		same("written and read", sparsetest.Must(files.ReadPattern(&text, mtx.Options{})), ones)
		if !p.Equal(sparsetest.Must(sparse.PatternFromCOO(rows, cols, is, js))) || p.NNZ() > 0 && p.Equal(p.Slice(0, rows, 0, 0)) {
			t.Errorf("%s is equal to another, or not to itself", name)
		}
	}
}

// TestPatternFile reads what has values, and symmetric files whole.
func TestPatternFile(t *testing.T) {
	for text, want := range map[string]int{
		"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n":        3,
		"%%MatrixMarket matrix coordinate complex general\n3 3 2\n2 1 0 1\n3 3 1e99 0": 2,
		"%%MatrixMarket matrix coordinate integer general\n3 3 2\n2 1 0\n2 1 5":        1,
	} {
		if p, err := files.ReadPattern(strings.NewReader(text), mtx.Options{}); err != nil || p.NNZ() != want {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
}

func TestPatternRefuses(t *testing.T) {
	p := sparsetest.Must(sparse.PatternFromCOO(2, 3, []int{0}, []int{2}))
	q := p.Transpose()
	for want, err := range map[string]error{
		"sparse.PatternFromCOO: 1 rows and 0 columns; as many of each":                               second(sparse.PatternFromCOO(2, 3, []int{0}, nil)),
		"sparse.PatternFromCOO: entry 0 is (0, 3), outside 2 x 3":                                    second(sparse.PatternFromCOO(2, 3, []int{0}, []int{3})),
		"sparse.PatternFromCSR: indices[0] is -1, outside 1 x 3":                                     second(sparse.PatternFromCSR(1, 3, []int{0, 1}, []int{-1})),
		"sparse.Pattern.Union: 2 x 3 and 3 x 2; they are the same":                                   second(p.Union(q)),
		"sparse.Pattern.Minus: 2 x 3 and 3 x 2; they are the same":                                   second(p.Minus(q)),
		"sparse.Pattern.TakeRows: list[0] is 2, the matrix is 2 x 3":                                 second(p.TakeRows([]int{2})),
		"sparse.Pattern.PermuteCols: 1 numbers for 3 columns; want each once":                        second(p.PermuteCols([]int{0})),
		"files.ReadPattern: the reader is nil; want an io.Reader":                                    second(files.ReadPattern(nil, mtx.Options{})),
		"files.WritePattern: the writer is nil; want an io.Writer":                                   files.WritePattern(nil, p),
		"sparse.PatternFromCOO: size -1 x 3; sizes are from 0 to 134217728":                          second(sparse.PatternFromCOO[int](-1, 3, nil, nil)),
		"sparse.PatternFromCSR: pointers[1] is 1, with 0 entries; the last is the number of entries": second(sparse.PatternFromCSR(1, 3, []int{0, 1}, nil)),
	} {
		var typed *sparse.Error
		if err == nil || !strings.Contains(err.Error(), strings.Split(want, ";")[0]) || !errors.As(err, &typed) {
			t.Errorf("have %v, want %s", err, want)
		}
	}
	for _, f := range []func(){
		func() { p.Row(2) }, func() { p.RowNNZ(-1) }, func() { p.Has(0, 3) }, func() { sparse.Pattern{}.Has(0, 0) }, func() { p.Slice(0, 3, 0, 1) },
	} {
		func() {
			defer func() {
				if _, ok := recover().(layout.ShapeError); !ok {
					t.Error("no layout.ShapeError")
				}
			}()
			f()
		}()
	}
}

// TestPatternMemory: a pattern holds 4 bytes an entry, that of a matrix and its transpose as well.
func TestPatternMemory(t *testing.T) {
	const rows, entries = 1000, 200_000
	r := rand.New(level.PCG(5, 6))
	i, j := make([]int32, entries), make([]int32, entries)
	for k := range i {
		i[k], j[k] = r.Int32N(rows), r.Int32N(1<<20)
	}
	p := sparsetest.Must(sparse.PatternFromCOO(rows, 1<<20, i, j))
	held := func(f func() sparse.Pattern) int64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		x := f()
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(x)
		return int64(after.HeapAlloc) - int64(before.HeapAlloc)
	}
	if n := held(p.Transpose().Transpose); n > 5*entries {
		t.Errorf("a pattern of %d entries holds %d bytes", entries, n)
	}
	ones := sparse.Ones[complex128](p)
	if n := held(ones.Pattern); n > 16<<10 { // what the runtime holds comes and goes
		t.Errorf("the pattern of a matrix holds %d bytes besides", n)
	}
	if n := sparsetest.Allocated(func() { p.Tril(0) }); n > 5*entries {
		t.Errorf("a triangle allocates %d bytes", n)
	}
	runtime.KeepAlive(ones)
}
