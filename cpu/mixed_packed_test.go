package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/check"
)

// TestPackOf: a panel of a packed b is the layout of package layout: [k/depth][n][depth] where
// kernels take depth of k at once, rows where they take one. Where k ends before a step, it is
// filled up with zeros.
func TestPackOf(t *testing.T) {
	eachMixed(t, func(t *testing.T, p mixedPair, isa string) { p.packed(t, isa) })
}

func mixedPacked[Acc dtype.Sum, A, B, Out dtype.Elem](t *testing.T, isa string) {
	r := rand.New(level.PCG(8, 9))
	next := mixedNumbers[B, int32](r.IntN)
	if dtype.Of[Acc]() != dtype.I32 {
		next = mixedNumbers[B, Acc](r.IntN)
	}
	for i, s := range [][2]int{{1, 1}, {3, 5}, {4, 16}, {7, 70}, {66, 130}, {2051, 9}} {
		if testing.Short() && i > 4 {
			continue
		}
		for o := range allOrders {
			if level.Of(true, i > 1, false) && (int(o)+i+int(dtype.Of[B]()))%3 != 0 {
				continue // with other shapes and types
			}
			b := mixedMatrix(o, s[0], s[1], next)
			p := packedOn[Acc, A](isa, b)
			if p.Kern == nil {
				return // the portable code reads b itself
			}
			size := int(unsafe.Sizeof(*new(Acc)))
			depth, words := max(1, p.Kern.Depth), p.Vecs.At(p.Vecs.Count)*p.Kern.VL
			steps := p.Kern.Steps(s[0])
			if words < s[1] {
				t.Fatalf("%v: %d columns packed", s, words)
			}
			for k := 0; k < steps; k += p.KC {
				kc := min(p.KC, steps-k)
				for panel := range p.Vecs.Count {
					at, cols := p.Panel(panel, k, kc)
					wide := (cols + p.Kern.VL - 1) / p.Kern.VL * p.Kern.VL
					col := p.Vecs.At(panel) * p.Kern.VL
					at = unsafe.Add(at, p.Kern.Head*wide*size)
					l, err := layout.VNNI(depth, kc*depth, wide)
					if len(p.Kern.Of(kernel.Zip)) > 0 { // pairs of words, of halves of four columns
						l, err = layout.Parse(fmt.Sprintf("((%[1]d,2,%[2]d),(2,2,%[3]d)):((1,%[1]d,%[4]d),(%[5]d,%[6]d,%[7]d))", depth, kc/2, wide/4, 2*wide*depth, 2*depth, wide*depth, 4*depth))
					}
					if err != nil {
						t.Fatal(err)
					}
					want, err := layout.Arrange(l, b.Slice(k*depth, min((k+kc)*depth, s[0]), col, col+cols))
					if err != nil {
						t.Fatal(err)
					}
					have := elements[Acc, B](at, len(want), size/depth)
					for i := range kc * depth {
						for j := range cols { // beyond them a panel is not defined
							if at := l.At(i, j); have[at] != int64(check.Float64(want[at])) {
								t.Fatalf("%v %v: the panel of row %d and column %d has %d at (%d, %d) of %v, want %v", s, o, k*depth, col, have[at], i, j, l, want[at])
							}
						}
					}
				}
			}
		}
	}
}

// elements reads n of a packed operand, each in so many bytes: integers, or floats as they
// were or as a sum has them.
func elements[Acc dtype.Sum, B dtype.Elem](at unsafe.Pointer, n, size int) []int64 {
	x := make([]int64, n)
	for i := range x {
		p := unsafe.Add(at, i*size)
		switch t := dtype.Of[B](); {
		case size == int(unsafe.Sizeof(*new(B))):
			x[i] = int64(check.Float64(*(*B)(p)))
		case size == int(unsafe.Sizeof(*new(Acc))):
			x[i] = int64(check.Float64(*(*Acc)(p)))
		case size == 2 && (t == dtype.I8 || t == dtype.U8): // two bytes that kernels take as int16
			x[i] = int64(*(*int16)(p))
		}
	}
	return x
}
