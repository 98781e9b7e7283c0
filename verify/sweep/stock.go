package sweep

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Stock lists the kernels of package cpu: dense products, sparse ones and sampled ones,
// in both types, and dense products of narrow types.
func Stock() []Kernel {
	all := append([]Kernel{stockDense[float32](), stockDense[float64]()}, stockNarrow()...)
	all = append(all, stockSparse[float32]()...)
	all = append(all, stockSparse[float64]()...)
	for i := range all {
		all[i].Package = "github.com/tilesmith/tilesmith/cpu"
	}
	return all
}

// stockDense has the tiles of the widest registers: rows, and columns of 64 bytes.
func stockDense[T dtype.Float]() Kernel {
	t := dtype.Of[T]()
	tile := check.Options{MR: 9, NR: 3 * 64 / t.Size(), KC: tiling.KCMax, Threads: true, Checked: true}
	return Dense("MatMul", cpu.MatMulOpt[T], stockPlan[T], tile)
}

// stockPlan is how cpu.MatMul computes a product.
func stockPlan[T dtype.Float](opt run.Options, out, a, b layout.Matrix[T]) tiling.Plan {
	t := dtype.Of[T]()
	byColumns := func(m layout.Matrix[T]) bool { return m.ColStride != 1 }
	p := dense.Planned{Kernels: tiling.Outline(opt.ISA, t.Size()), A: t, B: t, Acc: t, M: out.Rows, N: out.Cols, K: a.Cols, TransA: byColumns(a), TransB: byColumns(b)}
	return p.Plan(machine.This(), opt)
}

func stockSparse[T dtype.Float]() []Kernel {
	lanes := 64 / dtype.Of[T]().Size()
	type problem = check.FusedProblem[T, T]
	// plain describes a product without an epilogue.
	plain := func(name string, call func(p *problem)) check.FusedCase[T, T, T] {
		return check.FusedCase[T, T, T]{
			Name: name, Outs: 1, Call: call,
			Results: func(_ *problem, sum T, _, _ int) []float64 { return []float64{float64(sum)} },
			Have:    func(p *problem, _, i, j int) float64 { return float64(check.OutOf[T](p, 0).At(i, j)) },
			Ulp:     func(_ int, x float64) float64 { return check.Ulp[T](x) },
		}
	}
	return []Kernel{
		SpMM(func(opt run.Options) check.SpMMCase[T] {
			return check.SpMMCase[T]{VL: lanes, Plain: true, FusedCase: plain("SpMM", func(p *problem) {
				cpu.SpMMOpt(opt, check.OutOf[T](p, 0), check.SparseOf(p), p.B)
			})}
		}),
		SpMM(func(opt run.Options) check.SpMMCase[T] {
			return check.SpMMCase[T]{VL: lanes, Plain: true, Vector: true, Features: 1, FusedCase: plain("SpMV", func(p *problem) {
				cpu.SpMVOpt(opt, check.OutOf[T](p, 0).Data, check.SparseOf(p), p.B.Data)
			})}
		}),
		SDDMM(func(opt run.Options) check.SDDMMCase[T] {
			return check.SDDMMCase[T]{VL: lanes, Plain: true, FusedCase: plain("SDDMM", func(p *problem) {
				var a, b layout.Matrix[T] = p.A, p.B
				cpu.SDDMMInto(cpu.SDDMMOptions{Options: opt}, check.OutOf[T](p, 0).Data, check.SparseOf(p), a, b)
			})}
		}),
	}
}
