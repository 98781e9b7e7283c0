package gpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/sparse24"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Plain24 is [PlainOf] for a product whose a is 2:4 sparse.
func Plain24[Acc dtype.Sum, A sparse24.Elem, B, C dtype.Elem](set *run.Set, f func(s cuda.Stream, opt run.Options, out cuda.Matrix[C], a cuda.Sparse24[A], b cuda.Matrix[B]) error) Case {
	return Pruned[A](plainCase[Acc, A, B](set, func(c *Call, out cuda.Matrix[C]) error { return f(c.Stream, c.Options, out, A24[A](c), factorB[B](c)) }))
}

// Pruned returns c for a function whose a is 2:4 sparse, as [A24] returns it: problems have
// zeros where nothing is stored.
func Pruned[T sparse24.Elem](c Case) Case {
	c.prune = func(p *check.Problem) {
		a := check.Get[layout.Matrix[T]](p, check.A)
		pruned := sparse24.Prune(a)
		for i := range pruned.Rows {
			for j := range pruned.Cols {
				a.Set(i, j, pruned.At(i, j))
			}
		}
	}
	return c.alike(Pruned[T])
}

// A24 puts a on the device, half of it.
func A24[T sparse24.Elem](c *Call) cuda.Sparse24[T] {
	if m, ok := c.placed["a"]; ok {
		return m.(cuda.Sparse24[T])
	}
	m, err := sparse24.Pack(check.Get[layout.Matrix[T]](c.Problem, check.A))
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
