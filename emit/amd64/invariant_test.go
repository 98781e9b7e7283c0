package amd64

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// TestInvariants: what does not change in a loop is computed before it, of functions that may
// spill, and in the loop where there are no registers for it.
func TestInvariants(t *testing.T) {
	for _, c := range []struct {
		spills bool
		n      int // values that do not change
		before bool
	}{{true, 3, true}, {false, 3, false}, {true, 20, false}} {
		ty := emit.Vector(emit.F32, AVX2.Bits/32)
		args := []emit.Arg{{Name: "p", Type: emit.Ptr}, {Name: "n", Type: emit.Int64, Offset: 8}}
		f, err := emit.Build("f", args, func(b *emit.Builder) {
			p := b.Param("p", emit.Ptr)
			s := b.LoadSplat(ty, emit.At(p, 0))
			b.For(b.Int(0), b.Param("n", emit.Int64), 8, nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
				at := emit.Addr{Ptr: p, Index: i, Scale: 4}
				x, fixed := b.Load(ty, at), []*emit.Value{s}
				for range c.n {
					fixed = append(fixed, b.Sqrt(fixed[len(fixed)-1]))
				}
				for _, y := range fixed {
					x = b.Div(x, y)
				}
				b.Store(x, at)
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		f.Spills = c.spills
		text, err := compile(AVX2, f)
		if err != nil {
			t.Fatal(err)
		}
		loop := text[strings.Index(text, "PCALIGN"):]
		if before := !strings.Contains(loop, "VSQRTPS"); before != c.before || strings.Count(text, "VSQRTPS") != c.n {
			t.Errorf("%d roots, spills %v: computed before the loop is %v, want %v\n%s", c.n, c.spills, before, c.before, text)
		}
	}
}
