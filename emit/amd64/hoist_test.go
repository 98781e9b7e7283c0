package amd64

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// TestConstantsOfEachUse: more constants than AVX2 has registers, each needed at the
// beginning and at the end, are loaded twice; where registers do, once.
func TestConstantsOfEachUse(t *testing.T) {
	for _, c := range []struct {
		target emit.Target
		loads  int
	}{{AVX2, 40}, {AVX512, 20}} {
		ty := emit.Vector(emit.F32, c.target.Bits/32)
		args := []emit.Arg{{Name: "p", Type: emit.Ptr}}
		f, err := emit.Build("f", args, func(b *emit.Builder) {
			p := b.Param("p", emit.Ptr)
			x := b.Load(ty, emit.At(p, 0))
			var cs []*emit.Value
			for i := range 20 {
				cs = append(cs, b.Const(ty, float64(i+3)))
			}
			for range 2 {
				for _, c := range cs {
					x = b.Div(c, x)
				}
			}
			b.Store(x, emit.At(p, 0))
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := VerifyAllocation(c.target, f.Clone()); err != nil {
			t.Errorf("%s: %v", c.target.Name, err)
			continue
		}
		text, err := compile(c.target, f)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, "VBROADCASTSS"); n != c.loads {
			t.Errorf("%s: %d constants are loaded, want %d\n%s", c.target.Name, n, c.loads, text)
		}
	}
}
