package files

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// gzipped packs text at a level of gzip.
func gzipped(level int, text string) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, level)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

// array is an array of NumPy.
func array(kind, shape, raw string) string {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", kind, shape)
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(dict)), 0}) + dict + raw
}

// blockOf returns the arrays of a matrix of one row in one block of n zeros.
func blockOf(n int) map[string]string {
	i4 := func(v ...int) string {
		s := ""
		for _, x := range v {
			s += string([]byte{byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24)})
		}
		return array("<i4", fmt.Sprintf("(%d,)", len(v)), s)
	}
	return map[string]string{"format": array("|S3", "()", "bsr"), "shape": i4(1, n), "indptr": i4(0, 1), "indices": i4(0),
		"data": array("|b1", fmt.Sprintf("(1, 1, %d)", n), strings.Repeat("\x00", n))}
}

// archive packs arrays; the directory says of each that it takes so many bytes, or what it takes if that is 0.
func archive(parts map[string]string, size uint64) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range parts {
		var packed bytes.Buffer
		f, _ := flate.NewWriter(&packed, flate.BestCompression)
		io.WriteString(f, text)
		f.Close()
		h := zip.FileHeader{Name: name + ".npy", Method: zip.Deflate, CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(len(text))}
		if size > 0 {
			h.CompressedSize64 = size
		}
		w, _ := z.CreateRaw(&h)
		w.Write(packed.Bytes())
	}
	z.Close()
	return b.String()
}

// harwell begins a file of Harwell-Boeing: what it promises, a number a line.
func harwell(rows, cols, entries int) string {
	return fmt.Sprintf("%-72s%-8s\n%14d%14d%14d%14d%14d\n%-14s%14d%14d%14d%14d\n%-16s%-16s%-20s\n", "title", "key",
		0, cols+1, entries, 0, 0, "PUA", rows, cols, entries, 0, "(I10)", "(I1)", "")
}

// TestMemoryOfDenseFiles: what takes one byte an entry costs what the documentation of mtx says.
func TestMemoryOfDenseFiles(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("counts memory of large files")
	}
	const n, line = 1<<18 + 1<<12, 1 << 12 // a slice has just grown
	text := strings.Replace(harwell(2, 2, n), "PUA", "PSA", 1)
	text = strings.Replace(text, "(I1)", fmt.Sprintf("(%dI1)", line), 1)
	text = strings.Replace(text, fmt.Sprintf("%14d%14d%14d", 0, 3, n), fmt.Sprintf("%14d%14d%14d", 0, 3, n/line), 1)
	text += fmt.Sprintf("1\n%d\n%d\n", n+1, n+1) + strings.Repeat(strings.Repeat("2", line)+"\n", n/line)
	for _, f := range []struct {
		what, bytes string
		each        int64
	}{{"Harwell-Boeing", text, 160}, {"NPZ", archive(blockOf(n), 0), 100}} {
		for k, read := range []func(io.Reader, mtx.Options) error{
			func(r io.Reader, o mtx.Options) error { _, err := ReadPattern(r, o); return err },
			func(r io.Reader, o mtx.Options) error { _, err := Read[float64](r, o); return err },
			func(r io.Reader, o mtx.Options) error { _, err := Read[complex128](r, o); return err },
		} {
			var err error
			got := sparsetest.Allocated(func() { err = read(strings.NewReader(f.bytes), mtx.Options{}) })
			t.Logf("%s: %.1f bytes an entry", f.what, float64(got)/n)
			if bound := 1<<20 + n*f.each*int64(1+max(k, 1))/2; got > bound || err != nil {
				t.Errorf("%s: %d bytes allocated for %d entries, want at most %d; %v", f.what, got, n, bound, err)
			}
		}
	}
}

// TestHostileBytes: what a reader allocates in all is bounded by the bytes of the file as it lies on the
// disk, whatever is promised in it and however it is packed. The bounds are those of the documentation of mtx.
func TestHostileBytes(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("counts memory of large files")
	}
	const n = 2000
	market := fmt.Sprintf("%%%%MatrixMarket matrix array real symmetric\n%d %d\n", n, n) + strings.Repeat("1\n", n*(n+1)/2)
	const entries = 1 << 22
	harwellBomb := harwell(1, 1, entries) + fmt.Sprintf("1\n%d\n", entries+1) + strings.Repeat("1\n", entries)
	most := "(134217728, 15)"
	npyBomb := array("<f8", "(1000000,)", strings.Repeat("\x00", 8_000_000))
	smtxBomb := fmt.Sprintf("1 1 %d\n0 %d\n", 1<<21, 1<<21) + strings.Repeat("0 ", 1<<21)
	nested := func(text string) string { return gzipped(gzip.BestCompression, gzipped(gzip.HuffmanOnly, text)) }
	read := func(r io.Reader) error { _, err := Read[float64](r, mtx.Options{}); return err }
	pattern := func(r io.Reader) error { _, err := ReadPattern(r, mtx.Options{}); return err }
	npy := func(r io.Reader) error { _, err := mtx.ReadNPY[float64](r, mtx.Options{}); return err }
	raw := func(r io.Reader) error { _, err := mtx.ReadRawNPY(r, mtx.Options{}); return err }
	smtx := func(r io.Reader) error { _, err := mtx.ReadSMTX(r, mtx.Options{}); return err }
	type file struct {
		what, bytes string
		read        func(io.Reader) error
		fixed, each int64 // bytes allocated, whatever the file, and for each byte of what it unpacks to
	}
	files := []file{
		{"Matrix Market in gzip", gzipped(gzip.BestCompression, market), read, 18 << 20, 80},
		{"Harwell-Boeing in gzip", gzipped(gzip.BestCompression, harwellBomb), read, 18 << 20, 160},
		{"NPY in gzip", gzipped(gzip.BestCompression, npyBomb), npy, 256 << 10, 8},
		{"raw NPY in gzip", gzipped(gzip.BestCompression, npyBomb), raw, 256 << 10, 8},
		{"SMTX in gzip", gzipped(gzip.BestCompression, smtxBomb), smtx, 256 << 10, 16},
		{"archive", archive(blockOf(4<<20), 0), read, 18 << 20, 100},
		{"archive that lies of its sizes", archive(blockOf(4<<20), 1<<40), read, 18 << 20, 100},
		{"archive that lies of its sizes", archive(blockOf(4<<20), 1<<40), pattern, 18 << 20, 100},
		{"archive in an archive", archive(map[string]string{"format": archive(blockOf(4<<20), 0)}, 0), read, 18 << 20, 100},
		{"archive in gzip", gzipped(gzip.BestCompression, archive(blockOf(4<<20), 0)), read, 18 << 20, 100},
		{"rows of Matrix Market", "%%MatrixMarket matrix coordinate real general\n2147483647 2147483647 0\n", read, 1 << 20, 0},
		{"rows of Harwell-Boeing", harwell(1<<31-1, 1, 0) + "1\n1\n", read, 1 << 20, 0},
		{"columns of Harwell-Boeing", harwell(1, 1<<27, 0) + "1\n1\n", read, 1 << 20, 0},
		{"entries of Harwell-Boeing", harwell(1, 1, 1<<31-1) + "1\n2147483648\n1\n", read, 1 << 20, 0},
		{"rows of an archive", archive(map[string]string{"format": array("|S3", "()", "coo"), "shape": array("<i8", "(2,)", strings.Repeat("\xff\xff\xff\x7f\x00\x00\x00\x00", 2))}, 0), read, 1 << 20, 0},
		{"values of an archive", archive(map[string]string{"format": array("|S3", "()", "dia"), "shape": array("<i4", "(2,)", "\x01\x00\x00\x00\x00\x00\x00\x00"), "data": array("<f8", most, "12345678")}, 0), read, 1 << 20, 0},
		{"values of NPY", array("<f8", most, "12345678"), npy, 1 << 20, 0},
		{"values of raw NPY", array("<f8", most, "12345678"), raw, 1 << 20, 0},
		{"a header of NPY", "\x93NUMPY\x02\x00\xff\xff\xff\xff{", raw, 1 << 20, 0},
		{"rows of SMTX", "2147483647, 2147483647, 2147483647\n0 1", smtx, 1 << 20, 0},
	}
	for _, r := range []struct {
		what, text string
		file
	}{
		{"Matrix Market", market, file{read: read, fixed: 18 << 20, each: 80}}, {"pattern of Matrix Market", market, file{read: pattern, fixed: 18 << 20, each: 80}},
		{"Harwell-Boeing", harwellBomb, file{read: read, fixed: 18 << 20, each: 160}},
		{"NPY", npyBomb, file{read: npy, fixed: 256 << 10, each: 8}}, {"raw NPY", npyBomb, file{read: raw, fixed: 256 << 10, each: 8}}, {"SMTX", smtxBomb, file{read: smtx, fixed: 256 << 10, each: 16}},
	} {
		r.file.what, r.file.bytes = r.what+" in gzip in gzip", nested(r.text)
		files = append(files, r.file)
	}
	for _, f := range files {
		var err error
		got := sparsetest.Allocated(func() { err = f.read(strings.NewReader(f.bytes)) })
		bound := f.fixed + f.each*int64(max(1<<20, 200*len(f.bytes)))
		t.Logf("%s: %d bytes allocated for %d; %v", f.what, got, len(f.bytes), err)
		if got > bound || err == nil {
			t.Errorf("%s: %d bytes allocated for %d, want at most %d; %v", f.what, got, len(f.bytes), bound, err)
		}
	}
}
