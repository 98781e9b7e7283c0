package check

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// guardedElems is a [guard.Memory] with a matrix in it, to code that is compiled once for all element
// types: elements are float64.
type guardedElems interface {
	put(vals []float64, rows, cols int, l arrangement, at position, shift int) error
	paint()                      // over the elements, too
	take() ([]float64, error)    // the elements; the error says what between or around them has changed
	changed() ([]float64, error) // as take, but nothing if the elements are those that were put
	Where(addr uintptr) string
	close() error
	elem() dtype.Type
	round(x float64) float64 // to an element
}

// guarded is the only guardedElems.
type guarded[T dtype.Elem] struct {
	guard.Memory[T]
	m     layout.Matrix[T]
	dense []T
	now   []T // what changed took
}

// put writes the dense row-major vals as a matrix with layout l. Between its elements there are canaries.
func (g *guarded[T]) put(vals []float64, rows, cols int, l arrangement, at position, shift int) error {
	g.dense = slices.Grow(g.dense[:0], len(vals))[:len(vals)]
	for i, v := range vals {
		g.dense[i] = Elem[T](v)
	}
	rs, cs := l.Strides(rows, cols)
	n := extent(rows, cols, rs, cs)
	if need := n + 4*guard.Margin; g.Cap() < need {
		if err := g.close(); err != nil {
			return err
		}
		bigger, err := guard.New[T](2 * need)
		if err != nil {
			return err
		}
		g.Memory = *bigger
	}
	g.m = layout.Matrix[T]{Rows: rows, Cols: cols, RowStride: rs, ColStride: cs}
	switch at {
	case left:
		g.m.Data = g.Left(n)
	case right:
		g.m.Data = g.Right(n)
	default:
		g.m.Data = g.At(guard.Margin+shift%guard.Margin, n)
	}
	for i := range rows {
		row := g.dense[i*cols:][:cols]
		for j, v := range row {
			g.m.Data[i*rs+j*cs] = v
		}
	}
	return nil
}

func (g *guarded[T]) paint() { guard.Paint(g.m.Data) }

func (g *guarded[T]) take() ([]float64, error) {
	err := g.copyTo(g.dense)
	return asFloat64(g.dense), err
}

// copyTo copies the elements, which put made, to dst and returns an error if anything between or around them has changed.
func (g *guarded[T]) copyTo(dst []T) error {
	m := &g.m
	for i := range m.Rows {
		row := dst[i*m.Cols:][:m.Cols]
		for j := range row {
			row[j] = m.Data[i*m.RowStride+j*m.ColStride]
		}
	}
	canary := make([]T, 1)
	guard.Paint(canary)
	for i := range m.Rows { // not in the loop above: a stride of 0 shares elements
		for j := range m.Cols {
			m.Data[i*m.RowStride+j*m.ColStride] = canary[0]
		}
	}
	if err := g.Check(); err != nil {
		return err
	}
	if i := guard.Unpainted(m.Data); i >= 0 {
		return fmt.Errorf("wrote %v between the elements, at Data[%d]", m.Data[i], i)
	}
	return nil
}

func asFloat64[T dtype.Elem](elems []T) []float64 {
	out := make([]float64, len(elems))
	for i, v := range elems {
		out[i] = Float64(v)
	}
	return out
}

func (g *guarded[T]) changed() ([]float64, error) {
	g.now = slices.Grow(g.now[:0], len(g.dense))[:len(g.dense)]
	if err := g.copyTo(g.now); err != nil || slices.Equal(g.dense, g.now) {
		return nil, err
	}
	return asFloat64(g.now), nil
}

func (g *guarded[T]) close() error {
	if g.Cap() == 0 {
		return nil
	}
	return g.Close()
}

func (g *guarded[T]) elem() dtype.Type { return dtype.Of[T]() }

func (g *guarded[T]) round(x float64) float64 { return Float64(Elem[T](x)) }

// A position is where in its memory an operand lies.
type position uint8

const (
	middle position = iota // surrounded by canaries, at some odd alignment
	left
	right
)

func (p position) String() string { return [...]string{"middle", "left", "right"}[p] }
