package sparse_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// TestRead: the kind of a file is known by its first bytes.
func TestRead(t *testing.T) {
	want := random[float64](t, 7, 5, 3)
	var npz, mm bytes.Buffer
	if err := errors.Join(sparse.WriteNPZ(&npz, want), sparse.WriteMatrixMarket(&mm, want)); err != nil {
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
		{"a broken archive", "PK\x03\x04", "no zip file"},
	} {
		m, err := sparse.Read[float64](strings.NewReader(c.file), mtx.Options{})
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
	m, err := sparse.ReadNPZ[float64](bytes.NewReader(npz.Bytes()), int64(npz.Len()), mtx.Options{})
	if err != nil || !m.Equal(want) {
		t.Errorf("ReadNPZ: %v, %v", m, err)
	}
	if _, err := sparse.Read[float64](nil, mtx.Options{}); !errors.Is(err, sparse.ErrNil) {
		t.Errorf("no reader: %v", err)
	}
	if _, err := sparse.ReadNPZ[float64](nil, 0, mtx.Options{}); !errors.Is(err, sparse.ErrNil) {
		t.Errorf("no reader: %v", err)
	}
	if err := sparse.WriteNPZ(nil, want); !errors.Is(err, sparse.ErrNil) {
		t.Errorf("no writer: %v", err)
	}
	if _, err := sparse.Read[float64](strings.NewReader("PK\x03\x04"+strings.Repeat("x", 100)), mtx.Options{MaxBytes: 50}); !errors.Is(err, mtx.ErrLimit) {
		t.Errorf("an archive beyond MaxBytes: %v", err)
	}
}
