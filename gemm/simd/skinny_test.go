package simd

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// dotted is the product of number(1, i, k) and number(2, k, j) by a plain loop over k.
func dotted(k int) func(i, j int) float64 {
	return func(i, j int) float64 {
		acc := 0.0
		for k := range k {
			acc += number(1, i, k) * number(2, k, j)
		}
		return acc
	}
}

// axpy runs a kernel whose tiles lie side by side. What it fetches has no effect.
func (c call) axpy(f *emit.Func) error {
	rows, cols := c.mr, c.tiles*c.nv*c.vl
	c.aByColumns, c.span = true, 1+c.mode // elements of one k lie side by side
	a, b, out := c.operands(rows, cols)
	if err := c.machine(a, b, out).Run(f); err != nil {
		return err
	}
	return c.finished(out, rows, cols, dotted(c.k))
}

// dotCalls crosses every remainder of k with both beginnings; tiles go down a column or
// along a row, in turn.
func dotCalls(base call) []call {
	var out []call
	ks := append(upTo(base.vl+1), 0, 2*base.vl, 3*base.vl-1)
	for i, k := range ks {
		c := base
		c.k, c.tiles = k, 1+i%2
		c.mode = []int{kernel.ModeStore, kernel.ModeUpdate}[i/4%2]
		c.aByColumns = i/2%2 == 1 // tiles along a row
		out = append(out, c)
	}
	return out
}

// dot runs a kernel whose operands are both contiguous along k. An element of C is a
// vector, of whose lanes each has the sum over every so many k.
func (c call) dot(f *emit.Func) error {
	mr, nr, vec := c.mr, c.nv, int64(c.vl)*c.size()
	rows, cols := mr*c.tiles, nr
	if c.aByColumns {
		rows, cols = mr, nr*c.tiles
	}
	a := newArray("A", c.elem, 2*c.size(), int64(rows), int64(c.k), int64(c.k+3)*c.size(), c.size())
	b := newArray("B", c.elem, c.size(), int64(cols), int64(c.k), int64(c.k+2)*c.size(), c.size()) // row j is column j of B
	out := newArray("C", c.elem, 3*c.size(), int64(rows), int64(cols*c.vl), int64(cols)*vec+3*c.size(), c.size())
	c.steps = [3]int64{int64(mr) * a.rs, 0, int64(mr) * out.rs}
	if c.aByColumns {
		c.steps = [3]int64{0, int64(nr) * b.rs, int64(nr) * vec}
	}
	a.fill(rows, c.k, func(i, k int) float64 { return number(1, i, k) })
	b.fill(cols, c.k, func(j, k int) float64 { return number(2, k, j) })
	if c.mode == kernel.ModeUpdate {
		out.fill(rows, cols*c.vl, func(i, j int) float64 { return number(3, i, j) })
	}
	if err := c.machine(a, b, out).Run(f); err != nil {
		return err
	}
	return out.compare(rows, cols*c.vl, func(i, j int) float64 {
		acc := 0.0
		if c.mode == kernel.ModeUpdate {
			acc = number(3, i, j)
		}
		for k := j % c.vl; k < c.k; k += c.vl {
			acc += number(1, i, k) * number(2, k, j/c.vl)
		}
		return acc
	})
}

// joinCalls crosses rows, whole vectors of columns, the rest and the modes.
func joinCalls(base call) []call {
	var out []call
	for n := range base.vl {
		for mode := range 3 {
			c := base
			c.n, c.mode, c.k, c.tiles = n, mode, (n+mode)%3, 1+(n+mode)%2
			if c.alpha, c.beta = 3, -2; n+c.k > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

// joined runs the kernel that joins the lanes of vectors.
func (c call) joined(f *emit.Func) error {
	rows, cols, vec := c.tiles, c.k*c.vl+c.n, int64(c.vl)*c.size()
	whole := cols // vectors that it reads: of what is left over all but one
	if c.n > 0 {
		whole += c.vl - 1 - c.n
	}
	a := newArray("A", c.elem, c.size(), int64(rows), int64(whole*c.vl), int64(whole)*vec+2*c.size(), c.size())
	out := newArray("C", c.elem, 3*c.size(), int64(rows), int64(cols), int64(cols+c.vl+3)*c.size(), c.size())
	a.fill(rows, whole*c.vl, func(i, j int) float64 { return number(1, i, j) })
	if c.mode == kernel.ModeUpdate {
		out.fill(rows, cols, func(i, j int) float64 { return number(3, i, j) })
	}
	if err := c.machine(a, newArray("B", c.elem, 0, 0, 0, 1<<20, 1<<21), out).Run(f); err != nil {
		return err
	}
	return c.finished(out, rows, cols, func(i, j int) float64 {
		acc := 0.0
		for lane := range c.vl {
			acc += number(1, i, j*c.vl+lane)
		}
		return acc
	})
}
