package files_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// TestRead: the kind of a file is known by its first bytes.
func TestRead(t *testing.T) {
	want := random[float64](t, 7, 5, 3)
	var npz, mm bytes.Buffer
	if err := errors.Join(files.WriteNPZ(&npz, want), files.WriteMatrixMarket(&mm, want)); err != nil {
		t.Fatal(err)
	}
	hb := fmt.Sprintf("%-72s%-8s\n%14d%14d%14d%14d%14d\n%-14s%14d%14d%14d%14d\n%-16s%-16s%-20s\n", "title", "key", 3, 1, 1, 1, 0, "RSA", 2, 2, 2, 0, "(3I4)", "(2I4)", "(2E8.1)") +
		"   1   2   3\n   1   2\n 1.5E+00 2.5E+00\n"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, hb)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, file string
		want       string
	}{
		{"npz", npz.String(), fmt.Sprint(want.ToDense())},
		{"Matrix Market", mm.String(), fmt.Sprint(want.ToDense())},
		{"Harwell-Boeing", hb, "[1.5    0]\n[  0  2.5]"},
		{"Harwell-Boeing, gzip", zipped.String(), "[1.5    0]\n[  0  2.5]"},
		{"text", "no matrix\n", "is not how a Matrix Market file begins"},
		{"nothing", "", "the file is empty"},
		{"a broken archive", "PK\x03\x04", "not a zip file"},
	} {
		m, err := files.Read[float64](strings.NewReader(c.file), mtx.Options{})
		have := ""
		if err != nil {
			have = err.Error()
		} else {
			have = fmt.Sprint(m.ToDense())
		}
		if have != c.want && (err == nil || !strings.Contains(have, c.want)) {
			t.Errorf("%s: %s, want %s", c.what, have, c.want)
		}
	}
	m, err := files.ReadNPZ[float64](bytes.NewReader(npz.Bytes()), int64(npz.Len()), mtx.Options{})
	if err != nil || !m.Equal(want) {
		t.Errorf("ReadNPZ: %v, %v", m, err)
	}
	if _, err := files.Read[float64](nil, mtx.Options{}); !errors.Is(err, sparse.ErrNil) {
		t.Errorf("no reader: %v", err)
	}
	if _, err := files.ReadNPZ[float64](nil, 0, mtx.Options{}); !errors.Is(err, sparse.ErrNil) {
		t.Errorf("no reader: %v", err)
	}
	if err := files.WriteNPZ(nil, want); !errors.Is(err, sparse.ErrNil) {
		t.Errorf("no writer: %v", err)
	}
	if _, err := files.Read[float64](strings.NewReader("PK\x03\x04"+strings.Repeat("x", 100)), mtx.Options{MaxBytes: 50}); !errors.Is(err, mtx.ErrLimit) {
		t.Errorf("an archive beyond MaxBytes: %v", err)
	}
}

// TestWriteUnsigned: what int64 does not hold is unsigned-integer, SciPy's word, and nothing else is.
func TestWriteUnsigned(t *testing.T) {
	written(t, "unsigned-integer", []uint64{math.MaxUint64, 1})
	written(t, "integer", []uint64{math.MaxInt64, 1})
	written(t, "integer", []int64{math.MinInt64, math.MaxInt64})
	written(t, "integer", []uint8{255, 0})
	written(t, "integer", []uint64{})
	written(t, "real", []float64{math.MaxUint64, -1})
}

func written[T dtype.Value](t *testing.T, field string, values []T) {
	t.Helper()
	m, err := sparse.FromCOO(1, 2, []int{0, 0}[:len(values)], []int{0, 1}[:len(values)], values)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := files.WriteMatrixMarket(&b, m); err != nil {
		t.Fatal(err)
	}
	if want := "%%MatrixMarket matrix coordinate " + field + " general\n"; !strings.HasPrefix(b.String(), want) {
		t.Errorf("%v: %s, want %s", values, b.String(), want)
	}
	if again, err := files.Read[T](&b, mtx.Options{}); err != nil || !again.Equal(m) {
		t.Errorf("%v: %v, %v", values, again, err)
	}
}

// TestReadBooleans: booleans in one place are one, as SciPy has them, in whatever type they are read.
func TestReadBooleans(t *testing.T) {
	npz := npzOf(t, map[string]string{"format": npyOf("|S3", "()", "coo"), "shape": npyOf("|u1", "(2,)", "\x01\x03"),
		"coords": npyOf("|u1", "(2, 5)", "\x00\x00\x00\x00\x00\x02\x00\x02\x01\x01"), "data": npyOf("|b1", "(5,)", "\x01\x01\x01\x00\x00")})
	m, err := files.Read[int8](strings.NewReader(npz), mtx.Options{})
	if err != nil || fmt.Sprint(m.ToDense()) != "[1  0  1]" || m.NNZ() != 3 {
		t.Errorf("%v, %v", m.ToDense(), err)
	}
}

// TestReadPatternOfWide: values that float64 does not hold are not in the way of a pattern.
func TestReadPatternOfWide(t *testing.T) {
	npz := npzOf(t, map[string]string{"format": npyOf("|S3", "()", "csr"), "shape": npyOf("|u1", "(2,)", "\x01\x03"),
		"indptr": npyOf("|u1", "(2,)", "\x00\x01"), "indices": npyOf("|u1", "(1,)", "\x02"), "data": npyOf("<u8", "(1,)", strings.Repeat("\xff", 8))})
	for _, text := range []string{npz, "%%MatrixMarket matrix coordinate integer general\n1 3 1\n1 3 9007199254740993\n"} {
		if p, err := files.ReadPattern(strings.NewReader(text), mtx.Options{}); err != nil || p.NNZ() != 1 {
			t.Errorf("%v, %v", p, err)
		}
	}
}

// npyOf is an array of NumPy.
func npyOf(kind, shape, raw string) string {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", kind, shape)
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(dict)), 0}) + dict + raw
}

// npzOf is an archive of arrays.
func npzOf(t *testing.T, arrays map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range arrays {
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
