package sweep

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Mixed is a product of operands of A and B with results that are rounded from sums of Acc. f is
// its entry point, and of describes it for a variant, as its generated test does. b is as a
// caller has it: not packed beforehand. There are no libraries next to it: those that have such
// products are fastest with a packed b. BenchmarkNarrow of package peer compares both with
// packed operands.
func Mixed[A, B dtype.Elem, Acc dtype.Sum, Out dtype.Elem](f func(opt run.Options, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B]),
	of func(isa string) check.MixedCase[A, B, Acc, Out]) Kernel {
	c := of("")
	k := Of(func(opt run.Options) check.Case {
		return check.Case{
			Name: c.Name, A: dtype.Of[A](), B: dtype.Of[B](), Acc: dtype.Of[Acc](), Strict: dtype.Of[Acc]() == dtype.I32, Flushes: true,
			Slots: []check.Slot{{Type: dtype.Of[Out](), Out: true}},
			Call: func(p *check.Problem) {
				f(opt, check.Get[layout.Matrix[Out]](p, 0), check.Get[layout.Matrix[A]](p, check.A), check.Get[layout.Matrix[B]](p, check.B))
			},
			Results: func(_ *check.Problem, sum float64, _, _ int) []float64 {
				return []float64{check.Float64(c.Store(Acc(sum)))}
			},
		}
	})
	k.Suite = func(tb check.TB, isa string) {
		c := of(isa)
		c.MayFlush, c.Odd = mayFlush[A](isa), isa == "neonbf16"
		check.Mixed(tb, c)
	}
	return k
}

// mayFlush reports whether a variant flushes denormal numbers. Dot products of bf16 do,
// and a variant that has some may have kernels without.
func mayFlush[A dtype.Elem](isa string) bool {
	return dtype.Of[A]() == dtype.TypeBF16 && (isa == "avx512bf16" || isa == "amxbf16" || isa == "neonbf16")
}

// stockMixed is cpu.MatMulOf of operands of A and B, with results of the type of the sums.
func stockMixed[Acc dtype.Sum, A, B dtype.Elem]() Kernel {
	return Mixed(cpu.MatMulOfOpt[Acc, A, B, Acc], func(isa string) check.MixedCase[A, B, Acc, Acc] {
		return check.MixedCase[A, B, Acc, Acc]{
			Name: "MatMulOf", MR: 9, NR: 3 * 64 / dtype.Of[Acc]().Size(), KC: tiling.KCMax, Threads: true,
			Store: func(sum Acc) Acc { return sum },
			Call: func(threads int, out layout.Matrix[Acc], a layout.Matrix[A], b layout.Matrix[B]) {
				cpu.MatMulOfOpt[Acc](run.Options{ISA: isa, Threads: threads}, out, a, b)
			},
		}
	})
}

// stockNarrow lists the products of package cpu whose operands are narrower than the sums.
func stockNarrow() []Kernel {
	return []Kernel{
		stockMixed[float32, dtype.BF16, dtype.BF16](), stockMixed[float32, dtype.F16, dtype.F16](),
		stockMixed[int32, uint8, int8](), stockMixed[int32, int8, int8](), stockMixed[int32, int16, int16](),
		stockQuant[uint8, uint8](), stockQuant[int8, int8](),
	}
}
