package format

import (
	"iter"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// packer lays out a structure without a detour over entries. Slot k of the result holds
// entry from[k] of the matrix, or is padding if that is -1. Without from, slot k holds
// entry k.
type packer func(s runs.Set) (a Arrays, from []int32, err error)

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
	builder = func(m, n int, in []sparse.Entry) (Arrays, error)
	walker  = func(m int, a Arrays) iter.Seq[sparse.Entry]
)

// buildBy is the Build of the format of that name. Tests hold pack to the law of
// formats, and so what it makes is not walked as that of other formats is.
func buildBy(pack packer, name string, m, n int, in []sparse.Entry) (Arrays, error) {
	if err := ordered(name, m, n, in); err != nil {
		return Arrays{}, err
	}
	a, _, err := pack(runs.OfEntries(m, n, in))
	return a, err
}

// withPacker returns f with a Build that goes through pack and a Walk by the axes, for formats
// that are made when a program asks for them.
func withPacker(f Format, pack packer) Format {
	name, axes := f.Name, slices.Clone(f.Axes)
	f.Walk = func(m int, a Arrays) iter.Seq[sparse.Entry] { return walkBy(axes, m, a) }
	f.Build = func(m, n int, in []sparse.Entry) (Arrays, error) { return buildBy(pack, name, m, n, in) }
	f.quick = &quick{pack, axes, f.Build, f.Walk}
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
func (f Format) pack(s runs.Set) (a Arrays, from []int32, err error) {
	if p := f.packer(); p != nil {
		return p(s)
	}
	in := make([]sparse.Entry, 0, s.NNZ)
	origin := make([]int32, 0, s.NNZ)
	for e := range s.All() {
		in = append(in, sparse.Entry{I: e.I, J: e.J, K: len(in)})
		origin = append(origin, int32(e.K))
	}
	if a, err = f.Build(s.M, s.N, in); err != nil {
		return Arrays{}, nil, err
	}
	a = a.clone() // Build may have kept what it returned
	w, err := f.nest(s.M, s.N, a)
	if err != nil {
		return Arrays{}, nil, err
	}
	from = padding(a.Slots)
	at, meant := newCursor(s.M, in), make([]sparse.Entry, 0, len(in))
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
	return a, from, f.walks(s.M, a.clone(), meant) // Walk may write to what it gets
}

// store is pack of what may be no format, and checks what it says of itself.
func (f Format) store(s runs.Set) (*storage, []int32, error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	own := f.own()
	a, from, err := own.pack(s)
	if err == nil {
		err = own.declares(s.M, a)
	}
	if err != nil {
		return nil, nil, err
	}
	return &storage{format: f, axes: own.Axes, rows: s.M, cols: s.N, nnz: s.NNZ, arrays: a, loops: newLoopTexts(own.Axes, a.Mask != nil, a.Order != nil)}, from, nil
}

// PackRuns lays the part s of a canonical matrix out in f, for package rule. from says which entry of the matrix a
// slot holds, -1 for none; nil: slot k holds entry k.
func PackRuns[T dtype.Value](f Format, s runs.Set, values []T) (_ Packed[T], from []int32, err error) {
	p, from, err := f.store(s)
	if err != nil {
		return Packed[T]{}, nil, err
	}
	return Packed[T]{stored{p}, take(values, from, p.arrays.Slots)}, from, nil
}

// Refill returns p with other values, values[from[k]] in slot k, for package rule; from is what PackRuns returned.
func Refill[T dtype.Value](p Packed[T], values []T, from []int32) Packed[T] {
	if from == nil {
		values = slices.Clone(values) // take shares them
	}
	return Packed[T]{p.stored, take(values, from, p.Slots())}
}

// take returns the value of each slot; it shares values if they are in order.
func take[T dtype.Value](values []T, from []int32, slots int) []T {
	if from == nil {
		return values[:slots:slots]
	}
	out := make([]T, slots)
	runs.Parallel(slots, runs.Workers(slots, 1<<14), func(_, lo, hi int) {
		o := out[lo:hi]
		for k, x := range from[lo:hi] {
			if x >= 0 {
				o[k] = values[x]
			}
		}
	})
	return out
}

// maskOf returns the mask of slots from where they come, nil if none is padding.
func maskOf(from []int32, entries int) []uint64 {
	mask := runs.NewMask(len(from), entries)
	runs.Parallel(len(mask), runs.Workers(len(from), 1<<15), func(_, lo, hi int) {
		for w := lo; w < hi; w++ {
			for b, x := range from[w*64 : min(len(from), w*64+64)] {
				mask[w] |= uint64(^x>>31&1) << b // the sign: 1 if x is not -1
			}
		}
	})
	return mask
}
