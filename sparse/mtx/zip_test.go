package mtx

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"
)

// zipText is what the files of these tests hold.
var zipText = strings.Repeat("an array of numbers\n", 500)

// zipped is an archive by archive/zip with one file, a.
func zipped(t testing.TB, method uint16, comment string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "a", Method: method, Comment: "a comment", Extra: []byte{9, 9, 1, 0, 7}})
	if err == nil {
		_, err = io.WriteString(w, zipText)
	}
	if err == nil {
		err = z.SetComment(comment)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unzipped returns the file a.
func unzipped(b []byte) (string, error) {
	z, err := newZip(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return "", err
	}
	if len(z.entries) != 1 || z.entries[0].name != "a" {
		return "", errZip
	}
	in, err := z.open(&z.entries[0])
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(in)
	return string(text), err
}

// wide64 moves the sizes of an archive with one file into fields of 64 bits, as numpy.savez writes them.
func wide64(b []byte) []byte {
	le := binary.LittleEndian
	end := bytes.LastIndex(b, []byte("PK\x05\x06"))
	central := int(le.Uint32(b[end+16:]))
	packed, size := le.Uint32(b[central+20:]), le.Uint32(b[central+24:])
	extra := []byte{1, 0, 24, 0}
	for _, v := range []uint32{size, packed, 0} {
		extra = le.AppendUint64(extra, uint64(v))
	}
	for _, at := range []int{20, 24, 42} {
		le.PutUint32(b[central+at:], zipMost32)
	}
	le.PutUint16(b[central+30:], le.Uint16(b[central+30:])+uint16(len(extra)))
	b = slices.Insert(slices.Clone(b), central+zipCentralSize+1, extra...)
	end += len(extra)
	var tail bytes.Buffer
	w := zipWriter{w: &tail, n: uint64(end), entries: make([]zipEntry, 1)}
	if err := w.end(zipMost32, uint64(end-central)); err != nil {
		panic(err)
	}
	record := tail.Bytes()
	le.PutUint64(record[48:], uint64(central))
	return append(b[:end], record...)
}

// TestZip reads what archive/zip wrote, and refuses what is broken.
func TestZip(t *testing.T) {
	changed := func(mark string, at int, to ...byte) []byte {
		b := zipped(t, zip.Deflate, "")
		copy(b[bytes.LastIndex(b, []byte(mark))+at:], to)
		return b
	}
	const local, central, end = "PK\x03\x04", "PK\x01\x02", "PK\x05\x06"
	for _, c := range []struct {
		what string
		file []byte
		want string // of the error
	}{
		{"deflated", zipped(t, zip.Deflate, ""), ""},
		{"stored", zipped(t, zip.Store, ""), ""},
		{"with a comment", zipped(t, zip.Deflate, strings.Repeat("PK\x05", 20_000)), ""},
		{"after a program", append([]byte("#!/bin/sh\n"), zipped(t, zip.Deflate, "")...), ""},
		{"with sizes of 64 bits", wide64(zipped(t, zip.Deflate, "")), ""},

		{"nothing", nil, "not a valid archive"},
		{"no end", changed(end, 0, 'p'), "not a valid archive"},
		{"no local header", changed(local, 0, 'p'), "not a valid archive"},
		{"no directory", changed(central, 0, 'p'), "not a valid archive"},
		{"two files for one", changed(end, 10, 2), "not a valid archive"},
		{"a file beyond the end", changed(central, 42, 0, 0, 1), "not a valid archive"},
		{"a long name", changed(central, 28, 255, 255), "not a valid archive"},
		{"an extra field cut off", changed(central, 46+1+2, 200), "not a valid archive"},
		{"many packed bytes", changed(central, 20, 255, 255, 255), "not a valid archive"},
		{"few bytes", changed(central, 24, 1, 0, 0), "not a valid archive"},
		{"more bytes", changed(central, 24, 255, 255, 0), "unexpected EOF"},
		{"another checksum", changed(central, 16, 1, 2, 3, 4), "the checksum does not agree"},
		{"another method", changed(central, 10, 12), "packed by method 12"},
		{"encrypted", changed(central, 8, 1), "it is encrypted"},
	} {
		text, err := unzipped(c.file)
		switch {
		case c.want == "" && (err != nil || text != zipText):
			t.Errorf("%s: %d bytes, %v", c.what, len(text), err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
	b := zipped(t, zip.Deflate, "")
	for n := range b {
		if _, err := unzipped(b[:n]); err == nil {
			t.Errorf("cut off after %d bytes: no error", n)
		}
	}
}

// TestZipWriter has archive/zip read what is written.
func TestZipWriter(t *testing.T) {
	var b bytes.Buffer
	z := &zipWriter{w: &b}
	texts := map[string]string{"a": zipText, "b": "", "c": "\x00"}
	for _, name := range []string{"a", "b", "c"} {
		if err := z.file(name, func(w io.Writer) error { _, err := io.WriteString(w, texts[name]); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || len(r.File) != len(texts) {
		t.Fatalf("%d bytes: %v", b.Len(), err)
	}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(in); err != nil || string(text) != texts[f.Name] {
			t.Errorf("%s: %d bytes, %v", f.Name, len(text), err)
		}
	}
}

// FuzzZip: of any bytes, archive/zip and this package read the same, if both read them.
func FuzzZip(f *testing.F) {
	f.Add(zipped(f, zip.Deflate, ""))
	f.Add(zipped(f, zip.Store, "a comment"))
	f.Fuzz(func(t *testing.T, file []byte) {
		text, err := unzipped(file)
		if err != nil {
			return
		}
		r, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil || len(r.File) != 1 {
			return
		}
		in, err := r.File[0].Open()
		if err != nil {
			return
		}
		if theirs, err := io.ReadAll(in); err == nil && string(theirs) != text {
			t.Errorf("%q, by archive/zip %q", text, theirs)
		}
	})
}
