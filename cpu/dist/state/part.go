package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Part is what a rank has of an array, to be saved or loaded: [Matrix] or
// [Slice].
type Part struct {
	name       string
	kind       string // of the elements
	size       int
	rows, cols int // of the whole array
	at         dist.Rect
	err        error // of the memory
	// encode appends the n elements from element i on of the part, row by row, and decode
	// sets them.
	encode func(b []byte, i, n int) ([]byte, error)
	decode func(b []byte, i, n int) error
}

// Matrix is a part of a matrix of rows x cols: the block at, which x holds. For
// types that are not numbers in Go, such as dtype.BF16, save the bits.
func Matrix[T interface {
	dtype.Elem
	comm.Number
}](name string, rows, cols int, at dist.Rect, x layout.Matrix[T]) Part {
	p := newPart(name, rows, cols, at, x.Data, x.RowStride, x.ColStride)
	if err := x.Check("x"); err != nil {
		p.err = err
	} else if x.Rows != at.Rows.Len() || x.Cols != at.Cols.Len() {
		p.err = fmt.Errorf("the matrix is %d x %d, its block %d x %d (%v)", x.Rows, x.Cols, at.Rows.Len(), at.Cols.Len(), at)
	}
	return p
}

// Slice is a part of an array of n elements. x holds the elements of the span at. It
// is for what matrices have besides numbers: the pointers and indices of sparse ones,
// permutations, the state of a random generator.
func Slice[T comm.Number](name string, n int, at dist.Span, x []T) Part {
	p := newPart(name, n, 1, dist.Rect{Rows: at, Cols: dist.Upto(1)}, x, 1, 1)
	if len(x) != at.Len() {
		p.err = fmt.Errorf("the slice has %d elements, its span %d (%d:%d)", len(x), at.Len(), at.Lo, at.Hi)
	}
	return p
}

// newPart returns a part whose element (i, j) is x[i*row+j*col].
func newPart[T comm.Number](name string, rows, cols int, at dist.Rect, x []T, row, col int) Part {
	p := Part{name: name, rows: rows, cols: cols, at: at}
	p.kind, p.size = typeOf(reflect.TypeFor[T]())
	width := at.Cols.Len()
	// runs calls f for pieces of elements i to i+n that lie in one row, or are all there is.
	runs := func(i, n int, store bool, f func(x []T) error) error {
		if col == 1 && row == width {
			return f(x[i : i+n])
		}
		some := make([]T, width)
		for n > 0 {
			r, j := i/width, i%width
			part := some[:min(n, width-j)]
			for k := range part {
				part[k] = x[r*row+(j+k)*col]
			}
			if err := f(part); err != nil {
				return err
			}
			for k := 0; store && k < len(part); k++ {
				x[r*row+(j+k)*col] = part[k]
			}
			i, n = i+len(part), n-len(part)
		}
		return nil
	}
	p.encode = func(b []byte, i, n int) ([]byte, error) {
		err := runs(i, n, false, func(x []T) (err error) {
			b, err = binary.Append(b, binary.LittleEndian, x)
			return err
		})
		return b, err
	}
	p.decode = func(b []byte, i, n int) error {
		return runs(i, n, true, func(x []T) error {
			k, err := binary.Decode(b, binary.LittleEndian, x)
			b = b[k:]
			return err
		})
	}
	return p
}

// typeOf is how files call an element type, and its bytes.
func typeOf(t reflect.Type) (string, int) {
	return t.Kind().String(), int(t.Size())
}

// describe is what of a part all ranks must have alike.
func (p *Part) describe() string {
	return fmt.Sprintf("%q of %d x %d %s", p.name, p.rows, p.cols, p.kind)
}

// check says what is wrong with a part.
func (p *Part) check() error {
	switch {
	case p.encode == nil:
		return errors.New("a Part was made neither by Matrix nor by Slice")
	case p.name == "" || len(p.name) > maxName:
		return fmt.Errorf("an array's name has %d bytes; want 1 to %d", len(p.name), maxName)
	case p.err != nil:
		return fmt.Errorf("array %q: %w", p.name, p.err)
	}
	a := array{Name: p.name, Rows: p.rows, Cols: p.cols}
	if _, err := a.bytes(p.size); err != nil {
		return err
	}
	return a.within(p.at)
}

// sizes are the element types of files.
var sizes = func() map[string]int {
	sizes := map[string]int{}
	for _, t := range []reflect.Type{
		reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](),
	} {
		name, size := typeOf(t)
		sizes[name] = size
	}
	return sizes
}()

const (
	maxName = 1 << 10
	maxSize = math.MaxInt64 / 32 // bytes of an array
)
