package sparse

import (
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestFootprintBeyondInt: slots are counted in 64 bits, so that a format with 2^32 of
// them is not one without any where int has 32.
func TestFootprintBeyondInt(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("counts memory of large matrices")
	}
	const rows, long = 1 << 16, 1 << 16
	p, x := make([]int32, rows+1), make([]int32, long)
	for i := range rows {
		p[i+1] = long
	}
	for j := range x {
		x[j] = int32(j)
	}
	m := must(FromCSR(rows, rows, p, x, make([]float32, long)))
	if z := ELL(long).measure(m.structure(), 0); z.slots != rows*long || z.bytes != 4*rows*long {
		t.Errorf("%d slots in %d bytes, want %d", z.slots, z.bytes, int64(rows)*long)
	}
	a, err := Advise(m, 64, MachineFor("avx512"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Candidates {
		if c.Bytes < 4*long {
			t.Errorf("%s takes %d bytes", c.Name, c.Bytes)
		}
	}
}
