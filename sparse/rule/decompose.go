package rule

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/radix"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// Sum is a matrix as a sum of parts: every entry is in exactly one. It cannot be
// changed. The zero Sum is 0 x 0.
type Sum[T dtype.Value] struct {
	*division // nil: 0 x 0
	parts     []Part[T]
}

// division is what a Sum is whatever the values are.
type division struct {
	rows, cols, nnz int
	disjoint        bool
}

// Part is one summand, of the size of the whole matrix.
type Part[T dtype.Value] struct {
	format.Packed[T]
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
func Decompose[T dtype.Value](m sparse.Matrix[T], rules ...Rule) (Sum[T], error) {
	raw := m.Canonical().Raw()
	all := runs.Of(raw)
	groups, err := Deal(all, rules...)
	if err != nil {
		return Sum[T]{}, err
	}
	if err := once(all, groups); err != nil {
		return Sum[T]{}, err
	}
	s := Sum[T]{division: &division{all.M, all.N, all.NNZ, disjoint(all.M, groups)}}
	_, _, values := runs.Arrays[T](raw)
	for _, g := range groups {
		if g.Into.Build == nil {
			return Sum[T]{}, sparse.Errorf(sparse.ErrFormat, g.Name, "see Group.Into", "it has no format")
		}
		p, from, err := format.PackRuns(g.Into, g.set, values)
		if err != nil {
			return Sum[T]{}, fmt.Errorf("%s: %w", g.Name, err)
		}
		s.parts = append(s.parts, Part[T]{Packed: p, Name: g.Name, from: from})
	}
	return s, nil
}

// Deal returns what [Decompose] makes parts of: the groups of the rules, and the rest. It is for package advise.
func Deal(s runs.Set, rules ...Rule) ([]Group, error) {
	groups, rest, err := split(Structure{s}, rules, path)
	if err == nil && rest.NNZ() > 0 {
		groups = append(groups, Group{Name: "rest", Into: compressed(rest.set), Structure: rest})
	}
	return groups, err
}

// compressed returns CSR, or DCSR if most rows have no entries.
func compressed(s runs.Set) format.Format {
	used := 0
	for r, x := range s.First {
		if s.Last[r] > x {
			used++
		}
	}
	if used < s.M/2 {
		return format.DCSR
	}
	return format.CSR
}

// once returns an error unless every entry of s is in one of the groups, and in no
// other.
func once(s runs.Set, groups []Group) error {
	seen, n := make([]uint64, s.NNZ/64+1), 0
	for _, g := range groups {
		if g.set.Of != s.Of {
			return sparse.Errorf(sparse.ErrFormat, g.Name, "its groups are parts of the Structure that Split is given", "a rule kept a Structure from elsewhere")
		}
		for r, first := range g.set.First {
			last := g.set.Last[r]
			if n += int(last - first); g.set.From == nil && runs.SetRange(seen, int(first), int(last)) {
				continue
			}
			if g.set.From == nil {
				return twice(groups)
			}
			for _, x := range g.set.From[first:last] {
				if runs.Has(seen, int(x)) {
					return twice(groups)
				}
				runs.SetBit(seen, int(x))
			}
		}
	}
	if n == s.NNZ {
		return nil
	}
	w := 0
	for ^seen[w] == 0 {
		w++
	}
	return sparse.Errorf(sparse.ErrFormat, "rule.Decompose", "a rule returns what it does not take", "entry %d is in no part", w*64+bits.TrailingZeros64(^seen[w]))
}

// twice says which entry is in two groups.
func twice(groups []Group) error {
	in := map[int]string{}
	for _, g := range groups {
		for e := range g.All() {
			if other, ok := in[e.K]; ok {
				return sparse.Errorf(sparse.ErrFormat, "rule.Decompose", "a rule gives it to one", "entry %d is in %s and %s", e.K, other, g.Name)
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
		for r, first := range g.set.First {
			if first == g.set.Last[r] {
				continue
			}
			if runs.Has(seen, g.set.Row(r)) {
				return false
			}
			runs.SetBit(seen, g.set.Row(r))
		}
	}
	return true
}

func (s *division) some() *division {
	if s == nil {
		return new(division)
	}
	return s
}

// Dims returns the number of rows and columns.
func (s *division) Dims() (rows, cols int) { s = s.some(); return s.rows, s.cols }

// Rows returns the number of rows.
func (s *division) Rows() int { return s.some().rows }

// NNZ returns the number of entries of all parts.
func (s *division) NNZ() int { return s.some().nnz }

// Disjoint reports whether no row has entries in two parts, nor at two positions of one
// (see [format.Packed.Repeats]). A kernel may then finish a part in a format with a list of
// rows as if it were the whole matrix, epilogue and all. Rows without entries are in no
// such list and still need their epilogue.
func (s *division) Disjoint() bool { return s.some().disjoint }

// Parts returns the parts, in the order in which a kernel adds them.
func (s Sum[T]) Parts() []Part[T] { return slices.Clone(s.parts) }

// Len returns the number of parts.
func (s Sum[T]) Len() int { return len(s.parts) }

// Part returns part i; it allocates nothing.
func (s Sum[T]) Part(i int) Part[T] { return s.parts[i] }

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
	return float64(slots-s.NNZ()) / float64(max(slots, 1))
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
func (s Sum[T]) Matrix() sparse.Matrix[T] {
	b := sparse.NewBuilder[T](s.Dims())
	for _, p := range s.parts {
		for e, v := range p.All() {
			b.Add(e.I, e.J, v)
		}
	}
	m, _ := b.Matrix() // every entry was checked
	return m
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
	if len(values) != s.NNZ() {
		return Sum[T]{}, sparse.Errorf(sparse.ErrLength, "rule.Sum.WithValues", "one an entry", "%d values for %d entries", len(values), s.NNZ())
	}
	s.parts = slices.Clone(s.parts)
	for k, p := range s.parts {
		s.parts[k].Packed = format.Refill(p.Packed, values, p.from)
	}
	return s, nil
}

// From returns for each slot which entry of the canonical matrix that was decomposed
// it holds, -1 for none.
func (p Part[T]) From() []int32 {
	if p.from == nil {
		return radix.Sequence(p.Slots())
	}
	return slices.Clone(p.from)
}

// String says what the parts are, a line each.
func (s Sum[T]) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d x %d with %d entries in %d slots of %v", s.some().rows, s.some().cols, s.NNZ(), s.Slots(), dtype.Name[T]())
	for _, p := range s.parts {
		fmt.Fprintf(&b, "\n\t%s: %s, %d entries in %d slots", p.Name, p.Format().Name, p.NNZ(), p.Slots())
	}
	return b.String()
}
