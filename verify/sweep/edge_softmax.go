package sweep

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// EdgeSoftmax is a softmax over the rows of a sparse matrix, of scores that a function gives. The
// matrix is m x k; n is 1.
func EdgeSoftmax[T dtype.Float](of func(opt run.Options) check.EdgeSoftmaxCase[T]) Kernel {
	t := dtype.Of[T]()
	return Kernel{
		Name: of(run.Options{}).Name, Family: "EdgeSoftmax", Types: t.String(), Acc: t,
		Has: func(isa string) bool {
			c := of(run.Options{ISA: isa, Threads: 1})
			return callable(c.Timed(one[T]()).Call)
		},
		Suite: func(tb check.TB, isa string) {
			check.EdgeSoftmax(tb, func(threads int) check.EdgeSoftmaxCase[T] { return of(run.Options{ISA: isa, Threads: threads}) })
		},
		Workloads: func(g Grid) []Workload { return sparseWorkloads(g, 1) },
		Ready: func(pt Point) (*Problem, error) {
			if err := fits(pt.Workload, t.Size()); err != nil {
				return nil, err
			}
			m, err := structure[T](pt.Workload, perRow)
			if err != nil {
				return nil, err
			}
			c := of(run.Options{ISA: pt.ISA, Threads: pt.Threads})
			return timed(c.Timed(m)), nil
		},
	}
}
