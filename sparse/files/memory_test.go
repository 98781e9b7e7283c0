package files

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

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
		n := sparsetest.Allocated(func() { _, err = ReadMatrixMarket[float64](strings.NewReader(c.text), mtx.Options{}) })
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
		if n := sparsetest.Allocated(func() { err = read() }); n > 1<<20 || err == nil {
			t.Errorf("%s: %d bytes of memory, %v", what, n, err)
		}
	}
}

// TestMillionsOfRows: what is there is read by default, and what is nearly empty with
// an option.
func TestMillionsOfRows(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("counts memory of large files")
	}
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

// TestMemoryOfEntries: what the densest text takes, freed or not, is what the
// documentation says, also where a slice has just grown and where the file ends early.
func TestMemoryOfEntries(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("counts memory of large matrices")
	}
	type file struct {
		what  string
		text  func() string // large, so only for those that are read
		o     mtx.Options
		short bool // it ends before what it promises
	}
	var market, npy, smtx []file
	for _, n := range []int{1 << 20, 250_000, 300_000} {
		text := func() string {
			return fmt.Sprintf("%%%%MatrixMarket matrix coordinate pattern symmetric\n%d %d %d\n", 4*n, 4*n, n) + strings.Repeat("2 1\n", n)
		}
		market = append(market, file{"coordinates", text, mtx.Options{MaxDim: 4 * n}, false})
	}
	for _, n := range []int{1025, 1449, 1500} { // 1448 * 1449 is just more than 1 << 21
		for i, symmetry := range []string{"general", "symmetric", "skew-symmetric"} {
			stored := []int{n * n, n * (n + 1) / 2, n * (n - 1) / 2}[i]
			array := func(side int) func() string {
				return func() string {
					return fmt.Sprintf("%%%%MatrixMarket matrix array real %s\n%d %d\n", symmetry, side, side) + strings.Repeat("1\n", stored)
				}
			}
			market = append(market, file{fmt.Sprintf("%s array of %d", symmetry, n), array(n), mtx.Options{}, false})
			market = append(market, file{fmt.Sprintf("%s array that ends after %d", symmetry, n), array(40000), mtx.Options{}, true})
		}
	}
	for _, n := range []int{1 << 20, 1<<20 + 1, 1_500_000} {
		for _, promised := range []int{n, 1 << 30} {
			short := promised > n
			h := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }\n", promised)
			text := func() string {
				return "\x93NUMPY\x01\x00" + string([]byte{byte(len(h)), 0}) + h + strings.Repeat("1234", n)
			}
			npy = append(npy, file{fmt.Sprintf("%d of %d values", n, promised), text, mtx.Options{MaxDim: 1 << 30}, short})
			text = func() string { return fmt.Sprintf("1 1 %d\n0 %d\n", promised, promised) + strings.Repeat("0 ", n) }
			smtx = append(smtx, file{fmt.Sprintf("%d of %d columns", n, promised), text, mtx.Options{}, short})
			rows := min(promised, 1<<27) - 1
			text = func() string { return fmt.Sprintf("%d 1 0\n", rows) + strings.Repeat("0 ", n) }
			smtx = append(smtx, file{fmt.Sprintf("%d of %d pointers", n, rows+1), text, mtx.Options{}, short})
		}
	}
	for _, c := range []struct {
		reader      string
		files       []file
		fixed, each int64
		read        func(r io.Reader, o mtx.Options) error
	}{
		{"ReadMatrixMarket", market, 18 << 20, 80, func(r io.Reader, o mtx.Options) error { _, err := ReadMatrixMarket[float64](r, o); return err }},
		{"ReadNPY", npy, 256 << 10, 8, func(r io.Reader, o mtx.Options) error { _, err := mtx.ReadNPY[float64](r, o); return err }},
		{"ReadSMTX", smtx, 256 << 10, 16, func(r io.Reader, o mtx.Options) error { _, err := mtx.ReadSMTX(r, o); return err }},
	} {
		for _, i := range level.Pick(len(c.files), 0, 5) {
			f := c.files[i]
			var err error
			text := f.text()
			got := sparsetest.Allocated(func() { err = c.read(strings.NewReader(text), f.o) })
			if (err != nil) != f.short {
				t.Errorf("%s, %s: %v", c.reader, f.what, err)
			}
			t.Logf("%s, %s: %d bytes allocated, %.1f a byte of text", c.reader, f.what, got, float64(got)/float64(len(text)))
			if fixed := min(c.fixed, 1<<20); got > fixed+c.each*int64(len(text)) { // none needs the rest, which is for empty rows
				t.Errorf("%s, %s: %d bytes for %d of text", c.reader, f.what, got, len(text))
			}
		}
	}
}

// TestMemoryOfGzip: the first MiB of text is free, and then a byte of gzip pays for
// 200 of text.
func TestMemoryOfGzip(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("counts memory of large files")
	}
	zip := func(text string) string {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		z.Write([]byte(text))
		z.Close()
		return b.String()
	}
	array := func(n int) string {
		return zip(fmt.Sprintf("%%%%MatrixMarket matrix array real symmetric\n%d %d\n", n, n) + strings.Repeat("1\n", n*(n+1)/2))
	}
	for _, c := range []struct {
		text string
		want error
	}{{array(1022), nil}, {array(1030), mtx.ErrLimit}, {array(4000), mtx.ErrLimit}} {
		var err error
		got := sparsetest.Allocated(func() { _, err = ReadMatrixMarket[float64](strings.NewReader(c.text), mtx.Options{}) })
		if most := int64(18<<20 + 80*max(1<<20, 200*len(c.text))); got > most || !errors.Is(err, c.want) {
			t.Errorf("%d bytes for %d of gzip, want at most %d; %v, want %v", got, len(c.text), most, err, c.want)
		}
	}
}
