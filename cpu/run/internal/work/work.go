package work

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
)

// Threaded is how many multiply-adds of a dense product pay for waking a second thread.
const Threaded = 1 << 22

// MostThreads keeps multiples of a number of threads from overflowing.
const MostThreads = 1 << 16

// Allowed returns how many goroutines may work on a call whose options ask for n, which
// were checked.
func Allowed(n int) int {
	if n == 0 {
		n = run.Threads()
	}
	return min(n, MostThreads)
}

// A Task is work that any number of goroutines may take a share of at once.
type Task interface {
	// Work is the share of one goroutine: the caller's, or that of a helper.
	Work(caller bool)
}

// A Crew is the goroutines that work on one task. It may be used again, for one task
// at a time, so that a call allocates nothing.
type Crew struct {
	task    Task
	helpers sync.WaitGroup
	failed  atomic.Bool
	panic   atomic.Pointer[workerPanic]
}

type workerPanic struct {
	value any
	stack []byte
}

var crews mem.Pool[Crew]

// Run works on t with the caller and up to threads-1 helpers; see [Crew.Run].
func Run(t Task, threads int) {
	if threads <= 1 {
		t.Work(true)
		return
	}
	c := crews.Get()
	c.Run(t, threads)
	crews.Put(c)
}

// Run works on t with the caller and up to threads-1 helpers. A panic in a helper
// becomes one in the caller, and so does its goroutine's end.
func (c *Crew) Run(t Task, threads int) {
	if threads <= 1 {
		t.Work(true)
		return
	}
	c.task = t
	c.failed.Store(false)
	most := max(run.Threads(), runtime.GOMAXPROCS(0))
	for range threads - 1 {
		c.helpers.Add(1)
		if !enlist(c, most) {
			c.helpers.Done()
			break
		}
	}
	done := false
	defer func() {
		if !done {
			c.failed.Store(true)
		}
		c.helpers.Wait()
		c.task = nil
		if p := c.panic.Swap(nil); p != nil {
			if err, ok := p.value.(error); ok { // which callers look for
				panic(fmt.Errorf("%w [in a worker]\n\n%s", err, p.stack))
			}
			panic(fmt.Sprintf("%v [in a worker]\n\n%s", p.value, p.stack))
		}
	}()
	t.Work(true) // may panic or end the caller's goroutine, which both wait above
	done = true
}

// Failed reports whether some worker's share will not be done: do not wait for it.
func (c *Crew) Failed() bool { return c.failed.Load() }

// GivingUp is what a worker panics with that waited for one that failed.
type GivingUp struct{}

// goexit is what a worker failed with whose goroutine was ended: nothing is panicking
// then, but the share of the work is not done.
const goexit = "a function of the caller's, such as an epilogue, ended the goroutine it ran on, as runtime.Goexit and testing's t.FailNow do; " +
	"want it to return, or to panic"

// help is one helper's share of the task.
func (c *Crew) help() {
	defer c.helpers.Done()
	done := false
	defer func() {
		if done {
			return
		}
		r := recover()
		if r == nil {
			r = goexit
		}
		if r != (GivingUp{}) {
			buf := make([]byte, 64<<10)
			c.panic.CompareAndSwap(nil, &workerPanic{r, buf[:runtime.Stack(buf, false)]})
		}
		c.failed.Store(true)
	}()
	c.task.Work(false)
	done = true
}

// Helpers are goroutines that all callers share. They start when first wanted and
// end after idling.
var helpers struct {
	running atomic.Int64
	crews   chan *Crew
}

func init() { helpers.crews = make(chan *Crew) }

const idleFor = 200 * time.Millisecond

// enlist hands c to an idle helper, or starts one if that makes no more than most. It
// reports whether there was one.
func enlist(c *Crew, most int) bool {
	select {
	case helpers.crews <- c:
		return true
	default:
	}
	if helpers.running.Add(1) > int64(most) {
		helpers.running.Add(-1)
		return false
	}
	go helper(c)
	return true
}

func helper(c *Crew) {
	defer helpers.running.Add(-1)
	// A timer with a function, since one with a channel links all of type Time into every
	// program. A timer that fired while there was work only ends the wait early.
	quit := make(chan struct{}, 1)
	idle := time.AfterFunc(idleFor, func() {
		select {
		case quit <- struct{}{}:
		default:
		}
	})
	defer idle.Stop()
	for {
		c.help()
		idle.Reset(idleFor)
		select {
		case c = <-helpers.crews:
		case <-quit:
			return
		}
	}
}
