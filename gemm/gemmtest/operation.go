package gemmtest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// Operation appends what computes one value of two, vectors of one type.
type Operation = func(b *emit.Builder, x, y *emit.Value) *emit.Value

// Lanes is how many numbers an operation gets at once.
const Lanes = 16

// Interpret returns op of all x and y; there are a multiple of [Lanes] of them.
func Interpret[T dtype.Float](t *testing.T, x, y []T, op Operation) []T {
	t.Helper()
	e, err := emit.ElemOf(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	v := emit.Vector(e, Lanes)
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

// Instruction fails unless op computes, to the bit, what the Go function of an
// instruction does, over special numbers and random ones.
func Instruction[T dtype.Float](t *testing.T, by semiring.Instruction, op Operation) {
	t.Helper()
	rng := rand.New(level.PCG(1, 2))
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, 1e-45}
	number := func() T {
		if rng.IntN(3) == 0 {
			return T(special[rng.IntN(len(special))])
		}
		return T(math.Ldexp(rng.Float64()-.5, rng.IntN(80)-40))
	}
	x, y := make([]T, 6250*Lanes), make([]T, 6250*Lanes)
	for i := range x {
		x[i], y[i] = number(), number()
	}
	f := semiring.Instruct[T](by)
	for i, have := range Interpret(t, x, y, op) {
		want := f(x[i], y[i])
		if math.Float64bits(float64(have)) != math.Float64bits(float64(want)) && (want == want || have == have) {
			t.Fatalf("%s(%v, %v) is %v, Go has %v", by, x[i], y[i], have, want)
		}
	}
}
