package simd

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// dot is a dot product of depth elements: bf16 with sums of f32, as VDPBF16PS has two,
// or int8 with sums of i32, as VPDPBUSD has four.
type dot struct {
	elem, acc emit.Elem
	depth     gemm.Depth
}

func (o dot) String() string               { return "dot." + o.elem.String() }
func (o dot) Types() (a, b, acc emit.Elem) { return o.elem, o.elem, o.acc }
func (o dot) Depth() gemm.Depth            { return o.depth }

func (o dot) Identity(b *emit.Builder, t emit.Type) *emit.Value { return b.Const(t, 0) }

// Step multiplies the k-th elements of every column and adds them up, k after k.
func (o dot) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	lanes := acc.Type.Lanes
	for k := range o.depth.K {
		perm := make([]int, lanes)
		for c := range perm {
			perm[c] = o.depth.At(c, k, lanes)
		}
		u, v := b.Shuffle(perm, x), b.Shuffle(perm, y)
		if o.acc == emit.I32 {
			acc = b.Add(acc, b.Mul(b.Sext(emit.I32, u), b.Sext(emit.I32, v)))
		} else {
			acc = b.FMA(acc, b.Cvt(o.acc, "rne", u), b.Cvt(o.acc, "rne", v))
		}
	}
	return acc
}

// TestDepth interprets micro-kernels of operators that take 2 and 4 k a step, whose
// operands are interleaved or not, and sum in another type than they multiply.
func TestDepth(t *testing.T) {
	for _, op := range []dot{
		{emit.BF16, emit.F32, gemm.Depth{K: 2, Interleave: 2}}, {emit.BF16, emit.F32, gemm.Depth{K: 2, Interleave: 1}}, {emit.F16, emit.F64, gemm.Depth{K: 4, Interleave: 2}},
		{emit.I8, emit.I32, gemm.Depth{K: 4, Interleave: 4}}, {emit.I8, emit.I32, gemm.Depth{K: 2, Interleave: 2}},
	} {
		for _, tail := range []bool{false, true} {
			for _, mode := range []int64{kernel.ModeStore, kernel.ModeUpdate} {
				op.micro(t, tail, mode)
			}
		}
	}
}

// micro runs one micro-kernel of 2 rows and 2 vectors and compares every element.
func (o dot) micro(t *testing.T, tail bool, mode int64) {
	t.Helper()
	const mr, nv, steps, tiles = 2, 2, 3, 2
	target := amd64.AVX2
	l := &lowering{name: "dot", target: target, op: o, a: o.elem, b: o.elem, elem: o.acc, tile: tiling.Micro{MR: mr, NV: nv}, vl: target.Lanes(o.acc), parts: 1}
	f, err := emit.Build("dot", vector.BlockArgs[kernel.Args](l.elem), func(b *emit.Builder) { l.micro(b, mr, nv, tail) })
	if err != nil {
		t.Fatal(err)
	}
	k, vl := steps*o.depth.K, l.vl
	cols, n := nv*vl, vl
	if tail {
		cols, n = cols-1, vl-1
	}
	a := func(i, k int) float64 { return float64((5*i+3*k)%7 - 3) }
	y := func(k, j int) float64 { return float64((2*k+j)%5 - 2) }
	encode := func(name string, e emit.Elem, count int, at func(i int) float64) *emit.Memory {
		m := &emit.Memory{Name: name, Data: make([]byte, count*e.Bytes()), ReadOnly: true}
		for i := range count {
			bits := bitsOf(e, at(i))
			for b := range e.Bytes() {
				m.Data[i*e.Bytes()+b] = byte(bits >> (8 * b))
			}
		}
		return m
	}
	size, group := o.elem.Bytes(), nv*vl*o.depth.K
	panel := make([]float64, steps*group)
	for s := range steps {
		for c := range nv * vl {
			for q := range o.depth.K {
				panel[s*group+c/vl*vl*o.depth.K+o.depth.At(c%vl, q, vl)] = y(s*o.depth.K+q, c)
			}
		}
	}
	rows := mr * tiles
	ldc := nv * vl * o.acc.Bytes()
	c := encode("C", o.acc, rows*nv*vl, func(i int) float64 { return 1 })
	c.ReadOnly = false
	m := &emit.Machine{}
	for name, w := range map[string]emit.Word{
		"a": emit.PtrTo(encode("A", o.elem, rows*k, func(i int) float64 { return a(i/k, i%k) }), 0),
		"b": emit.PtrTo(encode("B", o.elem, len(panel), func(i int) float64 { return panel[i] }), 0), "c": emit.PtrTo(c, 0),
		"rsa": emit.IntWord(int64(k * size)), "csa": emit.IntWord(int64(o.depth.K * size)), "ldb": emit.IntWord(int64(group * size)), "ldc": emit.IntWord(int64(ldc)),
		"k": emit.IntWord(steps), "tiles": emit.IntWord(tiles), "n": emit.IntWord(int64(n)), "mode": emit.IntWord(mode),
		"next": emit.IntWord(1 << 40), "nextstep": emit.IntWord(192), // no memory is there, and nothing reads it
		"alpha": {Lane: []uint64{bitsOf(o.acc, 1)}}, "beta": {Lane: []uint64{bitsOf(o.acc, 1)}},
	} {
		m.Bind(name, w)
	}
	if err := m.Run(f); err != nil {
		t.Fatalf("%v: %v", o, err)
	}
	for i := range rows {
		for j := range nv * vl {
			want := 1.0
			if j < cols {
				if mode == kernel.ModeStore {
					want = 0
				}
				for q := range k {
					want += a(i, q) * y(q, j)
				}
			}
			var bits uint64
			for b := range o.acc.Bytes() {
				bits |= uint64(c.Data[i*ldc+j*o.acc.Bytes()+b]) << (8 * b)
			}
			if have := numberOf(o.acc, bits); have != want {
				t.Fatalf("%v depth %v tail=%v mode=%d: (%d, %d) is %v, want %v", o, o.depth, tail, mode, i, j, have, want)
			}
		}
	}
}

// bitsOf and numberOf are Encode and Decode of an emit.Elem, of integers too.
func bitsOf(e emit.Elem, x float64) uint64 {
	if e == emit.I8 || e == emit.I32 {
		return uint64(int64(x))
	}
	return e.Encode(x)
}

func numberOf(e emit.Elem, bits uint64) float64 {
	if e == emit.I32 {
		return float64(int32(bits))
	}
	return e.Decode(bits)
}

// TestDepthRefused: a spec with a depth that no kernel has says so.
func TestDepthRefused(t *testing.T) {
	for _, c := range []struct {
		depth gemm.Depth
		want  string
	}{
		{gemm.Depth{K: 3, Interleave: 3}, "interleaves 3 elements; 1, 2 and 4 are known"},
		{gemm.Depth{K: 3, Interleave: 2}, "not a multiple of the 2 that lie side by side"},
		{gemm.Depth{K: 8, Interleave: 2}, "more than a register on avx2 holds"},
	} {
		s := gemm.Spec[float32, float32, float32, float32]{Name: "Dot", Operator: dot{emit.F32, emit.F32, c.depth}}
		if _, err := Lower(s.Describe(), amd64.AVX2, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.depth, err, c.want)
		}
	}
	s := gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Dot", Operator: dot{emit.BF16, emit.F32, gemm.Depth{K: 2, Interleave: 2}}}
	m, err := Lower(s.Describe(), amd64.AVX512, Options{})
	if err != nil || len(m.Entries) == 0 || m.Joins() || len(m.Pack.Entries) > 0 || m.Stock {
		t.Errorf("%v: its kernels are %+v", err, m)
	}
	s.Shape.M = 4
	if _, err := Lower(s.Describe(), amd64.AVX512, Options{}); err == nil || !strings.Contains(err.Error(), "takes 2 k a step, and kernels of a fixed shape one") {
		t.Errorf("a fixed shape: %v", err)
	}
}
