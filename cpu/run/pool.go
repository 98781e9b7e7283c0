package run

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// worker is what one goroutine needs to take part in a product.
type worker struct {
	args    Args // of micro-kernels
	pack    Args // of packing kernels, which run between two of the former
	abuf    buffer
	scratch buffer
}

// A job is a part together with who works on it.
type job struct {
	part
	helpers sync.WaitGroup
	panic   atomic.Pointer[workerPanic]
}

type workerPanic struct {
	value any
	stack []byte
}

// free lists keep workers and jobs, with their buffers, between calls. They hold
// at most as many as ran at once.
var free struct {
	sync.Mutex
	workers []*worker
	jobs    []*job
}

func getJob() *job {
	free.Lock()
	defer free.Unlock()
	if n := len(free.jobs); n > 0 {
		j := free.jobs[n-1]
		free.jobs = free.jobs[:n-1]
		return j
	}
	return new(job)
}

func putJob(j *job) {
	j.product = product{} // do not keep the caller's memory alive
	free.Lock()
	free.jobs = append(free.jobs, j)
	free.Unlock()
}

func getWorker() *worker {
	free.Lock()
	defer free.Unlock()
	if n := len(free.workers); n > 0 {
		w := free.workers[n-1]
		free.workers = free.workers[:n-1]
		return w
	}
	return new(worker)
}

func putWorker(w *worker) {
	free.Lock()
	free.workers = append(free.workers, w)
	free.Unlock()
}

// run works on the job with the caller and up to threads-1 helpers. A panic in a
// helper becomes one in the caller.
func (j *job) run(threads int) {
	if threads > j.tasks {
		threads = j.tasks
	}
	for range threads - 1 {
		j.helpers.Add(1)
		if !enlist(j) {
			j.helpers.Done()
			break
		}
	}
	w := getWorker()
	defer func() {
		putWorker(w)
		j.helpers.Wait()
		if p := j.panic.Swap(nil); p != nil {
			panic(fmt.Sprintf("%v [in a worker]\n\n%s", p.value, p.stack))
		}
	}()
	j.work(w)
}

// help is one helper's share of a job.
func (j *job) help() {
	defer j.helpers.Done()
	w := getWorker()
	defer putWorker(w)
	defer func() {
		if r := recover(); r != nil {
			buf := make([]byte, 64<<10)
			j.panic.CompareAndSwap(nil, &workerPanic{r, buf[:runtime.Stack(buf, false)]})
			j.next.Store(int64(j.tasks)) // let the others finish
		}
	}()
	j.work(w)
}

// Helpers are goroutines that all callers share. They start when first wanted and
// end after idling.
var helpers struct {
	running atomic.Int64
	jobs    chan *job
}

func init() { helpers.jobs = make(chan *job) }

const idleFor = 200 * time.Millisecond

// enlist hands j to an idle helper or starts one; it reports whether there was
// one to be had.
func enlist(j *job) bool {
	select {
	case helpers.jobs <- j:
		return true
	default:
	}
	if helpers.running.Add(1) > int64(max(Threads(), runtime.GOMAXPROCS(0))) {
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
