package sweep

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// RGMS is a product by relations: those of a matrix whose entries are dealt to 16 of them, with n
// features and as many results.
func RGMS[T dtype.Float](of func(opt run.Options) check.RGMSCase[T]) Kernel {
	t := dtype.Of[T]()
	return Kernel{
		Name: of(run.Options{}).Name, Family: "RGMS", Types: t.String(), Acc: t,
		Has: func(isa string) bool {
			c := of(run.Options{ISA: isa, Threads: 1})
			x, err := c.Timed(one[T](), 1)
			return err != nil || callable(x.Call)
		},
		Suite: func(tb check.TB, isa string) {
			check.RGMS(tb, func(threads int) check.RGMSCase[T] { return of(run.Options{ISA: isa, Threads: threads}) })
		},
		Workloads: func(g Grid) []Workload { return sparseWorkloads(g, 0, 64, 32) },
		Ready: func(pt Point) (*Problem, error) {
			if err := fits(pt.Workload, t.Size()); err != nil {
				return nil, err
			}
			m, err := structure[T](pt.Workload, perRow)
			if err != nil {
				return nil, err
			}
			c := of(run.Options{ISA: pt.ISA, Threads: pt.Threads})
			x, err := c.Timed(m, pt.N)
			if err != nil {
				return nil, err
			}
			return timed(x), nil
		},
	}
}
