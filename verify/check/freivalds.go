package check

import (
	"math"
	"math/rand/v2"
)

// freivalds is a product of integers, out = alpha*a*b + beta*old, that is checked by multiplying with random vectors.
type freivalds struct {
	a, b, out, old *operand
	alpha, beta    float64
	den            float64 // elements of out are multiples of 1/den
	limit          float64 // of magnitudes of den*out
	wraps          bool    // sums are those of int32
}

// vectors are how many random ones there are, in one pass over the operands.
const vectors = 4

// wrong returns a row of out that is wrong, or -1. It wants out*x = alpha*(a*(b*x)) + beta*(old*x) for random vectors x, at
// the cost of reading the operands [Freivalds, Probabilistic machines can use less
// running time, IFIP 1977]. All of it is exact: den*out must be an integer, and
// int64 arithmetic is that of the ring of integers modulo 2^64, or 2^32 where sums wrap.
//
// A wrong result passes with little probability over x, uniform among the odd numbers of 64 bits. Let d be
// a non-zero element of the difference and 2^t the largest power of two that divides
// it. For any values of the other elements of x, at most 2^t of the 2^63 values of x_j
// make that row vanish. |d| <= 2^(p+1), so t <= p+1, and a vector misses the error with
// probability at most 2^(p-62): 2^-38 for float32, 2^-9 for float64. Four vectors make
// that 2^-152 and 2^-36. A single wrong element of a row never passes.
func (f *freivalds) wrong(rng *rand.Rand) int {
	x := make([][vectors]int64, f.out.cols)
	for j := range x {
		for v := range vectors {
			x[j][v] = int64(rng.Uint64() | 1)
		}
	}
	have, bad := f.out.times(x, f.den, f.limit)
	if bad >= 0 {
		return bad
	}
	bx, _ := f.b.times(x, 1, inf)
	want, _ := f.a.times(bx, 1, inf)
	kept := make([][vectors]int64, len(have))
	if f.beta != 0 {
		kept, _ = f.old.times(x, 1, inf)
	}
	alpha, beta := int64(f.alpha*f.den), int64(f.beta*f.den)
	for i := range have {
		for v := range vectors {
			d := alpha*want[i][v] + beta*kept[i][v] - have[i][v]
			if f.wraps {
				d = int64(int32(d))
			}
			if d != 0 {
				return i
			}
		}
	}
	return -1
}

// times returns den*o*x in the integers modulo 2^64. bad is a row with an element that is no integer up to the limit, or -1.
func (o *operand) times(x [][vectors]int64, den, limit float64) (y [][vectors]int64, bad int) {
	y, row := make([][vectors]int64, o.rows), make([]float64, o.cols)
	for i := range y {
		o.read(row, i*o.rs, o.cs)
		for j, e := range row {
			if e *= den; !(math.Abs(e) <= limit) || e != math.Trunc(e) {
				return nil, i
			}
			for v := range vectors {
				y[i][v] += int64(e) * x[j][v]
			}
		}
	}
	return y, -1
}

// dense is a row-major matrix of numbers.
func dense(x []float64, rows, cols int) *operand {
	return &operand{elems: slice[float64](x), rows: rows, cols: cols, rs: cols, cs: 1}
}
