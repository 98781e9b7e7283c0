package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// TestMatMulOfShort: a small product by a packed b, which takes a way of its own, has the bits
// of the same with b as it lies, which takes that of all products: around the limits of either,
// with operands that end where memory does.
func TestMatMulOfShort(t *testing.T) {
	eachMixed(t, func(t *testing.T, p mixedPair, isa string) { p.short(t, isa) })
}

// fractions returns numbers of T whose sums round, and integers of all sizes.
func fractions[T dtype.Elem](r *rand.Rand) func() T {
	if m, at := filled[T](r, 1, 64), -1; dtype.Of[T]() != dtype.F64 {
		return func() T { // some at a time, since filled allocates
			if at++; at == len(m.Data) {
				m, at = filled[T](r, 1, 64), 0
			}
			return m.Data[at]
		}
	}
	return func() T { return storedAs[T](r.NormFloat64()) }
}

func mixedShort[Acc dtype.Sum, A, B, Out dtype.Elem](t *testing.T, isa string) {
	r := rand.New(level.PCG(18, 1))
	na, nb := fractions[A](r), fractions[B](r)
	side := []int{1, 2, 8, 9, 10, 15, 16, 17, 32, 33, 47, 48, 49, 64, 100}
	shapes := [][3]int{{16, 16, 16}, {32, 32, 32}, {64, 64, 64}, {511, 9, 8}, {512, 9, 8}, {513, 9, 8}, {9, 511, 8}, {9, 512, 8}, {9, 513, 8}, {9, 8, 511}, {9, 8, 512}, {9, 8, 516}}
	for range level.Of(1, 4, 40) {
		shapes = append(shapes, [3]int{side[r.IntN(len(side))], side[r.IntN(len(side))], side[r.IntN(len(side))]})
	}
	ga, err := guard.New[A](12_000)
	if err != nil {
		t.Skip(err)
	}
	defer ga.Close()
	gb, _ := guard.New[B](12_000)
	defer gb.Close()
	gout, _ := guard.New[Out](12_000)
	defer gout.Close()
	for i, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		lda, ldc := k+i%3, n+i%2*5
		a := layout.Matrix[A]{Data: ga.Right((m-1)*lda + k), Rows: m, Cols: k, RowStride: lda, ColStride: 1}
		b := layout.RowMajor(gb.Right(k*n), k, n)
		if i%4 == 3 {
			b = layout.ColMajor(b.Data, k, n)
		}
		out := layout.Matrix[Out]{Data: gout.Right((m-1)*ldc + n), Rows: m, Cols: n, RowStride: ldc, ColStride: 1}
		for e := range a.Data {
			a.Data[e] = na()
		}
		for e := range b.Data {
			b.Data[e] = nb()
		}
		for e := range out.Data {
			out.Data[e] = storedAs[Out](Acc(77))
		}
		want := out
		want.Data = append([]Out(nil), out.Data...)
		MatMulOfOpt[Acc](Options{ISA: isa, Threads: 1}, want, a, b)
		for _, opt := range []Options{{ISA: isa, Threads: 1}, {ISA: isa}, {}} {
			if opt.B = packedOn[Acc, A](opt.ISA, b); opt.B.Kern != packedOn[Acc, A](isa, b).Kern {
				continue // the best variant is another one
			}
			for e := range out.Data {
				out.Data[e] = storedAs[Out](Acc(77))
			}
			for range 2 { // the first call with an ISA is never short
				MatMulOfOpt[Acc](opt, out, a, b)
			}
			for e, have := range out.Data {
				if have != want.Data[e] {
					t.Fatalf("%v, strides %d and %d, %+v: out.Data[%d] = %v, want %v", s, lda, ldc, opt, e, have, want.Data[e])
				}
			}
		}
	}
}
