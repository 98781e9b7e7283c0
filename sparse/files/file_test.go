package files_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

func TestReadMatrixMarket(t *testing.T) {
	m, err := files.ReadMatrixMarket[float64](strings.NewReader("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n3 1 -1.5\n3 3 1D1\n"), mtx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m.NNZ() != 4 || m.At(0, 2) != -1.5 || m.At(2, 0) != -1.5 || m.At(2, 2) != 10 {
		t.Errorf("have %v", m.ToDense())
	}
	var b bytes.Buffer
	if err := files.WriteMatrixMarket(&b, m); err != nil {
		t.Fatal(err)
	}
	again, err := files.ReadMatrixMarket[float64](&b, mtx.Options{})
	if err != nil || !again.Equal(m) {
		t.Errorf("written and read again it differs (%v)", err)
	}
	for text, want := range map[string]string{
		"": "line 1, column 1",
		"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n":            "line 3, column 1",
		"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n":       "complex",
		"%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 0\n": "2000000000",
	} {
		if _, err := files.ReadMatrixMarket[float32](strings.NewReader(text), mtx.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: have %v, want %q", text, err, want)
		}
	}
}

// TestRealMatrices reads the matrices that lie beside the repository, if they do.
func TestRealMatrices(t *testing.T) {
	list, _ := filepath.Glob("../../../shared/data/*.mtx")
	if list == nil {
		t.Skip("there are no real matrices beside this checkout; generated ones are tested all the same")
	}
	for _, f := range list {
		r, err := os.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := files.ReadMatrixMarket[float64](r, mtx.Options{Name: filepath.Base(f)})
		r.Close()
		if errors.Is(err, mtx.ErrComplex) {
			continue // a real matrix was asked for
		}
		if err != nil {
			t.Error(err)
			continue
		}
		for _, in := range []format.Format{format.CSR, format.CSC, format.COO, format.DCSR, format.BSR(4)} {
			p, err := format.Pack(m, in)
			if err != nil {
				t.Errorf("%s as %s: %v", filepath.Base(f), in.Name, err)
				continue
			}
			if !p.Matrix().Equal(m) {
				t.Errorf("%s through %s differs", filepath.Base(f), in.Name)
			}
		}
	}
}
