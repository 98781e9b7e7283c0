package graph

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// EdgeScores is a softmax of scores that a Go function gives the entries of a sparse matrix. Generated code
// has a package-level variable for each spec.
type EdgeScores[T dtype.Float] struct {
	Name     string
	Set      func() *Attention[T]        // takes powers of e
	Epilogue kernel.Func[kernel.EpiArgs] // the score in Go, and Epis its kernels
	Epis     []*kernel.Table[kernel.Func[kernel.EpiArgs]]

	epi choose.Choice
}

// Fuse passes the value of every entry of s to the epilogue, which leaves its score in out, the first output of e. It
// then sets out to the softmax of the scores of each row, as [Attention.Softmax] does for values. The result does
// not depend on the number of threads. It panics with a [layout.ShapeError] before an element is read if an output or
// operand does not have one element for each entry, row or column. It also panics if an output shares memory
// with anything else.
func (set *EdgeScores[T]) Fuse(opt run.Options, e *Epilogue, out []T, s sparse.Matrix[T]) {
	name := e.epi.Name
	check.Call(name).Unscaled(&opt, check.Fused)
	checkEdges(name, opt, s, "out", out, "", nil)
	values := unsafe.Slice((*T)(s.Raw().Values), s.NNZ())
	e.epi.CheckOverlap(epi.Memory{}, epi.MemoryOf("s", layout.RowMajor(values, 1, len(values))))
	a := set.Set()
	kern := choose.Table(&a.choice, name, a.Variants, opt.ISA)
	raw := s.Raw()
	if raw.NNZ == 0 {
		return
	}
	threads := call.ThreadsFor(opt, 16*float64(raw.NNZ))
	d := &sampled[T]{given: true}
	d.fuse(e, &set.epi, set.Epilogue, set.Epis, opt.ISA)
	d.run(threads, nil, raw, layout.Matrix[T]{}, layout.Matrix[T]{})
	d.fused.release()
	raw.Values = unsafe.Pointer(unsafe.SliceData(out))
	c := &edgeCall[T]{raw: raw, kern: kern, out: out}
	c.run(threads)
}
