// Package ranktest has what tests of distributed products have in common.
package ranktest

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Must returns the value of a call that has no error.
func Must[T any](t testing.TB) func(x T, err error) T {
	return func(x T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// Random returns a matrix of normal numbers.
func Random[T dtype.Float](rows, cols int, seed uint64) layout.Matrix[T] {
	x := layout.New[T](rows, cols)
	r := rand.New(level.PCG(seed, 1))
	for i := range x.Data {
		x.Data[i] = T(r.NormFloat64())
	}
	return x
}

// Part returns a part of a matrix.
func Part[T dtype.Float](x layout.Matrix[T], b dist.Rect) layout.Matrix[T] {
	return x.Slice(b.Rows.Lo, b.Rows.Hi, b.Cols.Lo, b.Cols.Hi)
}

// Product returns alpha*a*b + beta*c by the plain loop.
func Product[T dtype.Float](alpha T, a, b layout.Matrix[T], beta T, c layout.Matrix[T]) layout.Matrix[T] {
	out := layout.New[T](a.Rows, b.Cols)
	for i := range a.Rows {
		for j := range b.Cols {
			var sum T
			for k := range a.Cols {
				sum += a.At(i, k) * b.At(k, j)
			}
			out.Set(i, j, alpha*sum)
			if beta != 0 {
				out.Set(i, j, alpha*sum+beta*c.At(i, j))
			}
		}
	}
	return out
}

// InOrder gives n rows to p ranks in order.
func InOrder(n, p int) []int32 {
	owners := make([]int32, n)
	for i := range owners {
		owners[i] = int32(i * p / n)
	}
	return owners
}

// Scattered gives n rows to p ranks in no order; with p > 3, rank 1 gets none.
func Scattered(n, p int) []int32 {
	owners, r := make([]int32, n), rand.New(level.PCG(7, 7))
	for i := range owners {
		owners[i] = r.Int32N(int32(p))
		if p > 3 && owners[i] == 1 {
			owners[i] = 2
		}
	}
	return owners
}
