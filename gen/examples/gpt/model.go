package main

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gen/examples/transformer"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Shape is that of a model.
type Shape struct {
	Tokens, Length, Layers, Width, Heads, Hidden int
	Drop                                         float64
}

// mostNumbers bounds the parameters of a model: a file of weights may say anything.
const mostNumbers = 1 << 28

func (s Shape) check() error {
	for _, n := range []int{s.Tokens, s.Length, s.Layers, s.Width, s.Heads, s.Hidden} {
		if n < 1 || n > mostTokens {
			return fmt.Errorf("a model of %+v; want every number from 1 to %d", s, mostTokens)
		}
	}
	switch w := float64(s.Width); {
	case s.Width%s.Heads != 0:
		return fmt.Errorf("%d numbers are not shared evenly by %d heads", s.Width, s.Heads)
	case !(s.Drop >= 0 && s.Drop < 1):
		return fmt.Errorf("numbers are dropped with probability %v; want 0 to below 1", s.Drop)
	case w*(2*float64(s.Tokens)+float64(s.Length))+float64(s.Layers)*w*(4*w+2*float64(s.Hidden)) > mostNumbers:
		return fmt.Errorf("a model of %+v has more than %d numbers", s, mostNumbers)
	}
	return nil
}

// A Model says what comes after some tokens.
type Model[S dtype.Elem, P dtype.Float] struct {
	Shape
	embedding *transformer.Embedding[S, P]
	blocks    []*transformer.Block[S, P]
	head      *transformer.Head[S, P]
	params    []*transformer.Param[S, P]
}

// NewModel returns a model with random weights.
func NewModel[S dtype.Elem, P dtype.Float](k *transformer.Kernels[S, P], s Shape, seed uint64) (*Model[S, P], error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	m := &Model[S, P]{Shape: s, embedding: transformer.NewEmbedding(k, s.Tokens, s.Length, s.Width, s.Drop), head: transformer.NewHead(k, s.Width, s.Tokens)}
	m.params = m.embedding.Params()
	for range s.Layers {
		b := transformer.NewBlock(k, transformer.Shape{Width: s.Width, Heads: s.Heads, Hidden: s.Hidden, Causal: true, Drop: s.Drop})
		m.blocks, m.params = append(m.blocks, b), append(m.params, b.Params()...)
	}
	m.params = append(m.params, m.head.Params()...)
	transformer.Init(m.params, seed)
	return m, nil
}

// Numbers is how many parameters there are.
func (m *Model[S, P]) Numbers() (n int) {
	for _, p := range m.params {
		n += len(p.Value.Data)
	}
	return n
}

// forward returns logits behind each of tokens, sequences of so many.
func (m *Model[S, P]) forward(p *transformer.Pass, tokens []int32, length int) (layout.Matrix[P], error) {
	seqs := transformer.Sequences{Length: length}
	x, err := m.embedding.Forward(p, tokens, seqs)
	if err != nil {
		return layout.Matrix[P]{}, err
	}
	for _, b := range m.blocks {
		x = b.Forward(p, x, seqs)
	}
	return m.head.Forward(p, x), nil
}

// Loss is how many nats a token of next is worth behind tokens, and, if the pass trains, sets gradients.
func (m *Model[S, P]) Loss(p *transformer.Pass, tokens, next []int32, length int) (float64, error) {
	if _, err := m.forward(p, tokens, length); err != nil {
		return 0, err
	}
	loss := m.head.Loss(p, next)
	if !p.Train {
		return loss, nil
	}
	g := m.head.Backward(p)
	for i := len(m.blocks) - 1; i >= 0; i-- {
		g = m.blocks[i].Backward(p, g)
	}
	m.embedding.Backward(p, g)
	return loss, nil
}
