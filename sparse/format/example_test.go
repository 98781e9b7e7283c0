package format_test

import (
	"fmt"
	"iter"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// What a format costs can be read before a kernel runs, and one that does not fit
// says so.
func ExamplePack() {
	b := sparse.NewBuilder[float32](64, 64)
	for i := range 64 {
		for j := range 64 / (i + 1) {
			b.Add(i, j, 1)
		}
	}
	m, _ := b.Matrix()
	for _, f := range []format.Format{format.CSR, format.SELL(8, 64), format.BSR(4), format.ELL(16)} {
		p, err := format.Pack(m, f)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%-9s %4d slots, %2.0f%% padding, %5d bytes\n", f, p.Slots(), 100*p.Padding(), p.Bytes())
	}
	// Output:
	// csr        280 slots,  0% padding,  2500 bytes
	// sell8_64   640 slots, 56% padding,  5412 bytes
	// bsr4       544 slots, 49% padding,  2452 bytes
	// ell16: row 0 has 64 entries; use hyb, sell or csr
}

// Singleton stores at most one entry a row, as a permutation has: a format of one's
// own, and its test.
func ExampleFormat_Check() {
	singleton := format.Format{
		Name: "singleton",
		Axes: []format.Axis{{Name: "i"}, {Name: "j", Size: 1, Sparse: true}},
		Build: func(m, n int, in []sparse.Entry) (format.Arrays, error) {
			j := make([]int32, m)
			for i := range j {
				j[i] = -1
			}
			for _, e := range in {
				if j[e.I] >= 0 {
					return format.Arrays{}, fmt.Errorf("singleton: row %d has 2 entries; use csr", e.I)
				}
				j[e.I] = int32(e.J)
			}
			return format.Arrays{Slots: m, Levels: []format.Level{{Size: m}, {Size: 1, Indices: j}}}, nil
		},
		Walk: func(m int, a format.Arrays) iter.Seq[sparse.Entry] {
			return func(yield func(sparse.Entry) bool) {
				for i, j := range a.Levels[1].Indices {
					if j >= 0 && !yield(sparse.Entry{I: i, J: int(j), K: i}) {
						return
					}
				}
			}
		},
	}
	fmt.Println(singleton.Check(3, 3, []sparse.Entry{{I: 0, J: 2}, {I: 2, J: 1}}))
	fmt.Println(singleton.Check(3, 3, []sparse.Entry{{I: 0, J: 1}, {I: 0, J: 2}}))
	// Output:
	// <nil>
	// singleton: row 0 has 2 entries; use csr
}
