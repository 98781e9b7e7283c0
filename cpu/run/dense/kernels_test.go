package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A call is what a micro-kernel was called with.
type call struct {
	args       kernel.Args
	rows, cols int // of a tile
}

// goKernels is a set of kernels in Go, of any tile: with it the driver can be
// watched, runs under the race detector, and is tested where there is no assembly.
// Where watch is nil they compute; otherwise they call it instead.
func goKernels[T dtype.Float](mr, nv, vl int, watch func(call)) *kernel.Kernels {
	kern := &kernel.Kernels{ISA: "test", Table: &kernel.Table[kernel.Func[kernel.Args]]{MR: mr, NV: nv, VL: vl}, Pack: &kernel.Table[kernel.Func[kernel.Args]]{NV: nv}}
	columns := kernel.Entry[kernel.Func[kernel.Args]]{Form: kernel.Columns, MR: 1, NV: 1, F: func(a *kernel.Args) {
		for k := range int(a.K) {
			for j := range vl {
				col := min(j, int(a.N)-1)
				*elem[T](a.C, k*int(a.LdC), j) = *elem[T](a.B, col*int(a.LdB), k)
			}
		}
	}}
	for _, form := range []kernel.Form{kernel.Panel, kernel.Tail} {
		for rows := 1; rows <= mr; rows++ {
			for v := 1; v <= nv; v++ {
				kern.Entries = append(kern.Entries, kernel.Entry[kernel.Func[kernel.Args]]{Form: form, MR: rows, NV: v, F: func(a *kernel.Args) {
					cols := v * vl
					if form == kernel.Tail {
						cols = (v-1)*vl + int(a.N)
					}
					goKernel[T](a, rows, cols, watch)
				}})
			}
		}
	}
	for v := 1; v <= nv; v++ {
		kern.Pack.Entries = append(kern.Pack.Entries, kernel.Entry[kernel.Func[kernel.Args]]{MR: 1, NV: v, F: func(a *kernel.Args) {
			for i := range int(a.K) {
				for j := range v * vl {
					x := T(0)
					if j < (v-1)*vl+int(a.N) {
						x = *elem[T](a.B, i*int(a.LdB), j)
					}
					*elem[T](a.C, i*int(a.LdC), j) = x
				}
			}
		}})
	}
	kern.Pack.Entries = append(kern.Pack.Entries, columns)
	return kern
}

// elem returns the address of an element that lies some bytes and some elements
// after p.
func elem[T dtype.Float](p unsafe.Pointer, bytes, elems int) *T {
	return (*T)(unsafe.Add(p, bytes+elems*int(unsafe.Sizeof(T(0)))))
}

// goKernel is what kernel.Args says of a micro-kernel.
func goKernel[T dtype.Float](a *kernel.Args, rows, cols int, watch func(call)) {
	if watch != nil {
		watch(call{*a, rows, cols})
		return
	}
	alpha, beta := *(*T)(unsafe.Pointer(&a.Alpha)), *(*T)(unsafe.Pointer(&a.Beta))
	for i := range int(a.Tiles) * rows {
		for j := range cols {
			var acc T
			for k := range int(a.K) {
				acc += *elem[T](a.A, i*int(a.RsA)+k*int(a.CsA), 0) * *elem[T](a.B, k*int(a.LdB), j)
			}
			c := elem[T](a.C, i*int(a.LdC), j)
			switch a.Mode {
			case kernel.ModeStore, kernel.ModeStream:
				*c = acc
			case kernel.ModeScale:
				*c = alpha * acc
			default:
				*c = beta**c + alpha*acc
			}
		}
	}
}

// setOf returns a Set that runs kern whatever the machine has.
func setOf[T dtype.Float](kern *kernel.Kernels) *Set[T] {
	s := &Set[T]{Name: "test"}
	if kern != nil {
		s.Variants = []*kernel.Kernels{kern}
	}
	s.choice.Force(1)
	return s
}

// TestDriver runs the driver around kernels in Go, with several tiles, threads
// and all layouts. Small integers make the sums exact.
func TestDriver(t *testing.T) {
	t.Run("f32", testDriver[float32])
	t.Run("f64", testDriver[float64])
}

func testDriver[T dtype.Float](t *testing.T) {
	many(t, 8)
	r := rand.New(level.PCG(9, 10))
	for _, tile := range [][3]int{{3, 2, 4}, {9, 3, 2}, {1, 1, 8}} {
		s := setOf[T](goKernels[T](tile[0], tile[1], tile[2], nil))
		for at := range 80 {
			threads := 1 + (at+1)%4
			m, n, k := 1+r.IntN(40), 1+r.IntN(40), 1+r.IntN(40)
			switch {
			case at == 0:
				m, n, k = 2, 9, 2*tiling.KCMax+1
			case at == 1:
				m, n, k = 4, 3, 8*tiling.KCMax+5 // two slabs
			case at == 2 && tile[0] == 3:
				m, n, k = 22, 21, 9100 // and several threads
			}
			small := func() T { return T(r.IntN(5) - 2) }
			old := small
			alpha, beta := T(r.IntN(5)-2), T(r.IntN(3)-1)
			if beta == 0 {
				old = func() T { return T(math.NaN()) }
			}
			orders := [3]int{r.IntN(len(genericOrders)), r.IntN(len(genericOrders)), r.IntN(genericOutOrders)}
			if at == 2 {
				orders[1] = 2 // columns: packed, whatever its size
			}
			a, b := genericMatrix(orders[0], m, k, small), genericMatrix(orders[1], k, n, small)
			out := genericMatrix(orders[2], m, n, old)
			want := genericWant(alpha, a, b, beta, out)
			s.Gemm(run.Options{Threads: threads, Scaling: run.Scale(float64(alpha), float64(beta))}, out, a, b)
			where := fmt.Sprintf("tile %v, %d x %d x %d, a %s, b %s, out %s, alpha %v, beta %v, threads %d", tile, m, n, k,
				genericOrders[orders[0]].name, genericOrders[orders[1]].name, genericOrders[orders[2]].name, alpha, beta, threads)
			for i := range m {
				for j := range n {
					if have := out.At(i, j); have != want.At(i, j) {
						t.Fatalf("%s: out[%d,%d] = %v, want %v", where, i, j, have, want.At(i, j))
					}
					out.Set(i, j, T(math.NaN()))
				}
			}
			for i, v := range out.Data {
				if v == v {
					t.Fatalf("%s: wrote %v between the elements, at %d", where, v, i)
				}
			}
		}
	}
}

// many lets calls use n goroutines, whatever the machine has, for one test.
func many(t *testing.T, n int) {
	old := run.Threads()
	run.SetThreads(n)
	t.Cleanup(func() { run.SetThreads(old) })
}

// dense returns a row-major matrix of small integers.
func dense[T dtype.Float](r *rand.Rand, rows, cols int) layout.Matrix[T] {
	return genericMatrix(0, rows, cols, func() T { return T(r.IntN(5) - 2) })
}
