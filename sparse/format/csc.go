package format

import (
	"iter"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// CSC stores the rows of each column in turn: compressed sparse columns, which is
// CSR of the transposed matrix.
//
//	. a . b      i pointers  0 0 1 2 3
//	. . . .      i indices   0 2 0
//	. . c .      slots       a c b
var CSC = Format{Name: "csc", Axes: axesCSC(), Build: buildCSC, Walk: walkCSC, quick: &quick{packCSC, axesCSC(), buildCSC, walkCSC}}

func axesCSC() []Axis {
	return []Axis{{Name: "j"}, {Name: "i", Variable: true, Sparse: true}}
}

func buildCSC(m, n int, in []sparse.Entry) (Arrays, error) { return buildBy(packCSC, "csc", m, n, in) }

func walkCSC(m int, a Arrays) iter.Seq[sparse.Entry] { return walkBy(axesCSC(), m, a) }

func packCSC(s runs.Set) (Arrays, []int32, error) {
	t := s.Transposed()
	return Arrays{Slots: s.NNZ, Levels: []Level{
		{Size: s.N},
		{Pointers: t.Pointers(), Indices: t.Columns},
	}}, t.From, nil
}

// TransposedCSC returns the transposed matrix in the format [CSC], which uses the arrays of m.
// It builds nothing, unless m has duplicates or rows that are not sorted. A product goes in the
// order of the rows i of m. Each entry of row i is multiplied by row i of the other operand and
// added to the row of the result that its column names.
func TransposedCSC[T dtype.Value](m sparse.Matrix[T]) Packed[T] {
	raw := m.Canonical().Raw()
	_, _, values := runs.Arrays[T](raw)
	return Packed[T]{stored{transposedCSC(raw)}, values}
}

func transposedCSC(m sparse.Raw) *storage {
	pointers, indices, _ := runs.Arrays[struct{}](m)
	axes := axesCSC()
	return &storage{format: CSC, axes: axes, rows: m.Cols, cols: m.Rows, nnz: m.NNZ,
		arrays: Arrays{Slots: m.NNZ, Levels: []Level{{Size: m.Rows}, {Pointers: pointers, Indices: indices}}},
		loops:  newLoopTexts(axes, false, false)}
}
