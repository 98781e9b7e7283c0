package sparse

import "iter"

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

func buildCSC(m, n int, in []Entry) (Arrays, error) { return buildBy(packCSC, "csc", m, n, in) }

func walkCSC(_ int, a Arrays) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		i := a.Levels[1]
		for j := range a.Levels[0].Size {
			for k := i.Pointers[j]; k < i.Pointers[j+1]; k++ {
				if !yield(Entry{int(i.Indices[k]), j, int(k)}) {
					return
				}
			}
		}
	}
}

func packCSC(s Structure) (Arrays, []int32, error) {
	pointers := make([]int32, s.n+1)
	for r, x := range s.first {
		for _, j := range s.columns[x:s.last[r]] {
			pointers[j+1]++
		}
	}
	for j := range s.n {
		pointers[j+1] += pointers[j]
	}
	next, rows, from := clone(pointers), make([]int32, s.nnz), make([]int32, s.nnz)
	for r, x := range s.first {
		i := int32(s.row(r))
		for ; x < s.last[r]; x++ {
			at := next[s.columns[x]]
			next[s.columns[x]]++
			rows[at], from[at] = i, s.origin(x)
		}
	}
	return Arrays{Slots: s.nnz, Levels: []Level{
		{Size: s.n},
		{Pointers: pointers, Indices: rows},
	}}, from, nil
}

// TransposedCSC returns the transposed matrix in the format [CSC], which uses the arrays of m.
// It builds nothing, unless m has duplicates or rows that are not sorted. A product goes in the
// order of the rows i of m. Each entry of row i is multiplied by row i of the other operand and
// added to the row of the result that its column names.
func (m Matrix[T]) TransposedCSC() Packed[T] {
	c := m.Canonical()
	return Packed[T]{c.transposedCSC(), c.values}
}

func (s *csr) transposedCSC() *storage {
	axes := axesCSC()
	return &storage{format: CSC, axes: axes, walk: walkCSC, rows: s.cols, cols: s.rows, nnz: s.NNZ(),
		arrays: Arrays{Slots: s.NNZ(), Levels: []Level{{Size: s.rows}, {Pointers: s.pointers, Indices: s.indices}}},
		loops:  newLoopTexts(axes, false, false)}
}
