package layout

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// maxSize bounds sizes and strides, so that no product of a size and a stride
// that an operation forms can overflow.
const maxSize = min(1<<48, math.MaxInt/8)

// Bounds of what a tuple may look like, far above what a kernel has.
const (
	maxDepth  = 32
	maxLeaves = 1 << 10
)

// Tuple is an integer or a tuple of Tuples: the shape, the strides or a coordinate
// of a [Layout]. It is an immutable value; the zero Tuple is the empty one, (),
// whose size is 1.
type Tuple struct {
	leaf  bool
	n     int
	modes []Tuple
}

// Int returns the integer n as a Tuple.
func Int(n int) Tuple { return Tuple{leaf: true, n: n} }

// Ints returns a flat tuple: Ints(4, 8) is (4,8), and Ints(4) is (4), not 4.
func Ints(n ...int) Tuple {
	t := Tuple{modes: make([]Tuple, len(n))}
	for i, n := range n {
		t.modes[i] = Int(n)
	}
	return t
}

// Nest returns the tuple of modes.
func Nest(modes ...Tuple) Tuple { return Tuple{modes: slices.Clone(modes)} }

// IsInt reports whether t is an integer, and returns it.
func (t Tuple) IsInt() (n int, ok bool) { return t.n, t.leaf }

// Rank returns how many modes t has; an integer has one.
func (t Tuple) Rank() int {
	if t.leaf {
		return 1
	}
	return len(t.modes)
}

// Depth returns how deep t is nested: 0 for an integer, 1 for a flat tuple.
func (t Tuple) Depth() int {
	if t.leaf {
		return 0
	}
	d := 0
	for _, m := range t.modes {
		d = max(d, m.Depth())
	}
	return d + 1
}

// Mode returns mode i; mode 0 of an integer is the integer. It panics with a
// [ShapeError] if there is no such mode.
func (t Tuple) Mode(i int) Tuple {
	if i < 0 || i >= t.Rank() {
		panic(ShapeError{"layout", fmt.Sprintf("mode %d of %v, which has %d", i, t, t.Rank())})
	}
	if t.leaf {
		return t
	}
	return t.modes[i]
}

// Leaves returns the integers of t from left to right.
func (t Tuple) Leaves() []int { return t.appendLeaves(nil) }

func (t Tuple) appendLeaves(to []int) []int {
	if t.leaf {
		return append(to, t.n)
	}
	for _, m := range t.modes {
		to = m.appendLeaves(to)
	}
	return to
}

// Equal reports whether t and u have the same nesting and the same integers.
func (t Tuple) Equal(u Tuple) bool {
	return t.leaf == u.leaf && t.n == u.n && slices.EqualFunc(t.modes, u.modes, Tuple.Equal)
}

// Congruent reports whether t and u have the same nesting, as a shape and its
// strides must.
func (t Tuple) Congruent(u Tuple) bool {
	return t.leaf == u.leaf && slices.EqualFunc(t.modes, u.modes, Tuple.Congruent)
}

// Compatible reports whether every coordinate of shape t is one of shape u: u has
// t's nesting and perhaps more, with the same sizes. 24 is compatible with (4,6),
// and (4,6) with ((2,2),6).
func (t Tuple) Compatible(u Tuple) bool {
	if t.leaf {
		n, ok := u.size()
		return ok && n == t.n
	}
	return !u.leaf && slices.EqualFunc(t.modes, u.modes, Tuple.Compatible)
}

// size returns the product of the integers of a shape, and false if one of them is
// not positive or the product exceeds maxSize.
func (t Tuple) size() (int, bool) {
	if t.leaf {
		return t.n, t.n > 0 && t.n <= maxSize
	}
	n := 1
	for _, m := range t.modes {
		k, ok := m.size()
		if !ok || n > maxSize/k {
			return 0, false
		}
		n *= k
	}
	return n, true
}

// String returns t as text, which [ParseTuple] reads.
func (t Tuple) String() string { return string(t.appendText(nil)) }

func (t Tuple) appendText(b []byte) []byte {
	if t.leaf {
		return strconv.AppendInt(b, int64(t.n), 10)
	}
	b = append(b, '(')
	for i, m := range t.modes {
		if i > 0 {
			b = append(b, ',')
		}
		b = m.appendText(b)
	}
	return append(b, ')')
}
