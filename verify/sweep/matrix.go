package sweep

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/verify/check"
)

// onMatrix completes k, a kernel whose case C needs only a sparse matrix, m x k, and a size n. suite tries
// it, and ready makes a problem.
func onMatrix[T dtype.Float, C any](k Kernel, of func(opt run.Options) C,
	suite func(tb check.TB, of func(threads int) C), ready func(c C, m sparse.Matrix[T], n int) (*check.Timed, error)) Kernel {
	t := dtype.Of[T]()
	k.Types, k.Acc = t.String(), t
	k.Has = func(isa string) bool {
		n := k.Workloads(Grid{})[0].N // which may be the only one that it has
		x, err := ready(of(run.Options{ISA: isa, Threads: 1}), one[T](), n)
		return err != nil || callable(x.Call)
	}
	k.Suite = func(tb check.TB, isa string) {
		suite(tb, func(threads int) C { return of(run.Options{ISA: isa, Threads: threads}) })
	}
	k.Ready = func(pt Point) (*Problem, error) {
		if err := fits(pt.Workload, t.Size()); err != nil {
			return nil, err
		}
		m, err := structure[T](pt.Workload, perRow)
		if err != nil {
			return nil, err
		}
		x, err := ready(of(run.Options{ISA: pt.ISA, Threads: pt.Threads}), m, pt.N)
		if err != nil {
			return nil, err
		}
		return timed(x), nil
	}
	return k
}
