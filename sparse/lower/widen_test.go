package lower

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Values are widened to the same numbers, and nothing beyond them is read or written.
func TestWidening(t *testing.T) {
	for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
		for _, from := range []emit.Elem{emit.BF16, emit.F16} {
			fs, k, err := Widening{From: from}.Lower(target)
			if err != nil {
				t.Fatal(err)
			}
			for i, to := range []emit.Elem{emit.F32, emit.F64} {
				if name := k.Op(strings.ToLower(to.String())).F; fs[i].Name != name {
					t.Fatalf("kernel %s stands where %s should", fs[i].Name, name)
				}
				lanes := target.Lanes(to)
				for n := range (widenUnroll+2)*lanes + 2 {
					numbers := make([]float64, n)
					for j := range numbers {
						numbers[j] = float64(j%29-14) / 8
					}
					out := &emit.Memory{Name: "C", Data: make([]byte, n*to.Bytes())}
					m := binder(kernel.Fields[kernel.SparseArgs](), map[string]emit.Word{
						"values": emit.PtrTo(memory("Values", from, numbers), 0), "c": emit.PtrTo(out, 0), "n": emit.IntWord(int64(n)),
					})
					if err := m.Run(fs[i]); err != nil {
						t.Fatalf("%s, %d values: %v", fs[i].Name, n, err)
					}
					if want := memory("C", to, numbers); !bytes.Equal(out.Data, want.Data) {
						t.Fatalf("%s: %d values are %v, want %v", fs[i].Name, n, out.Data, want.Data)
					}
				}
			}
		}
	}
}
