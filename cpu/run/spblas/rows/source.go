package rows

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Operand is the sparse operand of a product.
type Operand[T dtype.Value] interface {
	sparse.Matrix[T] | format.Packed[T] | rule.Sum[T] | Rows[T] | Offsets
}

// Offsets is a pattern whose row s has an entry for each of rows offsets[s] to
// offsets[s+1]-1 of b, which errors call x. It takes at most 4 bytes for each of them.
// Offsets begin with 0, never descend, and end with b's rows.
type Offsets []int

// Count returns how many segments there are.
func (o Offsets) Count() int { return max(len(o), 1) - 1 }

// Rows are compressed rows that kernels cannot read in place, because they have no values, or
// narrower ones, or are parts of others. Some at a time are laid out in memory that stays in
// L1.
type Rows[T dtype.Value] struct {
	raw   sparse.Raw
	stage staging
	// stored is how many bytes an element of b has where the caller has it; 0: as many as in b.
	stored int
}

// Of are the rows of a matrix.
func Of[T dtype.Value](a sparse.Matrix[T]) Rows[T] { return Rows[T]{raw: a.Raw()} }

// Pattern is a pattern; its entries are 1.
func Pattern[T dtype.Value](a sparse.Pattern) Rows[T] {
	var s staging // of other types, for which there are no kernels, nothing is laid out
	switch any(*new(T)).(type) {
	case float32:
		s = staging{values: onesTo[float32], ones: ones32.bytes()}
	case float64:
		s = staging{values: onesTo[float64], ones: ones64.bytes()}
	}
	return Rows[T]{raw: a.Raw(), stage: s}
}

// Band is a band, where it lies.
func Band[T dtype.Value](a sparse.Band[T]) Rows[T] {
	all := call.ArraysOf(a.Of())
	return Rows[T]{raw: a.Raw(), stage: staging{
		first: a.First(), indices: all.Indices,
		values: valuesTo, src: unsafe.Pointer(unsafe.SliceData(all.Values)), size: call.SizeOf[T](),
	}}
}

// Widening is what makes narrow values ones of T, by kernels and in plain Go. A package-level
// variable holds one for each type that is stored.
type Widening struct {
	Name     string
	Variants []*kernel.Table[kernel.Func[kernel.SparseArgs]] // best first; none without assembly

	choice choose.Choice
}

// Narrow is a matrix whose values become those of T, which changes none.
func Narrow[T dtype.Float, V dtype.F16 | dtype.BF16](opt run.Options, set *Widening, a sparse.Narrow[V]) Rows[T] {
	r := a.Raw()
	s := staging{values: widenInGo[T, V], src: r.Values, size: 2}
	if k := choose.Table(&set.choice, opt.Name(set.Name), set.Variants, opt.ISA); k != nil {
		s.values, s.widen = widenTo, k.Op("f32").F
		if dtype.Of[T]() == dtype.F64 {
			s.widen = k.Op("f64").F
		}
	}
	return Rows[T]{raw: r, stage: s}
}

// rawRows returns a as a matrix in compressed rows, if that is its format.
func rawRows[T dtype.Value](a *format.Packed[T]) (sparse.Raw, bool) {
	if ok, masked := a.HasLoops("i j:vs"); !ok || masked {
		return sparse.Raw{}, false
	}
	r, j := a.Raw(), a.RawLevel(1)
	return sparse.Raw{Rows: r.Rows, Cols: r.Cols, NNZ: r.Slots, Pointers: j.Pointers, Indices: j.Indices, Values: r.Values}, true
}
