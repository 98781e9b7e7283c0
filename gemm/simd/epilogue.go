package simd

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Epilogue lowers an epilogue alone, as the kernel called name: it turns finished sums
// into outputs, as [kernel.EpiArgs] describes, whatever computed them. lanes is how
// many columns it does at once. The error says what does not fit together.
func Epilogue(fusion *gemm.Fusion, name string, t emit.Target, o Options) (f *emit.Func, lanes int, err error) {
	fail := func(err error) (*emit.Func, int, error) { return nil, 0, fmt.Errorf("gemm: %w", err) }
	if err := fusion.Check(); err != nil {
		return fail(err)
	}
	l, err := newEpilogue(t, fusion, o.Widest)
	if err != nil {
		return fail(err)
	}
	family := &emit.Family{Of: "gemm"}
	if l.add(family, name); family.Err != nil {
		return nil, 0, family.Err
	}
	return family.Funcs[0], l.lanes, nil
}

// add adds the kernel. Since it stands apart, no tile depends on its registers, and it may spill them.
func (e *epilogue) add(f *emit.Family, name string) string {
	name = f.With(vector.SlotArgs(emit.F32, e.fusion.Slots()), name, "turns finished sums into outputs.", e.build)
	if f.Err == nil {
		f.Funcs[len(f.Funcs)-1].Spills = true
	}
	return name
}

// epilogue lowers a Fusion to one kernel that goes over any rows and columns of
// finished sums. It does a vector of columns at a time, with one masked step at the end
// of a row. It stands apart from the micro-kernels, so that every vector register is
// free for it and its code exists once.
type epilogue struct {
	fusion *gemm.Fusion
	target emit.Target
	// lanes is how many columns are done at once: what a register holds of the
	// widest type that the function works with.
	lanes int
}

// Widest tells how wide the values inside a function are; nil means that its
// parameters and results say so.
type Widest func(fn any) (emit.Elem, error)

func newEpilogue(t emit.Target, fusion *gemm.Fusion, widest Widest) (*epilogue, error) {
	bits := gemm.ElemOf(fusion.Acc).Bits()
	for _, in := range fusion.Inputs {
		bits = max(bits, gemm.ElemOf(in.Type).Bits())
	}
	for _, o := range fusion.Results() {
		bits = max(bits, gemm.ElemOf(o.Type).Bits())
	}
	if widest != nil {
		e, err := widest(fusion.Applied())
		if err != nil {
			return nil, fusion.At(err)
		}
		bits = max(bits, e.Bits())
	}
	return &epilogue{fusion, t, t.Bits / bits}, nil
}

// build appends the kernel. Pointers that move from row to row are carried; those
// of columns and scalars are taken from the argument block where they are used.
func (e *epilogue) build(b *emit.Builder) {
	rows, cols := b.Param("rows", emit.Int64), b.Param("cols", emit.Int64)
	rest := b.And(cols, b.Int(int64(e.lanes-1)))
	whole := b.Sub(cols, rest)

	first := 1 + len(e.fusion.Also) // slot of the first operand
	var moving []int
	for i, o := range e.fusion.Results() {
		if !o.Unstored {
			moving = append(moving, i)
		}
	}
	for i, in := range e.fusion.Inputs {
		if in.Pattern == gemm.RowPattern || in.Pattern == gemm.FullPattern {
			moving = append(moving, first+i)
		}
	}
	if s := e.fusion.RowTerm(); s >= 0 {
		moving = append(moving, s)
	}
	carried := []*emit.Value{b.Param("tile", emit.Ptr)}
	for _, s := range moving {
		carried = append(carried, b.Param(vector.SlotPtr(s), emit.Ptr))
	}
	vectors := e.rowVectors()
	for _, r := range vectors {
		carried = append(carried, r.of(b, e.lanes))
	}
	b.For(b.Int(0), rows, 1, carried, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		at := map[int]*emit.Value{}
		for i, s := range moving {
			at[s] = p[1+i]
		}
		fixed := e.rowInputs(b, first, at)
		red := b.For(b.Int(0), whole, int64(e.lanes), e.startRow(b), func(j *emit.Value, red []*emit.Value) []*emit.Value {
			return e.step(b, p[0], at, fixed, red, j, nil)
		})
		red = b.If(b.Cmp("gt", rest, b.Int(0)), func() []*emit.Value {
			return e.step(b, p[0], at, fixed, red, whole, b.MaskN(emit.Vector(emit.I8, e.lanes), rest))
		}, func() []*emit.Value { return red })
		left := p[1+len(moving):]
		e.leave(b, red, left)
		next := []*emit.Value{b.AddP(p[0], b.Param("tileld", emit.Int64))}
		for i, s := range moving {
			next = append(next, b.AddP(p[1+i], b.Param(vector.SlotStride(s), emit.Int64)))
		}
		for i, r := range vectors {
			next = append(next, b.AddP(left[i], b.Int(int64(r.t.Bytes()))))
		}
		return next
	})
	e.joinRows(b)
}

// rowInputs loads the operands that are the same for a whole row.
func (e *epilogue) rowInputs(b *emit.Builder, first int, at map[int]*emit.Value) map[int]*emit.Value {
	fixed := map[int]*emit.Value{}
	for i, in := range e.fusion.Inputs {
		t := e.vector(in.Type)
		switch in.Pattern {
		case gemm.RowPattern:
			fixed[i] = b.LoadSplat(t, emit.At(at[first+i], 0))
		case gemm.ScalarPattern:
			fixed[i] = b.LoadSplat(t, emit.At(b.Param(vector.SlotPtr(first+i), emit.Ptr), 0))
		}
	}
	if s := e.fusion.RowTerm(); s >= 0 {
		fixed[rowTerm] = b.LoadSplat(e.vector(dtype.I32), emit.At(at[s], 0))
	}
	return fixed
}

// rowTerm is where rowInputs leaves what the zero point of B takes from the sums of the row.
const rowTerm = -1

// sum is the sum that the function is given: what the zero points make of the product is
// taken from it.
func (e *epilogue) sum(b *emit.Builder, tile *emit.Value, fixed map[int]*emit.Value, j, mask *emit.Value) *emit.Value {
	x := e.load(b, e.vector(e.fusion.Acc), tile, j, mask)
	if s := e.fusion.ColumnTerm(); s >= 0 {
		x = b.Sub(x, e.load(b, e.vector(dtype.I32), b.Param(vector.SlotPtr(s), emit.Ptr), j, mask))
	}
	if t := fixed[rowTerm]; t != nil {
		x = b.Sub(x, t)
	}
	return x
}

func (e *epilogue) vector(t dtype.Type) emit.Type { return emit.Vector(gemm.ElemOf(t), e.lanes) }

// load reads a vector of t at column j of the row p, the lanes in mask if it is not
// nil; store writes one.
func (e *epilogue) load(b *emit.Builder, t emit.Type, p, j, mask *emit.Value) *emit.Value {
	return vector.Load(b, t, mask, emit.Addr{Ptr: p, Index: j, Scale: int64(t.Elem.Bytes())})
}

func (e *epilogue) store(b *emit.Builder, x, p, j, mask *emit.Value) {
	vector.Store(b, x, mask, emit.Addr{Ptr: p, Index: j, Scale: int64(x.Type.Elem.Bytes())})
}

// step does one vector of columns, from column j on; mask is nil for a whole one. It
// returns the row's reductions so far.
func (e *epilogue) step(b *emit.Builder, tile *emit.Value, at, fixed map[int]*emit.Value, red []*emit.Value, j, mask *emit.Value) []*emit.Value {
	first := 1 + len(e.fusion.Also)
	args := []*emit.Value{e.sum(b, tile, fixed, j, mask)}
	for i, in := range e.fusion.Inputs {
		switch in.Pattern {
		case gemm.FullPattern:
			args = append(args, e.load(b, e.vector(in.Type), at[first+i], j, mask))
		case gemm.ColumnPattern:
			args = append(args, e.load(b, e.vector(in.Type), b.Param(vector.SlotPtr(first+i), emit.Ptr), j, mask))
		default:
			args = append(args, fixed[i])
		}
	}
	results := slices.Clone(b.Apply(e.fusion.Applied(), args...))
	reduced := slices.Clone(results)
	if e.fusion.Rounds {
		results[0] = b.Cvt(gemm.ElemOf(e.fusion.Out), "rne", results[0])
		if e.fusion.Reduced(0) { // what is stored
			reduced[0] = b.Cvt(gemm.ElemOf(e.fusion.Acc), "rne", results[0])
		}
	}
	for i, x := range results {
		if p := at[i]; p != nil {
			e.store(b, x, p, j, mask)
		}
	}
	return e.reduceStep(b, reduced, red, j, mask)
}
