package gemm

import "slices"

func (e Epilogue[Acc, Out]) with(r Reduce) Epilogue[Acc, Out] {
	if e.fusion == nil {
		return e // there is nothing to reduce
	}
	fusion := *e.fusion
	r.Of = fusion.of
	fusion.Reduces = append(slices.Clone(fusion.Reduces), r)
	return Epilogue[Acc, Out]{&fusion}
}

// Of names the result of the reductions that follow: of the one that [Also] or [Unstored]
// gave that name, or again of the first, which is called out. Else they are of the first.
func (e Epilogue[Acc, Out]) Of(name string) Epilogue[Acc, Out] {
	if e.fusion == nil {
		return e
	}
	fusion := *e.fusion
	fusion.of = name
	return Epilogue[Acc, Out]{&fusion}
}

// Unstored says that the first result is only reduced: the generated function has no out,
// and nothing of its size is written. [Fuse] with the function [Unstored] has further
// results that are not stored.
func (e Epilogue[Acc, Out]) Unstored() Epilogue[Acc, Out] {
	if e.fusion == nil {
		return e
	}
	fusion := *e.fusion
	fusion.Unstored = true
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

// RowLogSumExp also returns the logarithm of the sum of e^x over each row, a []Out of
// length m, which softmax divides by. It computes max + log(sum of e^(x-max)) in one
// pass [Milakov and Gimelshein, Online normalizer calculation for softmax, 2018]. A row
// with +Inf gives +Inf, one with NaN gives NaN, and one of -Inf only gives -Inf.
func (e Epilogue[Acc, Out]) RowLogSumExp(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: LogSumExp})
}

// ColLogSumExp is RowLogSumExp of columns, a []Out of length n.
func (e Epilogue[Acc, Out]) ColLogSumExp(name string) Epilogue[Acc, Out] {
	return e.with(Reduce{Name: name, Op: LogSumExp, Col: true})
}
