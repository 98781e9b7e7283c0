package check

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// naive is a right kernel, and what the wrong ones are made from: hooks replace
// its parts.
type naive[T dtype.Float] struct {
	ks    func(k int) int  // how many k are summed
	prod  func(x, y T) T   // one product
	add   func(acc, p T) T // one addition
	store func(acc, c T, alpha, beta T, read func() T) T
}

func (f naive[T]) gemm(alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
	k := a.Cols
	if f.ks != nil {
		k = f.ks(k)
	}
	for i := range out.Rows {
		for j := range out.Cols {
			var acc T
			pa, pb := i*a.RowStride, j*b.ColStride
			if f.prod == nil && f.add == nil {
				for range k {
					acc += a.Data[pa] * b.Data[pb]
					pa, pb = pa+a.ColStride, pb+b.RowStride
				}
			} else {
				for range k {
					p := f.product(a.Data[pa], b.Data[pb])
					if f.add != nil {
						acc = f.add(acc, p)
					} else {
						acc += p
					}
					pa, pb = pa+a.ColStride, pb+b.RowStride
				}
			}
			p := &out.Data[i*out.RowStride+j*out.ColStride]
			switch {
			case f.store != nil:
				*p = f.store(acc, 0, alpha, beta, func() T { return *p })
			case beta == 0:
				*p = alpha * acc
			default:
				*p = alpha*acc + beta**p
			}
		}
	}
}

func (f naive[T]) product(x, y T) T {
	if f.prod != nil {
		return f.prod(x, y)
	}
	return x * y
}

// checked is naive with the checks of an entry point.
func checked[T dtype.Float](alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
	for _, err := range []error{a.Check("a"), b.Check("b"), out.CheckOut("out")} {
		if err != nil {
			panic(err)
		}
	}
	if a.Cols != b.Rows || out.Rows != a.Rows || out.Cols != b.Cols {
		panic(layout.ShapeError{What: "gemm", Why: "sizes do not fit"})
	}
	naive[T]{}.gemm(alpha, a, b, beta, out)
}

// blocked sums k in blocks of 16 into out, scaled at once, with FMA.
func blocked[T dtype.Float](alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
	const kc = 16
	fma := naive[T]{add: nil}
	fma.gemm(alpha, a.Slice(0, a.Rows, 0, min(kc, a.Cols)), b.Slice(0, min(kc, b.Rows), 0, b.Cols), beta, out)
	for l := kc; l < a.Cols; l += kc {
		h := min(l+kc, a.Cols)
		fma.gemm(alpha, a.Slice(0, a.Rows, l, h), b.Slice(l, h, 0, b.Cols), 1, out)
	}
}

var options = Options{MR: 4, NR: 8, KC: 16}

func TestRightKernelPasses(t *testing.T) {
	full := options
	full.Threads, full.Checked = true, true
	t.Run("type=f32", func(t *testing.T) { Suite(t, checked[float32], full) })
	t.Run("type=f64", func(t *testing.T) { Suite(t, checked[float64], full) })
	t.Run("type=f32,how=blocked", func(t *testing.T) { Suite(t, blocked[float32], options) })
	t.Run("type=f64,how=blocked", func(t *testing.T) { Suite(t, blocked[float64], options) })
}

func TestScalesOfOptions(t *testing.T) {
	only := func(alpha float32, a, b layout.Matrix[float32], beta float32, out layout.Matrix[float32]) {
		if alpha != 1 || beta != 0 {
			t.Fatalf("called with alpha=%v beta=%v", alpha, beta)
		}
		naive[float32]{}.gemm(1, a, b, 0, out)
	}
	Suite(t, only, Options{Name: "only", MR: 1, NR: 1, Alphas: []float64{1}, Betas: []float64{0}})

	var r Recorder
	Suite(&r, naive[float32]{}.gemm, Options{MR: 1, NR: 1, Alphas: []float64{0.1}})
	if !strings.Contains(r.String(), "multiple of 1/256") {
		t.Errorf("alpha = 0.1: %q", r.Failures)
	}
}

// precision is the number of significant bits of T.
func precision[T dtype.Float]() int {
	bits, _ := numberFormat(dtype.Of[T]())
	return bits
}

// smallest returns the smallest positive number of T.
func smallest[T dtype.Float]() float64 {
	_, least := numberFormat(dtype.Of[T]())
	return math.Ldexp(1, least)
}

// bare is the operation with scales, and the case of no kernel.
func bare[T dtype.Float](alphas, betas []float64) (*gemm, *Case) {
	c := gemmCase[T](nil, 1, 1, 0)
	return newGemm(alphas, betas), &c
}

// keep returns x with only the highest bits of its significand (Veltkamp).
func keep[T dtype.Float](x T, bits int) T {
	c := T(x * T(int64(1)<<(precision[T]()-bits)+1))
	return c - (c - x)
}

// wrong lists kernels with one mistake each. by is the group that must be among
// those that notice.
func wrong[T dtype.Float]() []mutant[T] {
	type mat = layout.Matrix[T]
	right := naive[T]{}
	bits := precision[T]()
	lost := 2
	if bits == 53 {
		lost = 3 // bounds of float64 are computed in float64, and two units wider
	}
	store := func(f func(acc, alpha, beta T, read func() T) T) Gemm[T] {
		return naive[T]{store: func(acc, _, alpha, beta T, read func() T) T { return f(acc, alpha, beta, read) }}.gemm
	}
	plain := func(acc, alpha, beta T, read func() T) T {
		if beta == 0 {
			return alpha * acc
		}
		return alpha*acc + beta*read()
	}
	return []mutant[T]{
		{"drops the last k", "exact", naive[T]{ks: func(k int) int { return max(k-1, 0) }}.gemm},
		{"drops a k that is not a multiple of 4", "exact", naive[T]{ks: func(k int) int { return k &^ 3 }}.gemm},
		{"drops one product in the middle of a long sum", "exact", func(alpha T, a, b mat, beta T, out mat) {
			right.gemm(alpha, a, b, beta, out)
			if l := a.Cols / 2; a.Cols > 4000 && out.Rows > 1 && out.Cols > 0 {
				out.Set(1, 0, out.At(1, 0)-alpha*a.At(1, l)*b.At(l, 0))
			}
		}},
		{"adds one product twice", "exact", func(alpha T, a, b mat, beta T, out mat) {
			right.gemm(alpha, a, b, beta, out)
			if out.Rows > 4 && out.Cols > 8 && a.Cols == 17 {
				out.Set(4, 8, out.At(4, 8)+alpha*a.At(4, 16)*b.At(16, 8))
			}
		}},
		{"swaps a and b where they fit", "exact", func(alpha T, a, b mat, beta T, out mat) {
			if a.Rows == a.Cols && b.Rows == b.Cols {
				a, b = b, a
			}
			right.gemm(alpha, a, b, beta, out)
		}},
		{"ignores beta", "exact", store(func(acc, alpha, beta T, read func() T) T { return plain(acc, alpha, min(beta*beta, 1), read) })},
		{"reads out when beta is 0", "exact", store(func(acc, alpha, beta T, read func() T) T { return alpha*acc + beta*read() })},
		{"ignores alpha", "exact", store(func(acc, _, beta T, read func() T) T { return plain(acc, 1, beta, read) })},
		{"scales out by alpha too", "exact", store(func(acc, alpha, beta T, read func() T) T { return alpha * plain(acc, 1, beta, read) })},
		{"leaves out alone when k is 0", "exact", func(alpha T, a, b mat, beta T, out mat) {
			if a.Cols > 0 {
				right.gemm(alpha, a, b, beta, out)
			}
		}},
		{"applies beta to every k-block", "exact", func(alpha T, a, b mat, beta T, out mat) {
			for l := 0; l == 0 || l < a.Cols; l += 16 {
				h := min(l+16, a.Cols)
				right.gemm(alpha, a.Slice(0, a.Rows, l, h), b.Slice(l, h, 0, b.Cols), beta, out)
			}
		}},
		{"takes the last row of a from a dense matrix", "exact", func(alpha T, a, b mat, beta T, out mat) {
			right.gemm(alpha, a, b, beta, out)
			if last := a.Rows - 1; last > 0 && a.Cols > 1 && a.ColStride == 1 && a.RowStride > a.Cols {
				row := a.Slice(last, a.Rows, 0, a.Cols)
				row.Data = a.Data[last*a.Cols:]
				right.gemm(alpha, row, b, 0, out.Slice(last, a.Rows, 0, out.Cols))
			}
		}},
		{"writes one column too many", "exact", func(alpha T, a, b mat, beta T, out mat) {
			right.gemm(alpha, a, b, beta, out)
			if i := 3*out.RowStride + out.Cols; out.ColStride == 1 && out.Rows > 4 && i < len(out.Data) {
				out.Data[i] = 0
			}
		}},
		{"writes back a canary it has added to", "layouts", func(alpha T, a, b mat, beta T, out mat) {
			right.gemm(alpha, a, b, beta, out)
			if out.ColStride == 2 && len(out.Data) > 1 {
				out.Data[1] += 1
			}
		}},
		{"changes a", "exact", func(alpha T, a, b mat, beta T, out mat) {
			right.gemm(alpha, a, b, beta, out)
			if a.Rows == 5 && a.Cols == 3 {
				a.Set(4, 2, a.At(4, 2)+1)
			}
		}},
		{"is off by one row below the tile", "exact", func(alpha T, a, b mat, beta T, out mat) {
			right.gemm(alpha, a, b, beta, out)
			if a.Rows == 2*4+1 {
				right.gemm(alpha, a.Slice(7, 8, 0, a.Cols), b, 0, out.Slice(8, 9, 0, out.Cols))
			}
		}},
		{"transposes square results", "exact", func(alpha T, a, b mat, beta T, out mat) {
			if out.Rows == out.Cols {
				out = out.T()
			}
			right.gemm(alpha, a, b, beta, out)
		}},
		{"takes a for row-major", "exact", func(alpha T, a, b mat, beta T, out mat) {
			if a.Rows > 1 && a.Cols > 1 && a.RowStride == 1 {
				a.RowStride, a.ColStride = a.Cols, 1
			}
			right.gemm(alpha, a, b, beta, out)
		}},
		{"mixes the strides up where one is 0", "repeated", func(alpha T, a, b mat, beta T, out mat) {
			if a.RowStride == 0 && a.Rows > 1 && a.Cols > 1 && a.ColStride == 1 {
				a.ColStride = 0
			}
			right.gemm(alpha, a, b, beta, out)
		}},
		{"rounds the result to bf16", "exact", store(func(acc, alpha, beta T, read func() T) T { return keep(plain(acc, alpha, beta, read), 8) })},
		{"rounds the operands to tf32", "exact", naive[T]{prod: func(x, y T) T { return keep(x, 10) * keep(y, 10) }}.gemm},
		{"accumulates with half the bits", "exact", naive[T]{add: func(acc, p T) T { return keep(acc+p, bits/2) }}.gemm},
		{"loses the lowest bits of every sum", "interval", naive[T]{add: func(acc, p T) T { return keep(acc+p, bits-lost) }}.gemm},
		{"reads operands with a few bits less", "interval", naive[T]{prod: func(x, y T) T { return keep(x, bits/2+4) * keep(y, bits/2+4) }}.gemm},
		{"skips zeros of a, as gonum does", "nonfinite", naive[T]{prod: func(x, y T) T {
			if x == 0 {
				return 0
			}
			return x * y
		}}.gemm},
		{"takes NaN for 0", "nonfinite", naive[T]{add: func(acc, p T) T {
			if p != p {
				return acc
			}
			return acc + p
		}}.gemm},
		{"flushes denormal operands", "denormal", naive[T]{prod: func(x, y T) T { return flush(x) * flush(y) }}.gemm},
		{"flushes denormal results", "denormal", store(func(acc, alpha, beta T, read func() T) T { return flush(plain(acc, alpha, beta, read)) })},
		{"panics at the edge", "exact", func(alpha T, a, b mat, beta T, out mat) {
			if out.Rows == 3 {
				panic("no kernel")
			}
			right.gemm(alpha, a, b, beta, out)
		}},
		{"gives other bits the second time", "interval", wobbly[T]()},
		{"forgets rows beyond 256", "big", func(alpha T, a, b mat, beta T, out mat) {
			right.gemm(alpha, a, b, beta, out)
			if out.Rows == 509 && out.Cols > 1 {
				out.Set(508, out.Cols-1, out.At(508, out.Cols-1)+1)
			}
		}},
		{"reads one element past the end of a", "guard", func(alpha T, a, b mat, beta T, out mat) {
			if n := len(a.Data); n > 0 {
				sink = float64(*tail(&a.Data[n-1], 1))
			}
			right.gemm(alpha, a, b, beta, out)
		}},
		{"reads one element before b", "guard", func(alpha T, a, b mat, beta T, out mat) {
			if len(b.Data) > 0 {
				sink = float64(*tail(&b.Data[0], -1))
			}
			right.gemm(alpha, a, b, beta, out)
		}},
		{"rewrites the element past the end of out", "guard", func(alpha T, a, b mat, beta T, out mat) {
			right.gemm(alpha, a, b, beta, out)
			if n := len(out.Data); n > 0 {
				p := tail(&out.Data[n-1], 1)
				v := *p // a vector store without its mask: the bits stay, only the page shows it
				sink = float64(v)
				*p = v
			}
		}},
	}
}

// tail returns the nth element after p, which may be outside its memory.
func tail[T any](p *T, n int) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(p), n*int(unsafe.Sizeof(*p))))
}

// sink keeps reads alive.
var sink float64

func flush[T dtype.Float](x T) T {
	if normal := T(smallest[T]() * float64(int64(1)<<(precision[T]()-1))); -normal < x && x < normal {
		return 0
	}
	return x
}

// wobbly sums in the other direction every second time.
func wobbly[T dtype.Float]() Gemm[T] {
	calls := 0
	return func(alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
		if calls++; calls%2 == 0 && a.Cols > 1 && out.Rows > 0 && out.Cols > 0 {
			a = reversed(a)
			b = reversed(b.T()).T()
		}
		naive[T]{}.gemm(alpha, a, b, beta, out)
	}
}

// reversed returns a copy of m with its columns in the other order.
func reversed[T dtype.Float](m layout.Matrix[T]) layout.Matrix[T] {
	c := layout.New[T](m.Rows, m.Cols)
	for i := range m.Rows {
		for j := range m.Cols {
			c.Set(i, m.Cols-1-j, m.At(i, j))
		}
	}
	return c
}

type mutant[T dtype.Float] struct {
	name, by string
	f        Gemm[T]
}

func TestWrongKernelsAreCaught(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	t.Run("type=f32", func(t *testing.T) { catchAll[float32](t) })
	t.Run("type=f64", func(t *testing.T) { catchAll[float64](t) })
}

func catchAll[T dtype.Float](t *testing.T) {
	all := wrong[T]()
	picked := level.Pick(len(all), 0, 5)
	t.Logf("mutants tried %d of %d", len(picked), len(all))
	for _, at := range picked {
		m := all[at]
		t.Run("mutant="+m.name, func(t *testing.T) {
			if m.by == "guard" && !guard.Pages {
				t.Skip("there are no guard pages on this system")
			}
			var r Recorder
			Suite(&r, m.f, options)
			if !slices.ContainsFunc(r.Failures, func(s string) bool { return strings.HasPrefix(s, "check="+m.by+":") }) {
				t.Errorf("check %s did not catch it; failures:\n%s", m.by, &r)
			}
			if len(r.Failures) > 0 {
				t.Logf("%d failures, the first: %.300s", len(r.Failures), r.Failures[0])
			}
		})
	}
}

func TestUncheckedShapesAreCaught(t *testing.T) {
	var r Recorder
	o := options
	o.Checked = true
	Suite(&r, func(alpha float64, a, b layout.Matrix[float64], beta float64, out layout.Matrix[float64]) {
		if a.Cols != b.Rows {
			panic(fmt.Sprint("no"))
		}
		naive[float64]{}.gemm(alpha, a, b, beta, out)
	}, o)
	for _, want := range []string{"not a refusal but a panic: no\n", "no panic", "out was written"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("no failure says %q:\n%s", want, &r)
		}
	}
}
