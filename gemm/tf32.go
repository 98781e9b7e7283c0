package gemm

import "github.com/tilesmith/tilesmith/emit"

// TF32 is the product of f32 by tensor cores of GPUs. A spec must ask for it, because operands
// are first rounded to 10 fraction bits, to the nearest, halves away from zero. Products of
// these are exact, and sums are f32. So an element of the result is off by up to 2^-10 (a
// thousandth) of the sum of |a*b|. With [FMA] it is off by 2^-24 for each step of K. Tensor
// cores decide how to treat numbers below 2^-126.
//
// CPUs have no such instruction, and a spec with CPU targets is refused.
var TF32 Operator = tf32{}

type tf32 struct{ FMA }

func (tf32) String() string               { return "tf32" }
func (tf32) Types() (a, b, acc emit.Elem) { return emit.F32, emit.F32, emit.F32 }
