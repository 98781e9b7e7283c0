package sparse

import "iter"

// CSR stores the columns of each row in turn: compressed sparse rows.
//
//	. a . b      j pointers  0 2 2 3
//	. . . .      j indices   1 3 2
//	. . c .      slots       a b c
var CSR = Format{Name: "csr", Axes: axesCSR(), Build: buildCSR, Walk: walkCSR, quick: &quick{packCSR, axesCSR(), buildCSR, walkCSR}}

func axesCSR() []Axis {
	return []Axis{{Name: "i"}, {Name: "j", Variable: true, Sparse: true}}
}

func buildCSR(m, n int, in []Entry) (Arrays, error) { return buildBy(packCSR, "csr", m, n, in) }

func walkCSR(m int, a Arrays) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		j := a.Levels[1]
		for i := range m {
			for k := j.Pointers[i]; k < j.Pointers[i+1]; k++ {
				if !yield(Entry{i, int(j.Indices[k]), int(k)}) {
					return
				}
			}
		}
	}
}

func packCSR(s Structure) (Arrays, []int32, error) {
	columns, from := s.flat()
	return Arrays{Slots: s.nnz, Levels: []Level{
		{Size: s.m},
		{Pointers: s.pointers(), Indices: columns},
	}}, from, nil
}
