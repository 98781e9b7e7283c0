package run

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cuda"
)

// A stretch is the memory from the first byte of an operand to its last.
type stretch struct {
	from, to uint64
	call     *Call
	o        *operand
	written  bool
}

// apart checks that what one product writes shares no memory with anything of another. It
// goes up the addresses with the stretches that have begun and not ended.
func apart(calls []Call) error {
	var all []stretch
	for i := range calls {
		c := &calls[i]
		add := func(o *operand, written bool) {
			if o.empty() || o.block.Data.Len() == 0 {
				return
			}
			from := o.block.Data.Address()
			all = append(all, stretch{from, from + uint64(o.block.Data.Len()), c, o, written})
		}
		add(&c.a, false)
		add(&c.b, false)
		for s := range c.set.Slots {
			switch kind := c.set.Slots[s].Kind; kind {
			case Output, Partial:
				add(&c.slots[s], true)
			case Row, Column, Full:
				add(&c.slots[s], false)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y stretch) int { return cmp.Compare(x.from, y.from) })
	var open [2][]*stretch // read, written
	for i := range all {
		x := &all[i]
		for w := range open {
			open[w] = slices.DeleteFunc(open[w], func(y *stretch) bool { return y.to <= x.from })
		}
		for _, y := range open[1] {
			if err := x.meets(y); err != nil {
				return err
			}
		}
		if x.written {
			for _, y := range open[0] {
				if err := x.meets(y); err != nil {
					return err
				}
			}
			open[1] = append(open[1], x)
		} else {
			open[0] = append(open[0], x)
		}
	}
	return nil
}

// meets returns an error if x and y, of which one is written, share memory and are of two
// products.
func (x *stretch) meets(y *stretch) error {
	if x.call == y.call || !cuda.Overlap(x.o.block, y.o.block) {
		return nil
	}
	if !x.written {
		x, y = y, x
	}
	return shape(x.call, fmt.Sprintf("%s of problem %d", x.o.name, x.call.number), "shares memory with %s of problem %d; products of a group are done in no order",
		y.o.name, y.call.number)
}
