package files_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// python runs a script in a folder with an interpreter that has SciPy: that of
// TILESMITH_SCIPY, or python3 if it has. On CI the stage scipy installs one.
func python(t *testing.T, dir, script string) {
	t.Helper()
	exe := os.Getenv("TILESMITH_SCIPY")
	if exe == "" {
		var err error
		if exe, err = exec.LookPath("python3"); err != nil {
			t.Skip("no python3, and TILESMITH_SCIPY names none; bash .ci/run scipy installs what is compared with")
		}
		if exec.Command(exe, "-c", "import scipy.sparse").Run() != nil {
			t.Skip("python3 has no SciPy, and TILESMITH_SCIPY names no other; bash .ci/run scipy installs what is compared with")
		}
	}
	cmd := exec.Command(exe, "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
}

// random is a matrix with entries in a tenth of the places.
func random[T dtype.Value](t *testing.T, rows, cols int, seed uint64) sparse.Matrix[T] {
	rng := rand.New(level.PCG(seed, 1))
	b := sparse.NewBuilder[complex128](rows, cols)
	for i := range rows {
		for j := range cols {
			if rng.IntN(10) == 0 {
				v := complex(rng.NormFloat64(), 0)
				switch any(T(0)).(type) {
				case float32, float64:
				case complex64, complex128:
					v += complex(0, rng.NormFloat64())
				default:
					v = complex(float64(rng.IntN(127)+1), 0)
				}
				b.Add(i, j, v)
			}
		}
	}
	c, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	m, err := sparse.Convert[T](c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSciPyReads: what is written here is to SciPy the matrix it was, and the other way
// round, for all formats of files and of SciPy's matrices.
func TestSciPyReads(t *testing.T) {
	t.Run("f32", func(t *testing.T) { sciPyReads[float32](t, "float32") })
	t.Run("f64", func(t *testing.T) { sciPyReads[float64](t, "float64") })
	t.Run("c64", func(t *testing.T) { sciPyReads[complex64](t, "complex64") })
	t.Run("c128", func(t *testing.T) { sciPyReads[complex128](t, "complex128") })
	t.Run("i8", func(t *testing.T) { sciPyReads[int8](t, "int8") })
	t.Run("i64", func(t *testing.T) { sciPyReads[int64](t, "int64") })
	t.Run("u16", func(t *testing.T) { sciPyReads[uint16](t, "uint16") })
	t.Run("u64", func(t *testing.T) { sciPyReads[uint64](t, "uint64") })
}

func sciPyReads[T dtype.Value](t *testing.T, typ string) {
	dir := t.TempDir()
	sizes := [][2]int{{1, 1}, {0, 3}, {3, 0}, {12, 8}, {60, 90}, {200, 3}}
	for k, s := range sizes {
		m := random[T](t, s[0], s[1], uint64(k))
		var npz, mm bytes.Buffer
		if err := files.WriteNPZ(&npz, m); err != nil {
			t.Fatal(err)
		}
		if err := files.WriteMatrixMarket(&mm, m); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, string(rune('a'+k)))
		if os.WriteFile(name+".npz", npz.Bytes(), 0o600) != nil || os.WriteFile(name+".mtx", mm.Bytes(), 0o600) != nil {
			t.Fatal("the files could not be written")
		}
	}
	python(t, dir, `
import glob, numpy as np, scipy.io, scipy.sparse as sp
for f in sorted(glob.glob('?.npz')):
    name = f[:-4]
    a = sp.load_npz(f)
    assert a.format == 'csr' and a.dtype == np.`+typ+`, (f, a.format, a.dtype)
    b = scipy.io.mmread(name + '.mtx').tocsr().astype(a.dtype)
    assert a.shape == b.shape and (a != b).nnz == 0, f
    for to in ['csr', 'csc', 'coo', 'bsr', 'dia']:
        sp.save_npz(name + '-' + to + '.npz', a.asformat(to))
    sp.save_npz(name + '-stored.npz', a, compressed=False)
    scipy.io.mmwrite(name + '-mm.mtx', a)
    if a.nnz > 0 and a.dtype.kind != 'c':
        scipy.io.hb_write(name + '-hb.rua', sp.csc_matrix(a).astype(np.float64))
    u = sp.coo_matrix((np.arange(1, 4, dtype=np.uint64) << 40, ([0, 1, 1], [1, 0, 2])), shape=(2, 3))
    scipy.io.mmwrite('whole-unsigned.mtx', u)
    sp.save_npz('whole-unsigned.npz', u)
    scipy.io.mmwrite('whole-signed.mtx', u.astype(np.int64))
`)
	for k, s := range sizes {
		want := random[T](t, s[0], s[1], uint64(k))
		files, _ := filepath.Glob(filepath.Join(dir, string(rune('a'+k))+"-*"))
		if least := 8; len(files) < least-1 || want.NNZ() > 0 && len(files) < least && typ[0] != 'c' {
			t.Fatalf("%d files of SciPy's, want %d", len(files), least)
		}
		for _, file := range files {
			if have := read[T](t, file); !have.Equal(want) {
				t.Errorf("%s is %v, want %v", filepath.Base(file), have, want)
			}
		}
	}
	if typ == "int8" || typ == "uint16" { // which do not hold what follows
		return
	}
	for _, file := range []string{"whole-unsigned.mtx", "whole-unsigned.npz", "whole-signed.mtx"} {
		m, err := sparse.Convert[uint64](read[T](t, filepath.Join(dir, file)))
		if err != nil || m.NNZ() != 3 || m.At(0, 1) != 1<<40 || m.At(1, 2) != 3<<40 {
			t.Errorf("%s: %v, %v", file, m, err)
		}
	}
}

func read[T dtype.Value](t *testing.T, path string) sparse.Matrix[T] {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := files.Read[T](f, mtx.Options{Name: filepath.Base(path)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
