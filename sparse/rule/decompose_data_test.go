package rule_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/mtx"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// real reads a matrix that lies beside the repository.
func real(t testing.TB, name string) sparse.Matrix[float32] {
	t.Helper()
	r, err := os.Open(filepath.Join("../../../shared/data", name))
	if err != nil {
		t.Skipf("%s is not beside this checkout; generated matrices are tested all the same", name)
	}
	defer r.Close()
	m, err := files.ReadMatrixMarket[float32](r, mtx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTable1: the share of padding that SparseTIR prints for hyb in its Table 1, with
// the buckets that its programs use, which are not those of its own rule for k: by
// that, pubmed has 15.7 %.
func TestTable1(t *testing.T) {
	for _, c := range []struct {
		file       string
		edges, k   int
		percentage float64
	}{
		{"cora.mtx", 10556, 2, 15.8},
		{"citeseer.mtx", 9228, 2, 13.0},
		{"pubmed.mtx", 88651, 5, 23.1},
		{"pubmed.mtx", 88651, 3, 15.7},
	} {
		t.Run(c.file, func(t *testing.T) {
			m := real(t, c.file)
			if m.NNZ() != c.edges {
				t.Fatalf("%d edges, not %d", m.NNZ(), c.edges)
			}
			s, err := rule.Decompose(m, rule.Hyb(1, c.k))
			if err != nil {
				t.Fatal(err)
			}
			if have := math.Round(1000*s.Padding()) / 10; have != c.percentage {
				t.Errorf("k = %d: %v %% padding, %v in the paper", c.k, have, c.percentage)
			}
			if !s.Matrix().Equal(m) {
				t.Error("the parts do not sum to the whole")
			}
		})
	}
}

// TestDecomposeReal takes every real matrix apart and puts it together again.
func TestDecomposeReal(t *testing.T) {
	list, _ := filepath.Glob("../../../shared/data/*.mtx")
	if list == nil {
		t.Skip("there are no real matrices beside this checkout; generated ones are tested all the same")
	}
	for _, f := range list {
		r, err := os.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := files.ReadMatrixMarket[float64](r, mtx.Options{})
		r.Close()
		if err != nil {
			continue // complex; TestRealMatrices looks at errors
		}
		for _, rules := range [][]rule.Rule{
			{rule.Hyb(4, rule.HybBuckets(m.Rows(), m.NNZ()))},
			{rule.Blocks(4, .5), rule.Diagonals(.5), rule.LongRows(64), rule.Hyb(1, 5)},
		} {
			s, err := rule.Decompose(m, rules...)
			if err != nil || !s.Matrix().Equal(m) {
				t.Errorf("%s: %v", filepath.Base(f), err)
			}
		}
	}
}
