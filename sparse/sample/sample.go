package sample

import (
	"fmt"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// source returns the generator of random numbers for a seed. what keeps those of
// different kinds of matrices apart.
func source(what string, seed uint64) *rand.Rand {
	h := uint64(14695981039346656037) // FNV-1a
	for _, c := range []byte(what) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h))
}

// Random returns m with values uniform in [-1, 1).
func Random[T dtype.Float](m sparse.Matrix[T], seed uint64) sparse.Matrix[T] {
	r := source("random", seed)
	return values(m, func() T { return T(2*r.Float64() - 1) })
}

// Integers returns m with integers from -most to most, without 0, as values: sums of
// products of small ones are exact in any order. It panics with a [sparse.Error] if most is less than 1.
func Integers[T dtype.Float](m sparse.Matrix[T], most int, seed uint64) sparse.Matrix[T] {
	if most < 1 {
		panic(fail(sparse.ErrValue, "Integers", "it is at least 1", "the largest value is %d", most))
	}
	r := source("integers", seed)
	return values(m, func() T {
		v := 1 + r.IntN(most)
		if r.IntN(2) == 0 {
			v = -v
		}
		return T(v)
	})
}

func values[T dtype.Float](m sparse.Matrix[T], next func() T) sparse.Matrix[T] {
	v := make([]T, m.NNZ())
	for k := range v {
		v[k] = next()
	}
	m, err := m.WithValues(v)
	if err != nil {
		panic(err) // the lengths are the same
	}
	return m
}

// pattern collects the columns of each row in turn.
type pattern struct {
	cols              int
	pointers, indices []int32
}

func newPattern(rows, cols, entries int) *pattern {
	return &pattern{cols: cols, pointers: append(make([]int32, 0, rows+1), 0), indices: make([]int32, 0, entries)}
}

func (p *pattern) add(j int) { p.indices = append(p.indices, int32(j)) }

func (p *pattern) endRow() { p.pointers = append(p.pointers, int32(len(p.indices))) }

// ones returns the canonical matrix of a pattern.
func ones[T dtype.Float](p *pattern) (sparse.Matrix[T], error) {
	m, err := sparse.FromCSR(len(p.pointers)-1, p.cols, p.pointers, p.indices, one[T](len(p.indices)))
	return m.Canonical(), err
}

func one[T dtype.Float](n int) []T {
	v := make([]T, n)
	for k := range v {
		v[k] = 1
	}
	return v
}

// mostFit says how many entries a matrix may have.
var mostFit = fmt.Sprintf("at most %d entries fit", sparse.MaxSlots)

// fail returns an error of a function: what is wrong is formatted, right is not.
func fail(kind error, where, right, what string, args ...any) error {
	return &sparse.Error{Kind: kind, Where: "sample." + where, What: fmt.Sprintf(what, args...), Right: right}
}

// check returns an error unless a rows x cols matrix can have so many entries.
func check(where string, rows, cols, entries int) error {
	switch {
	case rows < 0 || cols < 0 || rows > sparse.MaxDim || cols > sparse.MaxDim:
		return fail(sparse.ErrSize, where, fmt.Sprintf("sizes are from 0 to %d", sparse.MaxDim), "size %d x %d", rows, cols)
	case entries < 0 || int64(entries) > min(int64(rows)*int64(cols), sparse.MaxSlots):
		return fail(sparse.ErrSize, where, fmt.Sprintf("from 0 to %d fit", min(int64(rows)*int64(cols), sparse.MaxSlots)), "%d entries in %d x %d", entries, rows, cols)
	}
	return nil
}

// share returns an error unless v is from 0 to 1.
func share(where, what string, v float64) error {
	if !(v >= 0 && v <= 1) {
		return fail(sparse.ErrValue, where, "it is from 0 to 1", "%s is %v", what, v)
	}
	return nil
}
