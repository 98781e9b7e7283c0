package lapack

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

const (
	unit  = 0x1p-53   // of rounding
	small = 0x1p-1022 // its inverse is a number
)

// least is the order of matrices from which on vectors are rotated here. Smaller ones are left to gonum, which needs no buffers.
// Tests change it.
var least = 32

// Dsyev computes the eigenvalues of a symmetric matrix and, if jobz says so, its eigenvectors, as
// gonum's does, with [Float64.Dsteqr].
func (f Float64) Dsyev(jobz lapack.EVJob, uplo blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) (ok bool) {
	if jobz != lapack.EVCompute || !isTriangle(uplo) || n < max(1, least) || lda < n || len(a) < (n-1)*lda+n || len(w) < n || lwork < 3*n-1 || len(work) < lwork {
		return f.Implementation.Dsyev(jobz, uplo, n, a, lda, w, work, lwork)
	}
	// Tridiagonal matrices of numbers far from 1 lose parts to overflow and underflow.
	factor := fair(f.Dlansy(lapack.MaxAbs, uplo, n, a, lda, work))
	if factor != 1 {
		kind := lapack.UpperTri
		if uplo == blas.Lower {
			kind = lapack.LowerTri
		}
		f.Dlascl(kind, 0, 0, 1, factor, n, n, a, lda)
	}
	if uplo == blas.Lower { // gonum makes Q of the lower one by Dorgqr, see blockReflector
		for i := range n {
			for j := range i {
				a[j*lda+i] = a[i*lda+j]
			}
		}
		uplo = blas.Upper
	}
	e, tau, rest := work[:n], work[n:2*n], work[2*n:lwork]
	f.Dsytrd(uplo, n, a, lda, w, e, tau, rest, len(rest))
	f.Dorgtr(uplo, n, a, lda, tau, rest, len(rest))
	ok = f.Dsteqr(lapack.EVOrig, n, w, e, a, lda, make([]float64, 2*n))
	if factor != 1 {
		for i := range w[:n] {
			w[i] /= factor
		}
	}
	work[0] = float64(lwork)
	return ok
}

// fair is a power of two by which a matrix whose largest absolute value that is, is to be multiplied so that squares and products of
// its elements are numbers. It is 1 for most matrices.
func fair(most float64) float64 {
	if most > 0x1p-480 && most < 0x1p480 || most == 0 || most-most != 0 {
		return 1
	}
	_, exponent := math.Frexp(most)
	return math.Ldexp(1, min(-exponent, 1023))
}

// Dsteqr computes the eigenvalues of a symmetric tridiagonal matrix and its eigenvectors, or those of the matrix
// that was reduced to it, as gonum's does: by implicit QL or QR steps, whichever ends of a block are the smaller.
// Rotations of vectors are applied by the hundred sweeps. (EISPACK's imtql2; LAPACK's dsteqr.)
func (f Float64) Dsteqr(compz lapack.EVComp, n int, d, e, z []float64, ldz int, work []float64) (ok bool) {
	if compz != lapack.EVOrig && compz != lapack.EVTridiag || n < max(1, least) || ldz < n || len(d) < n || len(e) < n-1 ||
		len(z) < (n-1)*ldz+n || len(work) < 2*(n-1) {
		return f.Implementation.Dsteqr(compz, n, d, e, z, ldz, work)
	}
	d, e = d[:n], e[:n-1]
	if compz == lapack.EVTridiag {
		f.Dlaset(blas.All, n, n, 0, 1, z, ldz)
	}
	t := tridiagonal{Float64: f, d: d, e: e, vectors: newRotations(n, 1, columns(z, ldz, n, 0)), left: 30 * n}
	for first := 0; first < n; {
		last := first
		for ; last < n-1 && !t.splits(last); last++ {
		}
		t.block(first, last)
		first = last + 1
	}
	t.vectors.apply()
	for _, x := range e {
		if x != 0 {
			return false
		}
	}
	sortColumns(d, z, ldz, n)
	return true
}

// tridiagonal is a symmetric matrix with diagonal d, and e on both sides of it.
type tridiagonal struct {
	Float64
	d, e    []float64
	vectors *rotations
	left    int // how many steps may follow
}

// splits reports whether e[i] is too small to matter, and makes it 0 then.
func (t *tridiagonal) splits(i int) bool {
	if x := math.Abs(t.e[i]); x != 0 {
		if !(x <= math.Sqrt(math.Abs(t.d[i]))*math.Sqrt(math.Abs(t.d[i+1]))*unit) {
			return false
		}
		t.e[i] = 0
	}
	return true
}

// block finds the eigenvalues of rows first to last, which are apart from all others. Where steps run out, some of e stay.
func (t *tridiagonal) block(first, last int) {
	d, e := t.d[first:last+1], t.e[first:last]
	most := 0.0
	for i, x := range d {
		most = max(most, math.Abs(x))
		if i < len(e) {
			most = max(most, math.Abs(e[i]))
		}
	}
	if len(e) == 0 || most == 0 || most-most != 0 {
		return
	}
	factor := fair(most)
	scale := func(by float64) {
		for i := range d {
			d[i] *= by
		}
		for i := range e {
			e[i] *= by
		}
	}
	if factor != 1 {
		scale(factor)
		defer scale(1 / factor)
	}
	if math.Abs(t.d[last]) < math.Abs(t.d[first]) {
		t.qr(first, last)
	} else {
		t.ql(first, last)
	}
}

// negligible reports whether e[i] is too small to matter next to numbers that were scaled.
func (t *tridiagonal) negligible(i int) bool {
	x := math.Abs(t.e[i])
	return x*x <= unit*unit*math.Abs(t.d[i])*math.Abs(t.d[i+1])+small
}

// ql finds eigenvalues from first on: it chases a bulge up.
func (t *tridiagonal) ql(first, last int) {
	d, e := t.d, t.e
	for first <= last {
		m := first
		for ; m < last && !t.negligible(m); m++ {
		}
		if m < last {
			e[m] = 0
		}
		switch {
		case m == first:
			first++
			continue
		case m == first+1:
			t.pair(first)
			first += 2
			continue
		case t.left == 0:
			return
		}
		t.left--
		shift := d[first]
		g := (d[first+1] - shift) / (2 * e[first])
		g = d[m] - shift + e[first]/(g+math.Copysign(math.Hypot(g, 1), g))
		s, c, p := 1.0, 1.0, 0.0
		t.vectors.begin(first, m-first, true)
		for i := m - 1; i >= first; i-- {
			f, b := s*e[i], c*e[i]
			var r float64
			c, s, r = t.Dlartg(g, f)
			if i != m-1 {
				e[i+1] = r
			}
			g = d[i+1] - p
			r = (d[i]-g)*s + 2*c*b
			p = s * r
			d[i+1] = g + p
			g = c*r - b
			t.vectors.add(c, -s)
		}
		d[first] -= p
		e[first] = g
	}
}

// qr finds eigenvalues from last down: it chases a bulge down.
func (t *tridiagonal) qr(first, last int) {
	d, e := t.d, t.e
	for last >= first {
		m := last
		for ; m > first && !t.negligible(m-1); m-- {
		}
		if m > first {
			e[m-1] = 0
		}
		switch {
		case m == last:
			last--
			continue
		case m == last-1:
			t.pair(m)
			last -= 2
			continue
		case t.left == 0:
			return
		}
		t.left--
		shift := d[last]
		g := (d[last-1] - shift) / (2 * e[last-1])
		g = d[m] - shift + e[last-1]/(g+math.Copysign(math.Hypot(g, 1), g))
		s, c, p := 1.0, 1.0, 0.0
		t.vectors.begin(m, last-m, false)
		for i := m; i < last; i++ {
			f, b := s*e[i], c*e[i]
			var r float64
			c, s, r = t.Dlartg(g, f)
			if i != m {
				e[i-1] = r
			}
			g = d[i] - p
			r = (d[i+1]-g)*s + 2*c*b
			p = s * r
			d[i] = g + p
			g = c*r - b
			t.vectors.add(c, s)
		}
		d[last] -= p
		e[last-1] = g
	}
}

// pair finds the eigenvalues of rows i and i+1.
func (t *tridiagonal) pair(i int) {
	larger, other, c, s := t.Dlaev2(t.d[i], t.e[i], t.d[i+1])
	t.vectors.begin(i, 1, false)
	t.vectors.add(c, s)
	t.d[i], t.d[i+1], t.e[i] = larger, other, 0
}

// sortColumns sorts values, and the columns of rows x len(values) that belong to them.
func sortColumns(values, z []float64, ldz, rows int) {
	order := ascending(values)
	buf := make([]float64, len(order))
	permute(order, values, buf)
	for i := range rows {
		permute(order, z[i*ldz:], buf)
	}
}

// ascending returns the numbers of values in their order. It puts NaN first.
func ascending(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	return order
}

// permute makes x[i] what x[order[i]] was; buf is as long as order.
func permute(order []int, x, buf []float64) {
	copy(buf, x)
	for i, from := range order {
		x[i] = buf[from]
	}
}
