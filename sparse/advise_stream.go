package sparse

// blocks sends block rows through: of each block its rows of B, then the rows of C.
func (f *flow) blocks(s Structure, b, size int) {
	met := newTally(ceilDiv(s.n, b), s.nnz)
	for r := 0; r < len(s.first); {
		io := int32(s.row(r) / b)
		for ; r < len(s.first) && int32(s.row(r)/b) == io; r++ {
			for _, j := range s.columns[s.first[r]:s.last[r]] {
				jo := int(j) / b
				if met.of(jo) == int(io)+1 {
					continue
				}
				met.set(jo, io+1)
				f.read(4 + b*b*size)
				for j := jo * b; j < min(s.n, jo*b+b); j++ {
					f.row(int32(j))
				}
			}
		}
		for i := int(io) * b; i < min(s.m, int(io)*b+b); i++ {
			f.out(i)
		}
	}
}

// diagonals sends m x n diagonals through, one after the other.
func (f *flow) diagonals(offsets []int32, m, n, size int) {
	for _, d := range offsets {
		for i := range m {
			f.read(size)
			if j := i + int(d); j >= 0 && j < n {
				f.row(int32(j))
				f.out(i)
			}
		}
	}
}

// transposed returns the columns as runs, each with its rows in columns.
func (s Structure) transposed() Structure {
	a, _, err := CSC.pack(s)
	if err != nil { // unreachable: what is a Structure fits
		return Structure{}
	}
	l := a.Levels[1]
	return Structure{m: s.n, n: s.m, nnz: s.nnz, first: l.Pointers[:s.n], last: l.Pointers[1:], columns: l.Indices}
}
