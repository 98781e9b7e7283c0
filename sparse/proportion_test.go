package sparse

import (
	"errors"
	"testing"
)

// TestProportion: a name in a file cannot make gigabytes of padding out of a few
// entries, and what rows and entries allow is taken.
func TestProportion(t *testing.T) {
	few := must(FromCOO(7, 7, []int{0, 6}, []int{1, 6}, []float32{1, 2}))
	for _, name := range []string{"sell2147483647_2147483647", "sell134217728_1", "ell134217728", "dell134217728", "bsr32768", "dbsr32768", "srbcrs32768_32768", "srbcrs1_2000000000"} {
		f := must(ParseFormat(name))
		var err error
		if n := allocated(func() { _, err = few.To(f) }); n > 1<<20 || !errors.Is(err, ErrSize) {
			t.Errorf("%s: %d bytes, %v; want ErrSize", name, n, err)
		}
	}
	j := make([]int, 1024)
	for k := range j {
		j[k] = k
	}
	m := must(FromCOO(4096, 1024, make([]int, 1024), j, make([]float32, 1024)))
	if _, err := m.To(ELL(1280)); err != nil { // 1024 for each of 4096 rows and 1024 entries
		t.Error(err)
	}
	if _, err := m.To(ELL(1281)); !errors.Is(err, ErrSize) {
		t.Errorf("%v, want ErrSize", err)
	}
	// Blocks of 32 x 32 are taken however the entries lie.
	d := must(FromCOO(1<<17, 1<<17, []int{0, 1 << 10, 1 << 16}, []int{0, 77, 5}, []float32{1, 2, 3}))
	if _, err := d.To(BSR(32)); err != nil {
		t.Error(err)
	}
}

// TestAdviseProportion: what To refuses is no advice.
func TestAdviseProportion(t *testing.T) {
	const rows, long = 1 << 11, 1 << 14
	i, j := make([]int, long), make([]int, long)
	for k := range j {
		j[k] = k
	}
	m := must(FromCOO(rows, long, i, j, make([]float32, long)))
	a, err := Advise(m, 64, MachineFor("avx512"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Candidates {
		if f, err := ParseFormat(c.Name); err == nil {
			if _, err := m.To(f); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}
