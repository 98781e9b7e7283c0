package gemm

import "github.com/tilesmith/tilesmith/emit"

// TF32 is the product of f32 by tensor cores of GPUs, of which a spec has to say that it
// wants it: operands are rounded to 10 fraction bits first, to the nearest, halves away from
// zero. Products of these are exact, and sums are of f32. So an element of the result is off
// by up to 2^-10 (a thousandth) of the sum of |a*b|, where that of [FMA] is off by 2^-24 for
// each step of K. Numbers below 2^-126 are what the tensor cores make of them.
//
// CPUs have nothing like it, and a spec with CPU targets is refused.
var TF32 Operator = tf32{}

type tf32 struct{ FMA }

func (tf32) String() string               { return "tf32" }
func (tf32) Types() (a, b, acc emit.Elem) { return emit.F32, emit.F32, emit.F32 }
