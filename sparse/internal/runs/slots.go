package runs

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/radix"
)

// The slots of a format with a parameter: what is free, and what a row or an entry
// allows. An entry makes 1024 in the largest blocks that are of use, 32 x 32.
const (
	freeSlots    = 1 << 20
	slotsPerUnit = 1024
)

// Slots returns the product of the factors, none negative, or an error if it is more
// than sparse.MaxSlots.
func Slots(where string, factors ...int) (int, error) {
	p := int64(1)
	for _, f := range factors {
		if f == 0 {
			return 0, nil
		}
	}
	for _, f := range factors {
		if p > sparse.MaxSlots/int64(f) { // the clone keeps factors on the stack
			return 0, sparse.Errorf(sparse.ErrSize, where, fmt.Sprintf("at most %d fit; use csr", sparse.MaxSlots), "%v make too many slots", product(slices.Clone(factors)))
		}
		p *= int64(f)
	}
	return int(p), nil
}

// Most returns how many slots a format with a parameter may have for s.
func (s Set) Most() int64 {
	return min(max(freeSlots, slotsPerUnit*(int64(s.M)+int64(s.NNZ))), sparse.MaxSlots)
}

// Slots is the function Slots for a format with a parameter.
func (s Set) Slots(where string, factors ...int) (int, error) {
	p, err := Slots(where, factors...)
	if err == nil && int64(p) > s.Most() {
		return 0, sparse.Errorf(sparse.ErrSize, where, fmt.Sprintf("at most %d, or %d for each row and entry; use csr", freeSlots, slotsPerUnit),
			"%v slots for %d rows and %d entries", product(slices.Clone(factors)), s.M, s.NNZ)
	}
	return p, err
}

// product prints factors as "3 x 4 x 4".
type product []int

func (p product) String() string {
	s := ""
	for i, f := range p {
		if i > 0 {
			s += " x "
		}
		s += fmt.Sprint(f)
	}
	return s
}

// AtLeast1 refuses a format whose parameter makes no sense.
func AtLeast1(name, what string, v int) error {
	if v < 1 {
		return sparse.Errorf(sparse.ErrFormat, name, "it is at least 1", "%s is %d", what, v)
	}
	return nil
}

// CeilDiv is the number of blocks of b that n makes.
func CeilDiv(n, b int) int {
	if n%b == 0 {
		return n / b
	}
	return n/b + 1
}

// LongestFirst returns the rows in windows of sigma, in each the longest first, and
// equally long ones in their order. length is at most n.
func LongestFirst(m, n, sigma int, length func(i int32) int) []int32 {
	order := radix.Sequence(m)
	if sigma == 1 {
		return order
	}
	order = radix.Sort(order, n+1, func(i int32) int { return n - length(i) })
	return radix.Sort(order, CeilDiv(m, sigma), func(i int32) int { return int(i) / sigma })
}
