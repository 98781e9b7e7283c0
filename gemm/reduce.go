package gemm

import "math"

// Reduction is what becomes of all results in a row or column.
type Reduction uint8

// The reductions. Max and ArgMax treat NaN as larger than any number, Min and ArgMin as
// smaller; of equal values the lowest index counts, and +0 equals -0: Max and Min never
// give -0.
const (
	Sum Reduction = iota
	Max
	ArgMax
	ArgMin
	Min
	SumSquares // the sum of x*x, rounded once with the addition
)

func (r Reduction) String() string {
	return [...]string{"Sum", "Max", "ArgMax", "ArgMin", "Min", "SumSquares"}[r]
}

// Arg reports whether the result is an index.
func (r Reduction) Arg() bool { return r == ArgMax || r == ArgMin }

// Identity is what a reduction begins with: a number that changes no result.
func (r Reduction) Identity() float64 {
	switch r {
	case Max, ArgMax:
		return math.Inf(-1)
	case Min, ArgMin:
		return math.Inf(1)
	}
	return 0
}

// Reduce is one reduction of an epilogue's first result, as it is stored. Where what the
// function returns is rounded to that, the reduction has the type that was returned.
type Reduce struct {
	Name string // of the parameter that receives it
	Op   Reduction
	Col  bool // one value a column; else one value a row
}

// Kernels of CPUs leave partial results, which the run time combines in a fixed order:
// a row's as one value for each panel of columns, a column's in a row of C's width that is
// updated in place, for some tiles of rows. A reduction to a value has one slot, one to an index three: the values, the
// indices, and the numbers 0, 1, 2, ... of the lanes.

// slots is how many slots a reduction has.
func (r Reduce) slots() int {
	if r.Op.Arg() {
		return 3
	}
	return 1
}

// ReduceSlot returns the first slot of reduction i.
func (e *Fusion) ReduceSlot(i int) int {
	s := 1 + len(e.Also) + len(e.Inputs)
	for _, r := range e.Reduces[:i] {
		s += r.slots()
	}
	return s
}

func (e Epilogue[Acc, Out]) with(r Reduce) Epilogue[Acc, Out] {
	if e.fusion == nil {
		return e // there is nothing to reduce
	}
	fusion := *e.fusion
	fusion.Reduces = append(append([]Reduce(nil), fusion.Reduces...), r)
	return Epilogue[Acc, Out]{&fusion}
}

// RowSum also returns the sum of each row of the result, a []Out of length m. The
// order of additions depends on the shape only.
func (e Epilogue[Acc, Out]) RowSum(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: Sum})
}

// RowMax also returns the largest value of each row, a []Out of length m.
func (e Epilogue[Acc, Out]) RowMax(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: Max})
}

// RowArgMax also returns the column of each row's largest value, a []int32.
func (e Epilogue[Acc, Out]) RowArgMax(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: ArgMax})
}

// RowArgMin also returns the column of each row's smallest value, a []int32.
func (e Epilogue[Acc, Out]) RowArgMin(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: ArgMin})
}

// RowMin also returns the smallest value of each row, a []Out of length m.
func (e Epilogue[Acc, Out]) RowMin(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: Min})
}

// RowSumSquares also returns the sum of squares of each row, a []Out of length m: with
// RowSum what variance and normalization need. The order is that of RowSum.
func (e Epilogue[Acc, Out]) RowSumSquares(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: SumSquares})
}

// ColSum also returns the sum of each column, a []Out of length n.
func (e Epilogue[Acc, Out]) ColSum(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: Sum, Col: true})
}

// ColMax also returns the largest value of each column, a []Out of length n.
func (e Epilogue[Acc, Out]) ColMax(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: Max, Col: true})
}

// ColMin also returns the smallest value of each column, a []Out of length n.
func (e Epilogue[Acc, Out]) ColMin(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: Min, Col: true})
}

// ColSumSquares also returns the sum of squares of each column, a []Out of length n.
func (e Epilogue[Acc, Out]) ColSumSquares(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: SumSquares, Col: true})
}
