package dense

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// Dense is a batch whose matrices lie one after another.
func (f *Fixed) Dense(count int) Batch {
	s := f.Shape
	return Batch{count, s.M * s.N, s.M * s.K, s.K * s.N}
}

// A BatchRun is a batch that has been checked, on its way through the kernel.
type BatchRun struct {
	Variant int // which kernel to call
	Threads int // 1: the caller does all of it

	args run.FixedArgs // of the whole batch
	call int64         // most products of one call
}

// Begin checks a batch. It panics with a [layout.ShapeError], before an element is
// read, in these cases: a slice is too short, a stride is negative, two results share a
// place, or out shares memory with a or b. name is what errors call the function unless
// opt.Caller says.
func Begin[T dtype.Float](f *Fixed, name string, opt *run.Options, n Batch, out, a, b []T) BatchRun {
	name = opt.Name(name)
	run.CheckThreads(name, opt.Threads)
	if opt.Scaling.On() || opt.B != nil {
		panic(run.OptionError{What: name, Why: "a batch of arrays has neither alpha and beta nor a packed b; leave Options.Scaling and B unset, or call the product of matrices for each"})
	}
	s := f.Shape
	so, sa, sb := s.M*s.N, s.M*s.K, s.K*s.N
	fits(name, "out", len(out), so, n.Out, n.Count)
	fits(name, "a", len(a), sa, n.A, n.Count)
	fits(name, "b", len(b), sb, n.B, n.Count)
	if n.Count > 1 && n.Out < so {
		refuse(name, fmt.Sprintf("results of %d elements begin %d elements apart, so they share places", so, n.Out))
	}
	r := BatchRun{Variant: f.variant(name, opt.ISA), Threads: 1, call: f.most()}
	if n.Count == 0 {
		return r
	}
	if meets(out, so, n.Out, a, sa, n.A, n.Count) || meets(out, so, n.Out, b, sb, n.B, n.Count) {
		refuse(name, overlap)
	}
	size := f.Size
	r.args = run.FixedArgs{
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

// The cost of small products besides their multiply-adds, counted in multiply-adds: for
// each product, and for an element read or written, which may come from memory. A call
// of 4 x 4 x 4 products that counted multiply-adds alone took 340 us.
const (
	workOfOne     = 64
	workOfElement = 8
)

// most is how many products one call does, so that it takes some 100 us at most.
func (f *Fixed) most() int64 {
	m, n, k := f.Shape.M, f.Shape.N, f.Shape.K
	return int64(max(1, tiling.FixedWork/(m*n*k+workOfElement*(m*n+m*k+k*n)+workOfOne)))
}

func refuse(name, why string) { panic(layout.ShapeError{What: name, Why: why}) }

// fits checks that count matrices of size elements, stride apart, lie in so many
// elements; the arithmetic cannot overflow.
func fits(name, what string, have, size, stride, count int) {
	switch {
	case count < 0:
		refuse(name, fmt.Sprintf("a batch of %d products; want 0 or more", count))
	case stride < 0:
		refuse(name, fmt.Sprintf("%s has the stride %d; matrices of a batch go upwards", what, stride))
	case count == 0:
	case have < size || count > 1 && stride > 0 && (have-size)/stride < count-1:
		refuse(name, fmt.Sprintf("%s has %d elements, too few for %d matrices of %d elements, %d apart", what, have, count, size, stride))
	}
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
func (r *BatchRun) Next(args *run.FixedArgs) bool {
	if r.args.Count <= 0 {
		return false
	}
	*args = r.args
	n := min(r.call, r.args.Count)
	args.Count = n
	r.args.Count -= n
	r.args.Out, r.args.A, r.args.B = onward(r.args.Out, r.args.OutStride, n, r.args.Count), onward(r.args.A, r.args.AStride, n, r.args.Count), onward(r.args.B, r.args.BStride, n, r.args.Count)
	return true
}

// onward moves p by n strides unless nothing is left there: a pointer must not leave its
// memory.
func onward(p unsafe.Pointer, stride, n, left int64) unsafe.Pointer {
	if left <= 0 {
		return p
	}
	return unsafe.Add(p, int(stride*n))
}

// Share runs the batch on r.Threads goroutines; kernel is that of the generated code.
// The products do not depend on one another, so neither do results on the threads.
func (r BatchRun) Share(kernel func(variant int, args *run.FixedArgs)) {
	t := batches.Get()
	t.run, t.kernel = r, kernel
	// Eight shares for each thread, so that the last ones even out.
	t.part = max(1, min(r.call, (r.args.Count+int64(8*r.Threads)-1)/int64(8*r.Threads)))
	t.next.Store(0)
	j := jobs.Get()
	j.do = t
	defer func() {
		t.run, t.kernel = BatchRun{}, nil
		batches.Put(t)
		putJob(j)
	}()
	j.run(r.Threads)
}

var batches mem.Pool[batchTask]

// batchTask is a batch that workers take parts of.
type batchTask struct {
	run    BatchRun
	kernel func(variant int, args *run.FixedArgs)
	part   int64 // products taken at once
	next   atomic.Int64
}

func (t *batchTask) work(w *worker) {
	args := &w.fixed
	defer func() { *args = run.FixedArgs{} }() // do not keep the caller's memory alive
	for {
		from := (t.next.Add(1) - 1) * t.part
		left := t.run.args.Count - from
		if left <= 0 {
			return
		}
		*args = t.run.args
		args.Count = min(t.part, left)
		args.Out, args.A, args.B = onward(args.Out, args.OutStride, from, left), onward(args.A, args.AStride, from, left), onward(args.B, args.BStride, from, left)
		t.kernel(t.run.Variant, args)
	}
}
