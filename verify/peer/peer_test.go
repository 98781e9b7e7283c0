package peer

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// builds calls f with every build of every peer that loads here, so OpenBLAS with threads and without in one process, and skips
// the peers of which none does.
func builds(t *testing.T, f func(t *testing.T, g *Gemm)) {
	for _, p := range peers {
		t.Run(p.Name, func(t *testing.T) {
			if len(p.Libs) == 0 {
				g, err := p.Load()
				if err != nil {
					t.Fatal(err)
				}
				f(t, g)
				return
			}
			if _, err := p.Load(); err != nil {
				t.Skip(err)
			}
			for _, file := range p.files() {
				g, err := p.open(file)
				if err != nil {
					continue
				}
				t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
					t.Logf("%s, threads %v, at %s", g.Version, g.Threaded, g.Path)
					f(t, g)
				})
			}
		})
	}
}

type gemm[T float32 | float64] func(transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)

// Sums of small integers are exact in any order, so every peer must match a plain loop bit for bit.
func TestExact(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("every library in every order")
	}
	builds(t, func(t *testing.T, g *Gemm) {
		if g.Name == "" || g.Version == "" || g.Path == "" || g.SetThreads == nil {
			t.Fatalf("a field is empty: %+v", g)
		}
		at := 0
		for _, threads := range []int{0, 1, 2} {
			g.SetThreads(threads)
			for _, size := range [][3]int{{0, 0, 0}, {0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 1}, {2, 3, 5}, {17, 33, 9}, {65, 31, 70}, {130, 131, 67}} {
				for trans := range 4 {
					for _, scale := range [][2]int{{1, 0}, {2, -3}, {0, 1}} {
						for _, pad := range []int{0, 3} {
							if at++; size[0] > 50 && at%5 > 0 && !level.Long() {
								continue // large ones in some of the ways, other ones for each number of threads
							}
							transA, transB, m, n, k := trans&1 != 0, trans&2 != 0, size[0], size[1], size[2]
							name := fmt.Sprintf("threads %d, %dx%dx%d, transA %v, transB %v, alpha %d, beta %d, pad %d",
								threads, m, n, k, transA, transB, scale[0], scale[1], pad)
							if has(t, g, dtype.F32, transA, transB, m, n, k, scale) {
								exact(t, "F32: "+name, g.F32, transA, transB, m, n, k, float32(scale[0]), float32(scale[1]), pad)
							}
							if has(t, g, dtype.F64, transA, transB, m, n, k, scale) {
								exact(t, "F64: "+name, g.F64, transA, transB, m, n, k, float64(scale[0]), float64(scale[1]), pad)
							}
						}
					}
				}
			}
		}
	})
}

// refuses says what the peers that cannot do everything may refuse; the others may refuse nothing.
var refuses = map[string]func(typ dtype.Type, transB bool, k int, scale [2]int) bool{
	"onednn": func(typ dtype.Type, _ bool, k int, _ [2]int) bool { return typ == dtype.F64 || k == 0 },
	"libxsmm": func(_ dtype.Type, transB bool, k int, scale [2]int) bool {
		return transB || k == 0 || scale != [2]int{1, 0}
	},
}

// has reports whether g has a product, and fails if it refuses one that it should have.
func has(t *testing.T, g *Gemm, typ dtype.Type, transA, transB bool, m, n, k int, scale [2]int) bool {
	t.Helper()
	err := g.Can(typ, transA, transB, m, n, k, float64(scale[0]), float64(scale[1]))
	if err != nil && (refuses[g.Name] == nil || !refuses[g.Name](typ, transB, k, scale)) {
		t.Fatalf("refused: %v", err)
	}
	return err == nil
}

func exact[T float32 | float64](t *testing.T, name string, f gemm[T], transA, transB bool, m, n, k int, alpha, beta T, pad int) {
	t.Helper()
	a, lda := matrix[T](transA, m, k, pad, 1)
	b, ldb := matrix[T](transB, k, n, pad, 2)
	c, ldc := matrix[T](false, m, n, pad, 3)
	want := append([]T(nil), c...)
	sums := make([]T, n)
	for i := range m {
		clear(sums)
		for l := range k {
			x := at(a, transA, i, l, lda)
			for j := range sums {
				sums[j] += x * at(b, transB, l, j, ldb)
			}
		}
		for j, sum := range sums {
			want[i*ldc+j] = alpha*sum + beta*c[i*ldc+j]
			if beta == 0 { // C is not to be read
				want[i*ldc+j] = alpha * sum
				c[i*ldc+j] = T(math.NaN())
			}
		}
	}
	f(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	for i := range want {
		if c[i] != want[i] && !(isNaN(c[i]) && isNaN(want[i])) {
			t.Fatalf("%s: c[%d] is %v, want %v", name, i, c[i], want[i])
		}
	}
}

// matrix stores op(X), rows by cols, as small integers. Between and after its rows stands NaN, which spoils C if it is read and
// is missed if it is overwritten.
func matrix[T float32 | float64](trans bool, rows, cols, pad, seed int) ([]T, int) {
	if trans {
		rows, cols = cols, rows
	}
	ld := max(1, cols) + pad
	x := make([]T, rows*ld)
	for i := range x {
		x[i] = T(math.NaN())
		if i%ld < cols {
			x[i] = T((i*7+seed*5)%9 - 4)
		}
	}
	return x, ld
}

func at[T float32 | float64](x []T, trans bool, i, j, ld int) T {
	if trans {
		i, j = j, i
	}
	return x[i*ld+j]
}

func isNaN[T float32 | float64](x T) bool { return x != x }

// A call that could run past a slice never reaches the library.
func TestRefuses(t *testing.T) {
	x := make([]float64, 100)
	builds(t, func(t *testing.T, g *Gemm) {
		for _, tt := range []struct {
			want string
			call func()
		}{
			{"m is -1", func() { g.F64(false, false, -1, 2, 2, 1, x, 2, x, 2, 0, x, 2) }},
			{"lda is 2, want 3", func() { g.F64(false, false, 2, 2, 3, 1, x, 2, x, 2, 0, x, 2) }},
			{"lda is 2, want 3", func() { g.F64(true, false, 3, 2, 2, 1, x, 2, x, 2, 0, x, 2) }},
			{"ldb is 0, want 1", func() { g.F64(false, false, 2, 0, 2, 1, x, 2, x, 0, 0, x, 2) }},
			{"ldc is 1, want 2", func() { g.F64(false, false, 2, 2, 2, 1, x, 2, x, 2, 0, x, 1) }},
			{"a has 7 elements; 2x3 with lda 5 needs 8", func() { g.F64(false, false, 2, 2, 3, 1, x[:7], 5, x, 2, 0, x, 2) }},
			{"b has 0 elements", func() { g.F64(false, true, 2, 2, 3, 1, x, 3, nil, 3, 0, x, 2) }},
			{"c has 3 elements; 2x2", func() { g.F64(false, false, 2, 2, 2, 1, x, 2, x, 2, 0, x[:3], 2) }},
			{"needs 4611686011984936963", func() {
				const most = math.MaxInt32 // the last row starts at (2^31-2)(2^31-1)
				g.F64(false, false, most, 1, 1, 1, x, most, x, 1, 0, x, 1)
			}},
		} {
			func() {
				defer func() {
					if got := fmt.Sprint(recover()); !strings.Contains(got, tt.want) {
						t.Errorf("panic is %q, want %q in it", got, tt.want)
					}
				}()
				tt.call()
			}()
		}
	})
}

func TestLoadErrors(t *testing.T) {
	if _, err := Load("nosuch"); err == nil || !strings.Contains(err.Error(), "blis, gonum, libxsmm, mkl, onednn, openblas") {
		t.Errorf("Load(nosuch): %v, want the names there are", err)
	}
	if _, err := Gonum.Load(); err != nil {
		t.Error(err)
	}
	missing := filepath.Join(t.TempDir(), "libnone.so")
	t.Setenv("TILESMITH_OPENBLAS", missing)
	_, err := Load("openblas")
	want := []string{missing, "libopenblas0-pthread", "TILESMITH_OPENBLAS"}
	if errors.Is(err, errors.ErrUnsupported) {
		want = []string{"gonum is its only peer"}
	}
	for _, s := range want {
		if err == nil || !strings.Contains(err.Error(), s) {
			t.Errorf("Load(openblas): %v, want %q in it", err, s)
		}
	}
}

// A library without the functions is an error, not purego's panic.
func TestMissingSymbol(t *testing.T) {
	libm := Peer{Name: "libm", Libs: []string{"libm.so.6", "/usr/lib/libSystem.dylib"}, Open: CBLAS}
	_, err := libm.Load()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err == nil || !strings.Contains(err.Error(), "cblas_sgemm") {
		t.Errorf("%v, want cblas_sgemm in it", err)
	}
}

func TestFiles(t *testing.T) {
	p := Peer{Name: "test", Libs: []string{"$TILESMITH_TEST_ROOT/lib/a.so", "/x/b.so", "/y/b.so", "/x/b.so"}}
	t.Setenv("TILESMITH_TEST_ROOT", "")
	t.Setenv("TILESMITH_TEST", "")
	for _, tt := range []struct{ key, value, want string }{
		{"", "", "[/x/b.so /y/b.so]"},
		{"TILESMITH_TEST_ROOT", "/r", "[/r/lib/a.so /x/b.so /y/b.so]"},
		{"TILESMITH_TEST", "/z/c.so", "[/z/c.so]"},
	} {
		if tt.key != "" {
			t.Setenv(tt.key, tt.value)
		}
		if got := fmt.Sprint(p.files()); got != tt.want {
			t.Errorf("with %s=%s: %s, want %s", tt.key, tt.value, got, tt.want)
		}
	}
	dir := t.TempDir()
	t.Setenv("TILESMITH_TEST", dir)
	if got, want := fmt.Sprint(p.files()), fmt.Sprint([]string{filepath.Join(dir, "a.so"), filepath.Join(dir, "b.so")}); got != want {
		t.Errorf("with a folder: %s, want %s", got, want)
	}
}

func TestAvailable(t *testing.T) {
	var names []string
	for _, g := range Available() {
		names = append(names, g.Name)
	}
	if !strings.Contains(fmt.Sprint(names), "gonum") {
		t.Errorf("%v, want gonum among them", names)
	}
}

// BenchmarkCall is a product of 1x1x1: what crossing into the library costs.
func BenchmarkCall(b *testing.B) {
	x := []float32{1}
	for _, g := range Available() {
		b.Run(g.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.F32(false, false, 1, 1, 1, 1, x, 1, x, 1, 0, x, 1)
			}
		})
	}
}
