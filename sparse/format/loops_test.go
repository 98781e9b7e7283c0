package format_test

import (
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// TestHasLoops asks which kernels can run over a matrix, and which want a mask for it.
func TestHasLoops(t *testing.T) {
	for _, c := range []struct {
		format       format.Format
		full         bool // no element is missing
		loops        string
		have, masked bool
	}{
		{format.COO, false, "i:vs j:s1", true, false},
		{format.COO, false, "i:vs j:s", true, false},
		{format.COO, false, "i:vs j:s1 mask", true, true},
		{format.COO, false, "i:vs j:s mask", true, true},
		{format.COO, false, "i:vs j:vs", false, false},
		{format.ELL(2), false, "i j:s", true, false},
		{format.ELL(2), false, "i j:s1", false, false},
		{format.SELL(2, 2), false, "io p:v ii j:s1 order", true, false},
		{format.SELL(2, 2), false, "io p:v ii j:s1", false, false},
		{format.Dense, false, "i j mask", true, false},
		{format.Dense, false, "i j", false, false},
		{format.Dense, true, "i j mask", true, true},
		{format.Dense, true, "i j", true, false},
	} {
		b := sparse.NewBuilder[float64](2, 2)
		for i := range 2 {
			b.Add(i, i, 1)
			if c.full {
				b.Add(i, 1-i, 1)
			}
		}
		m, err := b.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		p, err := format.Pack(m, c.format)
		if err != nil {
			t.Fatal(err)
		}
		if have, masked := p.HasLoops(c.loops); have != c.have || masked != c.masked {
			t.Errorf("%v with the loops %q: has %q: %v, masked %v; want %v and %v", c.format, p.Loops(), c.loops, have, masked, c.have, c.masked)
		}
	}
	if ok, _ := (format.Packed[float64]{}).HasLoops("i j"); ok {
		t.Error("a kernel can run over the zero matrix, which has no arrays")
	}
}
