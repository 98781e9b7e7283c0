package files_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// sciPyKinds writes what SciPy writes beside the usual, each file with NAME.npy, the matrix that SciPy reads from it:
// of every format and type, unsorted, with duplicates and zeros, of other orders and indices; and reads whole.mtx.
const sciPyKinds = `
import numpy as np, scipy.io, scipy.sparse as sp
rng = np.random.default_rng(1)
def keep(name, read):
    a = read(name)
    np.save(name + '.npy', np.atleast_2d(a.toarray() if sp.issparse(a) else a).astype(np.float64, order='C'))
def npz(name, a, **o):
    sp.save_npz(name + '.npz', a, **o)
    keep(name + '.npz', sp.load_npz)
def mm(name, a, **o):
    scipy.io.mmwrite(name + '.mtx', a, **o)
    keep(name + '.mtx', scipy.io.mmread)
def hb(name, a):
    try:
        scipy.io.hb_write(name + '.rua', sp.csc_matrix(a))
        keep(name + '.rua', scipy.io.hb_read)
    except ValueError: pass # it writes nothing that is empty, and numbers that touch, which it cannot read
types = ['?', 'i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'f4', 'f8']
for k in range(220):
    t, index = np.dtype(types[k % len(types)]), [np.int32, np.int64][k // 2 % 2]
    rows, cols = rng.integers(1, 9, 2)
    def values(*shape):
        v = rng.normal(size=shape) * 10.0 ** rng.integers(-20, 20) if t.kind == 'f' else rng.integers(0, 3, shape)
        return v.astype(t)
    kind = 'matrix' if k % 3 else 'array'
    def made(f, *args, **o): return getattr(sp, f + '_' + kind)(*args, **o)
    def rows_of(m, n):
        count = rng.integers(0, 4, m)
        return rng.integers(0, n, count.sum()).astype(index), np.append(0, np.cumsum(count)).astype(index)
    match k // 11 % 5:
        case 0:
            x, p = rows_of(rows, cols)
            a = made('csr', (values(len(x)), x, p), shape=(rows, cols))
        case 1:
            x, p = rows_of(cols, rows)
            a = made('csc', (values(len(x)), x, p), shape=(rows, cols))
        case 2:
            n = rng.integers(0, 20)
            a = made('coo', (values(n), (rng.integers(0, rows, n).astype(index), rng.integers(0, cols, n).astype(index))), shape=(rows, cols))
        case 3:
            x, p = rows_of(rows, cols)
            d = values(len(x), 2, 3)
            a = made('bsr', (np.asfortranarray(d) if k % 2 else d, x, p), shape=(2 * rows, 3 * cols), blocksize=(2, 3))
        case 4:
            d = values(rng.integers(0, 4), rng.integers(1, 9))
            a = made('dia', (np.asfortranarray(d) if k % 2 else d, rng.permutation(np.arange(-9, 10))[:len(d)].astype(index)), shape=(rows, cols))
    npz('r%d' % k, a, compressed=bool(k % 2))
    mm('r%d' % k, a, symmetry=['AUTO', 'general'][k % 2 or t.kind == 'b'])
    if t.kind in 'if' and a.nnz > 0 and a.data.any():
        hb('r%d' % k, a)
a = np.arange(12.).reshape(3, 4)
npz('transposed', sp.dia_array((a.T.copy().T, [0, 1, -1]), shape=(4, 4)))
npz('row', sp.coo_array(a[1]))
npz('row-csr', sp.csr_array(a[1]))
c = sp.coo_array(a)
np.savez('coords.npz', coords=np.array(c.coords), format=b'coo', shape=c.shape, data=c.data, _is_array=True)
keep('coords.npz', sp.load_npz)
c = sp.csr_array(a)
c.indices = c.indices.astype(np.uint16)
npz('index', c)
skew = np.array([[0, 2.], [-2, 0]])
mm('lenient-skew', sp.coo_array(skew), field='pattern')
mm('lenient-hermitian', sp.coo_array(skew @ skew), symmetry='hermitian')
w = scipy.io.mmread('whole.mtx')
assert w.dtype == np.uint64 and w.data.tolist() == [2**64 - 1, 7, 2**63], w
mm('unsigned', w)
`

func TestSciPyReadsKinds(t *testing.T) {
	dir := t.TempDir()
	whole, err := sparse.FromCOO(2, 2, []int{0, 0, 1}, []int{0, 1, 1}, []uint64{math.MaxUint64, 7, 1 << 63})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := files.WriteMatrixMarket(&text, whole); err != nil || os.WriteFile(filepath.Join(dir, "whole.mtx"), text.Bytes(), 0o600) != nil {
		t.Fatal(err)
	}
	python(t, dir, sciPyKinds)
	if m := read[uint64](t, filepath.Join(dir, "unsigned.mtx")); !m.Equal(whole) {
		t.Errorf("unsigned integers by way of SciPy: %v", m.ToDense())
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.npy"))
	if len(files) < 500 {
		t.Fatalf("%d files of SciPy's, want 500 or more", len(files))
	}
	for _, want := range files {
		file := strings.TrimSuffix(want, ".npy")
		name := filepath.Base(file)
		if name == "unsigned.mtx" {
			continue
		}
		checkSciPy(t, file, want, strings.HasPrefix(name, "lenient"))
	}
}

// checkSciPy compares a file with the array that SciPy read from it.
func checkSciPy(t *testing.T, path, array string, lenient bool) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(array)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := mtx.ReadNPY[float64](f, mtx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := files.Read[float64](bytes.NewReader(text), mtx.Options{Name: filepath.Base(path), Lenient: lenient})
	if err != nil {
		t.Error(err)
		return
	}
	rows, cols := m.Dims()
	if rows != want.Shape[0] || cols != want.Shape[1] {
		t.Errorf("%s is %d x %d, want %v", filepath.Base(path), rows, cols, want.Shape)
		return
	}
	for k, x := range want.Data {
		if have := m.At(k/cols, k%cols); have != x && !closeTo(have, x) {
			t.Errorf("%s: (%d, %d) is %v, want %v", filepath.Base(path), k/cols, k%cols, have, x)
			return
		}
	}
}

// closeTo allows for sums of float32, which SciPy adds up in float32.
func closeTo(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b)) }
