package run

import (
	"errors"
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
)

// A Gather makes one batch from calls of a generated function, which takes one product at
// a time. Calls with Options.Gather are checked and kept, and [Gather.Launch] queues them
// as one launch. So you can batch any generated function, if the calls meet these rules:
//
//   - They have one shape and the same strides, scalars and options.
//   - The distance of each operand to that of the next call is always the same. It may be 0
//     for an operand that is only read.
//   - Vectors follow one after the other, without a gap.
//
// [Gather.Group] makes one launch from calls of any shapes, if the function has kernels for it.
//
// The zero value is ready. It is for one goroutine.
type Gather struct {
	calls []Call
}

// take keeps a call that is complete.
func (g *Gather) take(c *Call) error {
	kept := *c // check finds the strides of vectors, which depend on the batch
	if err := c.check(); err != nil {
		return err
	}
	if c.a.count > 0 || c.b.count > 0 || c.count > 1 {
		return fmt.Errorf("%s: a batch cannot be gathered into another", c.set.Name)
	}
	if len(g.calls) > 0 {
		if first := &g.calls[0]; first.set != c.set || first.stream != c.stream {
			return fmt.Errorf("%s: gathered with calls of %s; want one function and one stream", c.set.Name, first.set.Name)
		}
	}
	g.calls = append(g.calls, kept)
	return nil
}

// Launch queues what was gathered as one batch, and forgets it.
func (g *Gather) Launch() error {
	calls := g.calls
	g.calls = nil
	if len(calls) == 0 {
		return errors.New("run: Gather.Launch without a call that had it in its Options")
	}
	c := new(Call)
	*c = calls[0]
	c.opt.Gather = nil
	if len(calls) > 1 {
		if err := c.batch(calls); err != nil {
			return err
		}
	}
	return c.Launch()
}

// batch makes c, the first of calls, the batch of all of them.
func (c *Call) batch(calls []Call) error {
	each := func(get func(c *Call) *operand, vector bool, across int) error {
		o := get(c)
		bs := int64(get(&calls[1]).addr) - int64(o.addr)
		for z := range calls {
			x := get(&calls[z])
			if x.rows != o.rows || x.cols != o.cols || x.rs != o.rs || x.cs != o.cs {
				return shape(c, o.name, "is %d x %d in product %d and %d x %d in the first, or has other strides", x.rows, x.cols, z, o.rows, o.cols)
			}
			if at := int64(o.addr) + int64(z)*bs; int64(x.addr) != at || bs < 0 {
				return shape(c, o.name, "of product %d does not lie as far from the one before as the second from the first", z)
			}
			if z > 0 && x.block.Data.Memory() != o.block.Data.Memory() && !o.empty() && bs != 0 {
				return shape(c, o.name, "of product %d lies in other memory than the first", z)
			}
		}
		switch {
		case o.empty():
			if vector {
				return nil
			}
			o.bs, o.count = 0, len(calls)
			return nil
		case vector && bs != 0:
			// A longer vector is one for each product.
			if bs != int64(across)*o.size {
				return shape(c, o.name, "lies %d bytes from that of the next product; vectors of %d elements follow each other", bs, across)
			}
			o.cols *= len(calls)
		case !vector:
			o.bs, o.count = bs, len(calls)
		}
		first := o.block.Data
		end := get(&calls[len(calls)-1]).block.Data
		bytes, err := cuda.View[int8](first.Memory(), first.Offset(), int(end.Offset()-first.Offset())+end.Len())
		if err != nil {
			return fmt.Errorf("%s: %s: %w", c.set.Name, o.name, err)
		}
		o.block = cuda.Matrix[int8]{Data: bytes, Rows: 1, Cols: bytes.Len(), RowStride: bytes.Len(), ColStride: 1}
		return nil
	}
	for z := range calls {
		if x := &calls[z]; x.bits != c.bits || x.opt.Scaling != c.opt.Scaling || x.opt.Kernel != c.opt.Kernel || x.opt.Schedule != c.opt.Schedule || x.opt.Pad != c.opt.Pad {
			return fmt.Errorf("%s: product %d has other scalars or options than the first", c.set.Name, z)
		}
	}
	if err := each(func(c *Call) *operand { return &c.a }, false, 0); err != nil {
		return err
	}
	if err := each(func(c *Call) *operand { return &c.b }, false, 0); err != nil {
		return err
	}
	for s := range c.set.Slots {
		switch c.set.Slots[s].Kind {
		case Scalar, Second, Hidden:
			continue
		case Output, Full, Meta:
			o, next := &c.slots[s], &calls[1].slots[s]
			if c.set.Slots[s].Kind == Output && !o.empty() && next.addr-o.addr < uint64(o.block.Data.Len()) {
				return shape(c, o.name, "of two products overlap")
			}
			if err := each(func(c *Call) *operand { return &c.slots[s] }, false, 0); err != nil {
				return err
			}
		default:
			// As it was handed over: one line.
			if err := each(func(c *Call) *operand { return &c.slots[s] }, true, c.slots[s].cols); err != nil {
				return err
			}
		}
	}
	return nil
}
