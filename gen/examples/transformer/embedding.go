package transformer

import (
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// An Embedding is what tokens begin as: a row of a table for which token it is, and one for where, added and normalised.
type Embedding[S dtype.Elem, P dtype.Float] struct {
	Tokens, Positions *EmbeddingBag[S, P]

	norm   addNorm[S, P]
	k      *Kernels[S, P]
	places layout.Matrix[S]
	wide   layout.Matrix[P]
}

// NewEmbedding returns an embedding of so many tokens, in sequences of at most so many, whose tables are zero: [Init] fills them.
func NewEmbedding[S dtype.Elem, P dtype.Float](k *Kernels[S, P], tokens, length, width int, drop float64) *Embedding[S, P] {
	e := &Embedding[S, P]{Tokens: NewEmbeddingBag(k, "tokens", tokens, width), Positions: NewEmbeddingBag(k, "places", length, width), norm: newAddNorm(k, "embedding", width, drop), k: k}
	e.Tokens.Table.In, e.Positions.Table.In = 16, 256 // which token it is says more than where
	return e
}

// Params returns what the embedding learns.
func (e *Embedding[S, P]) Params() []*Param[S, P] {
	return []*Param[S, P]{e.Tokens.Table, e.Positions.Table, e.norm.Gain, e.norm.Bias}
}

// Forward returns a row for each token. A token that the table does not have, and a sequence that is longer than there are places, is an error.
func (e *Embedding[S, P]) Forward(p *Pass, tokens []int32, seqs Sequences) (layout.Matrix[S], error) {
	seqs.valid(len(tokens))
	places := make([]int32, len(tokens))
	for i := range places {
		places[i] = int32(i % seqs.Length)
	}
	return e.forward(p, tokens, places)
}

func (e *Embedding[S, P]) forward(p *Pass, tokens, places []int32) (layout.Matrix[S], error) {
	var rows [2]layout.Matrix[P]
	for i, list := range [][]int32{tokens, places} {
		bag := []*EmbeddingBag[S, P]{e.Tokens, e.Positions}[i]
		var m sparse.Matrix[P]
		m, err := ones[P](bag.Table.Value.Rows, list)
		if err != nil {
			return layout.Matrix[S]{}, err
		}
		rows[i] = bag.Forward(p, m)
	}
	e.places = e.k.round(p.options(), &e.places, rows[1])
	return e.norm.forward(p, rows[0], e.places), nil
}

// Backward takes the gradient of what the last Forward, of a pass that trains, returned, and sets that of each parameter.
func (e *Embedding[S, P]) Backward(p *Pass, g layout.Matrix[P]) {
	last := make([]P, g.Cols)
	dx, dres := e.norm.backward(p.options(), last, g)
	e.Tokens.Backward(p, e.k.widen(&e.wide, dx))
	e.Positions.Backward(p, dres)
}
