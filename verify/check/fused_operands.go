package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// numberOf is an element of an operand.
func numberOf[T, A, B dtype.Elem](p *FusedProblem[A, B]) T { return numbersOf[T](p)() }

// numbersOf draws elements of an operand. For sums of integers no size is a risk, so
// integers are of all sizes. Factors are such that some results are in the range of a
// narrow type and some are not.
func numbersOf[T, A, B dtype.Elem](p *FusedProblem[A, B]) func() T {
	draw := p.draws(dtype.Of[T](), sumsOfIntegers[A, B]())
	return func() T { return toElem[T](draw()) }
}

// draws is numbersOf before they are rounded.
func (p *FusedProblem[A, B]) draws(t dtype.Type, sumsOfIntegers bool) func() float64 {
	lo, hi := limitsOf(t, 1)
	bits, _ := numberFormat(t)
	rng := p.rng
	switch {
	case p.exact && bits > 0 && sumsOfIntegers: // products end at halves
		return func() float64 { return math.Ldexp(float64(rng.IntN(7)-3), -rng.IntN(4)) }
	case p.exact && p.wide && lo != 0:
		return func() float64 { return float64(rng.IntN(49) - 24) }
	case p.exact && p.wide: // whose upper half has a sign if they are taken for signed ones
		return func() float64 { return float64(1 + rng.IntN(int(min(hi, 255)))) }
	case p.exact && lo == 0: // no sign
		return func() float64 { return float64(1 + rng.IntN(6)) }
	case p.exact:
		return func() float64 { return float64(rng.IntN(7) - 3) }
	case !sumsOfIntegers:
		return rng.NormFloat64
	case bits > 0:
		return func() float64 { return math.Ldexp(rng.NormFloat64(), -rng.IntN(16)) }
	case t == dtype.I32:
		return func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(20)) }
	}
	return func() float64 {
		one := make([]int64, 1)
		scatter(rng, one, lo, hi)
		return float64(one[0])
	}
}

// sumsOfIntegers reports whether products of A and B have sums of int32.
func sumsOfIntegers[A, B dtype.Elem]() bool {
	a, _ := formatOf[A]()
	b, _ := formatOf[B]()
	return a == 0 && b == 0
}

// toSum is a sum that float64 has exactly, or nearly, in the type of sums, in which that
// of integers wraps.
func toSum[Acc dtype.Sum](sum float64) Acc {
	if dtype.Of[Acc]() == dtype.I32 {
		return Acc(int32(int64(sum)))
	}
	return Acc(sum)
}

func matrixOf[T, A, B dtype.Elem](p *FusedProblem[A, B], rows, cols int) layout.Matrix[T] {
	ld := cols + p.pad
	m := layout.Matrix[T]{Data: make([]T, max(0, (rows-1)*ld+cols)), Rows: rows, Cols: cols, RowStride: ld, ColStride: 1}
	draw := numbersOf[T](p)
	for i := range m.Data {
		m.Data[i] = draw()
	}
	return m
}

func slotOf[S any, A, B dtype.Elem](p *FusedProblem[A, B], slot int, make func() S) S {
	if s, ok := p.slots[slot]; ok {
		return s.(S)
	}
	s := make()
	p.slots[slot] = s
	return s
}

// OutOf returns the matrix of an output. It begins as arbitrary bytes, and the gaps
// between its rows must be as they were after the call.
func OutOf[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int) layout.Matrix[T] {
	return slotOf(p, slot, func() layout.Matrix[T] {
		m := matrixOf[T](p, p.M, p.N)
		b := bytesOf(m.Data)
		for i := range b {
			b[i] = 0xa5
		}
		p.intact = append(p.intact, func() error {
			size := len(b) / max(1, len(m.Data))
			for i := range m.Data {
				if col := i % m.RowStride; col < p.N && (p.absent == nil || !p.absent(i/m.RowStride, col)) {
					continue
				}
				for _, x := range b[i*size : (i+1)*size] {
					if x != 0xa5 {
						return fmt.Errorf("output %d: place %d of row %d, which is a gap or is not there, was written", slot, i%m.RowStride, i/m.RowStride)
					}
				}
			}
			return nil
		})
		return m
	})
}

// operandOf returns a matrix of an epilogue's operand, of which some elements may be [telling].
func operandOf[T, A, B dtype.Elem](p *FusedProblem[A, B], rows, cols int) layout.Matrix[T] {
	m := matrixOf[T](p, rows, cols)
	for i := range m.Data {
		if x, ok := telling[T](p); ok {
			m.Data[i] = x
		}
	}
	return m
}

// FullOf returns the matrix of a full operand.
func FullOf[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int) layout.Matrix[T] {
	return slotOf(p, slot, func() layout.Matrix[T] { return operandOf[T](p, p.M, p.N) })
}

// RowOf returns an operand with one element a row.
func RowOf[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int) []T {
	return slotOf(p, slot, func() []T { return operandOf[T](p, 1, p.M).Data })
}

// ColumnOf returns an operand with one element a column.
func ColumnOf[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int) []T {
	return slotOf(p, slot, func() []T { return operandOf[T](p, 1, p.N).Data })
}

// ScalarOf returns an operand with one element.
func ScalarOf[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int) T {
	return slotOf(p, slot, func() T {
		if large[T](p) {
			return toElem[T](float64(2*p.rng.IntN(1<<23) - (1<<23 - 1)))
		}
		return numberOf[T](p)
	})
}

// ShareScalar makes the operand of a slot x, as that of another problem is: products of a
// batch have one.
func ShareScalar[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int, x T) { p.slots[slot] = x }

// A nudge is by how many units in the last place operands of a slot are moved.
type nudge struct {
	slot int
	ulps float64
}

// Nudged returns x moved by as many units in the last place as the oracle is
// trying for slot. The oracle evaluates the epilogue around its operands as well. Code
// that fuses a multiplication with an addition rounds as if they were there.
func Nudged[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int, x T) T {
	if bits, _ := formatOf[T](); bits == 0 {
		return x // integers are exact
	}
	if slot < 64 {
		p.nudged |= 1 << slot
	}
	n := p.nudge.ulps
	if n == 0 || slot != p.nudge.slot {
		return x
	}
	v := Float64(x)
	return toElem[T](v + n*ulp[T](v))
}
