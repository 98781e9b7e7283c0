package advise

import (
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
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
	m := sparsetest.Must(sparse.FromCSR(rows, rows, p, x, make([]float32, long)))
	if z := measure(format.ELL(long), runs.Of(m.Raw()), 0); z.slots != rows*long || z.bytes != 4*rows*long {
		t.Errorf("%d slots in %d bytes, want %d", z.slots, z.bytes, int64(rows)*long)
	}
	a, err := For(m, 64, MachineFor("avx512"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Candidates {
		if c.Bytes < 4*long {
			t.Errorf("%s takes %d bytes", c.Name, c.Bytes)
		}
	}
}

// TestAdviseProportion: what Pack refuses is no advice.
func TestAdviseProportion(t *testing.T) {
	const rows, long = 1 << 11, 1 << 14
	i, j := make([]int, long), make([]int, long)
	for k := range j {
		j[k] = k
	}
	m := sparsetest.Must(sparse.FromCOO(rows, long, i, j, make([]float32, long)))
	a, err := For(m, 64, MachineFor("avx512"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Candidates {
		if f, err := format.Parse(c.Name); err == nil {
			if _, err := format.Pack(m, f); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}
