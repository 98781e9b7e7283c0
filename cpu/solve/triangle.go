package solve

import (
	"github.com/tilesmith/tilesmith/cpu/kern/spmmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/triangle"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Triangle is a triangular matrix that was looked at once and is solved with any number
// of times; see [triangle.Triangle].
type Triangle[T dtype.Float] = triangle.Triangle[T]

// Kind says which triangle a matrix is and how it is read, such as Upper|Unit.
type Kind = triangle.Kind

// Kinds of triangles; they are joined by |.
const (
	Lower      = triangle.Lower      // stores its diagonal
	Upper      = triangle.Upper      // likewise
	Unit       = triangle.Unit       // the diagonal is 1 everywhere; one that is stored is not read
	Transposed = triangle.Transposed // what is solved with is the transpose
)

// The errors of a triangle, for errors.Is. The error is a [*sparse.Error] that names
// the first row to be wrong.
var (
	ErrSingular    = triangle.ErrSingular
	ErrNotTriangle = triangle.ErrNotTriangle
)

// NewTriangle looks at a triangle: which rows need which. It takes the time of a few
// solutions. Entries on the other side of the diagonal are an [ErrNotTriangle], a diagonal
// element that is 0 or not stored an [ErrSingular].
func NewTriangle[T dtype.Float](a sparse.Matrix[T], kind Kind) (*Triangle[T], error) {
	return NewTriangleOpt(run.Options{Caller: "solve.NewTriangle"}, a, kind)
}

// NewTriangleOpt is NewTriangle with an ISA, which solutions then have, and the name for
// errors; the other options say nothing here.
func NewTriangleOpt[T dtype.Float](opt run.Options, a sparse.Matrix[T], kind Kind) (*Triangle[T], error) {
	opt.Caller = opt.Name("solve.NewTriangleOpt")
	return triangle.New(opt, stock[T](), a, kind)
}

// stock returns the stock kernels of sparse products.
func stock[T dtype.Float]() []*kernel.Table[kernel.Func[kernel.SparseArgs]] {
	if dtype.Of[T]() == dtype.F32 {
		return spmmf.RowsF32
	}
	return spmmf.RowsF64
}
