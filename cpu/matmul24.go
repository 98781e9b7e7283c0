package cpu

import (
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/sparse24"
)

// MatMul24 is [MatMulOfOpt] for an a that is 2:4 sparse, as the sparse tensor cores of GPUs
// multiply it (gemm.Sparse24). It does not multiply elements that are not stored, even if b has
// an infinity or NaN. It does multiply zeros that are stored.
//
//	w, err := sparse24.Pack(sparse24.Prune(weights))
//	cpu.MatMul24[float32](cpu.Options{}, out, w, x)
//
// CPUs have no instruction that gains by the rule. A call first unpacks a, one write of m x k
// elements, and then takes the time of a dense product. If you multiply by one a many times,
// unpack it once and call MatMulOfOpt, provided that nothing in b is infinite or NaN. If something
// is, b is copied too. It panics as MatMulOfOpt does.
func MatMul24[Acc dtype.Sum, A sparse24.Elem, B, Out dtype.Elem](opt Options, out layout.Matrix[Out], a *sparse24.Matrix[A], b layout.Matrix[B]) {
	const name = "cpu.MatMul24"
	if a == nil {
		panic(layout.ShapeError{What: opt.Name(name), Why: "a is nil; want what sparse24.Pack or New returned"})
	}
	run.CheckReal(opt.Name(name), &opt.Scaling)
	alpha, _ := opt.Scaling.Factors()
	dense := a.Unpack()
	if dtype.Of[Acc]() == dtype.I32 || Acc(alpha) == 0 || b.Check("b") != nil {
		matMulOf[Acc](name, &opt, &out, &dense, &b)
		return
	}
	// All that can be wrong is found by the product of which alpha is 0 and beta is 1: it
	// changes nothing.
	check := opt
	check.Scaling = Scale(0, 1)
	matMulOf[Acc](name, &check, &out, &dense, &b)
	if out.Rows == 0 || out.Cols == 0 { // the other of which may be any number
		return
	}
	special := specials(b)
	if special == nil {
		matMulOf[Acc](name, &opt, &out, &dense, &b)
		return
	}

	// The sum is that of all finite products, and then whatever the others make of it.
	finite := layout.New[B](b.Rows, b.Cols)
	for k := range b.Rows {
		for j := range b.Cols {
			if x := b.At(k, j); !isSpecial(x) {
				finite.Set(k, j, x)
			}
		}
	}
	opt.B = nil // which is b
	matMulOf[Acc](name, &opt, &out, &dense, &finite)
	for i := range a.Rows() {
		for k, x := range a.Row(i) {
			for _, j := range special[k] {
				product := alpha * float64Of(x) * float64Of(b.At(k, j))
				out.Set(i, j, elemOf[Out](float64Of(out.At(i, j))+product))
			}
		}
	}
}

// specials are the columns of each row of b where it is infinite or NaN; nil if there are none.
func specials[T dtype.Elem](b layout.Matrix[T]) (list [][]int) {
	for k := range b.Rows {
		for j := range b.Cols {
			if isSpecial(b.Data[k*b.RowStride+j*b.ColStride]) {
				if list == nil {
					list = make([][]int, b.Rows)
				}
				list[k] = append(list[k], j)
			}
		}
	}
	return list
}

func isSpecial[T dtype.Elem](x T) bool {
	y := float64Of(x)
	return y-y != 0
}

// float64Of returns the number that an element of a product is.
func float64Of[T dtype.Elem](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return float64(x)
	case float64:
		return x
	case dtype.F16:
		return float64(x.Float32())
	case dtype.BF16:
		return float64(x.Float32())
	case int8:
		return float64(x)
	case uint8:
		return float64(x)
	case int16:
		return float64(x)
	}
	return math.NaN() // no product has it
}

// elemOf is an element that is infinite or NaN.
func elemOf[T dtype.Elem](x float64) (out T) {
	switch p := any(&out).(type) {
	case *float32:
		*p = float32(x)
	case *float64:
		*p = x
	case *dtype.F16:
		*p = dtype.ToF16(x)
	case *dtype.BF16:
		*p = dtype.ToBF16(x)
	}
	return out
}
