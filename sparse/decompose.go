package sparse

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Sum is a matrix as a sum of parts: every entry is in exactly one. It cannot be
// changed. The zero Sum is 0 x 0.
type Sum[T dtype.Value] struct {
	rows, cols int
	nnz        int
	parts      []Part[T]
	disjoint   bool
}

// Part is one summand, of the size of the whole matrix.
type Part[T dtype.Value] struct {
	Packed[T]
	Name string // the rules and groups it comes from: "hyb(2,3)/columns 0:10/4 wide"

	from []int32 // slot k holds entry from[k] of the whole, none if -1; nil: entry k
}

// Decompose divides m into parts. The first rule deals with all of m, each further rule
// with the entries that are left. Entries that the last rule leaves become one more part,
// "rest", in compressed rows. [Each] makes a rule from rules that apply to parts. For the
// rules of this package, time is linear in the entries and the slots. They use all
// processors, and the result does not depend on how many.
//
// Duplicates are summed first. Decompose refuses a rule that gives an entry to no part, or
// to two.
func Decompose[T dtype.Value](m Matrix[T], rules ...Rule) (Sum[T], error) {
	c := m.Canonical()
	all := c.structure()
	all.of = new(undivided)
	groups, rest, err := split(all, rules, path)
	if err != nil {
		return Sum[T]{}, err
	}
	if rest.NNZ() > 0 {
		groups = append(groups, Group{Name: "rest", Into: rest.compressed(), Structure: rest})
	}
	if err := once(all, groups); err != nil {
		return Sum[T]{}, err
	}
	s := Sum[T]{rows: c.rows, cols: c.cols, nnz: c.NNZ(), disjoint: disjoint(c.rows, groups)}
	for _, g := range groups {
		if g.Into.Build == nil {
			return Sum[T]{}, fail(ErrFormat, g.Name, "see Group.Into", "it has no format")
		}
		p, from, err := pack(g.Into, g.Structure, c.values)
		if err != nil {
			return Sum[T]{}, fmt.Errorf("%s: %w", g.Name, err)
		}
		s.parts = append(s.parts, Part[T]{Packed: p, Name: g.Name, from: from})
	}
	return s, nil
}

// compressed returns CSR, or DCSR if most rows have no entries.
func (s Structure) compressed() Format {
	used := 0
	for r, x := range s.first {
		if s.last[r] > x {
			used++
		}
	}
	if used < s.m/2 {
		return DCSR
	}
	return CSR
}

// once returns an error unless every entry of s is in one of the groups, and in no
// other.
func once(s Structure, groups []Group) error {
	seen, n := make([]uint64, s.nnz/64+1), 0
	for _, g := range groups {
		if g.of != s.of {
			return fail(ErrFormat, g.Name, "its groups are parts of the Structure that Split is given", "a rule kept a Structure from elsewhere")
		}
		for r, first := range g.first {
			last := g.last[r]
			if n += int(last - first); g.from == nil && setRange(seen, int(first), int(last)) {
				continue
			}
			if g.from == nil {
				return twice(groups)
			}
			for _, x := range g.from[first:last] {
				if has(seen, int(x)) {
					return twice(groups)
				}
				set(seen, int(x))
			}
		}
	}
	if n == s.nnz {
		return nil
	}
	w := 0
	for ^seen[w] == 0 {
		w++
	}
	return fail(ErrFormat, "sparse.Decompose", "a rule returns what it does not take", "entry %d is in no part", w*64+bits.TrailingZeros64(^seen[w]))
}

// twice says which entry is in two groups.
func twice(groups []Group) error {
	in := map[int]string{}
	for _, g := range groups {
		for e := range g.All() {
			if other, ok := in[e.K]; ok {
				return fail(ErrFormat, "sparse.Decompose", "a rule gives it to one", "entry %d is in %s and %s", e.K, other, g.Name)
			}
			in[e.K] = g.Name
		}
	}
	return nil
}

// disjoint reports whether every row is at most one run of one group.
func disjoint(m int, groups []Group) bool {
	seen := make([]uint64, m/64+1)
	for _, g := range groups {
		for r, first := range g.first {
			if first == g.last[r] {
				continue
			}
			if has(seen, g.row(r)) {
				return false
			}
			set(seen, g.row(r))
		}
	}
	return true
}

// Dims returns the number of rows and columns.
func (s Sum[T]) Dims() (rows, cols int) { return s.rows, s.cols }

// Rows returns the number of rows.
func (s Sum[T]) Rows() int { return s.rows }

// NNZ returns the number of entries of all parts.
func (s Sum[T]) NNZ() int { return s.nnz }

// Parts returns the parts, in the order in which a kernel adds them.
func (s Sum[T]) Parts() []Part[T] { return slices.Clone(s.parts) }

// Len returns the number of parts.
func (s Sum[T]) Len() int { return len(s.parts) }

// Part returns part i; it allocates nothing.
func (s Sum[T]) Part(i int) Part[T] { return s.parts[i] }

// Disjoint reports whether no row has entries in two parts, nor at two positions of one
// (see [Packed.Repeats]). A kernel may then finish a part in a format with a list of
// rows as if it were the whole matrix, epilogue and all. Rows without entries are in no
// such list and still need their epilogue.
func (s Sum[T]) Disjoint() bool { return s.disjoint }

// Slots returns the number of values stored, padding included.
func (s Sum[T]) Slots() int {
	n := 0
	for _, p := range s.parts {
		n += p.Slots()
	}
	return n
}

// Padding returns the part of the slots that holds no entry, from 0 to 1: %padding
// of SparseTIR's Table 1, pad/stored.
func (s Sum[T]) Padding() float64 {
	slots := s.Slots()
	if slots == 0 {
		return 0
	}
	return float64(slots-s.nnz) / float64(slots)
}

// Bytes returns what structure and values of all parts take.
func (s Sum[T]) Bytes() int64 {
	n := int64(0)
	for _, p := range s.parts {
		n += p.Bytes()
	}
	return n
}

// Matrix returns the matrix in compressed rows again, canonical.
func (s Sum[T]) Matrix() Matrix[T] {
	i, j, values := make([]int32, 0, s.nnz), make([]int32, 0, s.nnz), make([]T, 0, s.nnz)
	for _, p := range s.parts {
		for e, v := range p.All() {
			i, j, values = append(i, int32(e.I)), append(j, int32(e.J)), append(values, v)
		}
	}
	return sumOf(s.rows, s.cols, i, j, values)
}

// Find returns where the element (i, j) is stored: the rules' index map f. The
// inverse is parts[part].Entry(slot).
func (s Sum[T]) Find(i, j int) (part, slot int, ok bool) {
	for part, p := range s.parts {
		if slot, ok := p.Find(i, j); ok {
			return part, slot, true
		}
	}
	return 0, 0, false
}

// WithValues returns a sum of the same structure, which it shares, with other values.
// Value k belongs to entry k of the canonical matrix that was decomposed. With it,
// values that change while the structure does not are moved without another Decompose.
func (s Sum[T]) WithValues(values []T) (Sum[T], error) {
	if len(values) != s.nnz {
		return Sum[T]{}, fail(ErrLength, "sparse.Sum.WithValues", "one an entry", "%d values for %d entries", len(values), s.nnz)
	}
	s.parts = slices.Clone(s.parts)
	for k, p := range s.parts {
		if p.from == nil {
			values = clone(values) // take shares them
		}
		s.parts[k].values = take(values, p.from, p.Slots())
	}
	return s, nil
}

// From returns for each slot which entry of the canonical matrix that was decomposed
// it holds, -1 for none.
func (p Part[T]) From() []int32 {
	if p.from == nil {
		return sequence(p.Slots())
	}
	return clone(p.from)
}

// String says what the parts are, a line each.
func (s Sum[T]) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d x %d with %d entries in %d slots of %v", s.rows, s.cols, s.nnz, s.Slots(), dtype.Name[T]())
	for _, p := range s.parts {
		fmt.Fprintf(&b, "\n\t%s: %s, %d entries in %d slots", p.Name, p.format.Name, p.nnz, p.Slots())
	}
	return b.String()
}
