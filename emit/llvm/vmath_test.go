package llvm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// TestVmath compares what llc makes of every mathematical function with the interpreter,
// bit for bit, on special and random arguments.
func TestVmath(t *testing.T) {
	for _, target := range targets {
		t.Run("target="+target.Name, func(t *testing.T) {
			var fs []*emit.Func
			var of []*vmath.Func
			var elems []emit.Elem
			for _, name := range vmath.Names() {
				for _, e := range []emit.Elem{emit.F32, emit.F64} {
					f := vmath.Lookup(name)
					fs, of, elems = append(fs, oneVector(t, target, f, e)), append(of, f), append(elems, e)
				}
			}
			o := llctest.Compile(t, target, fs)
			r := rand.New(level.PCG(3, 4))
			for i, f := range fs {
				call := o.Call(f.Name)
				n := target.Bits / elems[i].Bits()
				for range 60 {
					var have, want [64]byte
					in := make([][]byte, 3)
					for k := range in {
						for range n {
							x := math.Ldexp(r.NormFloat64(), r.IntN(60)-30)
							if r.IntN(4) == 0 {
								x = pick(r, specials)
							}
							bits := elems[i].Encode(x)
							for b := range elems[i].Bytes() {
								in[k] = append(in[k], byte(bits>>(8*b)))
							}
						}
					}
					m := &emit.Machine{}
					for k := range in {
						m.Bind(fmt.Sprintf("x%d", k), emit.PtrTo(&emit.Memory{Name: "x", Data: in[k], ReadOnly: true}, 0))
					}
					m.Bind("y", emit.PtrTo(&emit.Memory{Name: "y", Data: want[:]}, 0))
					if err := m.Run(f); err != nil {
						t.Fatal(err)
					}
					call(unsafe.Pointer(&struct{ x0, x1, x2, y unsafe.Pointer }{unsafe.Pointer(&in[0][0]), unsafe.Pointer(&in[1][0]), unsafe.Pointer(&in[2][0]), unsafe.Pointer(&have)}))
					if d := differ([]emit.Type{emit.Scalar(elems[i])}, padded(have[:]), padded(want[:])); d != "" {
						t.Errorf("%s of %v: %s\nof % x, % x", of[i].Name, elems[i], d, in[0], in[1])
						break
					}
				}
			}
		})
	}
}

// padded has the length of the results that differ compares.
func padded(b []byte) []byte { return append(b, make([]byte, maxSlots*slotBytes-len(b))...) }

// oneVector is f on one vector.
func oneVector(t *testing.T, target emit.Target, f *vmath.Func, e emit.Elem) *emit.Func {
	t.Helper()
	var args []emit.Arg
	for i, name := range []string{"x0", "x1", "x2", "y"} {
		args = append(args, emit.Arg{Name: name, Type: emit.Ptr, Offset: 8 * i})
	}
	fn, err := emit.Build(strings.ReplaceAll(f.Name, ".", "_")+"_"+e.String(), args, func(b *emit.Builder) {
		var x []*emit.Value
		for _, a := range args[:f.Args] {
			x = append(x, b.Load(emit.Vector(e, target.Bits/e.Bits()), emit.At(b.Param(a.Name, emit.Ptr), 0)))
		}
		b.Store(f.Build(b, x...), emit.At(b.Param("y", emit.Ptr), 0))
	})
	if err != nil {
		t.Fatal(err)
	}
	return fn
}
