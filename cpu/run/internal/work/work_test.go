package work

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
)

// taskFunc is a task that is a function.
type taskFunc func(caller bool)

func (f taskFunc) Work(caller bool) { f(caller) }

// many lets calls have so many goroutines for the length of a test.
func many(t *testing.T, n int) {
	old := run.Threads()
	run.SetThreads(n)
	t.Cleanup(func() { run.SetThreads(old) })
}

// atWork checks that goroutines still do what they shall.
func atWork(t *testing.T, c *Crew) {
	t.Helper()
	var next, sum atomic.Int64
	c.Run(taskFunc(func(bool) {
		for x := next.Add(1); x <= 1000; x = next.Add(1) {
			sum.Add(x)
		}
	}), 4)
	if have, want := sum.Load(), int64(1000*1001/2); have != want {
		t.Errorf("a task that adds up numbers gives %d, want %d", have, want)
	}
}

// TestHelpersEnd: helpers start when wanted, are not more than allowed, and end.
func TestHelpersEnd(t *testing.T) {
	waitForHelpers(t, 0)
	before := runtime.NumGoroutine()
	most := max(5, runtime.GOMAXPROCS(0))
	many(t, most)

	// Nobody leaves before all have come, so that all are there at once.
	var inside atomic.Int64
	c, task := new(Crew), taskFunc(func(bool) {
		inside.Add(1)
		for start := time.Now(); inside.Load() < int64(most) && time.Since(start) < time.Minute; {
			runtime.Gosched()
		}
	})
	c.Run(task, most)
	end := time.Now()
	if have, want := inside.Load(), int64(most); have != want {
		t.Fatalf("%d workers, want %d", have, want)
	}
	// They wait for the next job for a while before they end.
	if running := helpers.running.Load(); running == 0 && time.Since(end) < idleFor/2 {
		t.Error("no helper waits for the next job")
	}
	waitForHelpers(t, 0)
	for start := time.Now(); runtime.NumGoroutine() > before && time.Since(start) < time.Minute; {
		time.Sleep(time.Millisecond)
	}
	if have := runtime.NumGoroutine(); have > before {
		t.Errorf("%d goroutines after idling, want %d", have, before)
	}

	// A call that asks for more than are allowed gets as many as are.
	var workers atomic.Int64
	task = taskFunc(func(bool) {
		workers.Add(1)
		time.Sleep(20 * time.Millisecond)
	})
	c.Run(task, 100*most)
	if have, want := workers.Load(), int64(most+1); have > want {
		t.Errorf("%d workers, want at most %d", have, want)
	}
}

// waitForHelpers waits until so many helpers run.
func waitForHelpers(t *testing.T, want int64) {
	t.Helper()
	for start := time.Now(); helpers.running.Load() != want; time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("%d helpers still run, want %d", helpers.running.Load(), want)
		}
	}
}

// thisFunctionPanics is looked for in a stack.
//
//go:noinline
func thisFunctionPanics(value any) { panic(value) }

// panicOf returns what f panics with.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// TestHelperPanic: a panic in a helper is one of the caller, with the helper's
// stack, and what comes after is not disturbed.
func TestHelperPanic(t *testing.T) {
	many(t, 4)
	for range 3 {
		c := new(Crew)
		helping := make(chan bool)
		var once sync.Once
		task := taskFunc(func(caller bool) {
			if caller {
				<-helping
				return
			}
			once.Do(func() { close(helping) })
			thisFunctionPanics("lost a tile")
		})
		have := fmt.Sprint(panicOf(func() { c.Run(task, 4) }))
		for _, want := range []string{"lost a tile", "in a worker", "thisFunctionPanics"} {
			if !strings.Contains(have, want) {
				t.Errorf("the caller panics with %.200q, want %q in it", have, want)
			}
		}
		if p := c.panic.Load(); p != nil {
			t.Error("the panic stays in the crew")
		}
		atWork(t, c)
	}

	// An error is still that error.
	other := make(chan bool)
	if err, ok := panicOf(func() {
		new(Crew).Run(taskFunc(func(caller bool) {
			if caller {
				<-other
				return
			}
			defer close(other)
			panic(errors.ErrUnsupported)
		}), 2)
	}).(error); !ok || !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "in a worker") {
		t.Errorf("the caller panics with %v, want %v in a worker", err, errors.ErrUnsupported)
	}

	// The caller's own panic keeps its value, and waits for the helpers.
	c := new(Crew)
	var helping, ended atomic.Int64
	task := taskFunc(func(caller bool) {
		if caller {
			for helping.Load() == 0 {
				runtime.Gosched()
			}
			panic(errors.ErrUnsupported)
		}
		helping.Add(1)
		time.Sleep(10 * time.Millisecond)
		ended.Add(1)
	})
	if have := panicOf(func() { c.Run(task, 2) }); have != errors.ErrUnsupported {
		t.Errorf("the caller's own panic has the value %v, want %v", have, errors.ErrUnsupported)
	}
	if helping.Load() != ended.Load() {
		t.Error("the caller's panic went up while a helper still worked")
	}
}

//go:noinline
func thisFunctionExits() { runtime.Goexit() }

// TestHelperExit: a helper whose goroutine ends, as t.FailNow in an epilogue ends it,
// has not done its share, so the caller must not return as if it had.
func TestHelperExit(t *testing.T) {
	many(t, 4)
	for range 3 {
		c := new(Crew)
		helping := make(chan bool)
		var once sync.Once
		task := taskFunc(func(caller bool) {
			if caller {
				<-helping
				return
			}
			once.Do(func() { close(helping) })
			thisFunctionExits()
		})
		have := fmt.Sprint(panicOf(func() { c.Run(task, 4) }))
		for _, want := range []string{"ended the goroutine it ran on, as runtime.Goexit and testing's t.FailNow do", "in a worker", "thisFunctionExits"} {
			if !strings.Contains(have, want) {
				t.Errorf("the caller panics with %.200q, want %q in it", have, want)
			}
		}
		atWork(t, c)
	}
	waitForHelpers(t, 0)
}

// TestCallerExit: the end of the caller's goroutine waits for the helpers, which give
// up waiting for it, and stays what it is.
func TestCallerExit(t *testing.T) {
	many(t, 4)
	for _, threads := range []int{1, 4} {
		c := new(Crew)
		var helping, ended, returned atomic.Int64
		task := taskFunc(func(caller bool) {
			if caller {
				for threads > 1 && helping.Load() == 0 {
					runtime.Gosched()
				}
				thisFunctionExits()
			}
			helping.Add(1)
			for !c.Failed() {
				runtime.Gosched()
			}
			time.Sleep(10 * time.Millisecond)
			ended.Add(1)
			panic(GivingUp{})
		})
		value := make(chan any)
		go func() {
			defer func() { value <- recover() }()
			defer func() {
				if helping.Load() != ended.Load() {
					t.Error("the caller's goroutine ended while a helper still worked")
				}
			}()
			c.Run(task, threads)
			returned.Add(1)
		}()
		if have := <-value; have != nil || returned.Load() != 0 {
			t.Errorf("%d threads: panics with %v, returned %d times", threads, have, returned.Load())
		}
		atWork(t, c)
	}
	waitForHelpers(t, 0)
}
