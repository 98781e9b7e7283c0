package sweep

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
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
	t := dtype.Of[T]()
	lanes := 64 / t.Size()
	// plain describes a product without an epilogue.
	plain := func(name string, op check.Operation, call func(opt run.Options, p *check.Problem)) Kernel {
		return Of(func(opt run.Options) check.Case {
			return check.Case{Name: name, A: t, B: t, Acc: t, Slots: []check.Slot{{Type: t, Out: true}}, Op: op,
				Call: func(p *check.Problem) { call(opt, p) }}
		})
	}
	matrix := check.Get[layout.Matrix[T]]
	of := func(p *check.Problem) sparse.Matrix[T] { return check.Get[sparse.Matrix[T]](p, check.S) }
	return []Kernel{
		plain("SpMM", check.SpMM{VL: lanes}, func(opt run.Options, p *check.Problem) {
			cpu.SpMMOpt(opt, matrix(p, 0), of(p), matrix(p, check.B))
		}),
		plain("SpMV", check.SpMM{VL: lanes, Vector: true, Features: 1}, func(opt run.Options, p *check.Problem) {
			cpu.SpMVOpt(opt, check.Get[[]T](p, 0), of(p), check.Get[[]T](p, check.B))
		}),
		plain("SDDMM", check.SDDMM{VL: lanes}, func(opt run.Options, p *check.Problem) {
			cpu.SDDMMInto(cpu.SDDMMOptions{Options: opt}, check.Get[[]T](p, 0), of(p), matrix(p, check.A), matrix(p, check.B))
		}),
	}
}
