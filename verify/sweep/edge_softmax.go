package sweep

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/verify/check"
)

// EdgeSoftmax is a softmax over the rows of a sparse matrix, of scores that a function gives. The
// matrix is m x k; n is 1.
func EdgeSoftmax[T dtype.Float](of func(opt run.Options) check.EdgeSoftmaxCase[T]) Kernel {
	return onMatrix(Kernel{
		Name: of(run.Options{}).Name, Family: "EdgeSoftmax",
		Workloads: func(g Grid) []Workload { return sparseWorkloads(g, 1) },
	}, of, check.EdgeSoftmax[T], func(c check.EdgeSoftmaxCase[T], m sparse.Matrix[T], _ int) (*check.Timed, error) {
		return c.Timed(m), nil
	})
}
