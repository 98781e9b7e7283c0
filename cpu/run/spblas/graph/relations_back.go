package graph

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Weights computes the gradient of w of [Relations.Multiply], from that of its result:
//
//	dw_r = (a_r * x)^T * dout
//
// dw has the shape of w. Each relation is one goroutine's, tiles in their order. Weights panics as Multiply does.
func (set *Relations[T]) Weights(opt run.Options, dw layout.Matrix[T], a sparse.Relations[T], x, dout layout.Matrix[T]) {
	name := opt.Name(set.Name + "Weights")
	checkRelationWeights(name, opt, a.Rows(), a.Cols(), a.Count(), &dw, &x, &dout)
	if dw.Rows == 0 || dw.Cols == 0 {
		return
	}
	c := set.calls.Get()
	defer set.release(c)
	set.prepare(c, name, &opt, a, x, "dout", dout)
	c.dw = dw
	c.run(&opt, weightStep, c.raw.Count)
}

// Back computes the gradients of [Relations.Multiply], of x and of w, from that of its result:
//
//	dx = sum over relations r of a_r^T * dout * w_r^T
//	dw_r = (a_r * x)^T * dout
//
// turned is a.Transpose(); only its size is checked. dx has the shape of x, dw that of w. For the order of additions
// see Multiply and Weights. Back panics with a [layout.ShapeError] before any element is read if shapes do
// not agree or a slice is too short. It also panics if dx or dw shares memory with the other or with an
// operand.
func (set *Relations[T]) Back(opt run.Options, dx, dw layout.Matrix[T], a, turned sparse.Relations[T], x, w, dout layout.Matrix[T]) {
	opt.Caller = opt.Name(set.Name + "Back")
	checkRelationsBack(opt, &dx, &dw, a, turned, &x, &w, &dout)
	set.Weights(opt, dw, a, x, dout)
	set.Multiply(opt, dx, turned, dout, turnWeights(w, a.Count()))
}

func checkRelationsBack[T dtype.Float](opt run.Options, dx, dw *layout.Matrix[T], a, turned sparse.Relations[T], x, w, dout *layout.Matrix[T]) {
	c := check.Call(opt.Caller)
	if turned.Rows() != a.Cols() || turned.Cols() != a.Rows() || turned.Count() != a.Count() || turned.NNZ() != a.NNZ() {
		c.Refuse("turned is %d relations of %d x %d with %d entries, a is %d of %d x %d with %d; want a.Transpose()",
			turned.Count(), turned.Rows(), turned.Cols(), turned.NNZ(), a.Count(), a.Rows(), a.Cols(), a.NNZ())
	}
	checkRelationWeights(opt.Caller, opt, a.Rows(), a.Cols(), a.Count(), dw, x, dout)
	if w.Rows != dw.Rows || w.Cols != dw.Cols || dx.Rows != x.Rows || dx.Cols != x.Cols {
		c.Refuse("dx is %d x %d, x is %d x %d, dw is %d x %d, w is %d x %d; want gradients of the shapes of their operands",
			dx.Rows, dx.Cols, x.Rows, x.Cols, dw.Rows, dw.Cols, w.Rows, w.Cols)
	}
	check.Written(c, "dx", dx)
	check.Read(c, "w", w)
	checkTurned(c, w)
	check.Apart(c, "dx", dx, "dw", dw)
	check.Apart(c, "dw", dw, "w", w)
	check.Apart(c, "dx", dx, "x", x)
	check.Apart(c, "dx", dx, "w", w)
	check.Apart(c, "dx", dx, "dout", dout)
}

// checkTurned refuses a w of which a transposed copy is too large.
func checkTurned[T dtype.Float](c check.Call, w *layout.Matrix[T]) {
	if size := dtype.Of[T]().Size(); mem.Volume(w.Rows, w.Cols, size) > call.ScratchLimit(len(w.Data), size) {
		c.Refuse("w is %d x %d with strides (%d, %d) on %d elements; a transposed copy is too large, so give each element a place of its own",
			w.Rows, w.Cols, w.RowStride, w.ColStride, len(w.Data))
	}
}

// turnWeights returns count matrices, one under another, each transposed.
func turnWeights[T dtype.Float](w layout.Matrix[T], count int) layout.Matrix[T] {
	k := w.Rows / max(count, 1)
	if w.Rows == 0 || w.Cols == 0 {
		return layout.Matrix[T]{Rows: mem.Volume(count, w.Cols), Cols: k, RowStride: k, ColStride: 1}
	}
	out := layout.New[T](count*w.Cols, k)
	for r := range count {
		call.CopyRows(out.Data[r*k*w.Cols:][:k*w.Cols], w.Slice(r*k, (r+1)*k, 0, w.Cols).T())
	}
	return out
}

func checkRelationWeights[T dtype.Float](name string, opt run.Options, m, n, count int, dw, x, dout *layout.Matrix[T]) {
	c := check.Call(name)
	call.CheckOptions(c, &opt, noFactors)
	if dout.Rows != m || x.Rows != n || dw.Cols != dout.Cols || dw.Rows != mem.Volume(count, x.Cols) {
		c.Refuse("dw is %d x %d, a is %d relations of %d x %d, x is %d x %d, dout is %d x %d; want r*k x l, r of m x n, n x k, and m x l",
			dw.Rows, dw.Cols, count, m, n, x.Rows, x.Cols, dout.Rows, dout.Cols)
	}
	check.Written(c, "dw", dw)
	check.Beside(c, "dw", dw, "x", x)
	check.Beside(c, "dw", dw, "dout", dout)
}

const noFactors = "a gradient has no alpha and no beta; leave Options.Scaling unset"

// weights computes the gradient of one matrix.
func (c *relationCall[T]) weights(w *call.Scratch, r int) {
	size, raw := dtype.Of[T]().Size(), &c.raw
	deep, wide := paddedRow(c.k, size), paddedRow(c.l, size)
	w.Sums.Grow(c.k * wide)
	clear(call.SliceOf((*T)(w.Sums.P), c.k*wide/size))
	for t := range raw.Tiles {
		starts := relationStarts(raw, t)
		from, n := int(starts[r]), int(starts[r+1]-starts[r])
		if n == 0 {
			continue
		}
		w.Gathered.Grow(n * deep)
		gatherPairs(w, c.kern, raw, from, n, c.x, deep, c.k, size)
		rowsOfPairs[T](w, raw, from, n, c.y, wide, c.l)
		one := mem.BitsOf(T(1))
		t := call.Tile{
			A: mem.Operand{P: w.Gathered.P, RS: size, CS: deep}, B: w.Scores.P, LdB: wide, C: w.Sums.P, LdC: wide,
			M: c.k, N: c.l, K: n, Mode: kernel.ModeUpdate, Alpha: one, Beta: one,
		}
		call.Product[T](&t, c.dense, &w.Dense)
	}
	call.UnpackRows(w.Sums.P, wide, c.dw.Slice(r*c.k, (r+1)*c.k, 0, c.l), 0, c.k)
}
