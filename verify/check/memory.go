package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// elems are elements of one type, to code that is compiled once for all: they are float64.
type elems interface {
	load(i int) float64
	store(i int, x float64)
	size() int
	raw() []byte
	canary() []byte
	read(dst []float64, from, step int) // elements that are step apart
	write(src []float64, from, step int)
	view(o *operand) []any // as a matrix, a slice, a pointer
	part(from, to int) elems
	blocks(x *spread) any
}

// slice is the only elems.
type slice[T dtype.Elem] []T

func (s slice[T]) load(i int) float64     { return Float64(s[i]) }
func (s slice[T]) store(i int, x float64) { s[i] = Elem[T](x) }
func (s slice[T]) size() int              { return len(s) }
func (s slice[T]) raw() []byte            { return guard.Bytes(s) }

func (s slice[T]) canary() []byte { return guard.Canary[T]() }

func (s slice[T]) read(dst []float64, from, step int) {
	for i := range dst {
		dst[i] = Float64(s[from+i*step])
	}
}

func (s slice[T]) write(src []float64, from, step int) {
	for i, x := range src {
		s[from+i*step] = Elem[T](x)
	}
}

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
		return slice[float32](room[float32](p, n))
	case dtype.F64:
		return slice[float64](room[float64](p, n))
	case dtype.TypeF16:
		return slice[dtype.F16](room[dtype.F16](p, n))
	case dtype.TypeBF16:
		return slice[dtype.BF16](room[dtype.BF16](p, n))
	case dtype.TypeF8E4M3:
		return slice[dtype.F8E4M3](room[dtype.F8E4M3](p, n))
	case dtype.TypeF8E5M2:
		return slice[dtype.F8E5M2](room[dtype.F8E5M2](p, n))
	case dtype.I8:
		return slice[int8](room[int8](p, n))
	case dtype.U8:
		return slice[uint8](room[uint8](p, n))
	case dtype.I16:
		return slice[int16](room[int16](p, n))
	case dtype.I32:
		return slice[int32](room[int32](p, n))
	case dtype.C64:
		return pairs[complex64](room[complex64](p, n))
	case dtype.C128:
		return pairs[complex128](room[complex128](p, n))
	}
	panic(fmt.Sprintf("check: there are no operands of %v", t))
}

// room is n elements, between inaccessible pages if the problem says so.
func room[T dtype.Elem](p *Problem, n int) []T {
	if !p.fenced() {
		return make([]T, n)
	}
	typ, need := dtype.Of[T](), n+4*guard.Margin
	g, _ := p.c.pool.take(typ).(*guard.Memory[T])
	if g == nil || g.Cap() < need {
		if g != nil && p.err == nil {
			p.err = g.Close()
		}
		bigger, err := guard.New[T](2 * need)
		if err != nil {
			p.err = err
			return make([]T, n)
		}
		g = bigger
	}
	turn, number := p.turn, len(p.free)
	p.free = append(p.free, func() { p.c.pool.put(typ, g) })
	var s []T
	// Unless a problem says where, all are in the middle now and then, at some alignment, else the first three are at either end
	// by the bits of turn, and so on.
	switch {
	case p.at == middle, p.at == varied && turn%11 == 10:
		s = g.At(guard.Margin+(5*turn+3*number)%guard.Margin, n)
	case p.at == right, p.at == varied && (turn>>(number%3)+number/3)%2 == 1:
		s = g.Right(n)
	default:
		s = g.Left(n)
	}
	p.intact = append(p.intact, g.Check)
	p.near = append(p.near, func(addr uintptr) (string, []byte) { return g.Where(addr), guard.Bytes(s) })
	return s
}

// A position is where in its memory an operand lies.
type position uint8

const (
	varied position = iota // by turns
	middle                 // surrounded by canaries, at some odd alignment
	left
	right
)

func (p position) String() string { return [...]string{"varied", "middle", "left", "right"}[p] }

// A pool keeps the memory of problems that are done for the next.
type pool map[dtype.Type][]closer

type closer interface{ Close() error }

// take returns some memory for elements of a type, or nil.
func (l pool) take(t dtype.Type) (g closer) {
	if n := len(l[t]); n > 0 {
		g, l[t] = l[t][n-1], l[t][:n-1]
	}
	return g
}

// put keeps memory, if there is a pool.
func (l pool) put(t dtype.Type, g closer) {
	if l == nil {
		_ = g.Close() // of a test of this package
		return
	}
	l[t] = append(l[t], g)
}

func (l pool) close(t TB) {
	for _, all := range l {
		for _, g := range all {
			if err := g.Close(); err != nil {
				t.Errorf("check: unmap: %v", err)
			}
		}
	}
}

// roundTo rounds x to a type; integers are clamped.
func roundTo(t dtype.Type, x float64) float64 {
	switch t {
	case dtype.F32, dtype.C64:
		return float64(float32(x))
	case dtype.F64, dtype.C128:
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
