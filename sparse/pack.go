package sparse

import (
	"iter"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// packer lays out a structure without a detour over entries. Slot k of the result holds
// entry from[k] of the matrix, or is padding if that is -1. Without from, slot k holds
// entry k.
type packer func(s Structure) (a Arrays, from []int32, err error)

// quick is a packer and the format whose Build it is. That of a package variable is
// laid out by the linker, which drops the formats that a program does not name.
type quick struct {
	pack  packer
	axes  []Axis // not those of the format, which anyone can change
	build builder
	walk  walker
}

// The types of Format.Build and Format.Walk.
type (
	builder = func(m, n int, in []Entry) (Arrays, error)
	walker  = func(m int, a Arrays) iter.Seq[Entry]
)

// buildBy is the Build of the format of that name. Tests hold pack to the law of
// formats, and so what it makes is not walked as that of other formats is.
func buildBy(pack packer, name string, m, n int, in []Entry) (Arrays, error) {
	if err := ordered(name, m, n, in); err != nil {
		return Arrays{}, err
	}
	a, _, err := pack(structureOf(m, n, in))
	return a, err
}

// withPacker returns f with a Build that goes through pack, for formats that are made
// when a program asks for them.
func withPacker(f Format, pack packer) Format {
	name := f.Name
	f.Build = func(m, n int, in []Entry) (Arrays, error) { return buildBy(pack, name, m, n, in) }
	f.quick = &quick{pack, slices.Clone(f.Axes), f.Build, f.Walk}
	return f
}

// packer returns the packer of f, nil if there is none or if f is a copy with other
// axes, another Build or another Walk.
func (f Format) packer() packer {
	q := f.quick
	if q == nil || !slices.Equal(f.Axes, q.axes) || !sameFunc(f.Build, q.build) || !sameFunc(f.Walk, q.walk) {
		return nil
	}
	return q.pack
}

// sameFunc reports whether two functions are one, variables that they hold included:
// ELL(4) and ELL(8) share their code. A func is a pointer to that; Go compares it with
// nil only.
func sameFunc[F any](x, y F) bool {
	return *(*unsafe.Pointer)(unsafe.Pointer(&x)) == *(*unsafe.Pointer)(unsafe.Pointer(&y))
}

// own returns f with axes that nobody else can change: what was checked by them must
// not be walked by others.
func (f Format) own() Format {
	if f.packer() != nil {
		f.Axes = f.quick.axes
	} else {
		f.Axes = slices.Clone(f.Axes)
	}
	return f
}

// pack lays s out in f. A format without a packer is built and then walked by its
// axes, as a kernel does. The axes have to meet every entry of s once and nothing else,
// so a Build that disagrees with its axes is refused, and so is such a Walk.
func (f Format) pack(s Structure) (a Arrays, from []int32, err error) {
	if p := f.packer(); p != nil {
		return p(s)
	}
	in := make([]Entry, 0, s.nnz)
	origin := make([]int32, 0, s.nnz)
	for e := range s.All() {
		in = append(in, Entry{e.I, e.J, len(in)})
		origin = append(origin, int32(e.K))
	}
	if a, err = f.Build(s.m, s.n, in); err != nil {
		return Arrays{}, nil, err
	}
	a = a.clone() // Build may have kept what it returned
	w, err := f.nest(s.m, s.n, a)
	if err != nil {
		return Arrays{}, nil, err
	}
	from = padding(a.Slots)
	at, meant := newCursor(s.m, in), make([]Entry, 0, len(in))
	for e := range w.walk() {
		k := at.next(e)
		if k < 0 {
			return Arrays{}, nil, w.fail("see Format.Check", "the axes yield (%d, %d), which is not the next entry of a row", e.I, e.J)
		}
		from[e.K] = origin[k]
		meant = append(meant, e)
	}
	if len(meant) != len(in) {
		return Arrays{}, nil, w.fail("see Format.Check", "the axes yield %d of %d entries", len(meant), len(in))
	}
	return a, from, f.walks(s.m, a.clone(), meant) // Walk may write to what it gets
}

// store is pack of what may be no format, and checks what it says of itself.
func (f Format) store(s Structure) (*storage, []int32, error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	own := f.own()
	a, from, err := own.pack(s)
	if err == nil {
		err = own.declares(s.m, a)
	}
	if err != nil {
		return nil, nil, err
	}
	p := &storage{format: f, axes: own.Axes, rows: s.m, cols: s.n, nnz: s.nnz, arrays: a, loops: newLoopTexts(own.Axes, a.Mask != nil, a.Order != nil)}
	if f.packer() != nil {
		p.walk = f.quick.walk
	}
	return p, from, nil
}

// pack lays the part s of a canonical matrix out in f.
func pack[T dtype.Value](f Format, s Structure, values []T) (p Packed[T], from []int32, err error) {
	stored, from, err := f.store(s)
	if err != nil {
		return Packed[T]{}, nil, err
	}
	return Packed[T]{stored, take(values, from, stored.arrays.Slots)}, from, nil
}

// take returns the value of each slot; it shares values if they are in order.
func take[T dtype.Value](values []T, from []int32, slots int) []T {
	if from == nil {
		return values[:slots:slots]
	}
	out := make([]T, slots)
	parallel(slots, workers(slots, 1<<14), func(_, lo, hi int) {
		o := out[lo:hi]
		for k, x := range from[lo:hi] {
			if x >= 0 {
				o[k] = values[x]
			}
		}
	})
	return out
}

// structureOf is the structure of entries in order; it has no empty runs.
func structureOf(m, n int, in []Entry) Structure {
	s := Structure{m: m, n: n, nnz: len(in), columns: columns(in)}
	for k, e := range in {
		if k == 0 || in[k-1].I != e.I {
			if k > 0 {
				s.last = append(s.last, int32(k))
			}
			s.rows, s.first = append(s.rows, int32(e.I)), append(s.first, int32(k))
		}
	}
	if len(in) > 0 {
		s.last = append(s.last, int32(len(in)))
	} else {
		s.rows = []int32{}
	}
	return s
}

// flat returns the columns of all entries in order and where they come from, without
// a copy if they lie so already.
func (s Structure) flat() (columns, from []int32) {
	if len(s.first) == 0 {
		return nil, []int32{}
	}
	contiguous := true
	for r := 1; r < len(s.first) && contiguous; r++ {
		contiguous = s.first[r] == s.last[r-1]
	}
	if lo, hi := s.first[0], s.first[0]+int32(s.nnz); contiguous && (s.from != nil || lo == 0) {
		if s.from != nil {
			from = s.from[lo:hi:hi]
		}
		return s.columns[lo:hi:hi], from
	}
	columns, from = make([]int32, s.nnz), make([]int32, s.nnz)
	at := s.offsets(1)
	parallel(len(s.first), workers(s.nnz, 1<<14), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			x := at[r]
			for k := s.first[r]; k < s.last[r]; k++ {
				columns[x], from[x] = s.columns[k], s.origin(k)
				x++
			}
		}
	})
	return columns, from
}

// offsets returns where each run begins if all are laid out one after the other, in
// positions of w entries; the last is the number of positions.
func (s Structure) offsets(w int) []int32 {
	at := make([]int32, len(s.first)+1)
	for r, x := range s.first {
		l := int(s.last[r] - x)
		switch {
		case w == 1: // the positions are entries
		case l > w:
			l = ceilDiv(l, w)
		case l > 0:
			l = 1
		}
		at[r+1] = at[r] + int32(l)
	}
	return at
}

// merged returns s with one run for every row, so that run i is row i.
func (s Structure) merged() Structure {
	if s.rows == nil && len(s.first) == s.m {
		return s
	}
	pointers := s.pointers()
	t := Structure{m: s.m, n: s.n, nnz: s.nnz, of: s.of, first: pointers[:s.m], last: pointers[1:]}
	t.columns, t.from = s.flat()
	return t
}

// pointers returns those of compressed rows.
func (s Structure) pointers() []int32 {
	p := make([]int32, s.m+1)
	for r, x := range s.first {
		p[s.row(r)+1] += s.last[r] - x
	}
	for i := range s.m {
		p[i+1] += p[i]
	}
	return p
}

// maskOf returns the mask of slots from where they come, nil if none is padding.
func maskOf(from []int32, entries int) []uint64 {
	mask := newMask(len(from), entries)
	parallel(len(mask), workers(len(from), 1<<15), func(_, lo, hi int) {
		for w := lo; w < hi; w++ {
			for b, x := range from[w*64 : min(len(from), w*64+64)] {
				mask[w] |= uint64(^x>>31&1) << b // the sign: 1 if x is not -1
			}
		}
	})
	return mask
}
