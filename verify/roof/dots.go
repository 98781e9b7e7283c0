package roof

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A Ceiling is the most that instructions on registers do on one core.
type Ceiling struct {
	Rate float64 // operations a second, two for each product that is added
	By   string  // the instructions: FMA, VDPBF16PS, VPDPBUSD, VPDPWSSD, VPMADDWD, TDPBF16PS or TDPBUSD
}

// chains are how many independent sums the kernels of dot products have: the best counts.
var chains = []int{8, 10, 12}

// Products returns the ceiling of products of elements of a and b with the instructions of
// isa, one of [run.ISAs]. It is the greatest of three: dot products of the elements, those
// of int16 after widening bytes, and multiply-adds of f32 and f64 after widening. Each
// kernel runs for about d. It is zero if the build has no kernel for isa.
//
// Widening itself counts as nothing, since packing does it once for many products. So does
// the correction that products of operands with signs need on VPDPBUSD.
func Products(isa string, a, b dtype.Type, d time.Duration) Ceiling {
	var best Ceiling
	better := func(rate float64, by string) {
		if rate > best.Rate {
			best = Ceiling{rate, by}
		}
	}
	if sums := sumsOf(a, b); isa == run.Portable || sums != dtype.I32 {
		if sums == dtype.I32 {
			sums = dtype.F32 // a multiplication and an addition of int32 are no faster in compiled Go
		}
		better(FMA(isa, sums, d), "FMA")
	}
	for _, x := range dotsOf(a, b) {
		for i := isaset.ByName(isa); i != nil; i = i.Extends {
			better(dots(i, x, d), x.by)
		}
	}
	better(tiles(isa, a, b, d))
	return best
}

// sumsOf is the type that products of a and b are added in.
func sumsOf(a, b dtype.Type) dtype.Type {
	whole := func(t dtype.Type) bool { return t == dtype.I8 || t == dtype.U8 || t == dtype.I16 || t == dtype.I32 }
	switch {
	case a == dtype.F64 || b == dtype.F64:
		return dtype.F64
	case whole(a) && whole(b):
		return dtype.I32
	}
	return dtype.F32
}

// A dotKernel names kernels, the instruction in them, and how many products it adds to a sum.
type dotKernel struct {
	name, by string
	depth    int
}

// dotsOf are the kernels for products of a and b.
func dotsOf(a, b dtype.Type) []dotKernel {
	words := []dotKernel{{"i16", "VPDPWSSD", 2}, {"pairs", "VPMADDWD", 2}}
	switch bytes := a.Size() == 1 && b.Size() == 1; {
	case a == dtype.TypeBF16 && b == dtype.TypeBF16:
		return []dotKernel{{"bf16", "VDPBF16PS", 2}}
	case sumsOf(a, b) != dtype.I32 || a == dtype.I32 || b == dtype.I32:
		return nil
	case bytes:
		return append([]dotKernel{{"u8i8", "VPDPBUSD", 4}}, words...)
	}
	return words
}

// tiles is the rate of products of whole tiles of elements of a and b, 0 if the instruction set
// has none; all kinds of bytes have the same.
func tiles(isa string, a, b dtype.Type, d time.Duration) (rate float64, by string) {
	const rounds, side = 10_000, 16
	depth, f := 4, kernels[isa]["tiles"]
	switch by = "TDPBUSD"; {
	case f == nil:
		return 0, ""
	case a == dtype.TypeBF16 && b == dtype.TypeBF16 && isaset.ByName(isa).Includes("amxbf16"):
		depth, by = 2, "TDPBF16PS"
	case a.Size() > 1 || b.Size() > 1 || sumsOf(a, b) != dtype.I32 || !isaset.ByName(isa).Includes("amxint8"):
		return 0, ""
	}
	config := make([]byte, 64) // Intel SDM volume 1, section 18.1: palette 1, and of each tile two bytes for a row's and one for rows
	config[0] = 1
	for i := range 8 {
		config[16+2*i], config[48+i] = side*4, side
	}
	args := &kernel.Args{K: rounds, B: unsafe.Pointer(&config[0])}
	return 4 * 2 * float64(depth*side*side*side*rounds) / fastest(d, func() { f(args) }), by
}

// dots is the rate of the best kernel of an instruction set, 0 if it has none.
func dots(isa *isaset.ISA, x dotKernel, d time.Duration) (best float64) {
	const rounds = 100_000 // as for FMA
	operands := make([]byte, 2*isa.Bits/8)
	for i := range operands {
		operands[i] = 0x3f // numbers near 1, of whatever type
	}
	args := &kernel.Args{K: rounds, B: unsafe.Pointer(&operands[0]), C: unsafe.Pointer(new([8]float64))}
	for bits := isa.Bits; bits >= 256; bits /= 2 {
		for _, n := range chains {
			f := kernels[isa.Name][fmt.Sprintf("%s_%d_%d", x.name, bits, n)]
			if f == nil {
				continue
			}
			ops := float64(2 * x.depth * bits / 32 * n * rounds)
			best = max(best, ops/fastest(d, func() { f(args) }))
		}
	}
	return best
}
