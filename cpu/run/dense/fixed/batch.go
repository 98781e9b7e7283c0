package fixed

import (
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Dense is a batch whose matrices lie one after another.
func (f *Product) Dense(count int) dense.Batch {
	s := f.Shape
	return dense.Batch{Count: count, Out: s.M * s.N, A: s.M * s.K, B: s.K * s.N}
}

// A Run is a batch that has been checked, on its way through the kernel.
type Run struct {
	Variant int // which kernel to call
	Threads int // 1: the caller does all of it

	args kernel.FixedArgs // of the whole batch
	call int64            // most products of one call
}

// Begin checks a batch. It panics with a [layout.ShapeError], before an element is
// read, in these cases: a slice is too short, a stride is negative, two results share a
// place, or out shares memory with a or b. name is what errors call the function unless
// opt.Caller says.
func Begin[T dtype.Float](f *Product, name string, opt *run.Options, n dense.Batch, out, a, b []T) Run {
	name = opt.Name(name)
	run.CheckThreads(name, opt.Threads)
	if opt.Scaling.On() || opt.B != nil {
		check.Call(name).RefuseOption("a batch of arrays has neither alpha and beta nor a packed b; leave Options.Scaling and B unset, or call the product of matrices for each")
	}
	s := f.Shape
	so, sa, sb := s.M*s.N, s.M*s.K, s.K*s.N
	check.Call(name).Fits("out", len(out), so, n.Out, n.Count)
	check.Call(name).Fits("a", len(a), sa, n.A, n.Count)
	check.Call(name).Fits("b", len(b), sb, n.B, n.Count)
	if n.Count > 1 && n.Out < so {
		check.Call(name).Refuse("results of %d elements begin %d elements apart, so they share places", so, n.Out)
	}
	r := Run{Variant: f.variant(name, opt.ISA), Threads: 1, call: f.most()}
	if n.Count == 0 {
		return r
	}
	if meets(out, so, n.Out, a, sa, n.A, n.Count) || meets(out, so, n.Out, b, sb, n.B, n.Count) {
		check.Call(name).Refuse(check.Overlap)
	}
	size := f.Size
	r.args = kernel.FixedArgs{
		Out: unsafe.Pointer(unsafe.SliceData(out)), A: unsafe.Pointer(unsafe.SliceData(a)), B: unsafe.Pointer(unsafe.SliceData(b)),
		Count: int64(n.Count), OutStride: int64(n.Out * size), AStride: int64(n.A * size), BStride: int64(n.B * size),
	}
	if n.Count == 1 { // strides that nobody uses may be anything
		r.args.OutStride, r.args.AStride, r.args.BStride = 0, 0, 0
	}
	if float64(n.Count)*float64(s.M*s.N*s.K) >= work.Threaded {
		r.Threads = work.Allowed(opt.Threads)
	}
	return r
}

// most is how many products one call does, so that it takes some 100 us at most.
func (f *Product) most() int64 {
	m, n, k := f.Shape.M, f.Shape.N, f.Shape.K
	return int64(max(1, tiling.FixedWork/(work.OfSmall(m*n*k, m*n+m*k+k*n))))
}

// meets reports whether one of count matrices in x, each of sx elements and dx apart,
// shares memory with one of y. If they are interleaved at different distances, it may
// say so although none does.
func meets[T dtype.Float](x []T, sx, dx int, y []T, sy, dy, count int) bool {
	x, y = x[:(count-1)*dx+sx], y[:(count-1)*dy+sy]
	if !mem.Touch(x, y) {
		return false
	}
	apart := mem.Distance(unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])) / int(unsafe.Sizeof(x[0]))
	if dx != dy || dx < sx+sy || count == 1 {
		return true
	}
	// Both repeat every dx elements: y must begin after x and end before the next x.
	at := (apart%dx + dx) % dx
	return at < sx || at > dx-sy
}

// Next moves on to the next products that one call does; it reports whether there are
// any, and sets args to them.
func (r *Run) Next(args *kernel.FixedArgs) bool {
	if r.args.Count <= 0 {
		return false
	}
	*args = r.args
	n := min(r.call, r.args.Count)
	args.Count = n
	r.args.Count -= n
	r.args.Out, r.args.A, r.args.B = mem.Onward(r.args.Out, r.args.OutStride, n, r.args.Count), mem.Onward(r.args.A, r.args.AStride, n, r.args.Count), mem.Onward(r.args.B, r.args.BStride, n, r.args.Count)
	return true
}

// Share runs the batch on r.Threads goroutines; kernel is that of the generated code.
// The products do not depend on one another, so neither do results on the threads.
func (r Run) Share(kernel func(variant int, args *kernel.FixedArgs)) {
	t := batches.Get()
	t.run, t.kernel = r, kernel
	// Eight shares for each thread, so that the last ones even out.
	t.part = max(1, min(r.call, (r.args.Count+int64(8*r.Threads)-1)/int64(8*r.Threads)))
	t.next.Store(0)
	defer func() {
		t.run, t.kernel = Run{}, nil
		batches.Put(t)
	}()
	t.crew.Run(t, r.Threads)
}

var (
	batches   mem.Pool[batchTask]
	arguments mem.Pool[kernel.FixedArgs]
)

// batchTask is a batch that workers take parts of.
type batchTask struct {
	run    Run
	kernel func(variant int, args *kernel.FixedArgs)
	part   int64 // products taken at once
	next   atomic.Int64
	crew   work.Crew
}

// Work is the share of one goroutine.
func (t *batchTask) Work(bool) {
	args := arguments.Get()
	defer func() {
		*args = kernel.FixedArgs{} // do not keep the caller's memory alive
		arguments.Put(args)
	}()
	for {
		from := (t.next.Add(1) - 1) * t.part
		left := t.run.args.Count - from
		if left <= 0 {
			return
		}
		*args = t.run.args
		args.Count = min(t.part, left)
		args.Out, args.A, args.B = mem.Onward(args.Out, args.OutStride, from, left), mem.Onward(args.A, args.AStride, from, left), mem.Onward(args.B, args.BStride, from, left)
		t.kernel(t.run.Variant, args)
	}
}
