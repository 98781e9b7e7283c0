package part

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// dataDir is beside the repository.
const dataDir = "../../../shared/data"

// readPattern returns the pattern of a file of the data folder, with ones as values. It skips
// the test where there is no such file.
func readPattern(t testing.TB, name string) sparse.Matrix[float64] {
	t.Helper()
	f, err := os.Open(filepath.Join(dataDir, name))
	if err != nil {
		t.Skipf("%s is not in ../shared/data beside the repository", name)
	}
	defer f.Close()
	var is, js []int32
	head, err := mtx.ReadComplex(f, mtx.Options{Name: name, Expand: true}, func(i, j int, v complex128) error {
		is, js = append(is, int32(i)), append(js, int32(j))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pattern(t, head.Rows, head.Cols, is, js)
}

// pattern returns a matrix with these entries, all 1.
func pattern(t testing.TB, rows, cols int, is, js []int32) sparse.Matrix[float64] {
	t.Helper()
	ones := make([]float64, len(is))
	for k := range ones {
		ones[k] = 1
	}
	m, err := sparse.FromCOO(rows, cols, is, js, ones)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// readVector returns the numbers of an array of one column.
func readVector(t testing.TB, name string) []int32 {
	t.Helper()
	f, err := os.Open(filepath.Join(dataDir, name))
	if err != nil {
		t.Skipf("%s is not in ../shared/data beside the repository", name)
	}
	defer f.Close()
	var out []int32
	if _, err := mtx.Read(f, mtx.Options{Name: name}, func(i, j int, v float64) error {
		out = append(out, int32(v))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// grid returns the matrix of the five-point stencil on n x n points, row by row.
func grid(t testing.TB, n int) sparse.Matrix[float64] {
	t.Helper()
	var is, js []int32
	for i := range n {
		for j := range n {
			at := int32(i*n + j)
			add := func(to int32) { is, js = append(is, at), append(js, to) }
			if i > 0 {
				add(at - int32(n))
			}
			if j > 0 {
				add(at - 1)
			}
			add(at)
			if j < n-1 {
				add(at + 1)
			}
			if i < n-1 {
				add(at + int32(n))
			}
		}
	}
	return pattern(t, n*n, n*n, is, js)
}

func must[T any](t testing.TB) func(T, error) T {
	return func(x T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}
