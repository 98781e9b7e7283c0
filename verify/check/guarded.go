package check

import (
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// guardedElems is a [Guard] with a matrix in it, to code that is compiled once for all element
// types: elements are float64.
type guardedElems interface {
	put(vals []float64, rows, cols int, l Layout, at position, shift int) error
	paint()                   // over the elements, too
	take() ([]float64, error) // as Guard has it
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
}

func (g *guarded[T]) put(vals []float64, rows, cols int, l Layout, at position, shift int) (err error) {
	g.dense = make([]T, len(vals))
	for i, v := range vals {
		g.dense[i] = toElem[T](v)
	}
	g.m, err = g.Guard.put(g.dense, rows, cols, l, at, shift)
	return err
}

func (g *guarded[T]) paint() { paint(g.m.Data) }

func (g *guarded[T]) take() ([]float64, error) {
	err := g.Guard.take(g.dense, g.m)
	have := make([]float64, len(g.dense))
	for i, v := range g.dense {
		have[i] = Float64(v)
	}
	return have, err
}

func (g *guarded[T]) close() error {
	if g.mem == nil {
		return nil
	}
	return g.Close()
}

func (g *guarded[T]) elem() dtype.Type { return dtype.Of[T]() }

func (g *guarded[T]) round(x float64) float64 { return Float64(toElem[T](x)) }
