package mtx_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tilesmith/tilesmith/sparse/mtx"
)

func ExampleRead() {
	const text = `%%MatrixMarket matrix coordinate real symmetric
% a path of three nodes
3 3 2
2 1 0.5
3 2 1.0D+01
`
	h, err := mtx.Read(strings.NewReader(text), mtx.Options{Expand: true}, func(i, j int, v float64) error {
		fmt.Println(i, j, v)
		return nil
	})
	fmt.Println(h.Rows, h.Cols, h.Symmetry, err)
	// Output:
	// 1 0 0.5
	// 0 1 0.5
	// 2 1 10
	// 1 2 10
	// 3 3 symmetric <nil>
}

func ExampleRead_errors() {
	const text = "%%MatrixMarket matrix coordinate real general\n3 3 1\n3 0 1.5\n"
	_, err := mtx.Read(strings.NewReader(text), mtx.Options{Name: "a.mtx"}, func(int, int, float64) error { return nil })
	fmt.Println(err)

	const large = "%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 0\n"
	_, err = mtx.Read(strings.NewReader(large), mtx.Options{Name: "b.mtx"}, nil)
	fmt.Println(err)
	fmt.Println("a larger limit would do:", errors.Is(err, mtx.ErrLimit))
	// Output:
	// a.mtx:3:3: column 0 is outside the matrix; want 1 to 3
	// b.mtx:2:1: 2000000000 rows are more than Options.MaxDim, 134217728
	// a larger limit would do: true
}

// A Reader tells the size before the entries, for who allocates.
func ExampleReader() {
	const text = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"
	d, err := mtx.NewReader(strings.NewReader(text), mtx.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	dense := make([]float64, d.Header().Rows*d.Header().Cols)
	err = d.Visit(func(i, j int, v float64) error {
		dense[i*d.Header().Cols+j] += v
		return nil
	})
	fmt.Println(dense, err)
	// Output: [1 3 2 4] <nil>
}

func ExampleWriter() {
	w, err := mtx.NewWriter(os.Stdout, mtx.Header{Rows: 2, Cols: 3, Entries: 2, Comments: []string{" made by an example"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := errors.Join(w.Entry(0, 0, 0.1), w.Entry(1, 2, -4), w.Close()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// %%MatrixMarket matrix coordinate real general
	// % made by an example
	// 2 3 2
	// 1 1 0.1
	// 2 3 -4
}

func ExampleReadSMTX() {
	m, err := mtx.ReadSMTX(strings.NewReader("3, 4, 3\n0 2 2 3\n0 3 1\n"), mtx.Options{})
	fmt.Println(m.RowPtr, m.ColIdx, err)
	// Output: [0 2 2 3] [0 3 1] <nil>
}

func ExampleReadNPY() {
	var file bytes.Buffer
	a := mtx.NPY[float32]{Shape: []int{2, 3}, Data: []float32{1, 2, 3, 4, 5, 6}}
	if err := mtx.WriteNPY(&file, a, mtx.NPYLayout{}); err != nil {
		fmt.Println(err)
		return
	}
	b, err := mtx.ReadNPY[float64](&file, mtx.Options{}) // float64 holds every float32
	fmt.Println(b.Shape, b.Strides(), b.Data, err)
	// Output: [2 3] [3 1] [1 2 3 4 5 6] <nil>
}
