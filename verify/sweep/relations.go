package sweep

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/verify/check"
)

// RGMS is a product by relations: those of a matrix whose entries are dealt to 16 of them, with n
// features and as many results.
func RGMS[T dtype.Float](of func(opt run.Options) check.RGMSCase[T]) Kernel {
	return onMatrix(Kernel{
		Name: of(run.Options{}).Name, Family: "RGMS",
		Workloads: func(g Grid) []Workload { return sparseWorkloads(g, 0, 64, 32) },
	}, of, check.RGMS[T], func(c check.RGMSCase[T], m sparse.Matrix[T], n int) (*check.Timed, error) {
		return c.Timed(m, n)
	})
}
