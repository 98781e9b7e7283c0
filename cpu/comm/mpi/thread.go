package mpi

import (
	"runtime"
	"sync"
)

// A thread is a thread of the system that makes calls for others. MPI is started and
// ended on one, as it wants, and with less than MPI_THREAD_MULTIPLE all calls are made
// there. Then none of them may wait in C, because it may be waiting for another
// goroutine's call. So the thread itself asks again, for all that wait in turn.
type thread struct{ jobs chan *job }

// A job is one call.
type job struct {
	fn    uintptr
	args  [10]uintptr // MPI_Alltoallv has 9
	n     int
	until *int32 // if not nil, the call is made again until this is not 0
	code  int32
	done  chan struct{}
}

var jobs = sync.Pool{New: func() any { return &job{done: make(chan struct{}, 1)} }}

func newThread() *thread {
	t := &thread{jobs: make(chan *job)}
	go t.serve()
	return t
}

// call calls a function there. Its caller holds what the arguments are addresses of.
func (t *thread) call(fn uintptr, args []uintptr, until *int32) int32 {
	j := jobs.Get().(*job)
	j.fn, j.n, j.until = fn, copy(j.args[:], args), until
	t.jobs <- j
	<-j.done
	code := j.code
	j.until = nil
	jobs.Put(j)
	return code
}

// end lets the thread go; no call comes after it.
func (t *thread) end() { close(t.jobs) }

func (t *thread) serve() {
	runtime.LockOSThread()
	var waiting []*job
	for {
		j, open := t.next(len(waiting) > 0)
		switch {
		case j != nil:
			waiting = append(waiting, j)
		case !open:
			return
		}
		left := waiting[:0]
		for _, j := range waiting {
			j.code = syscallN(j.fn, j.args[:j.n])
			if j.until != nil && *j.until == 0 && j.code == 0 {
				left = append(left, j)
				continue
			}
			j.done <- struct{}{}
		}
		clear(waiting[len(left):])
		waiting = left
		rest()
	}
}

// next returns the next job: none if others are waiting and there is none now.
func (t *thread) next(busy bool) (j *job, open bool) {
	if !busy {
		j, open = <-t.jobs
		return j, open
	}
	select {
	case j, open = <-t.jobs:
		return j, open
	default:
		return nil, true
	}
}

// rest is for waiting by asking: goroutines of this process and other processes have their
// turn. Sleeping instead took twice as long where ranks are more than cores.
func rest() {
	runtime.Gosched()
	osYield()
}
