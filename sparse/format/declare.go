package format

import (
	"slices"

	"github.com/tilesmith/tilesmith/sparse"
)

// Masks reports whether matrices in f may have a mask: if Masked says so, or if the axes
// allow an empty slot that no index marks. They do if an axis inside the last variable
// one has more than one position, unless the innermost has an index for each slot, as in
// [ELL].
func (f Format) Masks() bool {
	if f.Masked || len(f.Axes) == 0 {
		return f.Masked
	}
	last := len(f.Axes) - 1
	if ax := f.Axes[last]; ax.Sparse && ax.Name != "d" && (ax.Parent == "" || last > 0 && ax.Parent == f.Axes[last-1].Name) {
		return false
	}
	for _, ax := range slices.Backward(f.Axes) {
		if ax.Variable || ax.Size != 1 {
			return !ax.Variable
		}
	}
	return false
}

// Blocks reports whether f stores blocks of rows and columns.
func (f Format) Blocks() bool {
	return slices.ContainsFunc(f.Axes, func(ax Axis) bool { return ax.Name == "ji" })
}

// Loops spells the loops of a kernel for every matrix in f, as [Loops] does. A matrix
// without padding has no mask, and its [Packed.Loops] say so.
func (f Format) Loops() string { return Loops(f.Axes, f.Masks(), f.Ordered) }

// declares returns an error unless f says of itself what a, the arrays of a matrix with m
// rows, shows. Kernels are made by what a format says.
func (f Format) declares(m int, a Arrays) error {
	switch {
	case len(a.Mask) > 0 && !f.Masks():
		return sparse.Errorf(sparse.ErrFormat, f.Name, "set Masked", "it has a mask, of which neither the format nor its axes say anything")
	case len(a.Order) > 0 && !f.Ordered:
		return sparse.Errorf(sparse.ErrFormat, f.Name, "set Ordered", "it moves rows, and does not say so")
	case a.Order == nil && m > 0 && f.Ordered:
		return sparse.Errorf(sparse.ErrFormat, f.Name, "an Ordered format always has one", "it says that it moves rows, and has no order of them")
	}
	return nil
}
