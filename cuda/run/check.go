package run

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/layout"
)

// check holds all operands against one another.
func (c *Call) check() error {
	if err := c.complete(); err != nil {
		return err
	}
	out := &c.slots[0]
	c.m, c.n, c.k, c.count = out.rows, out.cols, c.a.cols, max(out.count, 1)
	if c.set.Slots[0].Kind == Hidden {
		c.m, c.n, c.count = c.a.rows, c.b.cols, max(c.a.count, c.b.count, 1)
	}
	if c.a.rows != c.m || c.b.cols != c.n || c.b.rows != c.k {
		return fmt.Errorf("%s: %w", c.set.Name, layout.ShapeError{What: "shapes", Why: fmt.Sprintf(
			"out is %d x %d, a is %d x %d and b is %d x %d; want m x n, m x k and k x n", c.m, c.n, c.a.rows, c.a.cols, c.b.rows, c.b.cols)})
	}
	for _, f := range []*operand{&c.a, &c.b} {
		if err := c.counts(f); err != nil {
			return err
		}
	}
	for s := range c.set.Slots {
		if err := c.slot(s); err != nil {
			return err
		}
	}
	return c.overlaps()
}

// complete reports an operand that is missing.
func (c *Call) complete() error {
	missing := ""
	switch {
	case !c.have[0]:
		missing = "a"
	case !c.have[1]:
		missing = "b"
	}
	for s := range c.set.Slots {
		if !c.given[s] && c.set.Slots[s].Kind != Second && c.set.Slots[s].Kind != Hidden && missing == "" {
			missing = c.set.Slots[s].Name
		}
	}
	if missing != "" {
		return fmt.Errorf("%s: %s was not handed over; the code was generated for another version of the spec", c.set.Name, missing)
	}
	return nil
}

// counts holds a batch against out's.
func (c *Call) counts(o *operand) error {
	if o.count != 0 && o.count != c.count {
		return shape(c, o.name, "is a batch of %d, out is one of %d", o.count, c.count)
	}
	return nil
}

// slot checks the shape of slot s and finds the strides of a vector.
func (c *Call) slot(s int) error {
	o, slot := &c.slots[s], &c.set.Slots[s]
	if err := c.counts(o); err != nil {
		return err
	}
	each, what := c.n, "columns"
	switch {
	case slot.Kind == Output || slot.Kind == Full:
		if o.rows != c.m || o.cols != c.n {
			return shape(c, o.name, "is %d x %d, want %d x %d as out", o.rows, o.cols, c.m, c.n)
		}
		if slot.Kind == Output && c.count > 1 && o.count == 0 {
			return shape(c, o.name, "is one matrix, out is a batch of %d", c.count)
		}
		return nil
	case slot.Kind == Scalar || slot.Kind == Second || slot.Kind == Hidden || slot.Kind == Meta:
		return nil
	case slot.Kind == Row, slot.Kind == Partial && !slot.Col:
		each, what = c.m, "rows"
	}
	switch {
	case o.cols == each && (slot.Kind != Partial || c.count == 1):
		o.bs = 0
	case each > 0 && o.cols%each == 0 && o.cols/each == c.count, each == 0 && o.cols == 0:
		o.bs = int64(each) * o.size
	case c.count > 1:
		return shape(c, o.name, "has %d elements; out has %d products of %d %s", o.cols, c.count, each, what)
	default:
		return shape(c, o.name, "has %d elements; out has %d %s", o.cols, each, what)
	}
	if slot.Kind == Row {
		o.rs, o.cs = o.size, 0
	} else {
		o.rs, o.cs = 0, o.size
	}
	o.count = c.count
	return nil
}

// overlaps checks that nothing that is written shares memory with anything else,
// but out exactly with a full operand.
func (c *Call) overlaps() error {
	for s := range c.set.Slots {
		w := &c.slots[s]
		kind := c.set.Slots[s].Kind
		if kind != Output && kind != Partial || w.empty() {
			continue
		}
		for _, f := range []*operand{&c.a, &c.b} {
			if !f.empty() && cuda.Overlap(w.block, f.block) {
				return shape(c, w.name, "shares memory with %s", f.name)
			}
		}
		for t := range c.set.Slots {
			o, other := &c.slots[t], c.set.Slots[t].Kind
			if t == s || other == Scalar || other == Second || o.empty() || t < s && (other == Output || other == Partial) {
				continue
			}
			if cuda.Overlap(w.block, o.block) && !(other == Full && kind == Output && w.same(o)) {
				return shape(c, w.name, "shares memory with %s", o.name)
			}
		}
	}
	return nil
}
