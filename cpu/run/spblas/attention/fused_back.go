package attention

import (
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// ScoresBack is the gradients of attention that a [Scores] describes. Generated code has a package-level
// variable for each spec.
type ScoresBack[T dtype.Float] struct {
	Name string
	Of   *Scores[T]
	// Epilogue is the derivative of that of Of in Go, and Epis its kernels. It takes a product, the operands
	// and, after them, the gradient by the score. It makes the gradient by the product and, as further outputs,
	// those by operands that are floats. nil: the score is the product.
	Epilogue kernel.Func[kernel.EpiArgs]
	Epis     []*kernel.Table[kernel.Func[kernel.EpiArgs]]

	epi choose.Choice
}

// Begin begins the epilogue of a call of the function called name, as [Scores.Begin] does.
func (set *ScoresBack[T]) Begin(opt Options, name string, mask mask.Mask) Epilogue {
	return set.Of.Begin(opt, name, mask)
}

// Back computes the gradients of [Scores.Attend] by q, k and v from dout, what Attend computed as out
// and opt.LogSums, and its arguments, operands included. It computes products a second time, some at a time,
// and their scores as well. The derivative of the function of scores turns the gradients by these into those
// by products and by operands. Gradients by operands are summed in float64 over a head, and stored after
// each. If heads are side by side, they are so in dq, dk, dv and dout as well. Columns of dq are as far apart
// as those of q, and so on. Otherwise it is [Set.Back], and panics as that does. It also panics
// if a gradient shares memory with an operand.
func (set *ScoresBack[T]) Back(opt Options, e *Epilogue, dq, dk, dv layout.Matrix[T], mask mask.Mask, q, k, v, out, dout layout.Matrix[T]) {
	of := set.Of
	opt.Caller = e.epi.Name
	if opt.Scale == 0 {
		opt.Scale = of.Scale
	}
	if of.Causal {
		mask = mask.Causal()
	}
	whole := [4]layout.Matrix[T]{out, q, k, v}
	of.split(&opt, &out, &q, &k, &v)
	for i, d := range []*layout.Matrix[T]{&dout, &dq, &dk, &dv} {
		set.splitAs(opt.Caller, [...]string{"dout", "dq", "dk", "dv"}[i], d, whole[i], max(of.Heads, 1))
	}
	c := backCall[T]{attendCall: attendCall[T]{Options: opt, out: out, mask: mask, q: q, k: k, v: v}, dout: dout, dq: dq, dk: dk, dv: dv}
	if of.Epilogue == nil {
		of.Set().back(c)
		return
	}
	c.epilogue, c.fusion = e, of.scores(e, opt.ISA)
	defer c.fusion.release()
	c.gradient = scoreFusions.Get()
	defer c.gradient.release()
	c.operands = e.wanted()
	c.gradient.gradient, c.gradient.also = true, len(e.gradients)
	with := e.backward(&c.gradient.by)
	c.gradient.Begin(&set.epi, &with, set.Epilogue, set.Epis, opt.ISA)
	of.Set().back(c)
}

// backward is the epilogue of the gradients. After the outputs, which are the gradients by operands, come
// these with their distances of heads, and the gradient by the score, wherever it is.
func (e *Epilogue) backward(by *[kernel.MaxSlots]int) epilogue.Epilogue {
	with := epilogue.New(e.epi.Name, e.epi.Rows, e.epi.Cols)
	with.Contiguous = e.epi.Contiguous
	with.Add(kernel.Slot{}, epi.Memory{})
	for _, g := range e.gradients {
		size := int64(4)
		if g.wide {
			size = 8
		}
		with.Add(kernel.Slot{Cs: size}, epi.Memory{})
	}
	*by = [kernel.MaxSlots]int{}
	for s := 1; s < e.epi.N; s++ {
		by[with.N] = e.by[s]
		with.Add(e.epi.Slots[s], e.spans[s])
	}
	with.Add(kernel.Slot{}, epi.Memory{})
	return with
}

// splitAs makes of the gradient of m, whose columns are those of heads, that of the first head.
func (set *ScoresBack[T]) splitAs(caller, name string, d *layout.Matrix[T], m layout.Matrix[T], heads int) {
	if heads == 1 {
		return
	}
	if d.Rows != m.Rows || d.Cols != m.Cols || d.ColStride != m.ColStride {
		check.Call(caller).Refuse("%s is %d x %d with columns %d elements apart, %s is %d x %d with columns %d apart; want the same, so that heads lie alike",
			name, d.Rows, d.Cols, d.ColStride, name[1:], m.Rows, m.Cols, m.ColStride)
	}
	check.Read(check.Call(caller), name, d)
	d.Cols /= heads
}
