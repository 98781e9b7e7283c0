package attention

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Scores is attention over blocks as a spec describes it, with scores that a Go function may change. Generated
// code has a package-level variable for each spec.
type Scores[T dtype.Float] struct {
	Name              string
	Set               func() *Set[T]
	Heads             int     // that lie side by side; 0: as the options say
	Width             int     // columns of a head; 0: any
	Scale             float64 // if the options have none
	Causal, UnseenNaN bool
	Epilogue          kernel.Func[kernel.EpiArgs] // the score in Go, and Epis its kernels; nil: the product
	Epis              []*kernel.Table[kernel.Func[kernel.EpiArgs]]

	epi choose.Choice
}

// Begin begins the epilogue of a call of the function called name.
func (set *Scores[T]) Begin(opt Options, name string, mask mask.Mask) Epilogue {
	heads := opt.Heads.Count
	if set.Heads > 0 {
		heads = set.Heads
	}
	return NewEpilogue(opt.Name(name), mask, heads)
}

// Attend is [Set.Attend] with the spec's heads, scale and mask, and with scores that the
// epilogue makes of Scale * q[i]·k[j]. It makes some at a time, for the blocks of the mask. Those include
// scores that a causal mask does not see; they do not matter. Scores of -Inf have no weight. If the spec has
// heads, they lie side by side in the columns of q, k, v and out, and Options.Heads is left alone. It panics
// where that Attend does. It also panics if columns are not those of the heads, or out shares memory with an
// operand. An operand must have one element for each row, column or element of the mask, or so many for each
// head.
func (set *Scores[T]) Attend(opt Options, e *Epilogue, out layout.Matrix[T], mask mask.Mask, q, k, v layout.Matrix[T]) {
	opt.Caller = e.epi.Name
	if opt.Scale == 0 {
		opt.Scale = set.Scale
	}
	if opt.UnseenNaN = opt.UnseenNaN || set.UnseenNaN; set.Causal {
		mask = mask.Causal()
	}
	set.split(&opt, &out, &q, &k, &v)
	c := attendCall[T]{Options: opt, out: out, mask: mask, q: q, k: k, v: v}
	if set.Epilogue == nil {
		set.Set().attend(c)
		return
	}
	f := set.scores(e, opt.ISA)
	defer f.release()
	c.epilogue, c.fusion = e, f
	set.Set().attend(c)
}

// scores is the function of scores of one call.
func (set *Scores[T]) scores(e *Epilogue, isa string) *scoreFusion {
	f := scoreFusions.Get()
	f.by, f.gradient, f.also = e.by, false, 0
	f.Begin(&set.epi, &e.epi, set.Epilogue, set.Epis, isa)
	return f
}

func (f *scoreFusion) release() {
	f.Fusion = epi.Fusion{}
	scoreFusions.Put(f)
}

// split makes of matrices whose columns are those of heads what is of the first head, and says where the others
// are.
func (set *Scores[T]) split(opt *Options, out, q, k, v *layout.Matrix[T]) {
	c := check.Call(opt.Caller)
	if set.Heads > 0 && opt.Heads != (Heads{}) {
		c.RefuseOption("Options.Heads is for specs without; this one has %d, side by side", set.Heads)
	}
	heads := max(set.Heads, 1)
	by := []*int{&opt.Heads.Out, &opt.Heads.Q, &opt.Heads.K, &opt.Heads.V}
	for i, m := range []*layout.Matrix[T]{out, q, k, v} {
		name := [...]string{"out", "q", "k", "v"}[i]
		if m.Cols%heads != 0 {
			c.Refuse("%s has %d columns; want a multiple of %d heads", name, m.Cols, heads)
		}
		cols := m.Cols / heads
		if set.Width > 0 && cols != set.Width {
			c.Refuse("%s has %d columns, %d for each of %d heads; want %d for each", name, m.Cols, cols, heads, set.Width)
		}
		if set.Heads == 0 {
			continue
		}
		check.Read(c, name, m) // before its stride is taken for the distance of heads
		m.Cols = cols
		if opt.Heads.Count = heads; heads > 1 && m.Rows > 0 {
			*by[i] = cols * m.ColStride
		}
	}
}

// spanOf is the memory of the heads of a matrix.
func spanOf[T dtype.Float](m layout.Matrix[T], apart, count int) (unsafe.Pointer, uintptr) {
	data := mem.Series(&m, apart, max(count, 1))
	return unsafe.Pointer(unsafe.SliceData(data)), uintptr(len(data)) * unsafe.Sizeof(*new(T))
}
