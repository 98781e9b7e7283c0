package sparse

import (
	"fmt"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/internal/level"
)

// pattern is the structure of a matrix that some format may find hard.
type pattern struct {
	name string
	m, n int
	in   []Entry
}

// where returns the pattern of the elements that keep says.
func where(name string, m, n int, keep func(i, j int) bool) pattern {
	p := pattern{name: name, m: m, n: n}
	for i := range m {
		for j := range n {
			if keep(i, j) {
				p.in = append(p.in, Entry{i, j, len(p.in)})
			}
		}
	}
	return p
}

// patterns is the adversarial ones, then random ones of every density.
func patterns() []pattern {
	all := []pattern{
		{"0 x 0", 0, 0, nil}, {"0 x 5", 0, 5, nil}, {"5 x 0", 5, 0, nil},
		where("empty", 7, 9, func(i, j int) bool { return false }),
		where("one", 1, 1, func(i, j int) bool { return true }),
		where("1 x n", 1, 70, func(i, j int) bool { return j%3 == 0 }),
		where("1 x n full", 1, 70, func(i, j int) bool { return true }),
		where("n x 1", 70, 1, func(i, j int) bool { return i%3 != 0 }),
		where("n x 1 full", 70, 1, func(i, j int) bool { return true }),
		where("full", 13, 11, func(i, j int) bool { return true }),
		where("full, a whole number of words and blocks", 16, 16, func(i, j int) bool { return true }),
		where("diagonal", 17, 17, func(i, j int) bool { return i == j }),
		where("antidiagonal", 17, 17, func(i, j int) bool { return i+j == 16 }),
		where("band", 20, 20, func(i, j int) bool { return max(i-j, j-i) <= 2 }),
		where("wide band", 5, 40, func(i, j int) bool { return j-i >= 0 && j-i < 3 }),
		where("tall band", 40, 5, func(i, j int) bool { return i-j >= 0 && i-j < 3 }),
		where("lower triangle", 19, 19, func(i, j int) bool { return j <= i }),
		where("one dense row", 33, 41, func(i, j int) bool { return i == 20 || i == j }),
		where("one dense column", 33, 41, func(i, j int) bool { return j == 40 || i == j }),
		where("first and last", 33, 41, func(i, j int) bool { return i%32 == 0 && j%40 == 0 }),
		where("only the last", 9, 9, func(i, j int) bool { return i+j == 16 }),
		where("every other row", 30, 12, func(i, j int) bool { return i%2 == 1 && (i+j)%3 == 0 }),
		where("empty first and last rows", 30, 12, func(i, j int) bool { return i > 9 && i < 20 && j%5 == 1 }),
		where("block diagonal", 24, 24, func(i, j int) bool { return i/4 == j/4 }),
		where("blocks with holes", 23, 26, func(i, j int) bool { return (i/4+j/4)%3 == 0 && (i*j)%4 != 3 }),
		where("power law", 64, 64, func(i, j int) bool { return j < 64/(i+1) }),
		{"the far corner of the widest row", 1, MaxDim, []Entry{{0, 0, 0}, {0, MaxDim - 1, 1}}},
	}
	r := rand.New(level.PCG(1, 2))
	for k := range level.Of(10, 25, 60) {
		d := []float64{.01, .05, .2, .5, .9}[k%5]
		all = append(all, where(fmt.Sprintf("random %d, density %v", k, d), r.IntN(50), r.IntN(50), func(i, j int) bool { return r.Float64() < d }))
	}
	return all
}

// matrix returns the pattern with the values 1, 2 ...
func (p pattern) matrix() Matrix[float64] {
	b := NewBuilder[float64](p.m, p.n)
	for k, e := range p.in {
		b.Add(e.I, e.J, float64(k+1))
	}
	m, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	return m
}
