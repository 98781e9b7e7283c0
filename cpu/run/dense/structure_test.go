package dense_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// plusOne is an epilogue in Go.
func plusOne[T dtype.Float](args *kernel.EpiArgs) {
	out, size := args.Slots[0], unsafe.Sizeof(T(0))
	for i := range int(args.Rows) {
		for j := range int(args.Cols) {
			sum := *(*T)(unsafe.Add(args.Tile, i*int(args.TileLd)+j*int(size)))
			*(*T)(unsafe.Add(out.P, i*int(out.Rs)+j*int(out.Cs))) = sum + 1
		}
	}
}

// TestStructuredFused: every form of operands and result, with an epilogue, in small integers. What
// is not there is NaN, and where a triangle of a has zeros an infinity of b does nothing.
func TestStructuredFused(t *testing.T) {
	for _, isa := range run.ISAs() {
		for threads := 1; threads <= 3; threads += 2 {
			switch isa {
			case "avx512", "avx2", run.Portable:
				opt := run.Options{ISA: isa, Threads: threads}
				t.Run(fmt.Sprintf("f32/%s/%d", isa, threads), func(t *testing.T) { structuredFused[float32](t, gemmf.SGEMMSet().Variants, opt) })
				t.Run(fmt.Sprintf("f64/%s/%d", isa, threads), func(t *testing.T) { structuredFused[float64](t, gemmf.DGEMMSet().Variants, opt) })
			}
		}
	}
}

func structuredFused[T dtype.Float](t *testing.T, variants []*kernel.Kernels, opt run.Options) {
	r := rand.New(level.PCG(8, 9))
	var structures []dense.Structure
	for _, out := range []dense.Triangle{0, dense.Lower, dense.Upper} {
		for a := dense.Triangle(0); a <= dense.UnitUpper; a++ {
			structures = append(structures, dense.Structure{A: a, Out: out}, dense.Structure{A: a, B: 1 + a%2, Out: out})
			if a <= dense.Upper {
				structures = append(structures, dense.Structure{A: a, Symmetric: a != 0, Out: out}, dense.Structure{A: a, Symmetric: a != 0, B: 2 - a%2, Out: out})
			}
		}
	}
	sides := [][2]int{{1, 4}, {5, 3}, {13, 40}, {70, 33}}
	if opt.Threads > 1 {
		sides = [][2]int{{150, 170}}
	}
	for at, s := range structures {
		these := sides
		if at%17 == 3 && opt.ISA != run.Portable && opt.Threads == 1 { // more than one block of k
			these = append(these, [2]int{1100, 9})
		}
		for x, side := range these {
			if large := side[0] >= 70; testing.Short() && side[0] > 1000 || large && (at+len(opt.ISA)+opt.Threads)%level.Of(8, 4, 1) != 0 {
				continue // for other structures
			}
			m, n := side[0], side[1]
			k := side[0]/2 + 3
			if s.A != 0 {
				k = m
			}
			if s.Out != 0 {
				n = m
			}
			switch {
			case s.B != 0 && s.A != 0:
				n = k
			case s.B != 0:
				k = n
			}
			if m > 1000 && n > 100 {
				continue
			}
			small := func(i, j int) T { return T(r.IntN(7) - 3) }
			a, b := laid((at+x)%4, m, k, small), laid((at+x*3)%4, k, n, small)
			special := s.A != 0 && !s.Symmetric && s.B == 0 && k > 2
			if special {
				b.Set(k/2, n/2, T(math.Inf(1)))
			}
			there := func(t dense.Triangle, i, j int) bool {
				unit := t == dense.UnitLower || t == dense.UnitUpper
				return t == 0 || in(t, i, j) && !(unit && i == j)
			}
			wholeA, wholeB := layout.New[T](m, k), layout.New[T](k, n)
			absent := make([]bool, m*k)
			for i := range m {
				for j := range k {
					switch {
					case there(s.A, i, j):
						wholeA.Set(i, j, a.At(i, j))
					case i == j:
						wholeA.Set(i, j, 1)
					case s.Symmetric:
						wholeA.Set(i, j, a.At(j, i))
					default:
						absent[i*k+j] = true
					}
				}
			}
			for i := range k {
				for j := range n {
					if wholeB.Set(i, j, b.At(i, j)); !there(s.B, i, j) {
						wholeB.Set(i, j, b.At(j, i))
					}
				}
			}
			poison := func(x layout.Matrix[T], t dense.Triangle) {
				for i := range x.Rows {
					for j := range x.Cols {
						if !there(t, i, j) {
							x.Set(i, j, T(math.NaN()))
						}
					}
				}
			}
			poison(a, s.A)
			poison(b, s.B)
			out := laid((at+x*5)%4, m, n, func(i, j int) T { return -77 })
			want := clone(out)
			sums := make([]T, n)
			for i := range m {
				clear(sums)
				for p := range k {
					if absent[i*k+p] {
						continue
					}
					x := wholeA.At(i, p)
					for j, y := range wholeB.Data[p*n : (p+1)*n] {
						sums[j] += x * y
					}
				}
				for j, sum := range sums {
					if s.Out == 0 || in(s.Out, i, j) {
						want.Set(i, j, sum+1)
					}
				}
			}
			f := dense.Set[T]{Name: "test", Variants: variants, Epilogue: plusOne[T]}
			e := epilogue.New("test", m, n)
			epilogue.Out(&e, "out", out)
			dense.Fuse(dense.Call[T]{Set: &f, Structure: s}, &opt, &e, &a, &b)
			if d := differ(out, want); d != "" {
				t.Fatalf("%+v of %d x %d x %d: %s", s, m, n, k, d)
			}
		}
	}
}

// TestStructuredFusedRefused: matrices that are not square.
func TestStructuredFusedRefused(t *testing.T) {
	f := dense.Call[float64]{Set: &dense.Set[float64]{Name: "test", Epilogue: plusOne[float64]}, Structure: dense.Structure{A: dense.UnitLower}}
	defer func() {
		if have, want := fmt.Sprint(recover()), "test: a is 2 x 3; a matrix with a triangle is square"; have != want {
			t.Errorf("panics with %s, want %s", have, want)
		}
	}()
	e := epilogue.New("test", 2, 4)
	out := layout.New[float64](2, 4)
	epilogue.Out(&e, "out", out)
	a, b := layout.New[float64](2, 3), layout.New[float64](3, 4)
	dense.Fuse(f, &run.Options{}, &e, &a, &b)
}
