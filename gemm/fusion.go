package gemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Sum returns a zero of the type of the sum. It is how a spec takes the epilogues of its
// sums and no others: see [Ending].
func (e Epilogue[Acc, Out]) Sum() (acc Acc) { return acc }

// Fusion returns the epilogue without its type parameters, nil of the zero Epilogue.
func (e Epilogue[Acc, Out]) Fusion() *Fusion { return e.fusion }

// Into returns the epilogue of a spec whose result is of type out. That is e itself; or, if
// e returns the type of the sums and only rounding is left to do, e with that rounding.
func (e *Fusion) Into(out dtype.Type) *Fusion {
	if e == nil || e.Out == out || e.Out != e.Acc {
		return e
	}
	if _, err := Store(e.Acc, out); err != nil {
		return e
	}
	rounded := *e
	rounded.Out, rounded.Rounds = out, true
	return &rounded
}

// Store returns the epilogue that stores a sum as an out, as it is or rounded to it. The
// error says that no such thing goes by itself.
func Store(acc, out dtype.Type) (*Fusion, error) {
	var fn any
	switch [2]dtype.Type{acc, out} {
	case [2]dtype.Type{dtype.F32, dtype.F32}:
		fn = act.Identity[float32]
	case [2]dtype.Type{dtype.F64, dtype.F64}:
		fn = act.Identity[float64]
	case [2]dtype.Type{dtype.F32, dtype.TypeBF16}:
		fn = dtype.ToBF16[float32]
	case [2]dtype.Type{dtype.F32, dtype.TypeF16}:
		fn = dtype.ToF16[float32]
	default:
		return nil, fmt.Errorf("sums of %v are not stored as %v by themselves; give the spec an epilogue that converts them", acc, out)
	}
	return &Fusion{Fn: fn, Acc: acc, Out: out}, nil
}
