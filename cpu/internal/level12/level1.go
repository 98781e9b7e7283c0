package level12

import (
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run/vectors"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// piece is how many elements one call of a kernel goes over at most, which takes some ten
// microseconds: assembly cannot be interrupted.
const piece = 1 << 14

// mostChunks is how many chunks a vector is cut into at most.
const mostChunks = 64

// A pass goes over vectors with one kernel. Its chunks depend on the length only.
type pass[T dtype.Float] struct {
	kernel oneRow
	x, y   []T
	s, t   T
	size   int // of a chunk, whole pieces
	next   atomic.Int64
	parts  [mostChunks]float64
}

// One for each type: a variable cannot be generic.
var (
	passes32 vectors.Pool[pass[float32]]
	passes64 vectors.Pool[pass[float64]]
)

func passes[T dtype.Float]() *vectors.Pool[pass[T]] {
	if isWide[T]() {
		return any(&passes64).(*vectors.Pool[pass[T]])
	}
	return any(&passes32).(*vectors.Pool[pass[T]])
}

// sharedBytes is how much memory a call reads and writes for each goroutine that works on it. At
// 20 GB/s that takes some hundred microseconds, ten times what waking one takes.
const sharedBytes = 2 << 20

func goroutines(bytes int64) int {
	if bytes < 2*sharedBytes {
		return 1
	}
	return int(min(bytes/sharedBytes, int64(vectors.Allowed())))
}

// over makes a pass over x and, if it is not nil, y, and returns what the kernel sums up, joined by most
// or added.
func over[T dtype.Float](k oneRow, x, y []T, s, t T) float64 {
	if len(x) <= piece {
		return part(k, x, y, s, t)
	}
	p := passes[T]().Get()
	p.kernel, p.x, p.y, p.s, p.t = k, x, y, s, t
	p.size = max(1, (len(x)+mostChunks*piece-1)/(mostChunks*piece)) * piece
	p.next.Store(0)
	vectors.Share(p, goroutines(bytes[T](len(x)+len(y))))
	var sum float64
	for c := range (len(x) + p.size - 1) / p.size {
		sum = joined[T](k, sum, p.parts[c])
	}
	p.x, p.y = nil, nil
	passes[T]().Put(p)
	return sum
}

// part is one call of a kernel.
func part[T dtype.Float](k oneRow, x, y []T, s, t T) float64 {
	if k == sumSq || k == dotWide {
		return inFloat64(k, x, y)
	}
	return float64(one(k, x, y, s, t))
}

// joined joins what two parts of a vector sum up to, in the kernel's own precision.
func joined[T dtype.Float](k oneRow, x, y float64) float64 {
	switch k {
	case amax:
		return max(x, y)
	case sumSq, dotWide:
		return x + y
	}
	return float64(T(x) + T(y))
}

// Work takes chunks as long as there are some.
func (p *pass[T]) Work(bool) {
	for {
		c := int(p.next.Add(1)) - 1
		from := c * p.size
		if c >= mostChunks || from >= len(p.x) {
			return
		}
		var sum float64
		for end := min(from+p.size, len(p.x)); from < end; from += piece {
			to := min(from+piece, end)
			var y []T
			if p.y != nil {
				y = p.y[from:to]
			}
			sum = joined[T](p.kernel, sum, part(p.kernel, p.x[from:to], y, p.s, p.t))
		}
		p.parts[c] = sum
	}
}

// Dot returns the sum of the products of x and y, which have the same length, as have all vectors here.
func Dot[T dtype.Float](x, y []T) T {
	if len(x) <= piece { // here, too: a call saved is noticed below a hundred elements
		return one(dot, x, y, 0, 0)
	}
	return T(over(dot, x, y, 0, 0))
}

// DotWide is Dot in float64.
func DotWide(x, y []float32) float64 { return over(dotWide, x, y, 0, 0) }

// Axpy adds alpha*x to y.
func Axpy[T dtype.Float](alpha T, x, y []T) {
	if len(x) <= piece {
		one(axpy, x, y, alpha, 0)
		return
	}
	over(axpy, x, y, alpha, 0)
}

// Scal multiplies x by alpha.
func Scal[T dtype.Float](alpha T, x []T) { over(scal, x, nil, alpha, 0) }

// Swap exchanges x and y.
func Swap[T dtype.Float](x, y []T) { over(swap, x, y, 0, 0) }

// Rot sets x and y to c*x + s*y and c*y - s*x.
func Rot[T dtype.Float](x, y []T, c, s T) { over(rot, x, y, c, s) }

// Asum returns the sum of absolute values.
func Asum[T dtype.Float](x []T) T { return T(over(asum, x, nil, 0, 0)) }

// Iamax returns the index of the first of the greatest absolute values. NaNs are passed over, but the first
// element is the greatest if it is one.
func Iamax[T dtype.Float](x []T) int {
	if x[0] != x[0] {
		return 0
	}
	most := over(amax, x, nil, 0, 0)
	at := 0
	// The first half that has it, of what has it.
	for n := len(x); n > fewElements; {
		half := min((n/2+fewElements-1)&^(fewElements-1), piece)
		if over(amax, x[at:at+half], nil, 0, 0) == most {
			n = half
		} else {
			at, n = at+half, n-half
		}
	}
	for float64(max(x[at], -x[at])) != most { // max(NaN, NaN) is not it
		at++
	}
	return at
}

// fewElements are looked at one by one in about the time that a call takes.
const fewElements = 16
