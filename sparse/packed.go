package sparse

import (
	"fmt"
	"iter"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Packed is a matrix in the storage of one format: its structure, and a value for
// every slot, which is 0 in padding. Like [Matrix] it is checked and cannot be
// changed.
type Packed[T dtype.Value] struct {
	format     Format
	axes       []Axis                                // of the format, where nobody can change them
	walk       func(m int, a Arrays) iter.Seq[Entry] // of a format of this package; nil: by the axes
	rows, cols int
	nnz        int
	arrays     Arrays
	values     []T
	loops      *loopTexts // nil of the zero Packed
	counts     *rowCounts // likewise
}

// To stores m in a format, after it has summed duplicates. Time is linear in the matrix and
// the slots. If Build is not of this package, To walks its arrays by the format's axes, as
// a kernel does. It refuses them unless they meet every entry of m exactly once. It refuses
// another package's Walk unless it yields the same. These checks take some 80 bytes an
// entry. The error is [ErrFormat], also for a format without Axes, Build or Walk, such as
// the zero one.
func (m Matrix[T]) To(f Format) (Packed[T], error) {
	c := m.Canonical()
	p, _, err := pack(f, c.structure(), c.values)
	return p, err
}

// Format returns the format.
func (p Packed[T]) Format() Format { return p.format }

// Dims returns the number of rows and columns.
func (p Packed[T]) Dims() (rows, cols int) { return p.rows, p.cols }

// Rows returns how many rows the matrix has.
func (p Packed[T]) Rows() int { return p.rows }

// NNZ returns the number of entries.
func (p Packed[T]) NNZ() int { return p.nnz }

// Slots returns the number of values stored, padding included.
func (p Packed[T]) Slots() int { return p.arrays.Slots }

// Padding returns the part of the slots that holds no entry, from 0 to 1.
func (p Packed[T]) Padding() float64 {
	if p.Slots() == 0 {
		return 0
	}
	return float64(p.Slots()-p.nnz) / float64(p.Slots())
}

// Bytes returns what structure and values take.
func (p Packed[T]) Bytes() int64 {
	var v T
	return p.arrays.bytes() + int64(len(p.values))*int64(unsafe.Sizeof(v))
}

// Arrays returns a copy of the structure.
func (p Packed[T]) Arrays() Arrays { return p.arrays.clone() }

// Values returns a copy of the values, one a slot.
func (p Packed[T]) Values() []T { return clone(p.values) }

// All yields every entry in the order of the slots, with its slot as K and its
// value. It goes by the axes that To has checked, whatever the format's Walk would say
// now.
func (p Packed[T]) All() iter.Seq2[Entry, T] {
	return func(yield func(Entry, T) bool) {
		for e := range p.entries() {
			if !yield(e, p.values[e.K]) {
				return
			}
		}
	}
}

// entries is what Walk yields, of which all coordinates were checked.
func (p Packed[T]) entries() iter.Seq[Entry] {
	if p.walk != nil {
		return p.walk(p.rows, p.arrays)
	}
	w, err := p.nest()
	if err != nil { // the zero Packed
		return func(func(Entry) bool) {}
	}
	return w.walk()
}

// Matrix returns the matrix in compressed rows again.
func (p Packed[T]) Matrix() Matrix[T] {
	i, j, values := make([]int32, 0, p.nnz), make([]int32, 0, p.nnz), make([]T, 0, p.nnz)
	for e, v := range p.All() {
		i, j, values = append(i, int32(e.I)), append(j, int32(e.J)), append(values, v)
	}
	return sumOf(p.rows, p.cols, i, j, values)
}

// String says what the matrix is, not what is in it.
func (p Packed[T]) String() string {
	return fmt.Sprintf("%s: %d x %d with %d entries in %d slots of %v", p.format.Name, p.rows, p.cols, p.nnz, p.Slots(), dtype.Name[T]())
}
