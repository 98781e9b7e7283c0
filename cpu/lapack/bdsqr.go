package lapack

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
)

// Dbdsqr computes the singular values of a bidiagonal matrix, and multiplies matrices by its singular vectors, as gonum's
// does: by implicit QR steps, those with a shift of 0 where small values need their digits. Rotations are
// applied by the hundred sweeps. (Demmel and Kahan, "Accurate singular values of bidiagonal matrices", SIAM J.
// Sci. Stat. Comput. 11(5), 1990; LAPACK's dbdsqr.)
func (f Float64) Dbdsqr(uplo blas.Uplo, n, ncvt, nru, ncc int, d, e, vt []float64, ldvt int, u []float64, ldu int, c []float64, ldc int, work []float64) (ok bool) {
	inside := func(rows, cols int, a []float64, ld int) bool {
		return rows == 0 || cols == 0 || ld >= cols && len(a) >= (rows-1)*ld+cols
	}
	if !isTriangle(uplo) || n < max(1, least) || min(ncvt, nru, ncc) < 0 || ncvt+nru+ncc == 0 || len(d) < n || len(e) < n-1 || len(work) < 4*(n-1) ||
		!inside(n, ncvt, vt, ldvt) || !inside(nru, n, u, ldu) || !inside(n, ncc, c, ldc) {
		return f.Implementation.Dbdsqr(uplo, n, ncvt, nru, ncc, d, e, vt, ldvt, u, ldu, c, ldc, work)
	}
	d, e = d[:n], e[:n-1]
	b := bidiagonal{Float64: f, d: d, e: e, vectors: newRotations(n, 2, rows(vt, ldvt, ncvt, 0), columns(u, ldu, nru, 1), rows(c, ldc, ncc, 1))}
	if uplo == blas.Lower {
		b.turn()
	}
	ok = b.solve()
	b.vectors.apply()
	if !ok {
		return false
	}
	for i, x := range d {
		if math.Signbit(x) {
			d[i] = -x
			for j := range ncvt {
				vt[i*ldvt+j] *= -1
			}
		}
	}
	order := ascending(d)
	slices.Reverse(order)
	buf := make([]float64, n)
	permute(order, d, buf)
	for i := range nru {
		permute(order, u[i*ldu:], buf)
	}
	permuteRows(order, vt, ldvt, ncvt)
	permuteRows(order, c, ldc, ncc)
	return true
}

// permuteRows makes row i what row order[i] was.
func permuteRows(order []int, a []float64, lda, cols int) {
	if cols == 0 {
		return
	}
	old := make([]float64, len(order)*cols)
	for i := range order {
		copy(old[i*cols:][:cols], a[i*lda:])
	}
	for i, from := range order {
		copy(a[i*lda:][:cols], old[from*cols:])
	}
}

// bidiagonal is an upper bidiagonal matrix with diagonal d, and e above it. Rotations from the right, pair 0, are for rows of Vᵀ,
// those from the left for columns of U and rows of C.
type bidiagonal struct {
	Float64
	d, e    []float64
	vectors *rotations

	tol, threshold float64 // what is negligible: relative to its neighbours, and absolutely
}

// turn makes a matrix upper bidiagonal that is lower bidiagonal, by rotations from the left.
func (b *bidiagonal) turn() {
	b.vectors.begin(0, len(b.e), false)
	for i := range b.e {
		c, s, r := b.Dlartg(b.d[i], b.e[i])
		b.d[i], b.e[i] = r, s*b.d[i+1]
		b.d[i+1] *= c
		b.vectors.add(1, 0, c, s)
	}
}

// solve makes e 0. It reports whether all numbers were finite, and it did so in the steps it has: 6 n² rotations.
func (b *bidiagonal) solve() bool {
	d, e, n := b.d, b.e, len(b.d)
	for _, x := range slices.Concat(d, e) {
		if x-x != 0 {
			return false
		}
	}
	b.tol = unit * max(10, min(100, math.Pow(unit, -1./8)))
	// A bound of the smallest singular value, for what may be dropped without hurting it.
	least := math.Abs(d[0])
	for i, mu := 1, least; i < n && least != 0; i++ {
		mu = math.Abs(d[i]) * (mu / (mu + math.Abs(e[i-1])))
		least = min(least, mu)
	}
	b.threshold = max(b.tol*least/math.Sqrt(float64(n)), 6*float64(n)*float64(n)*small)

	left := 6 * n * n
	before, beforeLast, down := -1, -1, false // the block of the last step, and which way its bulge went
	for last := n - 1; last > 0; {
		if left--; left < 0 { // here too, for numbers that became infinite on the way
			return false
		}
		first, most := last, math.Abs(d[last])
		for ; first > 0; first-- {
			x := math.Abs(e[first-1])
			if x <= b.threshold {
				e[first-1] = 0
				break
			}
			most = max(most, math.Abs(d[first-1]), x)
		}
		switch first {
		case last:
			last--
			continue
		case last - 1:
			b.pair(first)
			last -= 2
			continue
		}
		if first > beforeLast || last < before { // a block of its own: towards the smaller end
			down = math.Abs(d[first]) >= math.Abs(d[last])
		}
		smallest, split := b.bound(first, last, down)
		if split {
			continue
		}
		before, beforeLast = first, last
		left -= last - first
		switch shift := b.shift(first, last, down, smallest, most); {
		case shift == 0 && down:
			b.zeroDown(first, last)
		case shift == 0:
			b.zeroUp(first, last)
		case down:
			b.stepDown(first, last, shift)
		default:
			b.stepUp(first, last, shift)
		}
	}
	return true
}

// pair finds the singular values of rows i and i+1.
func (b *bidiagonal) pair(i int) {
	smaller, larger, sinr, cosr, sinl, cosl := b.Dlasv2(b.d[i], b.e[i], b.d[i+1])
	b.d[i], b.e[i], b.d[i+1] = larger, 0, smaller
	b.vectors.begin(i, 1, false)
	b.vectors.add(cosr, sinr, cosl, sinl)
}

// bound returns a lower bound of the smallest singular value of a block, or split if it made an element of e 0.
func (b *bidiagonal) bound(first, last int, down bool) (smallest float64, split bool) {
	d, e := b.d, b.e
	drop := func(i int, next float64) bool {
		if math.Abs(e[i]) > b.tol*next {
			return false
		}
		e[i] = 0
		return true
	}
	if down {
		if drop(last-1, math.Abs(d[last])) {
			return 0, true
		}
		mu := math.Abs(d[first])
		smallest = mu
		for i := first; i < last; i++ {
			if drop(i, mu) {
				return 0, true
			}
			mu = math.Abs(d[i+1]) * (mu / (mu + math.Abs(e[i])))
			smallest = min(smallest, mu)
		}
		return smallest, false
	}
	if drop(first, math.Abs(d[first])) {
		return 0, true
	}
	mu := math.Abs(d[last])
	smallest = mu
	for i := last - 1; i >= first; i-- {
		if drop(i, mu) {
			return 0, true
		}
		mu = math.Abs(d[i]) * (mu / (mu + math.Abs(e[i])))
		smallest = min(smallest, mu)
	}
	return smallest, false
}

// shift is that of the next step: 0 if another would cost small values digits, or is too small to matter.
func (b *bidiagonal) shift(first, last int, down bool, smallest, most float64) (shift float64) {
	d, e := b.d, b.e
	if float64(len(d))*b.tol*(smallest/most) <= max(unit, b.tol/100) {
		return 0
	}
	end := math.Abs(d[last])
	if down {
		end = math.Abs(d[first])
		shift, _ = b.Dlas2(d[last-1], e[last-1], d[last])
	} else {
		shift, _ = b.Dlas2(d[first], e[first], d[first+1])
	}
	if end > 0 && (shift/end)*(shift/end) < unit {
		return 0
	}
	return shift
}

// settle makes e[i] 0 if it is negligible.
func (b *bidiagonal) settle(i int) {
	if math.Abs(b.e[i]) <= b.threshold {
		b.e[i] = 0
	}
}

func (b *bidiagonal) zeroDown(first, last int) {
	d, e := b.d, b.e
	c, before, s, sBefore, r := 1.0, 1.0, 0.0, 0.0, 0.0
	b.vectors.begin(first, last-first, false)
	for i := first; i < last; i++ {
		c, s, r = b.Dlartg(d[i]*c, e[i])
		if i > first {
			e[i-1] = sBefore * r
		}
		before, sBefore, d[i] = b.Dlartg(before*r, d[i+1]*s)
		b.vectors.add(c, s, before, sBefore)
	}
	h := d[last] * c
	d[last], e[last-1] = h*before, h*sBefore
	b.settle(last - 1)
}

func (b *bidiagonal) zeroUp(first, last int) {
	d, e := b.d, b.e
	c, before, s, sBefore, r := 1.0, 1.0, 0.0, 0.0, 0.0
	b.vectors.begin(first, last-first, true)
	for i := last; i > first; i-- {
		c, s, r = b.Dlartg(d[i]*c, e[i-1])
		if i < last {
			e[i] = sBefore * r
		}
		before, sBefore, d[i] = b.Dlartg(before*r, d[i-1]*s)
		b.vectors.add(before, -sBefore, c, -s)
	}
	h := d[first] * c
	d[first], e[first] = h*before, h*sBefore
	b.settle(first)
}

// bulge is where a step with a shift begins that goes to the other end from d.
func bulge(d, shift float64) float64 { return (math.Abs(d) - shift) * (math.Copysign(1, d) + shift/d) }

func (b *bidiagonal) stepDown(first, last int, shift float64) {
	d, e := b.d, b.e
	f, g := bulge(d[first], shift), e[first]
	b.vectors.begin(first, last-first, false)
	for i := first; i < last; i++ {
		cosr, sinr, r := b.Dlartg(f, g)
		if i > first {
			e[i-1] = r
		}
		f, e[i] = cosr*d[i]+sinr*e[i], cosr*e[i]-sinr*d[i]
		g, d[i+1] = sinr*d[i+1], cosr*d[i+1]
		cosl, sinl, r := b.Dlartg(f, g)
		d[i] = r
		f, d[i+1] = cosl*e[i]+sinl*d[i+1], cosl*d[i+1]-sinl*e[i]
		if i < last-1 {
			g, e[i+1] = sinl*e[i+1], cosl*e[i+1]
		}
		b.vectors.add(cosr, sinr, cosl, sinl)
	}
	e[last-1] = f
	b.settle(last - 1)
}

func (b *bidiagonal) stepUp(first, last int, shift float64) {
	d, e := b.d, b.e
	f, g := bulge(d[last], shift), e[last-1]
	b.vectors.begin(first, last-first, true)
	for i := last; i > first; i-- {
		cosr, sinr, r := b.Dlartg(f, g)
		if i < last {
			e[i] = r
		}
		f, e[i-1] = cosr*d[i]+sinr*e[i-1], cosr*e[i-1]-sinr*d[i]
		g, d[i-1] = sinr*d[i-1], cosr*d[i-1]
		cosl, sinl, r := b.Dlartg(f, g)
		d[i] = r
		f, d[i-1] = cosl*e[i-1]+sinl*d[i-1], cosl*d[i-1]-sinl*e[i-1]
		if i > first+1 {
			g, e[i-2] = sinl*e[i-2], cosl*e[i-2]
		}
		b.vectors.add(cosl, -sinl, cosr, -sinr)
	}
	e[first] = f
	b.settle(first)
}
