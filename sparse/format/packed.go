package format

import (
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// Packed is a matrix in the storage of one format: its structure, and a value for
// every slot, which is 0 in padding. Like [sparse.Matrix] it is checked and cannot be
// changed.
type Packed[T dtype.Value] struct {
	stored
	values []T
}

// storage is a Packed without its values. As csr it is compiled once, whatever the values are.
type storage struct {
	format     Format
	axes       []Axis // of the format, where nobody can change them
	rows, cols int
	nnz        int
	arrays     Arrays
	loops      loopTexts
	counts     rowCounts
}

// stored is the part of a storage that everybody sees, as shape is of package sparse.
type stored struct {
	s *storage // nil: 0 x 0
}

// unstored is what a nil storage stands for, that of a zero Packed.
var unstored storage

func (p *storage) some() *storage {
	if p == nil {
		return &unstored
	}
	return p
}

// Pack stores m in a format, after it has summed duplicates. Time is linear in the matrix and
// the slots. If Build is not of this package, Pack walks its arrays by the format's axes, as
// a kernel does. It refuses them unless they meet every entry of m exactly once. It refuses
// another package's Walk unless it yields the same. These checks take some 80 bytes an
// entry. The error is [sparse.ErrFormat], also for a format without Axes, Build or Walk, such as
// the zero one.
func Pack[T dtype.Value](m sparse.Matrix[T], f Format) (Packed[T], error) {
	raw := m.Canonical().Raw()
	_, _, values := runs.Arrays[T](raw)
	p, _, err := PackRuns(f, runs.Of(raw), values)
	return p, err
}

// Format returns the format.
func (p stored) Format() Format { return p.s.some().format }

// Dims returns the number of rows and columns.
func (p stored) Dims() (rows, cols int) { return p.s.some().rows, p.s.some().cols }

// Rows returns how many rows the matrix has.
func (p stored) Rows() int { return p.s.some().rows }

// NNZ returns the number of entries.
func (p stored) NNZ() int { return p.s.some().nnz }

// Slots returns the number of values stored, padding included.
func (p stored) Slots() int { return p.s.some().arrays.Slots }

// Padding returns the part of the slots that holds no entry, from 0 to 1.
func (p stored) Padding() float64 {
	return float64(p.Slots()-p.NNZ()) / float64(max(p.Slots(), 1))
}

// Bytes returns what structure and values take.
func (p Packed[T]) Bytes() int64 {
	var v T
	return p.s.some().arrays.bytes() + int64(len(p.values))*int64(unsafe.Sizeof(v))
}

// Arrays returns a copy of the structure.
func (p stored) Arrays() Arrays { return p.s.some().arrays.clone() }

// Values returns a copy of the values, one a slot.
func (p Packed[T]) Values() []T { return slices.Clone(p.values) }

// All yields every entry in the order of the slots, with its slot as K and its
// value. It goes by the axes that Pack has checked, whatever the format's Walk would say
// now.
func (p Packed[T]) All() iter.Seq2[sparse.Entry, T] {
	return func(yield func(sparse.Entry, T) bool) {
		for e := range p.s.entries() {
			if !yield(e, p.values[e.K]) {
				return
			}
		}
	}
}

// entries is what the axes mean, of which all coordinates were checked.
func (p *storage) entries() iter.Seq[sparse.Entry] {
	w, err := p.some().nest()
	if err != nil { // the zero Packed
		return func(func(sparse.Entry) bool) {}
	}
	return w.walk()
}

// Matrix returns the matrix in compressed rows again.
func (p Packed[T]) Matrix() sparse.Matrix[T] {
	b := sparse.NewBuilder[T](p.Dims())
	for e, v := range p.All() {
		b.Add(e.I, e.J, v)
	}
	m, _ := b.Matrix() // every entry was checked
	return m
}

// String says what the matrix is, not what is in it.
func (p Packed[T]) String() string { return p.s.some().describe(dtype.Name[T]()) }

func (p *storage) describe(of string) string {
	return fmt.Sprintf("%s: %d x %d with %d entries in %d slots of %s", p.format.Name, p.rows, p.cols, p.nnz, p.arrays.Slots, of)
}
