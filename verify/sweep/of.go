package sweep

import (
	"cmp"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Of is a generated function, as its generated test describes it.
//
// A sparse product is one of a matrix m x k with n columns, a sampled one of vectors of n elements. A product by relations
// deals the entries of the matrix to 16 of them and has n features and as many results. Attention is of m tokens to k, n
// columns a head.
func Of(of func(opt run.Options) check.Case) Kernel {
	c := of(run.Options{})
	k := Kernel{
		Name: c.Name, Types: typesOf(c.A, c.B, c.Acc), Acc: c.Acc,
		Suite: func(tb check.TB, isa string) {
			check.Run(tb, func(threads int) check.Case { return of(run.Options{ISA: isa, Threads: threads}) })
		},
	}
	if c.Op == nil {
		return k.product(c, of)
	}
	family, columns, usual := c.Op.(measured).Measured()
	k.Family, k.Workloads = family, func(g Grid) []Workload { return sparseWorkloads(g, columns, usual...) }
	switch op := c.Op.(type) {
	case check.SpMM:
		k.Types = c.Acc.String()                // b may be narrow
		if op.Format.Name != "" && !op.Vector { // which may hold no graph
			k.Workloads = func(g Grid) []Workload {
				if g.Quick {
					return sparseWorkloads(Grid{}, columns, usual[0])[1:2]
				}
				return sparseWorkloads(g, columns, usual...)
			}
		}
	case check.Attention:
		k.Workloads = func(g Grid) []Workload {
			if g.Shapes != nil {
				return sparseWorkloads(g, columns)
			}
			return []Workload{{Matrix: window, M: 4096, N: cmp.Or(columns, usual[0]), K: 4096}}
		}
	}
	ready := func(pt Point, smallest bool) (*check.Timed, error) {
		c := of(run.Options{ISA: pt.ISA, Threads: pt.Threads})
		operand, err := operandOf(c.Op, pt.Workload, smallest)
		if err != nil {
			return nil, err
		}
		return c.Timed(operand, pt.N)
	}
	k.Has = func(isa string) bool {
		w := k.Workloads(Grid{})[0] // whose n may be the only one that it has
		x, err := ready(Point{Workload: w, ISA: isa, Threads: 1}, true)
		return err != nil || callable(x.Call)
	}
	k.Ready = func(pt Point) (*Problem, error) {
		if err := fits(needed(c.Op, pt.Workload), c.Acc.Size()); err != nil {
			return nil, err
		}
		x, err := ready(pt, false)
		if err != nil {
			return nil, err
		}
		problem := timed(x)
		op, ok := c.Op.(check.SpMM)
		if ok && c.Results == nil && c.Arithmetic.Plus == nil && !op.Mean && !op.Pattern && pt.Threads == 1 {
			switch {
			case op.Format.Name != "":
			case c.Acc == dtype.F32:
				problem.Expect = advised(check.Get[sparse.Matrix[float32]](x.Problem, check.S), pt.N, pt.ISA)
			default:
				problem.Expect = advised(check.Get[sparse.Matrix[float64]](x.Problem, check.S), pt.N, pt.ISA)
			}
			if c.Acc == dtype.F32 && c.B == dtype.F32 {
				problem.Beside = func(peer Peer) (*Rival, error) { return sparseRival(peer, x, pt.N) }
			}
		}
		return problem, nil
	}
	return k
}

// A measured operation says its family, the only number of columns that it has, 0 if there is none, and some usual ones.
type measured interface {
	Measured() (family string, columns int, usual []int)
}

// product completes k, a product of matrices.
func (k Kernel) product(c check.Case, of func(opt run.Options) check.Case) Kernel {
	some := check.Shape{M: max(c.Only.M, 1), N: max(c.Only.N, 1), K: max(c.Only.K, 1)}
	k.Family, k.Workloads = "Gemm", denseWorkloads
	if c.A != c.Acc || c.B != c.Acc {
		k.A, k.B = c.A, c.B
	}
	k.Has = func(isa string) bool {
		c := of(run.Options{ISA: isa, Threads: 1})
		return callable(c.TimedProduct(some, false, false).Call)
	}
	k.Ready = func(pt Point) (*Problem, error) {
		if err := (Shape{pt.M, pt.N, pt.K}).check(8); err != nil {
			return nil, err
		}
		c := of(run.Options{ISA: pt.ISA, Threads: pt.Threads})
		return timed(c.TimedProduct(check.Shape{M: pt.M, N: pt.N, K: pt.K}, pt.Op[0] == 'T', pt.Op[1] == 'T')), nil
	}
	return k.Only(Shape{c.Only.M, c.Only.N, c.Only.K})
}

// operandOf makes the matrix or the mask of a workload, or one of one entry.
func operandOf(op check.Operation, w Workload, smallest bool) (any, error) {
	if smallest {
		w = Workload{Matrix: given, M: 1, K: 1}
	}
	switch op := op.(type) {
	case check.Attention:
		return maskOf(w)
	case interface{ Degree() int }:
		return structure(w, op.Degree())
	}
	return structure(w, perRow)
}

// needed is a workload with the memory that an operation takes for it.
func needed(op check.Operation, w Workload) Workload {
	switch op := op.(type) {
	case check.SpMM:
		if op.Segments { // b has a row for each entry
			w.K = w.M * perRow
		}
	case check.Attention:
		w.N *= max(1, op.Heads)
	}
	return w
}
