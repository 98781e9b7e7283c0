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
	Stored layout.Matrix[S] // Value as products take it: Value itself, or rounded by Store and by steps of [AdamW]
	Grad   layout.Matrix[P]
	Decay  bool // a step of AdamW takes some of it away
	In     int  // numbers that are summed for one that it makes, for [Init]; 0: it begins as it is
	k      *Kernels[S, P]
}

// newParam returns a parameter of the same numbers throughout.
func newParam[S dtype.Elem, P dtype.Float](k *Kernels[S, P], name string, rows, cols int, value P) *Param[S, P] {
	p := &Param[S, P]{Name: name, Value: layout.New[P](rows, cols), Grad: layout.New[P](rows, cols), Decay: rows > 1, k: k}
	if rows > 1 {
		p.In = rows
	}
	for i := range p.Value.Data {
		p.Value.Data[i] = value
	}
	p.Store()
	return p
}

// Store rounds Value to Stored, after something else than AdamW has set it.
func (p *Param[S, P]) Store() {
	p.Stored = p.k.round(options(1), &p.Stored, p.Value)
}

// row is a parameter that is a vector.
func (p *Param[S, P]) row() []P { return p.Value.Data }

// Init gives parameters normal numbers with a deviation of one over the root of their In, from a seed and
// their place in the list. It leaves parameters without In as they are.
func Init[S dtype.Elem, P dtype.Float](params []*Param[S, P], seed uint64) {
	for n, p := range params {
		if p.In == 0 {
			continue
		}
		rand.Normal(rand.Stream{Seed: seed, Number: 1<<63 | uint64(n)}, 0, p.Value.Data, 0, P(1/math.Sqrt(float64(p.In))))
		p.Store()
	}
}
