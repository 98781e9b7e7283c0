package asmtest

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// one makes a program whose results are what body puts, each at once.
func one(t *testing.T, target emit.Target, name string, body func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value))) Program {
	t.Helper()
	pr := Program{Target: target}
	var err error
	pr.F, err = emit.Build(name+"_"+target.Name, Frame, func(b *emit.Builder) {
		p, q := b.Param("p", emit.Ptr), b.Param("q", emit.Ptr)
		body(b, p, func(vs ...*emit.Value) {
			for _, v := range vs {
				b.Store(v, emit.At(q, int64(len(pr.Slots)*SlotBytes)))
				pr.Slots = append(pr.Slots, v.Type)
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return pr
}

// section returns the offset of the i-th input of type t.
func section(t emit.Type, i int) int64 {
	switch t.Elem {
	case emit.F32:
		return InF32 + int64(i*t.Bytes()%256)
	case emit.F64:
		return InF64 + int64(i*t.Bytes()%512)
	}
	return InI64 + int64(8*i)
}

// Operations has functions for each operation of [Suite.Random] on each type.
func (s *Suite) Operations(t *testing.T, target emit.Target) []Program {
	var out []Program
	add := func(name string, body func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value))) {
		out = append(out, one(t, target, name, body))
	}
	for _, ty := range s.floatTypes(target) {
		args := func(b *emit.Builder, p *emit.Value, n int) (vs []*emit.Value) {
			for i := range n {
				vs = append(vs, b.Load(ty, emit.At(p, section(ty, i))))
			}
			return vs
		}
		for _, name := range []string{"add", "sub", "mul", "div", "max", "min", "sqrt", "fma"} {
			n := 2
			switch name {
			case "sqrt":
				n = 1
			case "fma":
				n = 3
			}
			add(name+"_"+ty.String(), func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
				put(b.Op(name, emit.Attr{}, []emit.Type{ty}, args(b, p, n)...)...)
			})
		}
		// The three places that the result of an fma can take, and none.
		add("fmaforms_"+ty.String(), func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
			x := args(b, p, 4)
			v := b.FMA(x[0], x[1], x[2]) // x[0] ends
			w := b.FMA(x[1], x[2], v)    // x[2] ends
			u := b.FMA(x[1], w, x[3])    // w ends
			put(b.FMA(v, x[1], x[3]), v, u, x[1], x[3])
		})
		add("moves_"+ty.String(), func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
			x := args(b, p, 2)
			field := "x"
			if ty.Elem == emit.F64 {
				field = "y"
			}
			put(b.Const(ty, 0), b.Const(ty, -2.5), b.Const(ty, math.Inf(-1)), b.Const(ty, math.Copysign(0, -1)),
				b.Op("copy", emit.Attr{}, []emit.Type{ty}, x[0])[0], x[0], b.Param(field, ty))
			if lane := emit.Scalar(ty.Elem); ty.Lanes > 1 {
				put(b.LoadSplat(ty, emit.At(p, section(lane, 3))), b.Splat(ty, b.Load(lane, emit.At(p, section(lane, 4)))))
			}
		})
		if ty.Lanes == 1 {
			continue
		}
		add("maskbits_"+ty.String(), func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
			x := args(b, p, 3)
			less := b.Cmp("lt", x[0], x[1])
			put(b.MaskBits(less), b.Select(b.MaskOf(ty, b.Param("n", emit.Int64)), x[0], x[2]), b.MaskBits(b.MaskOf(ty, b.Param("k", emit.Int64))))
		})
		for _, moves := range s.Shuffles(ty) {
			add(moves.Name+"_"+ty.String(), func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
				x := args(b, p, 2)
				for _, perm := range moves.Perms {
					put(b.Shuffle(perm, x...))
				}
			})
		}
		if ty.Bits() == target.Bits {
			out = append(out, lengths(t, target, ty))
		}
	}
	ints := func(b *emit.Builder, p *emit.Value) (x, y *emit.Value) {
		return b.Load(emit.Int64, emit.At(p, section(emit.Int64, 0))), b.Load(emit.Int64, emit.At(p, section(emit.Int64, 1)))
	}
	for _, name := range []string{"add", "sub", "mul", "and", "or", "xor", "shl", "shr"} {
		add(name+"_i64", func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
			op := func(x, y *emit.Value) { put(b.Op(name, emit.Attr{}, []emit.Type{emit.Int64}, x, y)...) }
			x, y := ints(b, p)
			if strings.HasPrefix(name, "sh") {
				y = b.And(y, b.Int(63))
			}
			op(x, y)
			for _, c := range []int64{0, 1, 7, 63, -1, math.MaxInt32, math.MinInt32, 1 << 40} {
				if c == c&63 || !strings.HasPrefix(name, "sh") {
					op(x, b.Int(c))
				}
			}
			op(b.Int(5), y)
			put(x, y)
		})
	}
	for _, pred := range Predicates {
		add("select_"+pred, func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
			x, y := ints(b, p)
			far := b.Select(b.Cmp(pred, x, y), p, b.AddP(p, b.Int(8)))
			put(b.Load(emit.Int64, emit.At(far, section(emit.Int64, 3))))
			for _, c := range []*emit.Value{
				b.Cmp(pred, x, y), b.Cmp(pred, y, x), b.Cmp(pred, x, x), b.Cmp(pred, x, b.Int(0)),
				b.Cmp(pred, b.Int(3), y), b.Cmp(pred, b.Param("n", emit.Int64), b.Param("k", emit.Int64)),
			} {
				put(b.Select(c, x, y), b.Select(c, b.Int(0), y), b.Select(c, y, b.Int(-9)))
				put(b.If(c, func() []*emit.Value { return []*emit.Value{y} }, func() []*emit.Value { return []*emit.Value{b.Int(11)} })...)
			}
		})
	}
	return out
}

// lengths works on n elements, a vector at a time, the last one masked.
func lengths(t *testing.T, target emit.Target, ty emit.Type) Program {
	pr := Program{Target: target, Slots: slices.Repeat([]emit.Type{ty}, 4), Calls: 18}
	var err error
	pr.F, err = emit.Build("lengths_"+ty.String()+"_"+target.Name, Frame, func(b *emit.Builder) {
		p, q, n := b.Param("p", emit.Ptr), b.Param("q", emit.Ptr), b.Param("n", emit.Int64)
		lanes := b.Int(int64(ty.Lanes))
		from := section(ty, 0)
		b.For(b.Int(0), n, int64(ty.Lanes), nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
			rest := b.Sub(n, i)
			m := b.MaskN(ty, b.Select(b.Cmp("lt", rest, lanes), rest, lanes))
			size := int64(ty.Elem.Bytes())
			v := b.LoadMasked(ty, m, emit.Addr{Ptr: p, Index: i, Scale: size, Off: from})
			b.StoreMasked(b.Add(v, v), m, emit.Addr{Ptr: q, Index: i, Scale: size})
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return pr
}
