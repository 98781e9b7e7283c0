package inst_test

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// Products with a vector in memory, alone and added to another: the sum is rounded once, and memory is read
// where imm says and nowhere else.
func TestFromLoad(t *testing.T) {
	for _, vec := range []emit.Type{emit.Vector(emit.F32, 8), emit.Vector(emit.F32, 16), emit.Vector(emit.F64, 4), emit.Vector(emit.F64, 8)} {
		n, size := vec.Lanes, vec.Elem.Bytes()
		// (1 + e)^2 - (1 + 2e) is e*e, which a product that is rounded has lost.
		e := math.Ldexp(1, map[int]int{4: -20, 8: -40}[size])
		data := emit.NewMemory("x", emit.Generic, 2*n*size)
		for l := range 2 * n {
			bits := vec.Elem.Encode(1 + e*float64(1+l-n))
			b := make([]byte, size)
			for j := range b {
				b[j] = byte(bits >> (8 * j))
			}
			if err := data.Write(int64(l*size), b); err != nil {
				t.Fatal(err)
			}
		}
		out := emit.NewMemory("out", emit.Generic, 2*n*size)
		m := &emit.Machine{}
		m.Bind("x", emit.PtrTo(data, 0))
		m.Bind("out", emit.PtrTo(out, 0))
		args := []emit.Arg{{Name: "x", Type: emit.Ptr}, {Name: "out", Type: emit.Ptr, Offset: 8}}
		run(t, m, args, func(b *emit.Builder) {
			x, to := b.Param("x", emit.Ptr), b.Param("out", emit.Ptr)
			v := b.Load(vec, emit.At(x, int64(vec.Bytes())))
			b.Store(b.Inst(inst.MulLoad(vec), int64(vec.Bytes()), v, x)[0], emit.At(to, 0))
			acc := b.Sub(b.Sub(b.Const(vec, 1), v), v) // -(1 + 2ke)
			b.Store(b.Inst(inst.FMALoad(vec), int64(vec.Bytes()), acc, v, x)[0], emit.At(to, int64(vec.Bytes())))
		})
		for l := range n {
			k := float64(1 + l)
			for half, want := range []float64{vec.Elem.Decode(vec.Elem.Encode((1 + k*e) * (1 + k*e))), k * e * k * e} {
				b, err := out.Read(int64((half*n+l)*size), size)
				if err != nil {
					t.Fatal(err)
				}
				var bits uint64
				for j, x := range b {
					bits |= uint64(x) << (8 * j)
				}
				if got := vec.Elem.Decode(bits); got != want {
					t.Errorf("%v: lane %d of %s is %v, want %v", vec, l, [...]string{"the product", "the sum"}[half], got, want)
				}
			}
		}
	}
}
