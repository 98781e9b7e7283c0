package fn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
)

// TestWidest pins what a function needs: the lanes that a caller plans for, the
// functions that are not exact, and what the author is told.
func TestWidest(t *testing.T) {
	p := load(t)
	for _, c := range []struct {
		f        any
		widest   emit.Elem
		accuracy string
		notes    string // parts, in order
	}{
		{fntest.Affine, emit.F32, "", ""},
		{fntest.BiasGELU, emit.F32, "math.Tanh float32 x1", ""},
		{fntest.GELU[float64], emit.F64, "math.Tanh float64 x1", ""},
		{fntest.LogSumExp2, emit.F64, "math.Exp float64 x2, math.Log float64 x1", ""},
		// exp runs in float32 and its result goes on; the sum in float64 is not asked for.
		{fntest.Softplus, emit.F64, "math.Exp float64 x1, math.Log1p float64 x1", "float64 lanes"},
		{fntest.Roundings, emit.F32, "", ""},
		{fntest.Requant, emit.F32, "", "NaN"},
		{fntest.Wide, emit.F64, "", "testdata/fntest/float.go:*: this runs in float64 lanes"},
		{fntest.WideCompares, emit.F32, "", ""},
		{fntest.Signs, emit.F32, "", ""},
		{fntest.Extremes, emit.F32, "", ""},
		{fntest.Wrap, emit.I16, "", ""},
		{fntest.Saturate, emit.I16, "", ""},
		{fntest.Bits, emit.F32, "", ""},
		{fntest.FromUint64, emit.I64, "", ""},
		{fntest.FlipBF16, emit.BF16, "", ""},
		{fntest.ScaleBF16, emit.F32, "", ""},
	} {
		f := lookup(t, p, c.f)
		if f.Widest() != c.widest {
			t.Errorf("%s: the widest element is %v, want %v", f.Name, f.Widest(), c.widest)
		}
		var calls []string
		for _, a := range f.Accuracy() {
			calls = append(calls, fmt.Sprintf("%s %v x%d", a.Name, a.Type, a.N))
			if a.ULP <= 0 {
				t.Errorf("%s: %v", f.Name, a)
			}
		}
		if got := strings.Join(calls, ", "); got != c.accuracy {
			t.Errorf("%s: calls %s, want %s", f.Name, got, c.accuracy)
		}
		notes := strings.Join(f.Notes(), "\n")
		if part := c.notes[strings.LastIndexByte(c.notes, '*')+1:]; (notes == "") != (c.notes == "") || !strings.Contains(notes, part) {
			t.Errorf("%s: notes %q, want %q", f.Name, notes, c.notes)
		}
	}
}

// TestCost pins the operations of functions in which something is recognised.
func TestCost(t *testing.T) {
	p := load(t)
	for _, c := range []struct {
		f    any
		want string
	}{
		{fntest.Affine, "map[fma:1]"},
		{fntest.AcrossStatements, "map[fma:1]"},
		{fntest.Rounded, "map[add:1 mul:1]"},
		{fntest.Shared, "map[add:1 mul:1]"},
		{fntest.TwoProducts, "map[fma:1 mul:1]"},
		{fntest.Eighth, "map[mul:1]"},
		{fntest.Divide, "map[div:1]"},
		{fntest.ReluIf, "map[max:1]"},
		{fntest.ReluLess, "map[max:1]"},
		{fntest.Relu, "map[add:1 max:1]"},
		{fntest.LeakyConst, "map[cmp:1 mul:1 select:1]"},
		{fntest.Poly[float32], "map[fma:5]"},
		{fntest.ByType[float32], "map[add:1]"},
		{fntest.RequantIf, "map[cmp:2 cvt:1 select:2 trunc:1]"},
		{fntest.Requant, "map[cvt:3 fma:1 max:1 min:1 round:1 sext:1 trunc:1]"},
		{fntest.Saturate, "map[add:1 imax:1 imin:1 sext:2 trunc:1]"},
		{fntest.Median, "map[imax:2 imin:2]"},
	} {
		f := lookup(t, p, c.f)
		if got := fmt.Sprint(f.Cost()); got != c.want {
			t.Errorf("%s: %s, want %s", f.Name, got, c.want)
		}
	}
}

// TestEmitRefuses what does not fit the function.
func TestEmitRefuses(t *testing.T) {
	f := lookup(t, load(t), fntest.Affine)
	_, err := emit.Build("k", []emit.Arg{{Name: "x", Type: emit.Scalar(emit.F64)}}, func(b *emit.Builder) {
		x := b.Param("x", emit.Vector(emit.F64, 4))
		if _, err := f.Emit(b, 4, []*emit.Value{x}); err == nil || err.Error() != "fntest.Affine takes 3 operands, not 1" {
			t.Errorf("one operand: %v", err)
		}
		if _, err := f.Emit(b, 4, []*emit.Value{x, x, x}); err == nil || err.Error() != "fntest.Affine: operand 1 is f64x4, not f32x4" {
			t.Errorf("operands of f64: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestInline replaces a Go function in the IR, and refuses in the IR's words what
// cannot be translated.
func TestInline(t *testing.T) {
	p := load(t)
	build := func(fn any, e emit.Elem) *emit.Func {
		f, err := emit.Build("k", []emit.Arg{{Name: "p", Type: emit.Ptr}}, func(b *emit.Builder) {
			at := emit.At(b.Param("p", emit.Ptr), 0)
			b.Store(b.Apply(fn, b.Load(emit.Vector(e, 8), at))[0], at)
		})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := build(fntest.HardSwish[float32], emit.F32)
	if err := p.Inline(f); err != nil {
		t.Fatal(err)
	}
	if text := f.String(); strings.Contains(text, "apply") || !strings.Contains(text, "div") {
		t.Errorf("%s", text)
	}
	err := p.Inline(build(method{}.plus, emit.F32))
	if err == nil || !strings.Contains(err.Error(), "is a method value") {
		t.Errorf("a method value: %v", err)
	}
}

// TestSame: translating again, in another program, gives the same text.
func TestSame(t *testing.T) {
	text := func() string {
		f := lookup(t, load(t), fntest.Search)
		return newKernel(t, f, true).ir.String()
	}
	if first := text(); first != text() {
		t.Errorf("%s", first)
	}
}
