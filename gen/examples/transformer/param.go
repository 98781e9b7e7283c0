package transformer

import (
	"math"

	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Param is what a layer learns. All of its matrices are contiguous.
type Param[S dtype.Elem, P dtype.Float] struct {
	Name   string
	Value  layout.Matrix[P]
	Stored layout.Matrix[S] // Value as products take it: Value itself, or rounded by Store and by steps of [Adam]
	Grad   layout.Matrix[P]
	Decay  bool // a step of Adam takes some of it away
	k      *Kernels[S, P]
}

// newParam returns a parameter of the same numbers throughout.
func newParam[S dtype.Elem, P dtype.Float](k *Kernels[S, P], name string, rows, cols int, value P) *Param[S, P] {
	p := &Param[S, P]{Name: name, Value: layout.New[P](rows, cols), Grad: layout.New[P](rows, cols), Decay: rows > 1, k: k}
	for i := range p.Value.Data {
		p.Value.Data[i] = value
	}
	p.Store()
	return p
}

// Store rounds Value to Stored, after something else than Adam has set it.
func (p *Param[S, P]) Store() {
	p.Stored = p.k.narrow(options(1), &p.Stored, p.Value)
}

// row is a parameter that is a vector.
func (p *Param[S, P]) row() []P { return p.Value.Data }

// Init gives matrices among parameters normal numbers of a deviation of scale over the root of their rows, from a seed and their place in the list, and
// leaves vectors as they are.
func Init[S dtype.Elem, P dtype.Float](params []*Param[S, P], seed uint64, scale float64) {
	for n, p := range params {
		if p.Value.Rows < 2 {
			continue
		}
		rand.Normal(rand.Stream{Seed: seed, Number: 1<<63 | uint64(n)}, 0, p.Value.Data, 0, P(scale/math.Sqrt(float64(p.Value.Rows))))
		p.Store()
	}
}
