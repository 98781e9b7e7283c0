package products

import (
	"github.com/tilesmith/tilesmith/cpu/kern/gemmbf16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmi16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmi8"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/cpu/run/equation"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// F32 multiplies float32.
func F32(f *equation.Factors) { multiply[float32, float32](f, gemmf.SGEMMSet()) }

// F64 multiplies float64.
func F64(f *equation.Factors) { multiply[float64, float64](f, gemmf.DGEMMSet()) }

// BF16 multiplies bfloat16, to float32.
func BF16(f *equation.Factors) { multiply[dtype.BF16, dtype.BF16](f, gemmbf16.BF16Set()) }

// F16 multiplies half precision, to float32.
func F16(f *equation.Factors) { multiply[dtype.F16, dtype.F16](f, gemmf16.F16Set()) }

// I8 multiplies int8, to int32.
func I8(f *equation.Factors) { multiply[int8, int8](f, gemmi8.I8Set()) }

// U8I8 multiplies uint8 by int8, to int32.
func U8I8(f *equation.Factors) { multiply[uint8, int8](f, gemmi8.U8I8Set()) }

// I16 multiplies int16, to int32.
func I16(f *equation.Factors) { multiply[int16, int16](f, gemmi16.I16Set()) }

// multiply multiplies or packs.
func multiply[A, B dtype.Elem, Acc dtype.Sum](f *equation.Factors, s *dense.Set[Acc]) {
	opt, b := f.Options(), equation.B[B](f)
	if f.Packs() {
		dense.Pack(s, f.Packed, opt, b)
		return
	}
	out, a := equation.Result[Acc](f), equation.A[A](f)
	dense.Gemm(dense.Call[Acc]{Set: s}, &opt, &out, &a, &b)
}
