package sweep

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// TestRepeats: a set that adds nothing for the types of a kernel is the one that it extends, whatever this machine has.
func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		acc, a, b dtype.Type
		want      []string
	}{
		{dtype.F32, dtype.Invalid, dtype.Invalid, []string{"avx512", "avx2"}},
		{dtype.F64, dtype.Invalid, dtype.Invalid, []string{"avx512", "avx2"}},
		{dtype.F32, dtype.TypeBF16, dtype.TypeBF16, []string{"avx512", "avx512bf16", "amxbf16", "avx2"}},
		{dtype.F32, dtype.TypeF16, dtype.TypeF16, []string{"avx512", "avx2"}},
		{dtype.F32, dtype.F32, dtype.TypeBF16, []string{"avx512", "avx2"}},
		{dtype.I32, dtype.U8, dtype.I8, []string{"avx512", "avx512vnni", "amxint8", "avx2", "avxvnni"}},
		{dtype.I32, dtype.I16, dtype.I16, []string{"avx512", "avx512vnni", "avx2", "avxvnni"}},
	} {
		k := Kernel{Acc: c.acc, A: c.a, B: c.b}
		var have []string
		for _, set := range isaset.All {
			if set.GOARCH == "amd64" && !k.repeats(set.Name) {
				have = append(have, set.Name)
			}
		}
		if d := cmp.Diff(c.want, have); d != "" {
			t.Errorf("%v, %v, %v (-want +have):\n%s", c.a, c.b, c.acc, d)
		}
	}
}

// TestAll: --isa all measures what has kernels of its own.
func TestAll(t *testing.T) {
	s, err := (&Config{ISAs: []string{"all"}, Kernels: "^MatMul$", Types: []string{"f32"}}).Session(Stock())
	if err != nil {
		t.Fatal(err)
	}
	k := &s.Kernels[0]
	if have := s.isas(k); !slices.Equal(have, run.PlainISAs()) || !slices.Equal(have, s.variants(k)) {
		t.Errorf("to sweep %v, to verify %v, want %v of each", have, s.variants(k), run.PlainISAs())
	}
}
