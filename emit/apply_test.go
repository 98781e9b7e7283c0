package emit

import (
	"strings"
	"testing"
)

func addHalf(x float32, up bool) (float32, int8) {
	if up {
		return x + 0.5, 1
	}
	return x, -1
}

func applyFunc(t *testing.T) *Func {
	t.Helper()
	f, err := Build("f", []Arg{{"p", Ptr, 0}, {"q", Ptr, 8}}, func(b *Builder) {
		v := Vector(F32, 4)
		x := b.Load(v, At(b.Param("p", Ptr), 0))
		r := b.Apply(addHalf, x, b.Cmp("gt", x, b.Const(v, 0)))
		b.Store(r[0], At(b.Param("q", Ptr), 0))
		b.Store(r[1], At(b.Param("q", Ptr), 16))
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestApply runs the Go function in the interpreter, and then its translation.
func TestApply(t *testing.T) {
	f := applyFunc(t)
	want := []float32{1.5, -2, 0, 3.5}
	run := func() {
		t.Helper()
		out := &Memory{Name: "q", Data: make([]byte, 20)}
		m := &Machine{}
		m.Bind("p", PtrTo(MemoryOf("p", Generic, []float32{1, -2, 0, 3}), 0))
		m.Bind("q", PtrTo(out, 0))
		if err := m.Run(f); err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			sign := map[bool]int8{true: 1, false: -1}[i == 0 || i == 3]
			if have := F32.Decode(uint64(out.Data[4*i]) | uint64(out.Data[4*i+1])<<8 | uint64(out.Data[4*i+2])<<16 | uint64(out.Data[4*i+3])<<24); have != float64(w) || int8(out.Data[16+i]) != sign {
				t.Errorf("lane %d is %v and %d, want %v and %d", i, have, int8(out.Data[16+i]), w, sign)
			}
		}
	}
	run()
	if err := f.Inline(func(b *Builder, op *Op) ([]*Value, error) {
		x, up := op.Args[0], op.Args[1]
		i8 := Vector(I8, 4)
		return []*Value{
			b.Select(up, b.Add(x, b.Const(x.Type, 0.5)), x),
			b.Select(up, b.Const(i8, 1), b.Const(i8, -1)),
		}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if s := f.String(); strings.Contains(s, "apply") {
		t.Errorf("an apply is left:\n%s", s)
	}
	run()
}

func TestApplyRefuses(t *testing.T) {
	for _, c := range []struct {
		fn   any
		want string
	}{
		{3, "a int is not a function"},
		{func(string) float32 { return 0 }, "string has no place in a vector"},
		{func(float64) float32 { return 0 }, "is a float64, the operand is f32x4"},
		{func(float32, float32) float32 { return 0 }, "called with 1 operands"},
		{func(float32) {}, "for 0 results"},
	} {
		_, err := Build("f", []Arg{{"p", Ptr, 0}}, func(b *Builder) {
			b.Apply(c.fn, b.Load(Vector(F32, 4), At(b.Param("p", Ptr), 0)))
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: have %v, want %q", c.fn, err, c.want)
		}
	}
	err := applyFunc(t).Inline(func(b *Builder, op *Op) ([]*Value, error) { return op.Args[:1], nil })
	if err == nil || !strings.Contains(err.Error(), "1 values, not 2") {
		t.Errorf("a short translation: %v", err)
	}
}
