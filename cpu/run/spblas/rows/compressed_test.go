package rows_test

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/spmmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/rows"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// Kernels read no pointer, index or value beyond the arrays, however far ahead they
// look: each array ends, then begins, at a page that cannot be read.
func TestSparseGuard(t *testing.T) {
	if !guard.Pages {
		t.Skip("no pages can be protected here")
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rows32 := rows.SpMM[float32]{Name: "rows", Rows: spmmf.RowsF32}
	rows64 := rows.SpMM[float64]{Name: "rows", Rows: spmmf.RowsF64}
	for _, isa := range run.PlainISAs() {
		t.Run("isa="+isa, func(t *testing.T) {
			// The second is so wide that rows of B are fetched early.
			for _, shape := range [][3]int{{40, 30, 3}, {60, 20000, 1}, {3, 20000, 1500}} {
				guardSparse(t, &rows32, isa, shape[0], shape[1], shape[2])
				guardSparse(t, &rows64, isa, shape[0], shape[1], shape[2])
			}
		})
	}
}

func guardSparse[T dtype.Float](t *testing.T, set *rows.SpMM[T], isa string, m, k, perRow int) {
	t.Helper()
	r := rand.New(level.PCG(1, uint64(k)))
	b := sparse.NewBuilder[T](m, k)
	for i := range m {
		for range r.IntN(2*perRow + 1) {
			b.Add(i, r.IntN(k), T(r.IntN(5)))
		}
	}
	b.Add(m-1, k-1, 1)
	a, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	pointers, indices, values := a.CSR()
	gp, gi, gv := guarded[float32](t, len(pointers)), guarded[float32](t, len(indices)), guarded[T](t, len(values))
	for _, right := range []bool{true, false} {
		raw := sparse.Raw{Rows: m, Cols: k, NNZ: len(indices)}
		raw.Pointers, raw.Indices = ints(gp, pointers, right), ints(gi, indices, right)
		v := gv.Left(len(values))
		if right {
			v = gv.Right(len(values))
		}
		copy(v, values)
		raw.Values = unsafe.Pointer(unsafe.SliceData(v))
		for _, n := range []int{1, 16, 20, 128, 300} {
			if n > 20 && k > 1000 && level.Of(true, right == (perRow == 1), false) {
				continue
			}
			x, out, want := layout.New[T](k, n), layout.New[T](m, n), layout.New[T](m, n)
			for i := range x.Data {
				x.Data[i] = T(r.IntN(5) - 2)
			}
			for e, v := range a.All() {
				for j := range n {
					want.Data[e.I*n+j] += v * x.Data[e.J*n+j]
				}
			}
			if err := faulted(func() { set.MultiplyRaw(run.Options{ISA: isa, Threads: 2}, out, raw, x) }); err != nil {
				t.Errorf("%d x %d, n = %d, at the end %v: %v", m, k, n, right, err)
				return
			}
			for i := range out.Data {
				if out.Data[i] != want.Data[i] {
					t.Fatalf("%d x %d, n = %d: out[%d, %d] is %v, want %v", m, k, n, i/n, i%n, out.Data[i], want.Data[i])
				}
			}
		}
	}
}

func guarded[T dtype.Float](t *testing.T, n int) *guard.Memory[T] {
	t.Helper()
	g, err := guard.New[T](n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// ints puts s at an end of g.
func ints(g *guard.Memory[float32], s []int32, right bool) unsafe.Pointer {
	to := g.Left(len(s))
	if right {
		to = g.Right(len(s))
	}
	p := unsafe.Pointer(unsafe.SliceData(to))
	copy(unsafe.Slice((*int32)(p), len(s)), s)
	return p
}

// faulted turns a panic, as from a page that cannot be read, into an error.
func faulted(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	f()
	return nil
}

// Tasks follow one another through all of the matrix, and only rows longer than a
// task are cut.
func TestSparseTasks(t *testing.T) {
	set := rows.SpMM[float32]{Name: "rows", Rows: spmmf.RowsF32}
	r := rand.New(level.PCG(3, 4))
	for range 200 {
		m := 1 + r.IntN(3000)
		pointers := []int32{0}
		for range m {
			l := r.IntN(8)
			switch r.IntN(200) {
			case 0:
				l = r.IntN(9000)
			case 1, 2, 3:
				l = r.IntN(500)
			}
			pointers = append(pointers, pointers[len(pointers)-1]+int32(l))
		}
		nnz := int(pointers[m])
		a := sparse.Raw{Rows: m, Cols: 10, NNZ: nnz, Pointers: unsafe.Pointer(&pointers[0])}
		if nnz == 0 {
			continue
		}
		starts := set.Begins(a, 1+r.IntN(300))
		if starts[0] != [2]int{0, 0} || starts[len(starts)-1] != [2]int{m, nnz} {
			t.Fatalf("from %v to %v, want all of %d rows and %d entries", starts[0], starts[len(starts)-1], m, nnz)
		}
		for i, at := range starts {
			row, k := at[0], at[1]
			if i > 0 && (k < starts[i-1][1] || row < starts[i-1][0]) {
				t.Fatalf("task %d begins at %v, after %v", i, at, starts[i-1])
			}
			switch {
			case row == m:
			case k < int(pointers[row]) || k > int(pointers[row+1]):
				t.Fatalf("task %d begins at %v, and the row has %d to %d", i, at, pointers[row], pointers[row+1])
			case k > int(pointers[row]) && pointers[row+1]-pointers[row] <= 512:
				t.Fatalf("task %d cuts a row of %d entries", i, pointers[row+1]-pointers[row])
			}
		}
	}
}
