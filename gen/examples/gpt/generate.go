package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tilesmith/tilesmith/gen/examples/transformer"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Generator goes on with tokens. It keeps keys and values of the tokens that it has seen, so that each
// takes one row through the network. When there are as many as places, it begins again with the later half of
// them.
type Generator[S dtype.Elem, P dtype.Float] struct {
	m      *Model[S, P]
	caches []*transformer.KVCache[P]
	seen   []int32 // since it began again
	pass   transformer.Pass
	rng    *rand.Rand
}

// NewGenerator returns a generator that has seen nothing.
func NewGenerator[S dtype.Elem, P dtype.Float](m *Model[S, P], seed uint64) *Generator[S, P] {
	s := &Generator[S, P]{m: m, rng: rand.New(rand.NewPCG(seed, 0x5a1))}
	for range m.blocks {
		s.caches = append(s.caches, transformer.NewKVCache[P](m.Length, m.Width))
	}
	return s
}

// Feed shows it tokens and returns the logits of the next one, which stand until the next call.
func (s *Generator[S, P]) Feed(tokens []int32) ([]P, error) {
	if len(s.seen)+len(tokens) > s.m.Length {
		all := append(s.seen, tokens...)
		tokens, s.seen = slices.Clone(all[max(len(all)-(s.m.Length+1)/2, 0):]), nil
		for _, c := range s.caches {
			c.Reset()
		}
	}
	x, err := s.m.embedding.Decode(&s.pass, tokens, len(s.seen))
	if err != nil {
		return nil, err
	}
	for i, b := range s.m.blocks {
		x = b.Decode(&s.pass, x, s.caches[i])
	}
	s.seen = append(s.seen, tokens...)
	logits := s.m.head.Forward(&s.pass, x.Slice(x.Rows-1, x.Rows, 0, x.Cols))
	return logits.Data, nil
}

// Sample draws one of the most likely tokens: temperature 0 is the first, 1 as the network says.
func (s *Generator[S, P]) Sample(logits []P, temperature float64, top int) int32 {
	order := make([]int32, len(logits))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case logits[a] > logits[b]:
			return -1
		case logits[a] < logits[b]:
			return 1
		}
		return 0
	})
	order = order[:min(max(top, 1), len(order))]
	if temperature == 0 {
		return order[0]
	}
	weights, total := make([]float64, len(order)), 0.0
	for i, t := range order {
		weights[i] = math.Exp(float64(logits[t]-logits[order[0]]) / temperature)
		total += weights[i]
	}
	x := s.rng.Float64() * total
	for i, w := range weights {
		if x -= w; x < 0 {
			return order[i]
		}
	}
	return order[0]
}
