package format

import (
	"errors"
	"runtime"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// TestProportion: a name in a file cannot make gigabytes of padding out of a few
// entries, and what rows and entries allow is taken.
func TestProportion(t *testing.T) {
	few := sparsetest.Must(sparse.FromCOO(7, 7, []int{0, 6}, []int{1, 6}, []float32{1, 2}))
	for _, name := range []string{"sell2147483647_2147483647", "sell134217728_1", "ell134217728", "dell134217728", "bsr32768", "dbsr32768", "srbcrs32768_32768", "srbcrs1_2000000000"} {
		f := sparsetest.Must(Parse(name))
		var err error
		if n := sparsetest.Allocated(func() { _, err = Pack(few, f) }); n > 1<<20 || !errors.Is(err, sparse.ErrSize) {
			t.Errorf("%s: %d bytes, %v; want ErrSize", name, n, err)
		}
	}
	j := make([]int, 1024)
	for k := range j {
		j[k] = k
	}
	m := sparsetest.Must(sparse.FromCOO(4096, 1024, make([]int, 1024), j, make([]float32, 1024)))
	if _, err := Pack(m, ELL(1280)); err != nil { // 1024 for each of 4096 rows and 1024 entries
		t.Error(err)
	}
	if _, err := Pack(m, ELL(1281)); !errors.Is(err, sparse.ErrSize) {
		t.Errorf("%v, want ErrSize", err)
	}
	// Blocks of 32 x 32 are taken however the entries lie.
	d := sparsetest.Must(sparse.FromCOO(1<<17, 1<<17, []int{0, 1 << 10, 1 << 16}, []int{0, 77, 5}, []float32{1, 2, 3}))
	if _, err := Pack(d, BSR(32)); err != nil {
		t.Error(err)
	}
}

// TestMemory: what a few entries of a very wide matrix take does not depend on its
// width.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := sparsetest.Must(sparse.FromCOO(3, 1<<27, []int{2, 0, 2}, []int{1<<27 - 1, 7, 1 << 20}, []float64{1, 2, 3}))
	for _, f := range []Format{CSR, COO, DCSR, ELL(2), SELL(2, 2), BSR(4), DBSR(4), SRBCRS(2, 2)} {
		if _, err := Pack(m, f); err != nil {
			t.Error(err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes for 3 entries", n)
	}
}
