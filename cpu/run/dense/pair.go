package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// pairing is what a product of pairs of numbers is besides its operands: complex numbers, or
// others x + y·e. Kernels find it in a [kernel.Pair], which each worker fills in for itself.
type pairing struct {
	square       float64 // e·e
	conjA, conjB bool
	alpha, beta  complex128
}

// complexNumbers is e·e of complex numbers.
const complexNumbers = -1

// pairingOf is alpha times the product, plus beta times c.
func pairingOf[T dtype.AnySum](square float64, conj run.Conjugates, alpha, beta T) pairing {
	return pairing{square, conj&run.ConjA != 0, conj&run.ConjB != 0, complexOf(alpha), complexOf(beta)}
}

// complexOf returns x as a complex128.
func complexOf[T dtype.AnySum](x T) complex128 {
	switch x := any(x).(type) {
	case complex64:
		return complex128(x)
	case complex128:
		return x
	case float32:
		return complex(float64(x), 0)
	case float64:
		return complex(x, 0)
	}
	return 0 // unreachable: Number is closed
}

// set fills in f for elements of so many bytes, and returns the mode. With added C holds what
// was summed so far, and is added as it is.
func (p *pairing) set(f *kernel.Pair, size int, added bool) int64 {
	beta := p.beta
	if added {
		beta = 1
	}
	return f.Set(size == singlePair, p.square, p.conjA, p.conjB, p.alpha, beta, beta != 0)
}

// singlePair is the size of two float32.
const singlePair = 8

// setPair has the worker's kernels do what p says.
func (w *worker) setPair(p *pairing, size int, added bool) {
	w.args.Mode = p.set(&w.pair, size, added)
	w.args.Pair = &w.pair
}

// withoutOld is a mode of pairs that does the same, but for what C holds.
func withoutOld(mode int64) int64 {
	switch mode {
	case kernel.ModeUpdate:
		return kernel.ModeScale
	case kernel.ModeTurnUpdate:
		return kernel.ModeTurn
	}
	return mode
}

// conjugate replaces m x n complex numbers of so many bytes, in rows ld bytes apart, by their
// conjugates.
func conjugate(at unsafe.Pointer, ld, m, n, size int) {
	for i := range m {
		row := unsafe.Add(at, i*ld)
		if size == singlePair {
			for j, x := range unsafe.Slice((*complex64)(row), n) {
				*(*complex64)(unsafe.Add(row, j*size)) = complex(real(x), -imag(x))
			}
			continue
		}
		for j, x := range unsafe.Slice((*complex128)(row), n) {
			*(*complex128)(unsafe.Add(row, j*size)) = complex(real(x), -imag(x))
		}
	}
}

// realPart drops the imaginary part of a complex number of so many bytes.
func realPart(at unsafe.Pointer, size int) {
	if size == singlePair {
		x := (*complex64)(at)
		*x = complex(real(*x), 0)
		return
	}
	x := (*complex128)(at)
	*x = complex(real(*x), 0)
}

// conjOf returns the conjugate of x if conj is set.
func conjOf[T dtype.AnySum](x T, conj bool) T {
	if size := int(unsafe.Sizeof(x)); conj && dtype.Of[T]().Complex() {
		conjugate(unsafe.Pointer(&x), 0, 1, 1, size)
	}
	return x
}
