package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestPackOfNarrow: a large b of f16 or bf16 is packed in its own type where kernels widen, and
// products by it have the bits of those by b as it lies: for heights of one tile and of
// several, results that are stored, scaled, rounded, added to and not by rows.
func TestPackOfNarrow(t *testing.T) {
	narrowPacks[dtype.F16, float32](t)
	narrowPacks[dtype.F16, dtype.F16](t)
	narrowPacks[dtype.BF16, float32](t)
}

func narrowPacks[T, Out dtype.Elem](t *testing.T) {
	for i, isa := range mixedISAs[float32, T, T]() {
		if level.Of(i > 0, false, false) {
			continue
		}
		t.Run(fmt.Sprintf("%v.%v/%s", dtype.Of[T](), dtype.Of[Out](), isa), func(t *testing.T) {
			r := rand.New(level.PCG(3, 4))
			next, were := fractions[T](r), fractions[Out](r)
			shapes := [][2]int{{513, 131}, {1030, 96}, {1100, 70}, {130, 1027}} // k x n
			for i, s := range shapes[:level.Of(2, 4, 4)] {
				k, n := s[0], s[1]
				for o := range allOrders {
					if !level.Long() && (int(o)+i)%3 != 0 {
						continue
					}
					b := mixedMatrix(o, k, n, next)
					opt := Options{ISA: isa, Threads: 1 + int(o)%2, B: packedOn[float32, T](isa, b)}
					kern := opt.B.Kern
					if kern == nil || kern.Depth > 1 {
						continue // which pack nothing, or words
					}
					if opt.B.Size != 2 {
						t.Fatalf("%v: packed elements of %d bytes", s, opt.B.Size)
					}
					for at, m := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 23, 190} {
						if every := level.Of(6, 3, 1); (at+i)%every != 0 || m > 100 && level.Of(true, i != 3, false) {
							continue // with other shapes and orders
						}
						a := mixedMatrix((o+order(m))%allOrders, m, k, next)
						out := mixedMatrix(order(m)%allOrders, m, n, were)
						opt.Scaling = someScales[m%len(someScales)]
						comparePacked(t, opt, out, a, b)
					}
				}
			}
			special(t, isa, fractions[T](r))
		})
	}
}

// someScales are none at all, three times in four.
var someScales = []run.Scaling{{}, Scale(3, -2), {}, {}}

// comparePacked computes out with opt and without its B.
func comparePacked[A, B, Out dtype.Elem](t *testing.T, opt Options, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B]) {
	t.Helper()
	want := out
	want.Data, out.Data = slices.Clone(out.Data), slices.Clone(out.Data)
	MatMulOfOpt[float32](opt, out, a, b)
	opt.B = nil
	MatMulOfOpt[float32](opt, want, a, b)
	for i, have := range out.Data {
		if w := want.Data[i]; have != w && (have == have || w == w) {
			t.Fatalf("%d x %d x %d, %+v: out.Data[%d] = %v, want %v", a.Rows, b.Cols, b.Rows, opt.Scaling, i, have, w)
		}
	}
}

// special: infinities, NaN, denormals and zeros of b are widened as they are.
func special[T dtype.Elem](t *testing.T, isa string, next func() T) {
	b := mixedMatrix(0, 600, 120, next)
	for i, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-24, 0x1p-130, -0x1p-24, math.Copysign(0, -1), 65504} {
		b.Data[i*121+7] = storedAs[T](x)
	}
	opt := Options{ISA: isa, Threads: 1, B: packedOn[float32, T](isa, b)}
	for _, m := range []int{1, 8, 20} {
		comparePacked(t, opt, layout.New[float32](m, 120), mixedMatrix(0, m, 600, next), b)
	}
}
