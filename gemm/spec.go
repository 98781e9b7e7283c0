package gemm

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Spec is a matrix product by its element types: of the operands, of the sums and
// of the result. Without an epilogue, and with one type for all four, it is
// out = alpha*a*b + beta*out; else out = epilogue(a*b). Zero fields are chosen.
type Spec[A, B, Acc, Out dtype.Elem] struct {
	Name     string             // a Go identifier; the generated function's name
	Operator Operator           // nil: by the types
	Epilogue Epilogue[Acc, Out] // zero: convert and store
	Shape    Shape              // of the only products that there will be; 0: run time
	Tile     tiling.Micro       // zero: by the target's registers
	GPU      tiling.GPU         // zero: by the elements' size and the GPU's shared memory
	Targets  []emit.Target      // nil: every CPU target

	// Standalone puts every kernel into the generated package. Otherwise it shares those
	// that multiply and pack with the stock products of cpu/kern, where they are the same.
	Standalone bool
}

// Module is a lowered spec for one target: its functions, and which of them is
// which in a [kernel.Kernels].
type Module struct {
	Name   string
	Target emit.Target
	A, B   dtype.Type
	Elem   dtype.Type // of the sums
	Op     Operator
	Body   *Body // nil: alpha and beta
	Shape  Shape
	Funcs  []*emit.Func
	kernel.MicroKernels[string]
	kernel.Packers[string]
	Epi      string // "" if Body is nil
	EpiLanes int
	// Fixed computes dense products of Shape, by Cut; "" if there is no such kernel.
	Fixed string
	Cut   tiling.Cut
	// Stock says that the kernels that multiply are, but for their names, those of the
	// stock product with the same type of sums; those that pack are, too, if A and B have
	// that type. Standalone is the spec's.
	Stock, Standalone bool
}

// Own lists the functions that a generated package of the module needs: not those that it
// shares.
func (m *Module) Own() []*emit.Func {
	if !m.Stock {
		return m.Funcs
	}
	var own []*emit.Func
	for _, f := range m.Funcs {
		packs := f.Name == m.PackCols || f.Name == m.PackColsA || slices.Contains(m.PackRows, f.Name) || slices.Contains(m.PackRowsA, f.Name)
		if f.Name == m.Epi || packs && !m.StockPackers() {
			own = append(own, f)
		}
	}
	return own
}

// StockPackers reports whether the kernels that pack are the stock ones.
func (m *Module) StockPackers() bool { return m.Stock && m.A == m.Elem && m.B == m.Elem }

// Kernel returns the spec's name.
func (s Spec[A, B, Acc, Out]) Kernel() string { return s.Name }

// CPUTargets are the targets of a spec that names none.
func CPUTargets() []emit.Target { return []emit.Target{amd64.AVX512, amd64.AVX2} }

// TargetList returns the targets to generate for.
func (s Spec[A, B, Acc, Out]) TargetList() []emit.Target {
	if s.Targets == nil {
		return CPUTargets()
	}
	return s.Targets
}

// Options guide the lowering.
type Options struct {
	// Widest tells the widest type of values inside an epilogue's function, which
	// decides how many lanes are done at once. nil: its signature does.
	Widest Widest
	// Tile is that of a spec that names none, in place of the one for the target's
	// registers: for an operator that needs some of these itself.
	Tile tiling.Micro
}

// Lower gives the spec its meaning on one target. The epilogue's function stands in
// it as an apply, which runs in the interpreter; whoever prints replaces it by its
// translation. The error says which tile, type or limit stands in the way.
func (s Spec[A, B, Acc, Out]) Lower(t emit.Target) (*Module, error) { return s.LowerWith(t, Options{}) }

// LowerWith is Lower with options.
func (s Spec[A, B, Acc, Out]) LowerWith(t emit.Target, o Options) (*Module, error) {
	a, b, acc, out := dtype.Of[A](), dtype.Of[B](), dtype.Of[Acc](), dtype.Of[Out]()
	fail := func(format string, args ...any) (*Module, error) {
		return nil, fmt.Errorf("gemm: %s: "+format, append([]any{s.Name}, args...)...)
	}
	if t.Arch == "ptx" {
		return fail("%s is a GPU; LowerGPU lowers for it", t.Name)
	}
	op := s.Operator
	if op == nil {
		var err error
		if op, err = pick(a, b, acc); err != nil {
			return fail("%w", err)
		}
	}
	if x, y, z := op.Types(); !widens(elemOf(a), x) || !widens(elemOf(b), y) || z != elemOf(acc) {
		return fail("operator %v is for %v, %v and %v, the spec has %v, %v and %v", op, x, y, z, a, b, acc)
	}
	if err := DepthOf(op).check(op, t); err != nil {
		return fail("%w", err)
	}
	if DepthOf(op).K > 1 && s.Shape != (Shape{}) {
		return fail("operator %v takes %d k a step, and kernels of a fixed shape one", op, DepthOf(op).K)
	}
	if r, ok := op.(Semiring); ok {
		if err := r.Check(); err != nil {
			return fail("%w", err)
		}
	}
	body := s.Epilogue.body
	if body == nil && (a != acc || b != acc || out != acc) {
		fn, err := conversion(acc, out)
		if err != nil {
			return fail("%w", err)
		}
		body = &Body{Fn: fn, Acc: acc, Out: out}
	}
	if err := checkShape(s.Shape); err != nil {
		return fail("%w", err)
	}
	tile := s.Tile
	if tile == (tiling.Micro{}) {
		tile = o.Tile
	}
	if tile == (tiling.Micro{}) {
		tile = machine(t, elemOf(acc)).Tile(s.Shape)
	}
	if tile.MR < 1 || tile.NV < 1 || tile.MR*tile.NV+tile.NV+1 > t.Regs {
		return fail("a tile of %d rows and %d vectors needs %d registers (accumulators, a row of B, one broadcast), %s has %d",
			tile.MR, tile.NV, tile.MR*tile.NV+tile.NV+1, t.Name, t.Regs)
	}
	l := &lowering{name: s.Name, target: t, op: op, a: elemOf(a), b: elemOf(b), elem: elemOf(acc), tile: tile, vl: t.Lanes(elemOf(acc)), fixed: fixed{shape: s.Shape}}
	if body != nil {
		if err := body.check(); err != nil {
			return fail("%w", err)
		}
		var err error
		if l.epi, err = newEpilogue(t, body, o.Widest); err != nil {
			return fail("%w", err)
		}
	}
	m := &Module{Name: s.Name, Target: t, A: a, B: b, Elem: acc, Op: op, Body: body, Shape: s.Shape, MicroKernels: kernel.MicroKernels[string]{MR: tile.MR, NV: tile.NV, VL: l.vl}, Standalone: s.Standalone}
	_, fma := op.(FMA)
	m.Stock = !s.Standalone && fma && s.Shape == (Shape{}) && tile == machine(t, elemOf(acc)).Tile(Shape{}) &&
		slices.ContainsFunc(CPUTargets(), func(c emit.Target) bool { return c.Name == t.Name })
	return m, l.module(m)
}

// conversion is the epilogue of a spec that has none but needs one.
func conversion(acc, out dtype.Type) (any, error) {
	switch [2]dtype.Type{acc, out} {
	case [2]dtype.Type{dtype.F32, dtype.F32}:
		return act.Identity[float32], nil
	case [2]dtype.Type{dtype.F64, dtype.F64}:
		return act.Identity[float64], nil
	case [2]dtype.Type{dtype.F32, dtype.TypeBF16}:
		return dtype.ToBF16[float32], nil
	case [2]dtype.Type{dtype.F32, dtype.TypeF16}:
		return dtype.ToF16[float32], nil
	}
	return nil, fmt.Errorf("sums of %v are not stored as %v by themselves; give the spec an epilogue that converts them", acc, out)
}
