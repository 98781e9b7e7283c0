package roof

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestProducts: each pair has a ceiling on each instruction set, by an instruction that set
// has, and dot products are not below what extends nothing.
func TestProducts(t *testing.T) {
	const d = time.Millisecond
	for _, isa := range []string{"amxbf16", "amxint8"} {
		if !slices.Contains(run.ISAs(), isa) {
			t.Logf("NOT MEASURED: this machine, its system or this build has no %s", isa)
		}
	}
	for _, isa := range run.ISAs() {
		for _, x := range []struct {
			a, b dtype.Type
			by   map[string]string // by instruction set
		}{
			{dtype.TypeBF16, dtype.TypeBF16, map[string]string{"avx512bf16": "VDPBF16PS FMA", "amxbf16": "TDPBF16PS", "": "FMA"}},
			{dtype.TypeF16, dtype.TypeF16, map[string]string{"": "FMA"}},
			{dtype.U8, dtype.I8, map[string]string{"amxint8": "TDPBUSD", "avx512vnni": "VPDPBUSD", "avxvnni": "VPDPBUSD", "go": "FMA", "": "VPMADDWD"}},
			{dtype.I8, dtype.I8, map[string]string{"amxint8": "TDPBUSD", "avx512vnni": "VPDPBUSD", "avxvnni": "VPDPBUSD", "go": "FMA", "": "VPMADDWD"}},
			{dtype.I8, dtype.I16, map[string]string{"amxint8": "VPDPWSSD", "avx512vnni": "VPDPWSSD", "avxvnni": "VPDPWSSD", "go": "FMA", "": "VPMADDWD"}},
			{dtype.F64, dtype.F64, map[string]string{"": "FMA"}},
		} {
			want, ok := x.by[isa]
			if !ok {
				want = x.by[""]
			}
			c := Products(isa, x.a, x.b, d)
			t.Logf("%s %v.%v: %.1f G/s by %s", isa, x.a, x.b, c.Rate/1e9, c.By)
			if len(kernels) == 0 && isa != run.Portable {
				continue
			}
			if c.Rate < 1e7 || c.Rate > 1e14 {
				t.Errorf("%s %v.%v: %v operations a second", isa, x.a, x.b, c.Rate)
			}
			if !slices.Contains(strings.Fields(want), c.By) {
				t.Errorf("%s %v.%v: by %s, want %s", isa, x.a, x.b, c.By, want)
			}
		}
	}
}
