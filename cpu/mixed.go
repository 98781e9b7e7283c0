package cpu

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmbf16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmi16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmi8"
	"github.com/tilesmith/tilesmith/cpu/kern/narrowf32"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// MatMulOf computes out = a*b for elements of any two types, with sums of type Acc. You write
// only Acc:
//
//	cpu.MatMulOf[float32](out, a, b) // bfloat16 or half precision, or float32 times int8 weights
//	cpu.MatMulOf[int32](out, a, b)   // int8, uint8 and int16
//
// As for [MatMul] a is m x k, b is k x n and out is m x n, each with any strides.
//
//	sums of   operands                                              results
//	float32   float32, dtype.F16, dtype.BF16, int8, uint8, int16    float32, dtype.F16, dtype.BF16
//	float64   those and float64                                     those and float64
//	int32     int8, uint8, int16                                    int32
//
// Elements are converted to Acc, which changes no number. The exception: dot products of bf16
// (Options.ISA avx512bf16, amxbf16 and neonbf16) treat denormal numbers as 0 and produce none. Sums of
// floats are rounded as in MatMul, or as an instruction for their type rounds them. The finished
// sum is rounded once more to Out. Sums of int32 wrap around as Go's do: they are those of int64
// modulo 2^32. [SafeDepth] is the largest k for which none can wrap, and Options.NoWrap
// refuses more. An integer result of fewer bits needs a scale; see [QuantMatMul].
//
// The result does not depend on the number of threads, bit for bit. MatMulOf panics with a
// [run.TypeError] if the table has no such product, and with a [layout.ShapeError] where
// MatMul does, before it reads an element. You may call it from any number of goroutines
// at once.
func MatMulOf[Acc dtype.Sum, A, B, Out dtype.Elem](out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B]) {
	matMulOf[Acc]("cpu.MatMulOf", &Options{}, &out, &a, &b)
}

// MatMulOfOpt is [MatMulOf] with options, as [MatMulOpt] is MatMul: threads, a forced ISA, a
// b that [PackOf] packed, NoWrap, and Scaling. Sums of int32 have only one scaling: Scale(1,
// 1) adds them to out. It panics with a [run.OptionError], a [run.ISAError] or a
// [run.WrapError] if it cannot do what they ask for.
func MatMulOfOpt[Acc dtype.Sum, A, B, Out dtype.Elem](opt Options, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B]) {
	matMulOf[Acc]("cpu.MatMulOfOpt", &opt, &out, &a, &b)
}

// MatMulBatchOf computes n.Count products of one shape in one call: what [MatMulBatch] is to
// MatMul it is to [MatMulOf]. Strides count elements of each matrix's own type.
func MatMulBatchOf[Acc dtype.Sum, A, B, Out dtype.Elem](opt Options, n Batch, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B]) {
	const name = "cpu.MatMulBatchOf"
	switch {
	case sized[A, B, Acc, Out](4) && same[A, B, Acc, Out](dtype.F32):
		opt.Caller = opt.Name(name)
		gemmf.SGEMMBatched(opt, n, *as[float32](unsafe.Pointer(&out)), *as[float32](unsafe.Pointer(&a)), *as[float32](unsafe.Pointer(&b)))
	case sized[A, B, Acc, Out](8) && same[A, B, Acc, Out](dtype.F64):
		opt.Caller = opt.Name(name)
		gemmf.DGEMMBatched(opt, n, *as[float64](unsafe.Pointer(&out)), *as[float64](unsafe.Pointer(&a)), *as[float64](unsafe.Pointer(&b)))
	default:
		dense.Batched(dense.Call[Acc]{Set: mixedOf[Acc, A, B](opt.Name(name)), Name: name, To: roundingOf[Acc, Out]()}, n, &opt, &out, &a, &b)
	}
}

// PackOf is [Pack] for products of an a with elements of type A by b, with sums of type Acc:
//
//	opt.B = cpu.PackOf[int32, uint8](weights) // for uint8 activations
//
// The copy serves any type of results.
func PackOf[Acc dtype.Sum, A, B dtype.Elem](b layout.Matrix[B]) *run.Packed {
	const name = "cpu.PackOf"
	return dense.Pack(mixedOf[Acc, A, B](name), nil, Options{Caller: name}, b)
}

// SafeDepth returns the largest k for which no sum of k products of an A and a B can leave
// int32 and wrap, whatever the elements are. It returns 0 for types that are not summed in
// int32.
//
//	int8 int8     131071    uint8 int8    65793    int16 int8     511
//	uint8 uint8    33025    uint8 int16     257    int16 int16      1
func SafeDepth[A, B dtype.Elem]() int { return dense.SafeDepth(dtype.Of[A](), dtype.Of[B]()) }

func matMulOf[Acc dtype.Sum, A, B, Out dtype.Elem](name string, opt *Options, out *layout.Matrix[Out], a *layout.Matrix[A], b *layout.Matrix[B]) {
	switch {
	case sized[A, B, Acc, Out](4) && same[A, B, Acc, Out](dtype.F32):
		gemmf.SGEMMRef(name, opt, as[float32](unsafe.Pointer(out)), as[float32](unsafe.Pointer(a)), as[float32](unsafe.Pointer(b)))
	case sized[A, B, Acc, Out](8) && same[A, B, Acc, Out](dtype.F64):
		gemmf.DGEMMRef(name, opt, as[float64](unsafe.Pointer(out)), as[float64](unsafe.Pointer(a)), as[float64](unsafe.Pointer(b)))
	default:
		if c, ok := any(out).(*layout.Matrix[Acc]); !ok || !byReference(name, opt, c, a, b) {
			dense.Gemm(dense.Call[Acc]{Set: mixedOf[Acc, A, B](opt.Name(name)), Name: name, To: roundingOf[Acc, Out]()}, opt, out, a, b)
		}
	}
}

// byReference computes a product of narrow types that has kernels, with results of the
// type of the sums. It reports whether the product is one. Small products are worth asking
// for pointers of one type after the other: no answer takes longer than a comparison.
func byReference[Acc dtype.Sum, A, B dtype.Elem](name string, opt *Options, out *layout.Matrix[Acc], a *layout.Matrix[A], b *layout.Matrix[B]) bool {
	switch {
	case summed[A, B, Acc](2, 2, 4):
		switch out := any(out).(type) {
		case *layout.Matrix[float32]:
			switch a := any(a).(type) {
			case *layout.Matrix[dtype.BF16]:
				if b, ok := any(b).(*layout.Matrix[dtype.BF16]); ok {
					gemmbf16.BF16Ref(name, opt, out, a, b)
					return true
				}
			case *layout.Matrix[dtype.F16]:
				if b, ok := any(b).(*layout.Matrix[dtype.F16]); ok {
					gemmf16.F16Ref(name, opt, out, a, b)
					return true
				}
			}
		case *layout.Matrix[int32]:
			if a, ok := any(a).(*layout.Matrix[int16]); ok {
				if b, ok := any(b).(*layout.Matrix[int16]); ok {
					gemmi16.I16Ref(name, opt, out, a, b)
					return true
				}
			}
		}
	case summed[A, B, Acc](1, 2, 4):
		if out, ok := any(out).(*layout.Matrix[int32]); ok {
			if a, ok := any(a).(*layout.Matrix[int8]); ok {
				if b, ok := any(b).(*layout.Matrix[int16]); ok {
					gemmi8.I8I16Ref(name, opt, out, a, b)
					return true
				}
			}
		}
	case summed[A, B, Acc](2, 1, 4):
		if out, ok := any(out).(*layout.Matrix[int32]); ok {
			if a, ok := any(a).(*layout.Matrix[int16]); ok {
				if b, ok := any(b).(*layout.Matrix[int8]); ok {
					gemmi8.I16I8Ref(name, opt, out, a, b)
					return true
				}
			}
		}
	case summed[A, B, Acc](1, 1, 4):
		out, ok := any(out).(*layout.Matrix[int32])
		if !ok {
			return false
		}
		switch a := any(a).(type) {
		case *layout.Matrix[uint8]:
			switch b := any(b).(type) {
			case *layout.Matrix[int8]:
				gemmi8.U8I8Ref(name, opt, out, a, b)
				return true
			case *layout.Matrix[uint8]:
				gemmi8.U8Ref(name, opt, out, a, b)
				return true
			}
		case *layout.Matrix[int8]:
			switch b := any(b).(type) {
			case *layout.Matrix[int8]:
				gemmi8.I8Ref(name, opt, out, a, b)
				return true
			case *layout.Matrix[uint8]:
				gemmi8.I8U8Ref(name, opt, out, a, b)
				return true
			}
		}
	}
	return false
}

// sized reports whether elements of four types all have size bytes. The compiler knows the
// answer, and a program does not link kernels for sizes that it does not multiply.
func sized[A, B, Acc, Out dtype.Elem](size uintptr) bool {
	return unsafe.Sizeof(*new(A)) == size && unsafe.Sizeof(*new(B)) == size && unsafe.Sizeof(*new(Acc)) == size && unsafe.Sizeof(*new(Out)) == size
}

// summed reports whether elements of operands and sums have such sizes, likewise.
func summed[A, B, Acc dtype.Elem](a, b, acc uintptr) bool {
	return unsafe.Sizeof(*new(A)) == a && unsafe.Sizeof(*new(B)) == b && unsafe.Sizeof(*new(Acc)) == acc
}

// same reports whether four types are t.
func same[A, B, Acc, Out dtype.Elem](t dtype.Type) bool {
	return dtype.Of[A]() == t && dtype.Of[B]() == t && dtype.Of[Acc]() == t && dtype.Of[Out]() == t
}

// roundingOf returns the kernels that round sums to a result, nil where there are none.
func roundingOf[Acc, Out dtype.Elem]() *dense.Each {
	if unsafe.Sizeof(*new(Acc)) == 4 && unsafe.Sizeof(*new(Out)) == 2 && dtype.Of[Acc]() == dtype.F32 {
		switch dtype.Of[Out]() {
		case dtype.TypeBF16:
			return &narrowf32.BFloat16s
		case dtype.TypeF16:
			return &narrowf32.Halves
		}
	}
	return nil
}

// mixedOf returns the kernels for a product, or panics in the name of the function that was
// called if there is no such product.
func mixedOf[Acc dtype.Sum, A, B dtype.Elem](name string) *dense.Set[Acc] {
	switch a, b := dtype.Of[A](), dtype.Of[B](); {
	case summed[A, B, Acc](2, 2, 4) && a == b && dtype.Of[Acc]() == dtype.F32:
		switch a {
		case dtype.TypeBF16:
			return setAs[Acc](unsafe.Pointer(gemmbf16.BF16Set()))
		case dtype.TypeF16:
			return setAs[Acc](unsafe.Pointer(gemmf16.F16Set()))
		}
	case summed[A, B, Acc](2, 2, 4) && a == dtype.I16 && b == dtype.I16 && dtype.Of[Acc]() == dtype.I32:
		return setAs[Acc](unsafe.Pointer(gemmi16.I16Set()))
	case summed[A, B, Acc](1, 1, 4) && dtype.Of[Acc]() == dtype.I32:
		switch [2]dtype.Type{a, b} {
		case [2]dtype.Type{dtype.U8, dtype.I8}:
			return setAs[Acc](unsafe.Pointer(gemmi8.U8I8Set()))
		case [2]dtype.Type{dtype.I8, dtype.I8}:
			return setAs[Acc](unsafe.Pointer(gemmi8.I8Set()))
		case [2]dtype.Type{dtype.U8, dtype.U8}:
			return setAs[Acc](unsafe.Pointer(gemmi8.U8Set()))
		case [2]dtype.Type{dtype.I8, dtype.U8}:
			return setAs[Acc](unsafe.Pointer(gemmi8.I8U8Set()))
		}
	case summed[A, B, Acc](1, 2, 4) && a == dtype.I8 && b == dtype.I16 && dtype.Of[Acc]() == dtype.I32:
		return setAs[Acc](unsafe.Pointer(gemmi8.I8I16Set()))
	case summed[A, B, Acc](2, 1, 4) && a == dtype.I16 && b == dtype.I8 && dtype.Of[Acc]() == dtype.I32:
		return setAs[Acc](unsafe.Pointer(gemmi8.I16I8Set()))
	case sized[A, B, Acc, Acc](4) && same[A, B, Acc, Acc](dtype.F32):
		return setAs[Acc](unsafe.Pointer(gemmf.SGEMMSet()))
	case sized[A, B, Acc, Acc](8) && same[A, B, Acc, Acc](dtype.F64):
		return setAs[Acc](unsafe.Pointer(gemmf.DGEMMSet()))
	}
	return dense.InGo[Acc](name, dtype.Of[A](), dtype.Of[B]())
}

// setAs is a Set whose sums are known to be of type Acc.
func setAs[Acc dtype.Sum](s unsafe.Pointer) *dense.Set[Acc] { return (*dense.Set[Acc])(s) }
