package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// elems are elements of one type, to code that is compiled once for all: they are float64.
type elems interface {
	load(i int) float64
	store(i int, x float64)
	size() int
	raw() []byte
	view(o *operand) []any // as a matrix, a slice, a pointer
}

// slice is the only elems.
type slice[T dtype.Elem] []T

func (s slice[T]) load(i int) float64     { return Float64(s[i]) }
func (s slice[T]) store(i int, x float64) { s[i] = Elem[T](x) }
func (s slice[T]) size() int              { return len(s) }
func (s slice[T]) raw() []byte            { return bytesOf(s) }

func (s slice[T]) view(o *operand) []any {
	m := layout.Matrix[T]{Data: s, Rows: o.rows, Cols: o.cols, RowStride: o.rs, ColStride: o.cs}
	views := []any{m, []T(s)}
	if len(s) > 0 {
		views = append(views, &s[0])
	}
	return views
}

// alloc is n elements of a type.
func alloc(p *Problem, t dtype.Type, n int) elems {
	switch t {
	case dtype.F32:
		return allocOf[float32](p, n)
	case dtype.F64:
		return allocOf[float64](p, n)
	case dtype.TypeF16:
		return allocOf[dtype.F16](p, n)
	case dtype.TypeBF16:
		return allocOf[dtype.BF16](p, n)
	case dtype.TypeF8E4M3:
		return allocOf[dtype.F8E4M3](p, n)
	case dtype.TypeF8E5M2:
		return allocOf[dtype.F8E5M2](p, n)
	case dtype.I8:
		return allocOf[int8](p, n)
	case dtype.U8:
		return allocOf[uint8](p, n)
	case dtype.I16:
		return allocOf[int16](p, n)
	case dtype.I32:
		return allocOf[int32](p, n)
	}
	panic(fmt.Sprintf("check: there are no operands of %v", t))
}

func allocOf[T dtype.Elem](p *Problem, n int) elems {
	if !p.guarded {
		return slice[T](make([]T, n))
	}
	g, err := NewGuard[T](max(n, 1))
	if err != nil {
		return slice[T](make([]T, n))
	}
	p.intact, p.free = append(p.intact, g.Check), append(p.free, g.Close)
	if p.right {
		return slice[T](g.Right(n))
	}
	return slice[T](g.Left(n))
}

// roundTo rounds x to a type; integers are clamped.
func roundTo(t dtype.Type, x float64) float64 {
	switch t {
	case dtype.F32:
		return float64(float32(x))
	case dtype.F64:
		return x
	case dtype.TypeF16:
		return dtype.ToF16(x).Float64()
	case dtype.TypeBF16:
		return dtype.ToBF16(x).Float64()
	case dtype.TypeF8E4M3:
		return dtype.ToF8E4M3(x).Float64()
	case dtype.TypeF8E5M2:
		return dtype.ToF8E5M2(x).Float64()
	}
	lo, hi := limitsOf(t, 1)
	return max(float64(lo), min(float64(hi), math.RoundToEven(x)))
}

// toSum is a sum that float64 has exactly, or nearly, in the type of sums, in which that
// of integers wraps.
func toSum(t dtype.Type, sum float64) float64 {
	if t == dtype.I32 {
		return float64(int32(int64(sum)))
	}
	return roundTo(t, sum)
}

var nan, inf = math.NaN(), math.Inf(1)
