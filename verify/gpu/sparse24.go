package gpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/sparse24"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Plain24 is [PlainOf] for a product whose a is 2:4 sparse.
func Plain24[Acc dtype.Sum, A sparse24.Elem, B, C dtype.Elem](set *run.Set, f func(s cuda.Stream, opt run.Options, out cuda.Matrix[C], a cuda.Sparse24[A], b cuda.Matrix[B]) error) Case[A, B, Acc] {
	return Pruned(plainCase[Acc](set, func(c *Call[A, B], out cuda.Matrix[C]) error { return f(c.Stream, c.Options, out, A24(c), factorB(c)) }))
}

// Pruned returns c for a function whose a is 2:4 sparse, as [A24] returns it: problems have
// zeros where nothing is stored.
func Pruned[A sparse24.Elem, B dtype.Elem, Acc dtype.Sum](c Case[A, B, Acc]) Case[A, B, Acc] {
	c.prune = func(p *check.FusedProblem[A, B]) {
		pruned := sparse24.Prune(p.A)
		for i := range pruned.Rows {
			for j := range pruned.Cols {
				p.A.Set(i, j, pruned.At(i, j))
			}
		}
	}
	return c.alike(Pruned[A, B, Acc])
}

// A24 puts a on the device, half of it.
func A24[T sparse24.Elem, B dtype.Elem](c *Call[T, B]) cuda.Sparse24[T] {
	if m, ok := c.placed["a"]; ok {
		return m.(cuda.Sparse24[T])
	}
	m, err := sparse24.Pack(c.A)
	if err != nil {
		c.fail(fmt.Errorf("a: %w", err))
		return cuda.Sparse24[T]{}
	}
	values := alloc[T](c, len(m.Values()), 1)
	meta := alloc[int32](c, len(m.Meta()), 1)
	if c.err != nil {
		return cuda.Sparse24[T]{}
	}
	x, err := cuda.PlaceSparse24(c.Stream, values, meta, m)
	if err != nil {
		c.fail(err)
	}
	c.placed["a"] = x
	return x
}
