package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/internal/radix"
	"github.com/tilesmith/tilesmith/sparse/internal/value"
)

// FromCOO returns the matrix with values[k] at row i[k], column j[k]. Duplicates are
// summed in their order; the result is canonical. The slices are only read.
func FromCOO[T dtype.Value, I Index](rows, cols int, i, j []I, values []T) (Matrix[T], error) {
	if len(i) != len(values) || len(j) != len(values) {
		return Matrix[T]{}, Errorf(ErrLength, "sparse.FromCOO", "as many of each", "%d rows, %d columns and %d values", len(i), len(j), len(values))
	}
	b := Builder[T]{pairList: pairsOf("sparse.FromCOO", rows, cols, i, j), values: values} // Matrix copies them
	return b.Matrix()
}

// pairsOf returns those of as many rows as columns.
func pairsOf[I Index](where string, rows, cols int, i, j []I) pairList {
	b := newPairs(where, rows, cols)
	if b.err == nil {
		b.i, b.j = make([]int32, 0, len(i)), make([]int32, 0, len(j))
	}
	for k := 0; k < len(i) && b.err == nil; k++ {
		b.coordinates(int64(i[k]), int64(j[k]))
	}
	return b
}

// Builder collects entries in any order.
type Builder[T dtype.Value] struct {
	pairList
	values []T
	kind   *value.Kind[T] // nil until somebody asks
}

// pairList are rows and columns of entries.
type pairList struct {
	where      string
	rows, cols int
	i, j       []int32
	err        error
}

// NewBuilder returns a builder of a rows x cols matrix. If the size is not possible,
// Matrix says so.
func NewBuilder[T dtype.Value](rows, cols int) *Builder[T] {
	return newBuilder[T]("sparse.Builder", rows, cols)
}

func newBuilder[T dtype.Value](where string, rows, cols int) *Builder[T] {
	return &Builder[T]{pairList: newPairs(where, rows, cols)}
}

func newPairs(where string, rows, cols int) pairList {
	return pairList{where: where, rows: rows, cols: cols, err: CheckSize(where, rows, cols)}
}

// Add adds v to element (i, j), and stores it even if it is 0. After an entry that
// does not fit nothing is added, and Matrix returns its error.
func (b *Builder[T]) Add(i, j int, v T) {
	if b.err == nil {
		if b.coordinates(int64(i), int64(j)); b.err == nil {
			b.values = append(b.values, v)
		}
	}
}

// AddNumber is Add of a number that T may not have. Then Matrix returns an error, [ErrValue].
func (b *Builder[T]) AddNumber(i, j int, x complex128) {
	if v, ok := b.kindOf().OfNumber(x); ok {
		b.Add(i, j, v)
	} else if b.err == nil {
		b.err = refuseValue[T](b.where, i, j, x)
	}
}

// AddWhole is AddNumber of an integer of that sign and size.
func (b *Builder[T]) AddWhole(i, j int, negative bool, size uint64) {
	if v, ok := b.kindOf().OfWhole(negative, size); ok {
		b.Add(i, j, v)
	} else if b.err == nil {
		b.err = refuseValue[T](b.where, i, j, value.Whole{Negative: negative, Size: size})
	}
}

func (b *Builder[T]) kindOf() *value.Kind[T] {
	if b.kind == nil {
		b.kind = value.Of[T]()
	}
	return b.kind
}

// refuseValue says that a number is none of T.
func refuseValue[T dtype.Value](where string, i, j int, x any) error {
	return Errorf(ErrValue, where, "", "entry (%d, %d) is %v, which %s cannot hold", i, j, x, dtype.Name[T]())
}

// Grow makes room for another entry. It makes twice as many as there are, but no more
// than most in all, which a file promises and may not keep. All allocations on the way
// are then at most 4 times what the entries take, or 3 times if the promise is kept.
// append, which grows by a quarter, allocates 5 times as much.
func (b *Builder[T]) Grow(most int) {
	n := len(b.i)
	if n < cap(b.i) || b.err != nil {
		return
	}
	size := max(min(max(2*n, 1024), most), n+1)
	b.i, b.j, b.values = resize(b.i, size), resize(b.j, size), resize(b.values, size)
}

// resize returns s in a slice with that capacity.
func resize[E any](s []E, size int) []E { return append(make([]E, 0, size), s...) }

// coordinates records the coordinates of the next value.
func (b *pairList) coordinates(i, j int64) {
	switch {
	case i < 0 || j < 0 || i >= int64(b.rows) || j >= int64(b.cols):
		b.err = Errorf(ErrIndex, b.where, "", "entry %d is (%d, %d), outside %d x %d", len(b.i), i, j, b.rows, b.cols)
	case len(b.i) == MaxSlots:
		b.err = Errorf(ErrSize, b.where, fmt.Sprintf("at most %d fit", MaxSlots), "entry %d at (%d, %d)", len(b.i), i, j)
	default:
		b.i, b.j = append(b.i, int32(i)), append(b.j, int32(j))
	}
}

// Err returns what Matrix will: the first error so far.
func (b *Builder[T]) Err() error { return b.err }

// Matrix returns what was added, duplicates summed in the order of Add: a canonical
// matrix. The builder can go on to add more to the next one.
func (b *Builder[T]) Matrix() (Matrix[T], error) {
	return b.Join(func(x, y T) T { return x + y })
}

// Join is Matrix with another way to join the values of an element than their sum.
func (b *Builder[T]) Join(f func(x, y T) T) (Matrix[T], error) {
	if b.err != nil {
		return Matrix[T]{}, b.err
	}
	return joined(b.rows, b.cols, b.i, b.j, b.values, f), nil
}

// Pattern returns which elements were added.
func (b *Builder[T]) Pattern() (Pattern, error) { return b.pattern() }

// sumOf returns the matrix of entries, each in row i[k] and column j[k], which it sorts; duplicates are summed.
func sumOf[T dtype.Value](rows, cols int, i, j []int32, values []T) Matrix[T] {
	return joined(rows, cols, i, j, values, func(x, y T) T { return x + y })
}

func joined[T dtype.Value](rows, cols int, i, j []int32, values []T, f func(x, y T) T) Matrix[T] {
	s, order := gather(rows, cols, i, j)
	m := Matrix[T]{shape{s}, make([]T, 0, len(s.indices))}
	for _, k := range order {
		if last := len(m.values) - 1; k < 0 {
			m.values[last] = f(m.values[last], values[^k])
		} else {
			m.values = append(m.values, values[k])
		}
	}
	return m
}

// gather returns the matrix that has each place of entries once, and the order of the entries in it. ^k stands for
// an entry k of the element before.
func gather(rows, cols int, i, j []int32) (s *csr, order []int32) {
	order = radix.Sort(radix.Sequence(len(i)), cols, func(k int32) int { return int(j[k]) })
	order = radix.Sort(order, rows, func(k int32) int { return int(i[k]) })
	n, before := 0, int32(-1)
	for at, k := range order {
		if before >= 0 && i[before] == i[k] && j[before] == j[k] {
			order[at] = ^k
		} else {
			n++
		}
		before = k
	}
	s = &csr{rows: rows, cols: cols, pointers: make([]int32, rows+1), indices: make([]int32, 0, n)}
	for _, k := range order {
		if k >= 0 {
			s.indices = append(s.indices, j[k])
			s.pointers[i[k]+1]++
		}
	}
	addUp(s.pointers)
	return s, order
}
