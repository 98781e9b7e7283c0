package gpu

import (
	"slices"

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
	shared := &batch{count: tr.Batch}
	members := make([]Trial, tr.Batch)
	for z := range members {
		members[z] = tr
		members[z].Seed += z
	}
	return together(s, members, (*run.Gather).Launch, func(z int, c *Call) { c.batch, c.z, shared.next = shared, z, 0 })
}

// together gathers a call for each of members, queues them as one launch and compares each product.
func together(s cuda.Stream, members []Trial, queue func(g *run.Gather) error, prepare func(i int, c *Call)) error {
	var g run.Gather
	var calls []*Call
	var err error
	for i, x := range members {
		call := x.call(s, x.Case.Problem(x.Trial))
		call.Options.Gather = &g
		prepare(i, call)
		calls = append(calls, call)
		if err = x.Case.Launch(call); err == nil {
			err = call.err
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = queue(&g)
	}
	for _, c := range slices.Backward(calls) { // the memory of a batch is the first one's
		err = c.finish(err)
	}
	for i, c := range calls {
		if err == nil {
			err = members[i].Case.Judge(members[i].Trial, c.Problem)
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
