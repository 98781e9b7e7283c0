package gemm

import "github.com/tilesmith/tilesmith/emit"

// F16Sums is the product of f16 by tensor cores of GPUs with sums of f16. Such sums take half
// the registers of f32 sums, and half the time on consumer GPUs. A spec must ask for it.
//
// Products are exact. Sums are rounded to 11 bits at least once for each 16 of K and at most
// once for each step. So each step of K may add an error of up to 2^-10 of the sum of |a*b|. A
// sum that passes 65504 on the way is infinite. The epilogue and the addition of parts of K use
// the sums as f32.
//
// CPUs have no such instruction, and a spec with CPU targets is refused.
var F16Sums Operator = f16Sums{}

type f16Sums struct{ FMA }

func (f16Sums) String() string               { return "f16 sums" }
func (f16Sums) Types() (a, b, acc emit.Elem) { return emit.F16, emit.F16, emit.F32 }
