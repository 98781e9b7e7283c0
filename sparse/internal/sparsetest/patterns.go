// Package sparsetest has what tests of sparse matrices share: structures that formats may find hard, and judges of
// errors.
package sparsetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
)

// Pattern is the structure of a matrix that some format may find hard.
type Pattern struct {
	Name string
	M, N int
	In   []sparse.Entry
}

// Where returns the pattern of the elements that keep says.
func Where(name string, m, n int, keep func(i, j int) bool) Pattern {
	p := Pattern{Name: name, M: m, N: n}
	for i := range m {
		for j := range n {
			if keep(i, j) {
				p.In = append(p.In, sparse.Entry{I: i, J: j, K: len(p.In)})
			}
		}
	}
	return p
}

// Formats are the formats that tests go through, some with several parameters; those of width 64 and more hold rows of
// any pattern but the widest. parse is format.Parse: package format tests itself with them.
func Formats[F any](parse func(name string) (F, error)) (all []F) {
	for name := range strings.FieldsSeq(`csr csc coo dcsr dense dia ragged ell1 ell4 ell70 dell1 dell4 dell70
		sell1_1 sell4_1 sell4_8 sell8_64 sell3_6 sell100_100 bsr1 bsr2 bsr4 bsr7 bsr100 dbsr1 dbsr3 dbsr4 dbsr100
		srbcrs1_1 srbcrs8_4 srbcrs4_32 srbcrs3_2 srbcrs100_1`) {
		f, err := parse(name)
		if err != nil {
			panic(err)
		}
		all = append(all, f)
	}
	return all
}

// Patterns is the adversarial ones, then random ones of every density.
func Patterns() []Pattern {
	all := []Pattern{
		{"0 x 0", 0, 0, nil}, {"0 x 5", 0, 5, nil}, {"5 x 0", 5, 0, nil},
		Where("empty", 7, 9, func(i, j int) bool { return false }),
		Where("one", 1, 1, func(i, j int) bool { return true }),
		Where("1 x n", 1, 70, func(i, j int) bool { return j%3 == 0 }),
		Where("1 x n full", 1, 70, func(i, j int) bool { return true }),
		Where("n x 1", 70, 1, func(i, j int) bool { return i%3 != 0 }),
		Where("n x 1 full", 70, 1, func(i, j int) bool { return true }),
		Where("full", 13, 11, func(i, j int) bool { return true }),
		Where("full, a whole number of words and blocks", 16, 16, func(i, j int) bool { return true }),
		Where("diagonal", 17, 17, func(i, j int) bool { return i == j }),
		Where("antidiagonal", 17, 17, func(i, j int) bool { return i+j == 16 }),
		Where("band", 20, 20, func(i, j int) bool { return max(i-j, j-i) <= 2 }),
		Where("wide band", 5, 40, func(i, j int) bool { return j-i >= 0 && j-i < 3 }),
		Where("tall band", 40, 5, func(i, j int) bool { return i-j >= 0 && i-j < 3 }),
		Where("lower triangle", 19, 19, func(i, j int) bool { return j <= i }),
		Where("one dense row", 33, 41, func(i, j int) bool { return i == 20 || i == j }),
		Where("one dense column", 33, 41, func(i, j int) bool { return j == 40 || i == j }),
		Where("first and last", 33, 41, func(i, j int) bool { return i%32 == 0 && j%40 == 0 }),
		Where("only the last", 9, 9, func(i, j int) bool { return i+j == 16 }),
		Where("every other row", 30, 12, func(i, j int) bool { return i%2 == 1 && (i+j)%3 == 0 }),
		Where("empty first and last rows", 30, 12, func(i, j int) bool { return i > 9 && i < 20 && j%5 == 1 }),
		Where("block diagonal", 24, 24, func(i, j int) bool { return i/4 == j/4 }),
		Where("blocks with holes", 23, 26, func(i, j int) bool { return (i/4+j/4)%3 == 0 && (i*j)%4 != 3 }),
		Where("power law", 64, 64, func(i, j int) bool { return j < 64/(i+1) }),
		{"the far corner of the widest row", 1, sparse.MaxDim, []sparse.Entry{{}, {J: sparse.MaxDim - 1, K: 1}}},
	}
	r := rand.New(level.PCG(1, 2))
	for k := range level.Of(10, 25, 60) {
		d := []float64{.01, .05, .2, .5, .9}[k%5]
		all = append(all, Where(fmt.Sprintf("random %d, density %v", k, d), r.IntN(50), r.IntN(50), func(i, j int) bool { return r.Float64() < d }))
	}
	return all
}

// Matrix returns the pattern with the values 1, 2 ...
func (p Pattern) Matrix() sparse.Matrix[float64] {
	b := sparse.NewBuilder[float64](p.M, p.N)
	for k, e := range p.In {
		b.Add(e.I, e.J, float64(k+1))
	}
	return Must(b.Matrix())
}

// Must returns m, and panics if there is an error.
func Must[V any](m V, err error) V {
	if err != nil {
		panic(err)
	}
	return m
}

// Refusal fails unless err is a [sparse.Error] of that kind that says want.
func Refusal(t *testing.T, what string, err error, want string, kind error) {
	t.Helper()
	var e *sparse.Error
	if !errors.As(err, &e) || !errors.Is(err, kind) || err.Error() != want {
		t.Errorf("%s: %v, want %s (%v)", what, err, want, kind)
	}
}

// Allocated returns how many bytes f allocates in all, freed or not.
func Allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
