package check

import (
	"slices"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// guardedElems is a [Guard] with a matrix in it, to code that is compiled once for all element
// types: elements are float64.
type guardedElems interface {
	put(vals []float64, rows, cols int, l arrangement, at position, shift int) error
	paint()                      // over the elements, too
	take() ([]float64, error)    // as Guard has it
	changed() ([]float64, error) // as take, but nothing if the elements are those that were put
	where(addr uintptr) string
	close() error
	elem() dtype.Type
	round(x float64) float64 // to an element
}

// guarded is the only guardedElems.
type guarded[T dtype.Elem] struct {
	Guard[T]
	m     layout.Matrix[T]
	dense []T
	now   []T // what changed took
}

func (g *guarded[T]) put(vals []float64, rows, cols int, l arrangement, at position, shift int) (err error) {
	g.dense = slices.Grow(g.dense[:0], len(vals))[:len(vals)]
	for i, v := range vals {
		g.dense[i] = Elem[T](v)
	}
	g.m, err = g.Guard.put(g.dense, rows, cols, l, at, shift)
	return err
}

func (g *guarded[T]) paint() { paint(g.m.Data) }

func (g *guarded[T]) take() ([]float64, error) {
	err := g.Guard.take(g.dense, g.m)
	return asFloat64(g.dense), err
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
	if err := g.Guard.take(g.now, g.m); err != nil || slices.Equal(g.dense, g.now) {
		return nil, err
	}
	return asFloat64(g.now), nil
}

func (g *guarded[T]) close() error {
	if g.mem == nil {
		return nil
	}
	return g.Close()
}

func (g *guarded[T]) elem() dtype.Type { return dtype.Of[T]() }

func (g *guarded[T]) round(x float64) float64 { return Float64(Elem[T](x)) }
