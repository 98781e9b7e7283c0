// Package format stores sparse matrices in formats that are values: structure belongs to axes, values to slices.
// [Pack] stores a [sparse.Matrix] in a [Format], such as [CSR], [ELL] or [BSR]. A format of
// your own is one literal, and [Format.Check] tests it.
//
// Padding is not an entry: no Walk yields it, and no stored 0 stands for it.
package format

import (
	"fmt"
	"iter"
	"strconv"

	"github.com/tilesmith/tilesmith/sparse"
)

// Format is a way to store a matrix: structure only; the values are a separate slice.
// Slots are numbered in the order of Axes, the last one fastest.
type Format struct {
	Name string
	Axes []Axis // outermost first

	// What else the arrays of its matrices have; kernels are made for it. Matrix.To
	// refuses a format that says something else than its arrays show.
	Ordered bool // rows are moved: there is always an Order
	Masked  bool // there may be a Mask, though the axes do not ask for one; see Masks

	// Build returns the arrays of the entries in, which ascend by row, then by column,
	// without duplicates. It refuses other entries, and matrices that the format cannot
	// hold; the error is a sentence. The axes meet the columns of each row in ascending
	// order. Build does not read K.
	Build func(m, n int, in []sparse.Entry) (Arrays, error)

	// Walk is the inverse: every entry, in the order of slots, with the slot of its
	// value as K. It does not yield padding. m is the number of rows.
	//
	// [Pack] gives it a copy of Build's arrays, and refuses a Walk that does not
	// yield what Axes and these arrays mean. Afterwards a [Packed] uses the axes.
	Walk func(m int, a Arrays) iter.Seq[sparse.Entry]

	quick *quick // of the formats of this package: converts without a slice of entries
}

// String returns the name.
func (f Format) String() string { return f.Name }

// check returns an error if f lacks what makes it one: the zero Format does.
func (f Format) check() error {
	where, right := "format "+strconv.Quote(f.Name), "want one of this package, such as format.CSR, or all of Axes, Build and Walk"
	switch {
	case f.Build == nil:
		return sparse.Errorf(sparse.ErrFormat, where, right, "it has no Build")
	case f.Walk == nil:
		return sparse.Errorf(sparse.ErrFormat, where, right, "it has no Walk")
	case len(f.Axes) == 0:
		return sparse.Errorf(sparse.ErrFormat, where, right, "it has no axes")
	}
	return nil
}

// ordered returns an error unless in is what Build is promised.
func ordered(name string, m, n int, in []sparse.Entry) error {
	if err := sparse.CheckSize(name, m, n); err != nil {
		return err
	}
	if len(in) > sparse.MaxSlots {
		return sparse.Errorf(sparse.ErrSize, name, fmt.Sprintf("at most %d fit", sparse.MaxSlots), "%d entries", len(in))
	}
	for k, e := range in {
		if uint(e.I) >= uint(m) || uint(e.J) >= uint(n) {
			return sparse.Errorf(sparse.ErrIndex, name, "", "entry %d is (%d, %d), outside %d x %d", k, e.I, e.J, m, n)
		}
		if k == 0 {
			continue
		}
		if p := in[k-1]; p.I == e.I && p.J == e.J {
			return sparse.Errorf(sparse.ErrFormat, name, "sum duplicates first", "entries %d and %d are both (%d, %d)", k-1, k, e.I, e.J)
		} else if p.I > e.I || p.I == e.I && p.J > e.J {
			return sparse.Errorf(sparse.ErrFormat, name, "sort by row, then column", "entry %d is (%d, %d), after (%d, %d)", k, e.I, e.J, p.I, p.J)
		}
	}
	return nil
}

// starts returns the row pointers of entries in any order.
func starts(m int, in []sparse.Entry) []int32 {
	p := make([]int32, m+1)
	for _, e := range in {
		p[e.I+1]++
	}
	for i := range m {
		p[i+1] += p[i]
	}
	return p
}

// columns returns the column of every entry.
func columns(in []sparse.Entry) []int32 {
	j := make([]int32, len(in))
	for k, e := range in {
		j[k] = int32(e.J)
	}
	return j
}
