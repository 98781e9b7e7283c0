package runs

import (
	"slices"

	"github.com/tilesmith/tilesmith/sparse"
)

// OfEntries is the structure of entries in order; it has no empty runs.
func OfEntries(m, n int, in []sparse.Entry) Set {
	s := Set{M: m, N: n, NNZ: len(in), Columns: make([]int32, 0, len(in))}
	for k, e := range in {
		s.Columns = append(s.Columns, int32(e.J))
		if k == 0 || in[k-1].I != e.I {
			if k > 0 {
				s.Last = append(s.Last, int32(k))
			}
			s.Rows, s.First = append(s.Rows, int32(e.I)), append(s.First, int32(k))
		}
	}
	if len(in) > 0 {
		s.Last = append(s.Last, int32(len(in)))
	} else {
		s.Rows = []int32{}
	}
	return s
}

// Flat returns the columns of all entries in order and where they come from, without
// a copy if they lie so already.
func (s Set) Flat() (columns, from []int32) {
	if len(s.First) == 0 {
		return nil, []int32{}
	}
	contiguous := true
	for r := 1; r < len(s.First) && contiguous; r++ {
		contiguous = s.First[r] == s.Last[r-1]
	}
	if lo, hi := s.First[0], s.First[0]+int32(s.NNZ); contiguous && (s.From != nil || lo == 0) {
		if s.From != nil {
			from = s.From[lo:hi:hi]
		}
		return s.Columns[lo:hi:hi], from
	}
	columns, from = make([]int32, s.NNZ), make([]int32, s.NNZ)
	at := s.Offsets(1)
	Parallel(len(s.First), Workers(s.NNZ, 1<<14), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			x := at[r]
			for k := s.First[r]; k < s.Last[r]; k++ {
				columns[x], from[x] = s.Columns[k], s.Origin(k)
				x++
			}
		}
	})
	return columns, from
}

// Offsets returns where each run begins if all are laid out one after the other, in
// positions of w entries; the last is the number of positions.
func (s Set) Offsets(w int) []int32 {
	at := make([]int32, len(s.First)+1)
	for r, x := range s.First {
		l := int(s.Last[r] - x)
		switch {
		case w == 1: // the positions are entries
		case l > w:
			l = (l + w - 1) / w
		case l > 0:
			l = 1
		}
		at[r+1] = at[r] + int32(l)
	}
	return at
}

// Merged returns s with one run for every row, so that run i is row i.
func (s Set) Merged() Set {
	if s.Rows == nil && len(s.First) == s.M {
		return s
	}
	pointers := s.Pointers()
	t := Set{M: s.M, N: s.N, NNZ: s.NNZ, Of: s.Of, First: pointers[:s.M], Last: pointers[1:]}
	t.Columns, t.From = s.Flat()
	return t
}

// Pointers returns those of compressed rows.
func (s Set) Pointers() []int32 {
	p := make([]int32, s.M+1)
	for r, x := range s.First {
		p[s.Row(r)+1] += s.Last[r] - x
	}
	for i := range s.M {
		p[i+1] += p[i]
	}
	return p
}

// Transposed returns the entries by columns, one run for each.
func (s Set) Transposed() Set {
	pointers := make([]int32, s.N+1)
	for r, x := range s.First {
		for _, j := range s.Columns[x:s.Last[r]] {
			pointers[j+1]++
		}
	}
	for j := range s.N {
		pointers[j+1] += pointers[j]
	}
	next, rows, from := slices.Clone(pointers), make([]int32, s.NNZ), make([]int32, s.NNZ)
	for r, x := range s.First {
		i := int32(s.Row(r))
		for ; x < s.Last[r]; x++ {
			at := next[s.Columns[x]]
			next[s.Columns[x]]++
			rows[at], from[at] = i, s.Origin(x)
		}
	}
	return Set{M: s.N, N: s.M, NNZ: s.NNZ, First: pointers[:s.N], Last: pointers[1:], Columns: rows, From: from, Of: s.Of}
}
