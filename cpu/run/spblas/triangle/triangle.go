package triangle

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Kind says which triangle a matrix is and how it is read; kinds are joined by |.
type Kind uint8

// Lower is the kind of a lower triangle that stores its diagonal.
const (
	Lower      Kind = 0
	Upper      Kind = 1 << (iota - 1) // columns of a row are from the diagonal on
	Unit                              // the diagonal is 1 everywhere; one that is stored is not read
	Transposed                        // what is solved with is the transpose of the triangle
	kinds      = Upper | Unit | Transposed
)

// The errors of a triangle, for errors.Is. The error is a [*sparse.Error] that wraps
// one of them.
var (
	ErrSingular    = errors.New("triangle is singular")     // a diagonal element is 0, or is not stored
	ErrNotTriangle = errors.New("matrix is not triangular") // it is not square, or an entry is on the other side
)

// Triangle is a triangular matrix made ready for [Triangle.Solve]. It cannot be changed,
// and any number of goroutines may use it at once.
//
// On one goroutine rows are solved for one after another, from the first of a lower triangle
// and from the last of an upper one. The kernel of a product, with x as its result, stores a
// row before it reads for the next. Several goroutines go by levels; see levels.go.
// One goroutine with one right side also does if the lengths of rows are unpredictable. Either
// way a row is the same sum in the same order.
type Triangle[T dtype.Float] struct {
	n     int
	kern  *kernel.Table[kernel.Func[kernel.SparseArgs]]
	rows  triangleRows[T]
	plan  func() *levels[T] // made when first wanted
	sort  func() bool       // whether one goroutine goes by it for one right side
	calls mem.Pool[triangleCall[T]]
}

// triangleRows is a triangle in some order of its rows. Terms that a row needs last are
// last in it, so that the sum of the others need not wait.
type triangleRows[T dtype.Float] struct {
	pointers []int32 // by position, of entries off the diagonal
	indices  []int32 // places
	values   []T     // divided by the row's diagonal if there is a scale
	scale    []T     // 1/diagonal by position; nil: the diagonal is 1, or there are divisors
	divisors []T     // the diagonal by position; nil: it is 1, or rows are scaled
	order    []int32 // the row at each position, which is its place too; nil: see down
	down     bool    // position p is row and place n-1-p, else p
}

// New looks at a triangle once. It takes memory and time in proportion to the
// entries, the time of a few products. The kernels for rows are kernels, best first, none without assembly. An error wraps
// [ErrNotTriangle] or [ErrSingular] and says which row is the first to be wrong.
func New[T dtype.Float](opt run.Options, kernels []*kernel.Table[kernel.Func[kernel.SparseArgs]], a sparse.Matrix[T], kind Kind) (*Triangle[T], error) {
	where := opt.Name("triangle.New")
	call.CheckOptions(check.Call(where), &opt, "")
	if kind&^kinds != 0 {
		check.Call(where).RefuseOption("%d is not a kind of triangle; want Lower or Upper, with Unit or Transposed", kind)
	}
	if a.Rows() != a.Cols() {
		return nil, triangleError(ErrNotTriangle, where, "as many rows as columns", "a is %d x %d", a.Rows(), a.Cols())
	}
	c := a.Canonical()
	diagonal, err := triangleDiagonal(where, c, kind)
	if err != nil {
		return nil, err
	}
	upper := kind&Upper != 0
	if kind&Transposed != 0 {
		c, upper = c.Transpose(), !upper
	}
	t := &Triangle[T]{n: c.Rows(), kern: call.RowsFor[T](new(choose.Choice), where, kernels, opt.ISA), rows: rowsOfTriangle(c, upper, diagonal)}
	t.plan = sync.OnceValue(func() *levels[T] { return levelsOf(&t.rows, t.n) })
	t.sort = sync.OnceValue(t.sorts)
	return t, nil
}

func triangleError(kind error, where, right, what string, args ...any) error {
	return &sparse.Error{Kind: kind, Where: where, What: fmt.Sprintf(what, args...), Right: right}
}

// triangleDiagonal returns the diagonal, nil if it is 1, and looks whether all entries are
// where they should be.
func triangleDiagonal[T dtype.Float](where string, a sparse.Matrix[T], kind Kind) ([]T, error) {
	upper, unit := kind&Upper != 0, kind&Unit != 0
	side, sign := "above", 1
	if upper {
		side, sign = "below", -1
	}
	var diagonal []T
	if !unit {
		diagonal = make([]T, a.Rows())
	}
	r := rowsRead[T](a)
	for i := range a.Rows() {
		found := false
		for k := r.pointers[i]; k < r.pointers[i+1]; k++ {
			switch j := int(r.indices[k]); {
			case sign*(j-i) > 0:
				return nil, triangleError(ErrNotTriangle, where, "take the triangle out of it first, with Tril or Triu", "row %d has an entry in column %d, %s the diagonal", i, j, side)
			case j == i && !unit:
				diagonal[i], found = r.values[k], true
			}
		}
		switch {
		case unit:
		case !found:
			return nil, triangleError(ErrSingular, where, "store it, or say that the diagonal is Unit", "row %d has no diagonal entry", i)
		case diagonal[i] == 0:
			return nil, triangleError(ErrSingular, where, "no diagonal element may be 0", "the diagonal entry of row %d is 0", i)
		}
	}
	return diagonal, nil
}

// readRows is the arrays of a matrix, which are only read.
type readRows[T dtype.Float] struct {
	pointers, indices []int32
	values            []T
}

func rowsRead[T dtype.Float](a sparse.Matrix[T]) readRows[T] {
	r := a.Raw()
	x := readRows[T]{pointers: call.SliceOf((*int32)(r.Pointers), r.Rows+1)}
	if r.NNZ > 0 {
		x.indices, x.values = call.SliceOf((*int32)(r.Indices), r.NNZ), call.SliceOf((*T)(r.Values), r.NNZ)
	}
	return x
}

// Dims returns the number of rows and columns, which are the same.
func (t *Triangle[T]) Dims() (rows, cols int) { return t.n, t.n }

// Levels returns the number of steps that depend on each other, and the rows of the
// widest step.
func (t *Triangle[T]) Levels() (count, widest int) {
	first := t.plan().first
	for l := 1; l < len(first); l++ {
		widest = max(widest, int(first[l]-first[l-1]))
	}
	return len(first) - 1, widest
}

// Solve finds the x of t*x = b: both are n x any number of columns, with any strides;
// x may be b itself. Rows that are contiguous are fastest.
//
// Terms of a row are multiplied by the inverse of its diagonal before they are added up.
// If an inverse or such a quotient is not an ordinary number, they are divided instead:
// then rows are summed and divided. Either way, each element of the triangle counts as
// if it were off by a few units in the last place times the length of its row. (Higham,
// Accuracy and Stability of Numerical Algorithms, theorem 8.5.) The order of additions
// depends on the triangle, the number of columns and the variant. It depends neither on
// the machine nor on the number of threads. Only stored elements are multiplied.
//
// It allocates nothing once buffers are there. It panics with a [layout.ShapeError] before
// any element is read if shapes do not agree, two elements of x share a place, or x shares
// memory with b and is not b. It panics with a [run.OptionError] if opt has alpha and
// beta, or if opt.ISA is not what the triangle was made for.
func (t *Triangle[T]) Solve(opt run.Options, x, b layout.Matrix[T]) {
	name := opt.Name("triangle.Triangle.Solve")
	opt.Caller = name
	t.check(name, &opt, &x, &b)
	if x.Rows == 0 || x.Cols == 0 {
		return
	}
	c := t.calls.Get()
	c.solve(t, opt, x, b)
	t.calls.Put(c)
}

// Apply finds the dst of t*dst = src for one right side, with as many goroutines as
// [run.Threads] says: a triangle is an operator. It panics as Solve does.
func (t *Triangle[T]) Apply(dst, src []T) {
	t.Solve(run.Options{Caller: "triangle.Triangle.Apply"}, layout.RowMajor(dst, len(dst), 1), layout.RowMajor(src, len(src), 1))
}

func (t *Triangle[T]) check(name string, opt *run.Options, x, b *layout.Matrix[T]) {
	c := check.Call(name)
	call.CheckOptions(c, opt, "alpha and beta belong to products; leave Options.Scaling unset")
	if opt.ISA != "" && opt.ISA != t.kern.ISA {
		c.RefuseOption("the triangle was made for %q and is to be solved with %q; give the ISA to NewTriangle", t.kern.ISA, opt.ISA)
	}
	if x.Rows != t.n || b.Rows != t.n || x.Cols != b.Cols {
		c.Refuse("x is %d x %d, the triangle %d x %d, b is %d x %d; want n x m, n x n, n x m", x.Rows, x.Cols, t.n, t.n, b.Rows, b.Cols)
	}
	check.Written(c, "x", x)
	check.Read(c, "b", b)
	if check.Meet(x, b) && !samePlace(*x, *b) {
		c.Refuse("x shares memory with b; let it be b itself, or copy b first")
	}
}

// samePlace reports whether two matrices of one shape are the same elements.
func samePlace[T dtype.Float](x, y layout.Matrix[T]) bool {
	mem.Normalize(&x)
	mem.Normalize(&y)
	return x.Rows == 0 || x.Cols == 0 || &x.Data[0] == &y.Data[0] && x.RowStride == y.RowStride && x.ColStride == y.ColStride
}
