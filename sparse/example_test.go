package sparse_test

import (
	"fmt"
	"iter"

	"github.com/tilesmith/tilesmith/sparse"
)

// Edges in any order make a matrix; those that come twice are added.
func ExampleFromCOO() {
	from := []int{2, 0, 0, 2}
	to := []int{2, 3, 1, 2}
	m, err := sparse.FromCOO(3, 4, from, to, []float32{3, 2, 1, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m)
	for e, v := range m.All() {
		fmt.Println(e.I, e.J, v)
	}
	// Output:
	// 3 x 4 with 3 entries of f32
	// 0 1 1
	// 0 3 2
	// 2 2 7
}

// What is wrong is said with the place and the numbers.
func ExampleFromCSR() {
	_, err := sparse.FromCSR(2, 3, []int{0, 2, 1}, []int{0, 5}, []float32{1, 2})
	fmt.Println(err)
	_, err = sparse.FromCSR(2, 3, []int{0, 1, 2}, []int{0, 5}, []float32{1, 2})
	fmt.Println(err)
	// Output:
	// sparse.FromCSR: pointers[2] is 1, with 2 entries; the last is the number of entries
	// sparse.FromCSR: indices[1] is 5, outside 2 x 3
}

func ExampleBuilder() {
	b := sparse.NewBuilder[float64](1000, 1000)
	for i := range 999 {
		b.Add(i, i+1, 0.5)
		b.Add(i+1, i, 0.5)
	}
	m, err := b.Matrix()
	fmt.Println(m, err)
	fmt.Println(m.At(7, 8), m.At(7, 7), m.RowSums()[7])
	// Output:
	// 1000 x 1000 with 1998 entries of f64 <nil>
	// 0.5 0 1
}

// What a format costs can be read before a kernel runs, and one that does not fit
// says so.
func ExampleMatrix_To() {
	b := sparse.NewBuilder[float32](64, 64)
	for i := range 64 {
		for j := range 64 / (i + 1) {
			b.Add(i, j, 1)
		}
	}
	m, _ := b.Matrix()
	for _, f := range []sparse.Format{sparse.CSR, sparse.SELL(8, 64), sparse.BSR(4), sparse.ELL(16)} {
		p, err := m.To(f)
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

// The values of a transposed matrix follow those of the matrix without another
// transposition.
func ExampleMatrix_TransposeFrom() {
	m, _ := sparse.FromCOO(2, 3, []int{0, 0, 1}, []int{0, 2, 0}, []float32{1, 2, 3})
	t, from := m.TransposeFrom()
	weights := []float32{10, 20, 30} // new values of m
	moved := make([]float32, len(from))
	for k, f := range from {
		moved[k] = weights[f]
	}
	t, _ = t.WithValues(moved)
	fmt.Println(from, t.At(2, 0), t.At(0, 1))
	// Output: [0 2 1] 20 30
}

// Singleton stores at most one entry a row, as a permutation has: a format of one's
// own, and its test.
func ExampleFormat_Check() {
	singleton := sparse.Format{
		Name: "singleton",
		Axes: []sparse.Axis{{Name: "i"}, {Name: "j", Size: 1, Sparse: true}},
		Build: func(m, n int, in []sparse.Entry) (sparse.Arrays, error) {
			j := make([]int32, m)
			for i := range j {
				j[i] = -1
			}
			for _, e := range in {
				if j[e.I] >= 0 {
					return sparse.Arrays{}, fmt.Errorf("singleton: row %d has 2 entries; use csr", e.I)
				}
				j[e.I] = int32(e.J)
			}
			return sparse.Arrays{Slots: m, Levels: []sparse.Level{{Size: m}, {Size: 1, Indices: j}}}, nil
		},
		Walk: func(m int, a sparse.Arrays) iter.Seq[sparse.Entry] {
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
