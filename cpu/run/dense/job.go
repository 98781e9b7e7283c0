package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// worker is what one goroutine needs to take part in a product.
type worker struct {
	args    kernel.Args // of micro-kernels
	pair    kernel.Pair
	pack    kernel.Args // of packing kernels, which run between two of the former
	flip    [4]uint32   // words of a row of A for start values, as many as kernels read at once
	abuf    mem.Buffer
	bbuf    mem.Buffer // of B that no other worker reads
	scratch mem.Buffer
	sums    mem.Buffer // of a block, before its epilogue
	parts   mem.Buffer // of sums, before they are joined
	epi     epi.Call
	each    kernel.EpiArgs
	small   Small
	bufs    plain.Bufs // of the portable code
}

// A job is work that several goroutines can share: a part of a product, or, for
// the portable code, whatever do does. It holds the caller's own worker, so that
// a call allocates nothing.
type job struct {
	part
	memory  memory
	self    worker
	do      task       // nil: the part
	rare    rareTask   // if there is no other
	partial mem.Buffer // of reductions
	terms   mem.Buffer // of zero points
	parts   mem.Kept   // portablePart
	diags   mem.Kept   // diagonal
	series  mem.Kept   // batchPart
}

// A task is work that any number of workers may take a share of at once.
type task interface{ work(w *worker) }

// A rareTask is a task of a generic type that few programs have. It names the method that works on it by an interface of its own:
// of a type that generic code mentions the linker keeps what any interface in use has, and task is always in use.
type rareTask struct {
	task any
	work func(task any, w *worker)
}

var (
	jobs    mem.Pool[job]
	workers mem.Pool[worker]
)

// putJob keeps the job for the next call, without the caller's memory.
func putJob(j *job) {
	j.a.P, j.b.P, j.c.P, j.do, j.rare = nil, nil, nil, nil, rareTask{}
	j.fused, j.pre, j.source = epi.Fusion{}, nil, nil
	jobs.Put(j)
}

// run works on the job with the caller and up to threads-1 helpers, as [work.Crew.Run]
// does.
func (j *job) run(threads int) {
	if threads <= 1 {
		j.work(&j.self)
		return
	}
	j.crew.Run(j, threads)
}

// Work is the share of one goroutine.
func (j *job) Work(caller bool) {
	if caller {
		j.work(&j.self)
		return
	}
	w := workers.Get()
	defer workers.Put(w)
	j.work(w)
}

func (j *job) work(w *worker) {
	switch {
	case j.do != nil:
		j.do.work(w)
	case j.rare.task != nil:
		j.rare.work(j.rare.task, w)
	default:
		j.part.work(w)
	}
}
