package gemm

import (
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// Reduction is what becomes of all results in a row or column.
type Reduction = reduce.Op

// The reductions, as package reduce describes them.
const (
	Sum        = reduce.Sum
	Max        = reduce.Max
	ArgMax     = reduce.ArgMax
	ArgMin     = reduce.ArgMin
	Min        = reduce.Min
	SumSquares = reduce.SumSquares
	LogSumExp  = reduce.LogSumExp
)

// Reduce is one reduction of a result of an epilogue, after rounding. Where what the
// function returns is rounded to that, the reduction has the type that was returned.
type Reduce struct {
	Name string // of the parameter that receives it
	Op   Reduction
	Col  bool   // one value a column; else one value a row
	Of   string // the name of the result, "" of the first
}

// Kernels of CPUs leave partial results, which the run time combines in a fixed order.
// Those of a row are one value for each panel of columns. Those of a column are in a row
// of C's width that is updated in place, for some tiles of rows. A reduction to a value
// has one slot, one to an index three: the values, the indices, and the numbers 0, 1, 2,
// ... of the lanes. A log-sum-exp has two: the largest x so far, and the sum of e^(x -
// largest).

// slots is how many slots a reduction has.
func (r Reduce) slots() int {
	switch {
	case r.Op.Arg():
		return 3
	case r.Op == LogSumExp:
		return 2
	}
	return 1
}

// Result returns which result is reduced: 0 for the first, 1 on for further ones; -1 if
// there is none of the name.
func (e *Fusion) Result(r Reduce) int {
	for i, o := range e.Results() {
		if r.Of == o.Name || r.Of == "" {
			return i
		}
	}
	return -1
}

// ReducedType returns the type of what is reduced.
func (e *Fusion) ReducedType(r Reduce) dtype.Type {
	if i := e.Result(r); i > 0 {
		return e.Also[i-1].Type
	}
	return e.Returns()
}

// Reduced reports whether some reduction is of a result.
func (e *Fusion) Reduced(result int) bool {
	return slices.ContainsFunc(e.Reduces, func(r Reduce) bool { return e.Result(r) == result })
}

// BestOf returns the reduction to an index that finds the value of reduction i at the same
// time: a row's maximum and its column. Then the value costs nothing more. -1: none.
func (e *Fusion) BestOf(i int) int {
	r := e.Reduces[i]
	arg, ok := map[Reduction]Reduction{Max: ArgMax, Min: ArgMin}[r.Op]
	if !ok {
		return -1
	}
	return slices.IndexFunc(e.Reduces, func(x Reduce) bool { return x.Op == arg && x.Col == r.Col && e.Result(x) == e.Result(r) })
}

// ReduceSlot returns the first slot of reduction i.
func (e *Fusion) ReduceSlot(i int) int {
	s := 1 + len(e.Also) + len(e.Inputs) + len(e.Zeros.names())
	for _, r := range e.Reduces[:i] {
		s += r.slots()
	}
	return s
}
