package level12

import (
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/vectors"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A call is what a routine of Level 2 needs while it runs: its operands, for the goroutines that work on it, and
// memory that later calls use again.
type call[T dtype.Float] struct {
	work  work
	parts int
	next  atomic.Int64

	m, n  int
	a     []T
	lda   int
	x, y  []T
	alpha T
	upper bool
	// cuts are between which rows the parts of a triangle lie.
	cuts [mostGroups + 1]int

	packedX, packedY, sums []T
}

// work is what goroutines do. A generic function as a value would be allocated.
type work uint8

const (
	gemvWork work = iota
	gemvTWork
	gerWork
	symvWork
	syrWork
)

var (
	calls32 vectors.Pool[call[float32]]
	calls64 vectors.Pool[call[float64]]
)

func calls[T dtype.Float]() *vectors.Pool[call[T]] {
	if isWide[T]() {
		return any(&calls64).(*vectors.Pool[call[T]])
	}
	return any(&calls32).(*vectors.Pool[call[T]])
}

func begin[T dtype.Float]() *call[T] { return calls[T]().Get() }

// end gives c back, without what is the caller's.
func (c *call[T]) end() {
	c.a, c.x, c.y = nil, nil, nil
	calls[T]().Put(c)
}

// share does so many parts, with as many goroutines as so much memory is worth.
func (c *call[T]) share(parts int, bytes int64, work work) {
	c.work, c.parts = work, parts
	if n := min(goroutines(bytes), parts); n > 1 {
		c.next.Store(0)
		vectors.Share(c, n)
		return
	}
	for p := range parts {
		c.do(p)
	}
}

// Work takes parts as long as there are some.
func (c *call[T]) Work(bool) {
	for {
		p := int(c.next.Add(1)) - 1
		if p >= c.parts {
			return
		}
		c.do(p)
	}
}

func (c *call[T]) do(part int) {
	switch c.work {
	case gemvWork:
		gemvPart(c, part)
	case gemvTWork:
		gemvTPart(c, part)
	case gerWork:
		gerPart(c, part)
	case symvWork:
		symvPart(c, part)
	case syrWork:
		syrPart(c, part)
	}
}

// sized returns a buffer of n elements in what *x has room for, or in new memory.
func sized[T any](x *[]T, n int) []T {
	if cap(*x) < n {
		*x = make([]T, n+n/4)
	}
	*x = (*x)[:cap(*x)]
	return (*x)[:n]
}

// first is where the first of n elements is that lie inc apart, the last one first if inc is negative.
func first(n, inc int) int {
	if inc < 0 {
		return -(n - 1) * inc
	}
	return 0
}

// packed returns n elements that lie inc apart, contiguous: where they are, or copied to what *buf has room for.
func packed[T dtype.Float](buf *[]T, n int, x []T, inc int) []T {
	if inc == 1 {
		return x[:n]
	}
	p := sized(buf, n)
	for i, at := 0, first(n, inc); i < n; i, at = i+1, at+inc {
		p[i] = x[at]
	}
	return p
}

// unpack puts elements back where packed took them from.
func unpack[T dtype.Float](p []T, x []T, inc int) {
	if inc == 1 {
		return
	}
	at := first(len(p), inc)
	for _, v := range p {
		x[at] = v
		at += inc
	}
}

// contiguous calls do with the nx elements of x and ny of y side by side, and puts y back. gonum's gemv and ger
// get no others. Their assembly looks in the wrong place for the first element of a vector with a negative
// increment (0.17.0). With beta = 0 a transposed gemv clears all of y, however long it is.
func contiguous[T dtype.Float](nx int, x []T, incX, ny int, y []T, incY int, do func(x, y []T)) {
	if incX == 1 && incY == 1 {
		do(x[:nx], y[:ny])
		return
	}
	c := begin[T]()
	defer c.end()
	p := packed(&c.packedY, ny, y, incY)
	do(packed(&c.packedX, nx, x, incX), p)
	unpack(p, y, incY)
}

// scale is y *= beta, which does not read y if beta is 0.
func scale[T dtype.Float](beta T, y []T) {
	switch beta {
	case 0:
		clear(y)
	case 1:
	default:
		Scal(beta, y)
	}
}

const tileRows = kernel.VectorRows

// tiles calls a kernel for tiles of rows and n columns that begin at a[0]. s and t have an element for each
// row, and out gets one, if the kernel has those. No call takes longer than a hundred microseconds.
func tiles[T dtype.Float](k rows, tiles int, a []T, lda, n int, x, y, s, t, out []T) {
	most := max(1, longest/(tileRows*max(n, 1)))
	for from := 0; from < tiles; from += most {
		row := from * tileRows
		var g kernel.VectorArgs
		g.A, g.X, g.Y, g.LdA, g.N, g.Tiles = unsafe.Pointer(&a[row*lda]), addr(x), addr(y), bytes[T](lda), int64(n), int64(min(most, tiles-from))
		if s != nil {
			g.S = unsafe.Pointer(&s[row])
		}
		if t != nil {
			g.T = unsafe.Pointer(&t[row])
		}
		if out != nil {
			g.Out = unsafe.Pointer(&out[row])
		}
		do[T](k, &g)
	}
}

// longest is how many elements of a matrix one call goes over at most.
const longest = 1 << 16
