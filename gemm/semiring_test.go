package gemm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling"
)

// TestInstructions: what an instruction computes in the interpreter is what the Go
// function does, to the bit, over special numbers and random ones.
func TestInstructions(t *testing.T) {
	instructions[float32](t)
	instructions[float64](t)
}

func instructions[T dtype.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, 1e-45}
	number := func() T {
		if rng.IntN(3) == 0 {
			return T(special[rng.IntN(len(special))])
		}
		return T(math.Ldexp(rng.Float64()-.5, rng.IntN(80)-40))
	}
	const n = 100_000
	x, y := make([]T, n), make([]T, n)
	for i := range x {
		x[i], y[i] = number(), number()
	}
	for _, by := range []semiring.Instruction{semiring.AddBy, semiring.MulBy, semiring.MaxBy, semiring.MinBy} {
		have := interpreted(t, x, y, func(b *emit.Builder, x, y *emit.Value) *emit.Value { return compute(b, by, nil, x, y) })
		same(t, by, x, y, have)
		if f32, ok := any(x).([]float32); ok { // a GPU's threads have one lane
			op := gpuSemiring{}
			have := interpreted(t, f32, any(y).([]float32), func(b *emit.Builder, x, y *emit.Value) *emit.Value {
				xs, ys := lanesOf(b, x), lanesOf(b, y)
				for i := range xs {
					xs[i] = op.compute(b, by, nil, xs[i], ys[i])
				}
				return vectorOf(b, xs)
			})
			same(t, by, f32, any(y).([]float32), have)
		}
	}
}

func same[T dtype.Float](t *testing.T, by semiring.Instruction, x, y, have []T) {
	t.Helper()
	f := semiring.Instruct[T](by)
	for i := range have {
		want := f(x[i], y[i])
		if math.Float64bits(float64(have[i])) != math.Float64bits(float64(want)) && (want == want || have[i] == have[i]) {
			t.Fatalf("%s(%v, %v) is %v, Go has %v", by, x[i], y[i], have[i], want)
		}
	}
}

// interpreted returns op of all x and y.
func interpreted[T dtype.Float](t *testing.T, x, y []T, op func(b *emit.Builder, x, y *emit.Value) *emit.Value) []T {
	e := elemOf(dtype.Of[T]())
	v := emit.Vector(e, 16)
	f, err := emit.Build("op", []emit.Arg{{Name: "x", Type: emit.Ptr}, {Name: "y", Type: emit.Ptr, Offset: 8}, {Name: "out", Type: emit.Ptr, Offset: 16}}, func(b *emit.Builder) {
		b.For(b.Int(0), b.Int(int64(len(x)*e.Bytes())), int64(v.Bytes()), nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
			at := func(p string) emit.Addr { return emit.Addr{Ptr: b.Param(p, emit.Ptr), Index: i, Scale: 1} }
			b.Store(op(b, b.Load(v, at("x")), b.Load(v, at("y"))), at("out"))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]T, len(x))
	mem := emit.MemoryOf("out", emit.Generic, out)
	m := &emit.Machine{}
	m.Bind("x", emit.PtrTo(emit.MemoryOf("x", emit.Generic, x), 0))
	m.Bind("y", emit.PtrTo(emit.MemoryOf("y", emit.Generic, y), 0))
	m.Bind("out", emit.PtrTo(mem, 0))
	if err := m.Run(f); err != nil {
		t.Fatal(err)
	}
	mem.Decode(out)
	return out
}

// TestOver: the ordinary arithmetic is the fused one, and NaN spreads in all others.
func TestOver(t *testing.T) {
	if op := Over(semiring.PlusTimes[float64]()); op != (FMA{emit.F64}) {
		t.Errorf("+ and * are the operator %v", op)
	}
	nan := []float32{float32(math.NaN()), 1}
	one := []float32{1, float32(math.NaN())}
	for i := range 14 {
		nan, one = append(nan, nan[i]), append(one, one[i])
	}
	for _, s := range []semiring.Semiring[float32]{semiring.MaxPlus[float32](), semiring.MinPlus[float32](), semiring.MaxTimes[float32](), semiring.MaxMin[float32](), semiring.PlusMin[float32]()} {
		for i, x := range interpreted(t, nan, one, Over(s).Join) {
			if x == x {
				t.Errorf("%s: Plus of %v and %v is %v", s.Name, nan[i], one[i], x)
			}
		}
	}
}

// TestSemiringCPU: the micro-kernels of every stock semiring, full and cut, store and
// join what C holds; and there are none of those that begin lanes with zeros.
func TestSemiringCPU(t *testing.T) {
	for _, s := range []semiring.Semiring[float32]{semiring.MaxPlus[float32](), semiring.MinPlus[float32](), semiring.MaxTimes[float32](),
		semiring.MinTimes[float32](), semiring.MaxMin[float32](), semiring.PlusMin[float32](), semiring.OrAnd[float32]()} {
		m := lower(t, Spec[float32, float32, float32, float32]{Name: "Other", Operator: Over(s), Tile: tiling.Micro{MR: 2, NV: 2}}, amd64.AVX512)
		if len(m.Wide)+len(m.Dot) > 0 || m.Stock {
			t.Errorf("%s has kernels that sums of products have", s.Name)
		}
		for _, k := range m.kernels() {
			if k.f.Name != m.Full[1][1] && k.f.Name != m.Tail[0][1] {
				continue
			}
			k.check = func(c call, f *emit.Func) error {
				c.join = func(old, acc float64) float64 { return float64(s.Plus(float32(old), float32(acc))) }
				return c.against(f, func(i, j int) float64 {
					acc := s.Zero
					for k := range c.k {
						acc = s.Plus(acc, s.Times(float32(number(1, i, k)), float32(number(2, k, j))))
					}
					return float64(acc)
				})
			}
			if err := k.run(k.f); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
	broken := semiring.MaxPlus[float32]()
	broken.Zero = 0
	if _, err := (Spec[float32, float32, float32, float32]{Name: "Other", Operator: Over(broken)}).Lower(amd64.AVX2); err == nil {
		t.Error("a semiring with another Zero is accepted")
	}
}
