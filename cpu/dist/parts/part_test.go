package parts

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mtx"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// contents returns what a Part is, with its matrix as slices.
func contents[T dtype.Float](p Part[T]) any {
	i, j, v := p.A.CSR()
	return []any{p.Rank, p.Ranks, p.Rows, p.Cols, p.ID, append([]int64{}, p.OwnRows...), append([]int64{}, p.OwnCols...), append([]int64{}, p.Halo...), p.From, i, j, append([]T{}, v...)}
}

// TestDivide: parts have every entry once, interior rows first, and their halo is what they
// read.
func TestDivide(t *testing.T) {
	a := sample.Random(ranktest.Must[sparse.Matrix[float64]](t)(sample.RMAT[float64](500, 3000, .57, .19, .19, 1)), 1)
	for _, p := range []int{1, 2, 5, 9} {
		for _, cols := range [][]int32{nil, ranktest.InOrder(500, p)} {
			rows := ranktest.Scattered(500, p)
			got := sparse.NewBuilder[float64](500, 500)
			for rank := range p {
				x := ranktest.Must[Part[float64]](t)(Divide(a, rank, p, rows, cols))
				if err := x.Check(); err != nil {
					t.Error(err)
				}
				if x.Conformal() != (cols == nil || p == 1) {
					t.Errorf("rank %d of %d: conformal %v", rank, p, x.Conformal())
				}
				last, read := 0, make([]bool, len(x.Halo))
				for e, v := range x.A.All() {
					j := int64(0)
					if k := e.J - len(x.OwnCols); k >= 0 {
						last, j, read[k] = e.I, x.Halo[k], true
					} else {
						j = x.OwnCols[e.J]
						if e.I > last && !interiorFirst(x.A, e.I, len(x.OwnCols)) {
							t.Fatalf("rank %d of %d: row %d is interior and comes late", rank, p, e.I)
						}
					}
					got.Add(int(x.OwnRows[e.I]), int(j), v)
				}
				if slices.Contains(read, false) {
					t.Errorf("rank %d of %d: a column of its halo is not read", rank, p)
				}
			}
			if m := ranktest.Must[sparse.Matrix[float64]](t)(got.Matrix()); !m.Equal(a) {
				t.Errorf("%d parts do not make the matrix", p)
			}
		}
	}
}

// interiorFirst reports whether row i of a part reads its halo or all before it are interior.
func interiorFirst(a sparse.Matrix[float64], i, own int) bool {
	reads := func(i int) bool {
		for j := range a.Row(i) {
			if j >= own {
				return true
			}
		}
		return false
	}
	return reads(i) || i == 0 || !reads(i-1)
}

func TestPartRoundTrip(t *testing.T) {
	a := sample.Random(ranktest.Must[sparse.Matrix[float64]](t)(sample.RMAT[float64](9000, level.Of(9000, 30000, 90000), .57, .19, .19, 1)), 1)
	rows := ranktest.Scattered(9000, 4)
	for _, cols := range [][]int32{nil, ranktest.InOrder(9000, 4)} {
		for rank := range 4 {
			p := ranktest.Must[Part[float64]](t)(Divide(a, rank, 4, rows, cols))
			var file bytes.Buffer
			if err := Write(&file, p); err != nil {
				t.Fatal(err)
			}
			got := ranktest.Must[Part[float64]](t)(Read[float64](&file, "x"))
			if want, have := contents(p), contents(got); !reflect.DeepEqual(want, have) { // a difference takes a hundred times as long
				t.Errorf("rank %d (-written +read):\n%s", rank, cmp.Diff(want, have))
			}
		}
	}
	narrow := ranktest.Must[sparse.Matrix[float32]](t)(sparse.FromCOO(2, 2, []int{0, 1}, []int{1, 0}, []float32{1.5, float32(math.Inf(1))}))
	p := ranktest.Must[Part[float32]](t)(Divide(narrow, 0, 2, []int32{0, 1}, nil))
	var file bytes.Buffer
	if err := Write(&file, p); err != nil {
		t.Fatal(err)
	}
	wide := ranktest.Must[Part[float64]](t)(Read[float64](&file, "x"))
	if wide.A.At(0, 1) != 1.5 {
		t.Errorf("float32 read as float64: %v", wide.A)
	}
}

// TestStreamParts: the files are those of WriteAll, byte for byte, and ranks multiply by them.
func TestStreamParts(t *testing.T) {
	const text = `%%MatrixMarket matrix coordinate real symmetric
6 6 8
1 1 2
3 1 -1
2 2 .1
2 2 .2
2 2 .3
6 2 1e-3
5 4 7
6 6 1
`
	dir := t.TempDir()
	a := ranktest.Must[sparse.Matrix[float64]](t)(sparse.ReadMatrixMarket[float64](strings.NewReader(text), mtx.Options{}))
	rows := []int32{0, 2, 2, 0, 0, 3}
	links := 0 // which files are written through, and stay
	for _, prefix := range []string{"whole", "streamed"} {
		if os.Symlink(prefix, Name(filepath.Join(dir, prefix), 3, 4)) == nil {
			links++
		}
	}
	if err := WriteAll(filepath.Join(dir, "whole"), a, 4, rows, nil); err != nil {
		t.Fatal(err)
	}
	err := Stream[float64](filepath.Join(dir, "streamed"), strings.NewReader(text), mtx.Options{}, 4, func(m, n int) (r, c []int32, err error) {
		if m != 6 || n != 6 {
			t.Errorf("the size is %d x %d", m, n)
		}
		return rows, nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for rank := range 4 {
		x := ranktest.Must[[]byte](t)(os.ReadFile(Name(filepath.Join(dir, "whole"), rank, 4)))
		y := ranktest.Must[[]byte](t)(os.ReadFile(Name(filepath.Join(dir, "streamed"), rank, 4)))
		if !bytes.Equal(x, y) {
			t.Errorf("rank %d: the files differ", rank)
		}
	}
	if left := ranktest.Must[[]os.DirEntry](t)(os.ReadDir(dir)); len(left) != 8+links {
		t.Errorf("%d files, want %d: %v", len(left), 8+links, left)
	}
	err = comm.Run(4, func(c *comm.Comm) error {
		p, err := Open[float64](c, filepath.Join(dir, "streamed"))
		if err != nil {
			return err
		}
		return p.CheckWhole(c)
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOpenPart: a file that one rank cannot read is an error on all, with the rank, the file
// and the byte.
func TestOpenPart(t *testing.T) {
	a := ranktest.Must[sparse.Matrix[float64]](t)(sample.Uniform[float64](50, 50, 4, 1))
	for _, x := range []struct {
		what, want string
		bad        func(t *testing.T, name string, b []byte)
	}{
		{"missing", "rank 1: ", func(t *testing.T, name string, _ []byte) { os.Remove(name) }},
		{"truncated", "byte 700: it ends inside", func(t *testing.T, name string, b []byte) { os.WriteFile(name, b[:700], 0o600) }},
		{"of another rank", "byte 16: it is the part of rank 2 of 3; want that of rank 1 of 3", func(t *testing.T, name string, b []byte) {
			b, _ = os.ReadFile(strings.Replace(name, "1-of", "2-of", 1))
			os.WriteFile(name, b, 0o600)
		}},
		{"of another matrix", "which matrix the parts are of, by its ID: ranks 0, 2 0x", func(t *testing.T, name string, _ []byte) {
			other := ranktest.Must[sparse.Matrix[float64]](t)(sample.Uniform[float64](50, 50, 4, 2))
			p := ranktest.Must[Part[float64]](t)(Divide(other, 1, 3, ranktest.InOrder(50, 3), nil))
			if err := writeFile(name, p); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		prefix := filepath.Join(t.TempDir(), "m")
		if err := WriteAll(prefix, a, 3, ranktest.InOrder(50, 3), nil); err != nil {
			t.Fatal(err)
		}
		name := Name(prefix, 1, 3)
		x.bad(t, name, ranktest.Must[[]byte](t)(os.ReadFile(name)))
		errs := make([]error, 3)
		_ = comm.Run(3, func(c *comm.Comm) error {
			p, err := Open[float64](c, prefix)
			if err == nil {
				err = p.CheckWhole(c)
			}
			errs[c.Rank()] = err
			return nil
		})
		for r, err := range errs {
			if err == nil || !strings.Contains(err.Error(), x.want) || !strings.Contains(err.Error(), "rank 1") {
				t.Errorf("%s: rank %d: %v; want an error of rank 1 with %q", x.what, r, err, x.want)
			}
		}
	}
}

// reseal makes the checksum of a header right again.
func reseal(b []byte) []byte {
	binary.LittleEndian.PutUint32(b[header:], crc32.Checksum(b[:header], crcTable))
	return b
}

func partFile(t testing.TB) []byte {
	a := ranktest.Must[sparse.Matrix[float64]](t)(sample.Uniform[float64](30, 30, 3, 1))
	var file bytes.Buffer
	if err := Write(&file, ranktest.Must[Part[float64]](t)(Divide(a, 1, 3, ranktest.InOrder(30, 3), nil))); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestReadPartRefuses: every cut and every byte that is changed is an error with its place.
func TestReadPartRefuses(t *testing.T) {
	whole := partFile(t)
	for n := range whole {
		_, err := Read[float64](bytes.NewReader(whole[:n]), "f")
		if want := fmt.Sprintf("f: byte %d: it ends inside", n); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("%d of %d bytes: %v, want %q", n, len(whole), err, want)
		}
		bad := bytes.Clone(whole)
		bad[n] ^= 1 << (n % 8)
		if p, err := Read[float64](bytes.NewReader(bad), "f"); err == nil {
			t.Fatalf("byte %d is changed, and it reads as %v", n, p.A)
		}
	}
	if _, err := Read[float64](bytes.NewReader(append(bytes.Clone(whole), 0)), "f"); err == nil || !strings.Contains(err.Error(), "more than the header says") {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := Read[float32](bytes.NewReader(whole), "f"); err == nil || !strings.Contains(err.Error(), "without loss") {
		t.Errorf("float64 as float32: %v", err)
	}
	for at, want := range map[int]string{16: "rank is", 24: "number of ranks is", 32: "number of rows is", 40: "number of columns is", 56: "number of own rows is",
		64: "number of own columns is", 72: "number of columns of the halo is", 80: "number of entries is"} {
		bad := bytes.Clone(whole)
		binary.LittleEndian.PutUint64(bad[at:], 1<<63)
		if _, err := Read[float64](bytes.NewReader(reseal(bad)), "f"); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("byte %d: the %s", at, want)) &&
			!(at == 24 && strings.Contains(err.Error(), "the rank is 1; want 0 to")) {
			t.Errorf("word at %d is negative: %v, want an error that the %s", at, err, want)
		}
	}
}

// TestReadPartMemory: what a header promises is not allocated.
func TestReadPartMemory(t *testing.T) {
	bad := partFile(t)[:header+4]
	binary.LittleEndian.PutUint64(bad[32:], 1<<40)
	binary.LittleEndian.PutUint64(bad[40:], 1<<40)
	for _, at := range []int{56, 64, 72} {
		binary.LittleEndian.PutUint64(bad[at:], sparse.MaxDim)
	}
	binary.LittleEndian.PutUint64(bad[80:], sparse.MaxSlots)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Read[float64](bytes.NewReader(reseal(bad)), "f"); err == nil {
		t.Error("a file with nothing in it is read")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes for a header", n)
	}
}

func FuzzReadPart(f *testing.F) {
	f.Add(partFile(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= header+4 {
			reseal(b)
		}
		p, err := Read[float64](bytes.NewReader(b), "f")
		if err != nil {
			return
		}
		if err := p.Check(); err != nil {
			t.Error(err)
		}
		var again bytes.Buffer
		if err := Write(&again, p); err != nil {
			t.Error(err)
		}
		if back, err := Read[float64](&again, "f"); err != nil || back.fingerprint() != p.fingerprint() {
			t.Errorf("written again: %v", err)
		}
	})
}
