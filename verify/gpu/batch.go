package gpu

import (
	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// A batch is the memory that the products of one share. A generated function takes one
// product at a time, and a [run.Gather] makes one launch of its calls.
type batch struct {
	count int
	whole []any // slices, in the order of a call's allocations
	next  int   // of the product that is put together
	// scalars are those of the first product, by slot. All products have the same.
	scalars map[int]float64
}

// share returns the slice that all products have as the next one of a call.
func share[T dtype.Elem](c *Call, n func(count int) int) (x cuda.Slice[T]) {
	b := c.batch
	if c.z > 0 {
		x = b.whole[b.next].(cuda.Slice[T])
		b.next++
		return x
	}
	x, err := cuda.Make[T](c.Stream.Device(), n(b.count))
	if err != nil {
		c.fail(err)
		return x
	}
	b.whole = append(b.whole, x)
	c.memory = append(c.memory, x.Memory())
	return x
}

// runBatch does Batch products in one launch and compares each.
func (tr Trial) runBatch(s cuda.Stream) error {
	var g run.Gather
	shared := &batch{count: tr.Batch}
	var calls []*Call
	var err error
	for z := range tr.Batch {
		one := tr.Trial
		one.Seed += z
		call := tr.call(s, tr.Case.Problem(one))
		call.Options.Gather, call.batch, call.z = &g, shared, z
		shared.next = 0
		calls = append(calls, call)
		if err = tr.Case.Launch(call); err == nil {
			err = call.err
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = g.Launch()
	}
	// The memory is the first one's.
	for z := len(calls) - 1; z >= 0; z-- {
		err = calls[z].finish(err)
	}
	for _, c := range calls {
		if err == nil {
			err = tr.Case.Judge(tr.Trial, c.Problem)
		}
	}
	return err
}

// call is a call with the operands of p.
func (tr Trial) call(s cuda.Stream, p *check.Problem) *Call {
	if tr.Case.fill != nil {
		tr.Case.fill(p)
	}
	if tr.Case.prune != nil {
		tr.Case.prune(p)
	}
	return &Call{Problem: p, Stream: s, Options: run.Options{Kernel: tr.Kernel, Schedule: tr.Schedule, Pad: tr.Pad}, lie: tr.Lie, keep: tr.Keep, placed: map[string]any{}}
}
