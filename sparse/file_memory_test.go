package sparse

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// allocated returns how many bytes f allocates in all, freed or not.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestHostileFiles: a few bytes of text cannot make a reader take much memory, however
// large the sizes that they state.
func TestHostileFiles(t *testing.T) {
	zip := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		return b.String()
	}
	const head = "%%MatrixMarket matrix coordinate "
	for _, c := range []struct {
		what, text string
		refused    bool
	}{
		{"66 bytes", head + "real general\n66000000 66000000 0\n", true},
		{"the largest", head + "real general\n134217728 134217728 0\n", true},
		{"packed", zip(head + "real general\n134217728 1 0\n"), true},
		{"lying entries", head + "pattern symmetric\n134217728 134217728 2147483647\n1 1\n", true},
		{"array", "%%MatrixMarket matrix array real general\n134217728 0\n", true},
		{"lying array", "%%MatrixMarket matrix array real general\n134217728 15\n1\n", true},
		{"wide", head + "real general\n1 134217728 0\n", true},
		{"the most that is free", head + "real general\n4194304 4194304 0\n", false},
	} {
		var err error
		n := allocated(func() { _, err = ReadMatrixMarket[float64](strings.NewReader(c.text), mtx.Options{}) })
		if n > 18<<20 {
			t.Errorf("%s: %d bytes of memory for %d", c.what, n, len(c.text))
		}
		if c.refused == (err == nil) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	for what, read := range map[string]func() error{
		"smtx": func() error {
			_, err := mtx.ReadSMTX(strings.NewReader("134217728, 134217728, 2147483647\n0 1"), mtx.Options{})
			return err
		},
		"npy": func() error {
			h := "{'descr': '<f8', 'fortran_order': False, 'shape': (134217728, 15), }\n"
			_, err := mtx.ReadNPY[float64](strings.NewReader("\x93NUMPY\x01\x00"+string([]byte{byte(len(h)), 0})+h+"12345678"), mtx.Options{})
			return err
		},
		"npy header": func() error {
			_, err := mtx.ReadNPY[float64](strings.NewReader("\x93NUMPY\x02\x00\xff\xff\xff\xff{"), mtx.Options{})
			return err
		},
	} {
		var err error
		if n := allocated(func() { err = read() }); n > 1<<20 || err == nil {
			t.Errorf("%s: %d bytes of memory, %v", what, n, err)
		}
	}
}

// TestMillionsOfRows: what is there is read by default, and what is nearly empty with
// an option.
func TestMillionsOfRows(t *testing.T) {
	const rows = 1<<22 + 4
	var b strings.Builder
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate pattern general\n%d 1 %d\n", rows, rows/4)
	for i := range rows / 4 {
		fmt.Fprintf(&b, "%d 1\n", 4*i+1)
	}
	m, err := ReadMatrixMarket[float32](strings.NewReader(b.String()), mtx.Options{})
	if err != nil || m.Rows() != rows || m.NNZ() != rows/4 {
		t.Errorf("%v, %v", m, err)
	}
	sparse := fmt.Sprintf("%%%%MatrixMarket matrix coordinate pattern general\n%d %d 1\n7 7\n", rows, rows)
	if _, err := ReadMatrixMarket[float32](strings.NewReader(sparse), mtx.Options{}); !errors.Is(err, mtx.ErrLimit) {
		t.Errorf("one entry: %v, want ErrLimit", err)
	}
	if m, err := ReadMatrixMarket[float32](strings.NewReader(sparse), mtx.Options{MaxDim: rows}); err != nil || m.At(6, 6) != 1 {
		t.Errorf("with MaxDim: %v, %v", m, err)
	}
}

// TestMemoryOfEntries: what the densest text takes is what the documentation says.
func TestMemoryOfEntries(t *testing.T) {
	for _, n := range []int{1 << 20, 250_000, 300_000} {
		text := fmt.Sprintf("%%%%MatrixMarket matrix coordinate pattern symmetric\n%d %d %d\n", 4*n, 4*n, n) + strings.Repeat("2 1\n", n)
		o := mtx.Options{MaxDim: 4 * n}
		got := allocated(func() {
			if _, err := ReadMatrixMarket[float64](strings.NewReader(text), o); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%d bytes allocated in all, %.1f a byte of text", got, float64(got)/float64(len(text)))
		if got > 1<<20+80*int64(len(text)) {
			t.Errorf("%d bytes for %d of text", got, len(text))
		}
	}
}
