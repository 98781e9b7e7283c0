// Package maps has a spec of somebody else's: a Go function for all elements of a slice.
package maps

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
)

// Spec is a function called Name that sets out[i] to F(x[i]).
type Spec struct {
	Name string
	F    func(float32) float32
}

// Kernel returns the name.
func (s Spec) Kernel() string { return s.Name }

// TargetList are all CPUs.
func (s Spec) TargetList() []emit.Target { return gemm.CPUTargets() }

// Lower is that of a [unit.Spec].
func (s Spec) Lower(c *unit.Context, targets []emit.Target) (*unit.Unit, error) {
	call, err := c.Call("", s.Name, s.F)
	if err != nil {
		return nil, fmt.Errorf("maps: %s: %w", s.Name, err)
	}
	name := unit.Lower(s.Name)
	u := &unit.Unit{Name: s.Name, Imports: append(call.Imports, "example.com/shop/thirdparty/maprun")}
	list := unit.Lit{Type: "[]maprun.Variant"}
	oracle := &unit.Oracle{}
	for _, t := range targets {
		f, err := s.kernel(name+"_"+t.Name, t)
		if err == nil {
			err = c.Inline(f)
		}
		if err != nil {
			return nil, fmt.Errorf("maps: %s: %w", s.Name, err)
		}
		u.Variants = append(u.Variants, unit.Variant{Target: t, Funcs: unit.Kernels("maprun.Args", f)})
		list = list.With(unit.Field{Value: unit.Expr(fmt.Sprintf("{ISA: %q, F: %s}", t.Name, f.Name))})
		oracle.ISAs = append(oracle.ISAs, t.Name)
	}
	u.Listed = []unit.Var{{Name: name + "Variants", Type: list.Type, Value: list}}
	slices := []unit.Param{{Name: "out", Type: "[]float32"}, {Name: "x", Type: "[]float32"}}
	u.Decls = []unit.Decl{
		unit.Func{
			Doc:  fmt.Sprintf("%s sets out[i] to %s(x[i]). It panics if the lengths differ.", s.Name, call.Expr),
			Name: s.Name, Params: slices, Body: name + `Op.Run("", out, x)`,
		},
		unit.Var{Name: name + "Op", Value: unit.Lit{Type: "maprun.Op"}.With(
			unit.Field{Name: "F", Value: unit.Expr(call.Expr)}, unit.Field{Name: "Variants", Value: unit.Expr(name + "Variants")})},
	}
	u.Copies = []unit.Decl{unit.Text(call.Decls)}
	oracle.Checks = []unit.Check{{Doc: "compares every variant with the function.", Body: fmt.Sprintf(`for n := range 70 {
	x, out := make([]float32, n), make([]float32, n+1)
	for i := range x {
		x[i] = float32(i)/8 - 3
	}
	%sOp.Run(isa, out[:n], x)
	for i, v := range x {
		if want := %s(v); out[i] != want {
			t.Fatalf("element %%d of %%d: %%v, want %%v", i, n, out[i], want)
		}
	}
	if out[n] != 0 {
		t.Fatalf("%%d elements: one beyond them is written", n)
	}
}`, name, call.Expr)}}
	u.Oracle = oracle
	return u, nil
}

// kernel is the loop over whole vectors, and what remains.
func (s Spec) kernel(name string, t emit.Target) (*emit.Func, error) {
	args := []emit.Arg{{Name: "x", Type: emit.Ptr}, {Name: "out", Type: emit.Ptr, Offset: 8}, {Name: "n", Type: emit.Int64, Offset: 16}}
	f, err := emit.Build(name, args, func(b *emit.Builder) {
		lanes := t.Lanes(emit.F32)
		v := emit.Vector(emit.F32, lanes)
		x, out, n := b.Param("x", emit.Ptr), b.Param("out", emit.Ptr), b.Param("n", emit.Int64)
		whole := b.And(n, b.Int(int64(-lanes)))
		next := func(p *emit.Value) *emit.Value { return b.AddP(p, b.Int(int64(v.Bytes()))) }
		end := b.For(b.Int(0), whole, int64(lanes), []*emit.Value{x, out}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
			b.Store(b.Apply(s.F, b.Load(v, emit.At(p[0], 0)))[0], emit.At(p[1], 0))
			return []*emit.Value{next(p[0]), next(p[1])}
		})
		rest := b.MaskN(v, b.Sub(n, whole))
		b.StoreMasked(b.Apply(s.F, b.LoadMasked(v, rest, emit.At(end[0], 0)))[0], rest, emit.At(end[1], 0))
	})
	if err == nil {
		f.Doc = name + " applies a function to n elements."
	}
	return f, err
}
