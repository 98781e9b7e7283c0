package mtx

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
)

// npy is an array of NumPy: its type, its sizes as Python writes them, and its bytes.
func npy(kind, shape string, raw ...byte) string {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", kind, shape)
	return npyMagic + "\x01\x00" + string([]byte{byte(len(dict)), 0}) + dict + string(raw)
}

// i4 is an array of int32 below 128.
func i4(values ...byte) string {
	var raw []byte
	for _, v := range values {
		raw = append(raw, v, 0, 0, 0)
	}
	return npy("<i4", fmt.Sprintf("(%d,)", len(values)), raw...)
}

// fortran is an array in Fortran's order.
func fortran(array string) string { return strings.Replace(array, "False,", "True ,", 1) }

func archive(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		f, err := z.Create(name + ".npy")
		if err == nil {
			_, err = io.WriteString(f, parts[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func shownNPZ(b []byte, o Options) (string, error) {
	in, err := Open(bytes.NewReader(b), o)
	if err != nil {
		return "", err
	}
	h := in.Header()
	s := fmt.Sprintf("%v %dx%d:", h.Field, h.Rows, h.Cols)
	n := 0
	err = in.VisitComplex(func(i, j int, v complex128) error {
		if uint(i) >= uint(h.Rows) || uint(j) >= uint(h.Cols) {
			return fmt.Errorf("(%d, %d) is outside", i, j)
		}
		n++
		s += fmt.Sprintf(" %d,%d=%v", i, j, real(v))
		if imag(v) != 0 {
			s += fmt.Sprintf("%+gi", imag(v))
		}
		return nil
	})
	if err == nil && n != h.Entries {
		err = fmt.Errorf("%d visits, the header says %d", n, h.Entries)
	}
	return s, err
}

func TestNPZ(t *testing.T) {
	csr := map[string]string{
		"format": npy("|S3", "()", []byte("csr")...), "shape": i4(2, 3), "indptr": i4(0, 2, 3), "indices": i4(0, 2, 1),
		"data": npy("|i1", "(3,)", 1, 0xfe, 3),
	}
	with := func(changed ...string) []byte {
		m := maps.Clone(csr)
		for k := 0; k < len(changed); k += 2 {
			if m[changed[k]] = changed[k+1]; changed[k+1] == "" {
				delete(m, changed[k])
			}
		}
		return archive(t, m)
	}
	for _, c := range []struct {
		what string
		file []byte
		want string // or what the error contains
	}{
		{"csr", with(), "integer 2x3: 0,0=1 0,2=-2 1,1=3"},
		{"format of 32-bit characters", with("format", npy("<U3", "()", 'c', 0, 0, 0, 's', 0, 0, 0, 'r', 0, 0, 0)), "integer 2x3: 0,0=1 0,2=-2 1,1=3"},
		{"csc", with("format", npy("|S3", "()", []byte("csc")...), "shape", i4(3, 2)), "integer 3x2: 0,0=1 2,0=-2 1,1=3"},
		{"coo", with("format", npy("|S3", "()", []byte("coo")...), "row", i4(1, 0, 1), "col", i4(2, 0, 2)), "integer 2x3: 1,2=1 0,0=-2 1,2=3"},
		{"bsr", with("format", npy("|S3", "()", []byte("bsr")...), "shape", i4(2, 4), "indptr", i4(0, 1), "indices", i4(1), "data", npy("|b1", "(1, 2, 2)", 1, 0, 0, 1)),
			"integer 2x4: 0,2=1 0,3=0 1,2=0 1,3=1"},
		{"dia", with("format", npy("|S3", "()", []byte("dia")...), "offsets", npy("<i4", "(2,)", 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0), "data", npy("<u2", "(2, 3)", 7, 0, 8, 0, 9, 0, 1, 0, 0, 0, 0, 1)),
			"unsigned-integer 2x3: 1,0=7 1,2=256"},
		{"big endian", with("data", npy(">f4", "(3,)", 0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0x7f, 0x80, 0, 0)), "real 2x3: 0,0=1 0,2=2 1,1=+Inf"},
		{"complex", with("data", npy("<c8", "(3,)", 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0)), "complex 2x3: 0,0=1+2i 0,2=0 1,1=1"},
		{"empty", with("shape", i4(0, 3), "indptr", i4(0), "indices", i4(), "data", npy("<f8", "(0,)")), "real 0x3:"},
		{"dia in Fortran's order", with("format", npy("|S3", "()", []byte("dia")...), "offsets", i4(0, 1), "data", fortran(npy("|u1", "(2, 3)", 1, 4, 2, 5, 3, 6))), "unsigned-integer 2x3: 0,0=1 1,1=2 0,1=5 1,2=6"},
		{"bsr in Fortran's order", with("format", npy("|S3", "()", []byte("bsr")...), "shape", i4(2, 6), "indptr", i4(0, 2), "indices", i4(0, 1), "data", fortran(npy("|i1", "(2, 2, 3)", 1, 7, 4, 10, 2, 8, 5, 11, 3, 9, 6, 12))),
			"integer 2x6: 0,0=1 0,1=2 0,2=3 1,0=4 1,1=5 1,2=6 0,3=7 0,4=8 0,5=9 1,3=10 1,4=11 1,5=12"},
		{"coo of coords", with("format", npy("|S3", "()", []byte("coo")...), "coords", npy("<u2", "(2, 3)", 1, 0, 0, 0, 1, 0, 2, 0, 0, 0, 2, 0), "row", "nothing"), "integer 2x3: 1,2=1 0,0=-2 1,2=3"},
		{"coo of coords in Fortran's order", with("format", npy("|S3", "()", []byte("coo")...), "coords", fortran(npy("|u1", "(2, 3)", 1, 2, 0, 0, 1, 2))), "integer 2x3: 1,2=1 0,0=-2 1,2=3"},
		{"coo of one dimension", with("format", npy("|S3", "()", []byte("coo")...), "shape", i4(6), "coords", npy("|i1", "(1, 3)", 5, 0, 2)), "integer 1x6: 0,5=1 0,0=-2 0,2=3"},
		{"csr of one dimension", with("shape", i4(3), "indptr", i4(0, 3)), "integer 1x3: 0,0=1 0,2=-2 0,1=3"},
		{"indices of 64 bits without a sign", with("indices", npy("<u8", "(3,)", 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)), "integer 2x3: 0,0=1 0,2=-2 1,1=3"},
		{"more than the pointers use", with("indptr", i4(0, 1, 2)), "integer 2x3: 0,0=1 1,2=-2"},
		{"a diagonal far outside", with("format", npy("|S3", "()", []byte("dia")...), "offsets", npy("<i8", "(2,)", 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0, 0, 0, 0, 0, 0), "data", npy("|u1", "(2, 3)", 7, 8, 9, 1, 2, 3)), "offsets.npy: number 0 is -9223372036854775808"},

		{"three dimensions", with("format", npy("|S3", "()", []byte("coo")...), "shape", i4(2, 2, 2)), "shape.npy: it has 3 sizes; want a matrix of two, or a vector of one"},
		{"coords of three dimensions", with("format", npy("|S3", "()", []byte("coo")...), "coords", npy("|i1", "(3, 1)", 1, 1, 1)), "coords.npy: it has 3 rows; want one for each size"},
		{"coords outside", with("format", npy("|S3", "()", []byte("coo")...), "coords", npy("|i1", "(2, 3)", 1, 0, 1, 2, 0, 3)), "coords.npy: number 5 is 3; want 0 to 2"},
		{"an index of 2^63", with("indices", npy("<u8", "(3,)", 0, 0, 0, 0, 0, 0, 0, 0x80, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)), "indices.npy: number 0 is 9223372036854775808; want 0 to 2"},
		{"no data", with("data", ""), "data.npy: it is missing"},
		{"another format", with("format", npy("|S3", "()", []byte("lil")...)), `format.npy: "lil" is no format that is read`},
		{"a vector with rows", with("shape", i4(6)), "indptr.npy: it must be 2 numbers from 0 up to 3"},
		{"pointers fall", with("indptr", i4(0, 4, 3)), "indptr.npy: number 1 is 4; want 0 to 3"},
		{"pointers are few", with("indptr", i4(0, 3)), "indptr.npy: it must be 3 numbers from 0 up to 3"},
		{"a column outside", with("indices", i4(0, 3, 1)), "indices.npy: number 1 is 3; want 0 to 2"},
		{"columns are few", with("indices", i4(0, 1)), "indices.npy: it has 2 numbers for 3 entries"},
		{"values are cut off", with("data", npy("<f8", "(3,)", 1, 2)), "the array ends after 0 of 3 values"},
		{"values go on", with("data", npy("|i1", "(3,)", 1, 2, 3, 4)), "goes on after its 3 values"},
		{"objects", with("data", npy("|O", "(3,)")), `"|O"`},
		{"blocks that do not fit", with("format", npy("|S3", "()", []byte("bsr")...), "data", npy("|b1", "(1, 2, 2)", 1, 0, 0, 1)), "do not cut a matrix of 2 x 3"},
		{"a diagonal twice", with("format", npy("|S3", "()", []byte("dia")...), "offsets", i4(1, 1), "data", npy("|u1", "(2, 3)", 1, 2, 3, 4, 5, 6)), "there twice"},
		{"2^53 + 1", with("data", npy("<i8", "(3,)", 1, 0, 0, 0, 0, 0, 0x20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)), "value 0 is an integer that float64 cannot hold"},
		{"not a zip file", []byte("PK\x03\x04 and so on"), "archive: it is not a zip file"},
	} {
		have, err := shownNPZ(c.file, Options{Name: "f"})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), "f: ") {
				t.Errorf("%s: %v is no *Error of f", c.what, err)
			}
			have = err.Error()
		}
		if have != c.want && (err == nil || !strings.Contains(have, c.want)) {
			t.Errorf("%s: %s, want %s", c.what, have, c.want)
		}
	}
	if _, err := shownNPZ(with("shape", npy("<i8", "(2,)", 0, 0, 0, 0x40, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)), Options{}); !errors.Is(err, ErrLimit) {
		t.Errorf("2^30 rows: %v", err)
	}
	var twice bytes.Buffer
	z := zip.NewWriter(&twice)
	for range 2 {
		if _, err := z.Create("format.npy"); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := shownNPZ(twice.Bytes(), Options{}); err == nil || !strings.Contains(err.Error(), "format.npy: it is there twice") {
		t.Errorf("two formats: %v", err) // Python takes the second, which nothing else shows
	}
	bomb := archive(t, map[string]string{"format": npy("|S3", "()", []byte("csr")...), "shape": i4(2, 3), "data": npy("|i1", "(9000000,)", make([]byte, 9_000_000)...)})
	if _, err := shownNPZ(bomb, Options{}); !errors.Is(err, ErrLimit) {
		t.Errorf("9 MB of zeros from %d bytes: %v", len(bomb), err)
	}
}

// TestWriteNPZ: what is written is read back, and twice the same.
func TestWriteNPZ(t *testing.T) {
	var b, again bytes.Buffer
	for _, w := range []*bytes.Buffer{&b, &again} {
		if err := WriteNPZ(w, 2, 3, []int32{0, 2, 3}, []int32{0, 2, 1}, []float32{1, -2, 0.5}); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := shownNPZ(b.Bytes(), Options{}); err != nil || have != "real 2x3: 0,0=1 0,2=-2 1,1=0.5" {
		t.Errorf("%s, %v", have, err)
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("the same matrix in other bytes")
	}
	if err := WriteNPZ(io.Discard, 2, 3, []int32{0, 2}, []int32{0, 2}, []float32{1, 2}); err == nil {
		t.Error("too few pointers were written")
	}
	for _, c := range []struct{ pointers, columns []int32 }{{[]int32{0, 2, 1, 2}, []int32{0, 1}}, {[]int32{1, 1, 2, 2}, []int32{0, 1}}, {[]int32{0, 1, 2, 2}, []int32{0, 3}}, {[]int32{0, 1, 2, 2}, []int32{-1, 0}}} {
		if err := WriteNPZ(io.Discard, 3, 3, c.pointers, c.columns, []float32{1, 2}); err == nil {
			t.Errorf("%v, %v: no matrix was written", c.pointers, c.columns)
		}
	}
}

func FuzzNPZ(f *testing.F) {
	var b bytes.Buffer
	if err := WriteNPZ(&b, 2, 3, []int32{0, 2, 3}, []int32{0, 2, 1}, []float32{1, -2, 0.5}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		if have, err := shownNPZ(file, Options{}); err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%s, %v", have, err)
			}
		}
	})
}
