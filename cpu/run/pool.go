package run

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// worker is what one goroutine needs to take part in a product.
type worker struct {
	args    Args // of micro-kernels
	pack    Args // of packing kernels, which run between two of the former
	abuf    buffer
	bbuf    buffer // of B that no other worker reads
	scratch buffer
	sums    buffer // of a block, before its epilogue
	epi     kernel.EpiArgs
	fixed   FixedArgs
	small   Small
	f32     genericBuf[float32] // of the portable code
	f64     genericBuf[float64]
}

// A job is work that several goroutines can share: a part of a product, or, for
// the portable code, whatever do does. It holds the caller's own worker, so that
// a call allocates nothing.
type job struct {
	part
	self    worker
	do      task   // nil: the part
	partial buffer // of reductions
	f32     portablePart[float32]
	f64     portablePart[float64]
	helpers sync.WaitGroup
	panic   atomic.Pointer[workerPanic]
}

// A task is work that any number of workers may take a share of at once.
type task interface{ work(w *worker) }

type workerPanic struct {
	value any
	stack []byte
}

// pool keeps values, with their buffers, between calls: one at hand without a
// lock, and as many more as were in use at once.
type pool[T any] struct {
	hot  atomic.Pointer[T]
	mu   sync.Mutex
	list []*T
}

func (p *pool[T]) get() *T {
	if x := p.hot.Swap(nil); x != nil {
		return x
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.list); n > 0 {
		x := p.list[n-1]
		p.list = p.list[:n-1]
		return x
	}
	return new(T)
}

func (p *pool[T]) put(x *T) {
	if p.hot.CompareAndSwap(nil, x) {
		return
	}
	p.mu.Lock()
	p.list = append(p.list, x)
	p.mu.Unlock()
}

var (
	jobs    pool[job]
	workers pool[worker]
)

// putJob keeps the job for the next call, without the caller's memory.
func putJob(j *job) {
	j.a.p, j.b.p, j.c.p, j.do = nil, nil, nil, nil
	j.fused, j.pre = fusion{}, nil
	jobs.put(j)
}

// run works on the job with the caller and up to threads-1 helpers. A panic in a
// helper becomes one in the caller, and so does its goroutine's end.
func (j *job) run(threads int) {
	if threads <= 1 {
		j.work(&j.self)
		return
	}
	j.failed.Store(false)
	most := max(Threads(), runtime.GOMAXPROCS(0))
	for range threads - 1 {
		j.helpers.Add(1)
		if !enlist(j, most) {
			j.helpers.Done()
			break
		}
	}
	done := false
	defer func() {
		if !done {
			j.failed.Store(true)
		}
		j.helpers.Wait()
		if p := j.panic.Swap(nil); p != nil {
			panic(fmt.Sprintf("%v [in a worker]\n\n%s", p.value, p.stack))
		}
	}()
	j.work(&j.self) // may panic or end the caller's goroutine, which both wait above
	done = true
}

// givingUp is what a worker panics with that waited for one that failed.
type givingUp struct{}

func (j *job) work(w *worker) {
	if j.do != nil {
		j.do.work(w)
	} else {
		j.part.work(w)
	}
}

// goexit is what a worker failed with whose goroutine was ended: nothing is panicking
// then, but the share of the work is not done.
const goexit = "a function of the caller's, such as an epilogue, ended the goroutine it ran on, as runtime.Goexit and testing's t.FailNow do; " +
	"want it to return, or to panic"

// help is one helper's share of a job.
func (j *job) help() {
	defer j.helpers.Done()
	w := workers.get()
	defer workers.put(w)
	done := false
	defer func() {
		if done {
			return
		}
		r := recover()
		if r == nil {
			r = goexit
		}
		if r != (givingUp{}) {
			buf := make([]byte, 64<<10)
			j.panic.CompareAndSwap(nil, &workerPanic{r, buf[:runtime.Stack(buf, false)]})
		}
		j.failed.Store(true)
	}()
	j.work(w)
	done = true
}

// Helpers are goroutines that all callers share. They start when first wanted and
// end after idling.
var helpers struct {
	running atomic.Int64
	jobs    chan *job
}

func init() { helpers.jobs = make(chan *job) }

const idleFor = 200 * time.Millisecond

// enlist hands j to an idle helper, or starts one if that makes no more than most;
// it reports whether there was one to be had.
func enlist(j *job, most int) bool {
	select {
	case helpers.jobs <- j:
		return true
	default:
	}
	if helpers.running.Add(1) > int64(most) {
		helpers.running.Add(-1)
		return false
	}
	go helper(j)
	return true
}

func helper(j *job) {
	defer helpers.running.Add(-1)
	idle := time.NewTimer(idleFor)
	defer idle.Stop()
	for {
		j.help()
		idle.Reset(idleFor)
		select {
		case j = <-helpers.jobs:
		case <-idle.C:
			return
		}
	}
}

var threads atomic.Int64

// Threads returns how many goroutines a call may use: what [SetThreads] set, or
// TILESMITH_THREADS, or GOMAXPROCS.
func Threads() int {
	if n := threads.Load(); n > 0 {
		return int(n)
	}
	if n := envThreads(); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// SetThreads sets how many goroutines a call may use; 0 restores the default. It
// may be called at any time and counts for calls that start later.
func SetThreads(n int) { threads.Store(int64(max(n, 0))) }

var envThreads = sync.OnceValue(func() int {
	s := os.Getenv("TILESMITH_THREADS")
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		panic(fmt.Sprintf("tilesmith: TILESMITH_THREADS is %q; it must be a number of goroutines, 1 or more", s))
	}
	return n
})
