package emit

import (
	"math"
	"strings"
	"testing"
)

// bitsOf is x as an e: an integer's bits, or the encoding of a float.
func bitsOf(e Elem, x float64) uint64 {
	if e.Float() {
		return e.Encode(x)
	}
	return truncate(e, uint64(int64(x)))
}

// What the operations that change lanes mean at the points where it matters.
func TestVectorMeaning(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		name, how string
		from, to  Elem
		x, want   float64
	}{
		{"cvt", "trunc", F32, I32, 2.9, 2}, {"cvt", "trunc", F32, I32, -2.9, -2}, {"cvt", "rne", F32, I32, 2.5, 2}, {"cvt", "rne", F64, I32, 3.5, 4},
		{"cvt", "rne", F64, I32, -0.5, 0}, {"cvt", "trunc", F64, I32, 0x1p31 - 0.5, math.MaxInt32}, {"cvt", "rne", F64, I32, 0x1p31 - 0.5, math.MinInt32},
		{"cvt", "trunc", F32, I32, 0x1p31, math.MinInt32}, {"cvt", "trunc", F32, I32, -0x1p31, math.MinInt32}, {"cvt", "trunc", F64, I32, -0x1p31 - 0.9, math.MinInt32},
		{"cvt", "rne", F32, I32, nan, math.MinInt32}, {"cvt", "rne", F32, I32, inf, math.MinInt32}, {"cvt", "trunc", F32, I64, -inf, math.MinInt64},
		{"cvt", "trunc", F64, I64, 0x1p63, math.MinInt64}, {"cvt", "rne", F64, I64, -0x1p62, -0x1p62},
		{"cvt", "rne", I32, F32, 1<<24 + 1, 1 << 24}, {"cvt", "rne", I8, F32, -128, -128}, {"cvt", "rne", I64, F64, -7, -7},
		{"cvt", "rne", F32, BF16, 1 + 0x1p-8, 1}, {"cvt", "rne", F32, BF16, 1 + 0x3p-8, 1 + 0x1p-6}, {"cvt", "rne", F32, BF16, 0x1.ffp127, inf},
		{"cvt", "rne", F32, F16, 65520, inf}, {"cvt", "rne", F32, F16, 0x1p-25, 0}, {"cvt", "rne", F16, F32, 0x1p-24, 0x1p-24}, {"cvt", "rne", F64, F32, 1 + 0x1p-24, 1},
		{"round", "floor", F32, F32, -0.5, -1}, {"round", "ceil", F32, F32, -0.5, zero}, {"round", "trunc", F64, F64, -0.9, zero}, {"round", "rne", F64, F64, 2.5, 2},
		{"round", "rne", F32, F32, -0.5, zero}, {"round", "floor", F32, F32, zero, zero}, {"round", "ceil", F64, F64, -inf, -inf}, {"round", "floor", F64, F64, 0x1p52 + 1, 0x1p52 + 1},
		{"sext", "", I8, I32, -128, -128}, {"zext", "", I8, I32, -128, 128}, {"trunc", "", I32, I8, 384, -128},
		{"sat", "s", I32, I8, 300, 127}, {"sat", "s", I32, I8, -300, -128}, {"sat", "s", I64, I16, 5, 5}, {"sat", "u", I32, I8, 300, 255}, {"sat", "u", I32, I8, -1, 0},
		{"sat", "u", I16, I8, math.MinInt16, 0}, {"sat", "u", I32, I16, 70000, 65535}, {"sat", "s", I32, I16, math.MinInt32, math.MinInt16},
	} {
		op := &Op{Def: ops[c.name], Attr: Attr{Name: c.how}, Args: fresh(Vector(c.from, 4)), Results: fresh(Vector(c.to, 4))}
		if err := op.Def.Type(op); err != nil {
			t.Fatalf("%s %q of %v to %v: %v", c.name, c.how, c.from, c.to, err)
		}
		have, want := truncate(c.to, op.meaning()([]uint64{bitsOf(c.from, c.x)})), bitsOf(c.to, c.want)
		if have != want {
			t.Errorf("%s %q of %v to %v: %g gives %#x, want %#x", c.name, c.how, c.from, c.to, c.x, have, want)
		}
	}
	for _, e := range []Elem{F32, F16, BF16} {
		if x := e.Decode(convert(F64, e, &Attr{Name: "rne"}, 0x7ff0_0000_0000_0001)); x == x {
			t.Errorf("a signalling NaN becomes %g in %v", x, e)
		}
	}
	for _, c := range []struct {
		name       string
		x, y, want int64
	}{
		{"sar", -8, 1, -4}, {"sar", math.MinInt8, 7, -1}, {"sar", 127, 6, 1}, {"imin", -1, 1, -1}, {"imax", -1, 1, 1}, {"imax", math.MinInt8, 127, 127},
		{"umulh", -1, -1, -2}, {"umulh", 16, 15, 0}, {"umulh", 16, 16, 1}, {"popcnt", -1, 0, 8}, {"popcnt", 0x55, 0, 4}, {"clz", 0, 0, 8}, {"clz", 1, 0, 7}, {"clz", -128, 0, 0},
	} {
		if have := signed(I8, ops[c.name].Lane(I8, &Attr{}, []uint64{truncate(I8, uint64(c.x)), truncate(I8, uint64(c.y))})); have != c.want {
			t.Errorf("%s(%d, %d) = %d, want %d", c.name, c.x, c.y, have, c.want)
		}
	}
}

func TestVectorTypeRules(t *testing.T) {
	f32, i32 := Vector(F32, 8), Vector(I32, 8)
	for _, c := range []struct {
		name, how string
		from, to  Type
		want      string
	}{
		{"bitcast", "", f32, Vector(I64, 8), "cannot make i64x8 of the bits of f32x8"},
		{"bitcast", "", f32, Vector(I32, 4), "cannot make i32x4 of f32x8"},
		{"bitcast", "", f32.Mask(), f32.Mask(), "cannot make i1x8 of i1x8"},
		{"cvt", "", f32, i32, `rounding "" is not one of [rne trunc] for f32x8 to i32x8`},
		{"cvt", "trunc", i32, f32, `rounding "trunc" is not one of [rne]`},
		{"cvt", "rne", f32, f32, "cannot convert f32x8 to f32x8"},
		{"cvt", "rne", f32, Vector(I8, 8), "cannot convert f32x8 to i8x8"},
		{"cvt", "rne", Vector(F16, 8), i32, "cannot convert f16x8 to i32x8"},
		{"cvt", "rne", i32, Vector(I64, 8), "cannot convert i32x8 to i64x8"},
		{"round", "up", f32, f32, `rounding "up" is not one of [floor ceil trunc rne]`},
		{"round", "floor", i32, i32, "is not defined on i32x8"},
		{"sat", "", i32, Vector(I8, 8), `saturation "" is not one of [s u]`},
		{"sat", "s", Vector(I8, 8), i32, "cannot make i32x8 of i8x8"},
		{"sext", "", i32, Vector(I8, 8), "cannot make i8x8 of i32x8"},
		{"imin", "", f32, f32, "takes 2 operands and gives one result"},
	} {
		_, err := Build("f", []Arg{{"p", Ptr, 0}}, func(b *Builder) {
			var x *Value
			if c.from.Elem == I1 {
				x = b.Const(c.from, 1)
			} else {
				x = b.Load(c.from, At(b.Param("p", Ptr), 0))
			}
			b.one(c.name, Attr{Name: c.how}, c.to, x)
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q of %v to %v: %v, want ...%s", c.name, c.how, c.from, c.to, err, c.want)
		}
	}
}

// The builder's methods, printed, read back, folded and interpreted.
func TestVectorBuilder(t *testing.T) {
	f, err := Build("f", []Arg{{"p", Ptr, 0}, {"q", Ptr, 8}}, func(b *Builder) {
		p, q := b.Param("p", Ptr), b.Param("q", Ptr)
		x := b.Load(Vector(F32, 4), At(p, 0))
		n := b.Cvt(I32, "rne", b.Round("floor", x))
		bytes := b.Sat(I8, "u", b.IMax(n, b.Const(n.Type, -1)))
		b.Store(bytes, At(q, 0))
		b.Store(b.Cvt(BF16, "rne", b.NegF(x)), At(q, 4))
		b.Store(b.CopySign(b.AbsF(x), b.Const(x.Type, -1)), At(q, 12))
		low := b.Cmp("lt", x, b.Const(x.Type, 2))
		b.Store(b.Select(b.Not(low), b.Bitcast(F32, b.Sar(b.Shl(n, b.Const(n.Type, 4)), b.Const(n.Type, 4))), b.Min(b.Max(b.Div(x, x), x), b.Sqrt(b.AbsF(x)))), At(q, 28))
		b.Store(b.Trunc(I8, b.Sext(I32, b.Zext(I16, b.IMin(bytes, b.Const(bytes.Type, 7))))), At(q, 44))
	})
	if err != nil {
		t.Fatal(err)
	}
	text := f.String()
	again, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if again.String() != text {
		t.Errorf("read back:\n%s\nwant:\n%s", again, text)
	}
	for _, pass := range []func(*Func) error{func(*Func) error { return nil }, Fold, DeadCode} {
		if err := pass(f); err != nil {
			t.Fatal(err)
		}
		m, q := &Machine{}, NewMemory("q", Generic, 48)
		m.Bind("p", PtrTo(MemoryOf("p", Generic, []float32{-1.5, 0.25, 3, 300}), 0))
		m.Bind("q", PtrTo(q, 0))
		if err := m.Run(f); err != nil {
			t.Fatal(err)
		}
		have := make([]uint64, 4)
		check := func(e Elem, off int64, want ...float64) {
			t.Helper()
			if err := q.load(e, off, have); err != nil {
				t.Fatal(err)
			}
			for i, x := range want {
				if have[i] != bitsOf(e, x) {
					t.Errorf("%v %d at %d is %#x, want %g", e, i, off, have[i], x)
				}
			}
		}
		check(I8, 0, 0, 0, 3, 255)
		check(BF16, 4, 1.5, -0.25, -3, -300)
		check(F32, 12, -1.5, -0.25, -3, -300)
		check(F32, 28, 1, 0.5, 0x3p-149, 300*0x1p-149)
		have[0] = 0
		check(I8, 44, 0, 0, 3, -1)
	}
}

// Constants are computed, shifts beyond the width are not.
func TestVectorFold(t *testing.T) {
	f, err := Build("f", []Arg{{"p", Ptr, 0}}, func(b *Builder) {
		p := b.Param("p", Ptr)
		c := b.Const(Vector(F32, 4), -2.5)
		b.Store(b.Cvt(I32, "rne", c), At(p, 0))
		b.Store(b.AbsF(c), At(p, 16))
		b.Store(b.Sar(b.Load(Vector(I32, 4), At(p, 0)), b.Const(Vector(I32, 4), 0)), At(p, 32))
		n := b.Const(Vector(I32, 4), -1)
		b.Store(b.Sar(n, b.Const(n.Type, 31)), At(p, 48))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(f, []Pass{{"fold", Fold}, {"dce", DeadCode}}, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"const {imm=-2} : i32x4", "const {f=2.5} : f32x4", "const {imm=-1} : i32x4"} {
		if !strings.Contains(f.String(), want) {
			t.Errorf("no %s in\n%s", want, f)
		}
	}
	for _, op := range []string{"sar", "cvt", "bitcast", "and"} {
		if strings.Contains(f.String(), " "+op+" ") {
			t.Errorf("%s is left in\n%s", op, f)
		}
	}
}
