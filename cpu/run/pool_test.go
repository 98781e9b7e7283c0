package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestConcurrentCallers: calls do not disturb each other.
func TestConcurrentCallers(t *testing.T) {
	many(t, 6)
	driver := setOf[float32](goKernels[float32](3, 2, 4, nil))
	plain := setOf[float64](nil)
	var wg sync.WaitGroup
	for g := range 32 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for at := range 6 {
				m, n, k := 1+r.IntN(60), 1+r.IntN(60), 1+r.IntN(60)
				if at == 5 && g%8 == 0 {
					m, n, k = 80+g, 90, 700 // several threads
				}
				if at%2 == 0 {
					concurrentCall(t, driver, r, m, n, k)
				} else {
					concurrentCall(t, plain, r, m, n, k)
				}
			}
		})
	}
	wg.Wait()
}

func concurrentCall[T dtype.Float](t *testing.T, s *Set[T], r *rand.Rand, m, n, k int) {
	a, b, out := dense[T](r, m, k), dense[T](r, k, n), dense[T](r, m, n)
	want := genericWant(1, a, b, 0, out)
	s.Gemm(Options{Threads: 1 + r.IntN(5)}, out, a, b)
	if !slices.Equal(out.Data, want.Data) {
		t.Errorf("%d x %d x %d of %v: wrong product", m, n, k, dtype.Of[T]())
	}
}

// taskFunc is a task that is a function.
type taskFunc func(w *worker)

func (f taskFunc) work(w *worker) { f(w) }

// TestHelpersEnd: helpers start when wanted, are not more than allowed, and end.
func TestHelpersEnd(t *testing.T) {
	waitForHelpers(t, 0)
	before := runtime.NumGoroutine()
	most := max(5, runtime.GOMAXPROCS(0))
	many(t, most)

	// Nobody leaves before all have come, so that all are there at once.
	var inside atomic.Int64
	j := &job{do: taskFunc(func(*worker) {
		inside.Add(1)
		for start := time.Now(); inside.Load() < int64(most) && time.Since(start) < 10*time.Second; {
			runtime.Gosched()
		}
	})}
	j.run(most)
	end := time.Now()
	if have, want := inside.Load(), int64(most); have != want {
		t.Fatalf("%d workers, want %d", have, want)
	}
	// They wait for the next job for a while before they end.
	if running := helpers.running.Load(); running == 0 && time.Since(end) < idleFor/2 {
		t.Error("no helper waits for the next job")
	}
	waitForHelpers(t, 0)
	for start := time.Now(); runtime.NumGoroutine() > before && time.Since(start) < 5*time.Second; {
		time.Sleep(time.Millisecond)
	}
	if have := runtime.NumGoroutine(); have > before {
		t.Errorf("%d goroutines after idling, want %d", have, before)
	}

	// A call that asks for more than are allowed gets as many as are.
	var workers atomic.Int64
	j = &job{do: taskFunc(func(*worker) {
		workers.Add(1)
		time.Sleep(20 * time.Millisecond)
	})}
	j.run(100 * most)
	if have, want := workers.Load(), int64(most+1); have > want {
		t.Errorf("%d workers, want at most %d", have, want)
	}
}

// waitForHelpers waits until so many helpers run.
func waitForHelpers(t *testing.T, want int64) {
	t.Helper()
	for start := time.Now(); helpers.running.Load() != want; time.Sleep(time.Millisecond) {
		if time.Since(start) > 25*idleFor {
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
		j := &job{}
		helping := make(chan bool)
		var once sync.Once
		j.do = taskFunc(func(w *worker) {
			if w == &j.self {
				<-helping
				return
			}
			once.Do(func() { close(helping) })
			thisFunctionPanics("lost a tile")
		})
		have := fmt.Sprint(panicOf(func() { j.run(4) }))
		for _, want := range []string{"lost a tile", "in a worker", "thisFunctionPanics"} {
			if !strings.Contains(have, want) {
				t.Errorf("the caller panics with %.200q, want %q in it", have, want)
			}
		}
		if p := j.panic.Load(); p != nil {
			t.Error("the panic stays in the job")
		}
		concurrentCall(t, setOf[float64](nil), rand.New(rand.NewPCG(1, 1)), 60, 70, 80)
	}

	// The caller's own panic keeps its value, and waits for the helpers.
	j := &job{}
	var helping, ended atomic.Int64
	j.do = taskFunc(func(w *worker) {
		if w == &j.self {
			for helping.Load() == 0 {
				runtime.Gosched()
			}
			panic(errors.ErrUnsupported)
		}
		helping.Add(1)
		time.Sleep(10 * time.Millisecond)
		ended.Add(1)
	})
	if have := panicOf(func() { j.run(2) }); have != errors.ErrUnsupported {
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
		j := &job{}
		helping := make(chan bool)
		var once sync.Once
		j.do = taskFunc(func(w *worker) {
			if w == &j.self {
				<-helping
				return
			}
			once.Do(func() { close(helping) })
			thisFunctionExits()
		})
		have := fmt.Sprint(panicOf(func() { j.run(4) }))
		for _, want := range []string{"ended the goroutine it ran on, as runtime.Goexit and testing's t.FailNow do", "in a worker", "thisFunctionExits"} {
			if !strings.Contains(have, want) {
				t.Errorf("the caller panics with %.200q, want %q in it", have, want)
			}
		}
		concurrentCall(t, setOf[float64](nil), rand.New(rand.NewPCG(1, 1)), 60, 70, 80)
	}
	waitForHelpers(t, 0)
}

// TestCallerExit: the end of the caller's goroutine waits for the helpers, which give
// up waiting for it, and stays what it is.
func TestCallerExit(t *testing.T) {
	many(t, 4)
	for _, threads := range []int{1, 4} {
		j := &job{}
		var helping, ended, returned atomic.Int64
		j.do = taskFunc(func(w *worker) {
			if w == &j.self {
				for threads > 1 && helping.Load() == 0 {
					runtime.Gosched()
				}
				thisFunctionExits()
			}
			helping.Add(1)
			for !j.failed.Load() {
				runtime.Gosched()
			}
			time.Sleep(10 * time.Millisecond)
			ended.Add(1)
			panic(givingUp{})
		})
		value := make(chan any)
		go func() {
			defer func() { value <- recover() }()
			defer func() {
				if helping.Load() != ended.Load() {
					t.Error("the caller's goroutine ended while a helper still worked")
				}
			}()
			j.run(threads)
			returned.Add(1)
		}()
		if have := <-value; have != nil || returned.Load() != 0 {
			t.Errorf("%d threads: panics with %v, returned %d times", threads, have, returned.Load())
		}
		concurrentCall(t, setOf[float64](nil), rand.New(rand.NewPCG(1, 1)), 60, 70, 80)
	}
	waitForHelpers(t, 0)
}

// TestPackingPanic: nobody waits for ever for a panel whose packing failed, be it
// the caller's or a helper's.
func TestPackingPanic(t *testing.T) {
	many(t, 4)
	for _, inCaller := range []bool{true, false} {
		packing := make(chan bool)
		var once sync.Once
		kern := goKernels[float32](3, 2, 4, func(call) {})
		for v := range kern.PackRows {
			kern.PackRows[v] = func(*Args) {
				once.Do(func() { close(packing) })
				time.Sleep(20 * time.Millisecond) // so that the others come to wait
				thisFunctionPanics("fault in packing")
			}
		}
		// Rows of b in one cache set: b is packed, in one panel.
		const m, n, k = 4096, 8, 1024
		a, b := layout.New[float32](m, k), layout.Matrix[float32]{Data: make([]float32, 1024*k), Rows: k, Cols: n, RowStride: 1024, ColStride: 1}
		j := &job{}
		j.product = product{kern: kern, size: 4, ta: dtype.F32, tb: dtype.F32, a: operandOf(a), b: operandOf(b), c: operandOf(layout.New[float32](m, n)), m: m, n: n, k: k}
		j.product.plan(4, &j.plan)
		j.setup(extent{0, j.plan.vecs.count}, 0, k)
		if !j.plan.packB || j.plan.vecs.count != 1 {
			t.Fatalf("b is not packed in one panel: %+v", j.plan)
		}
		j.do = taskFunc(func(w *worker) {
			if inCaller != (w == &j.self) {
				<-packing
			}
			j.part.work(w)
		})
		done := make(chan any)
		go func() { done <- panicOf(func() { j.run(4) }) }()
		select {
		case have := <-done:
			if want := "fault in packing"; !strings.Contains(fmt.Sprint(have), want) {
				t.Errorf("in the caller %v: the call panics with %.200v, want %s", inCaller, have, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("in the caller %v: the call hangs", inCaller)
		}
	}
}

// TestPool: values come back, and none is in two hands.
func TestPool(t *testing.T) {
	var p pool[int]
	x, y := p.get(), p.get()
	if x == y {
		t.Error("one value in two hands")
	}
	p.put(x)
	p.put(y)
	back := []*int{p.get(), p.get()}
	if !slices.Contains(back, x) || !slices.Contains(back, y) {
		t.Error("values that were put back were not got again")
	}
}

func TestSetThreads(t *testing.T) {
	defer SetThreads(int(threads.Load()))
	for _, tc := range []struct{ set, want int }{{3, 3}, {1, 1}, {0, runtime.GOMAXPROCS(0)}, {-5, runtime.GOMAXPROCS(0)}, {1000, 1000}} {
		if SetThreads(tc.set); envThreads() == 0 && Threads() != tc.want {
			t.Errorf("after SetThreads(%d), Threads() = %d, want %d", tc.set, Threads(), tc.want)
		}
	}
}

// child runs this test binary again for one of TestChild's cases and returns what
// it prints.
func child(t *testing.T, what string, env ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestChild$", "-test.v")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool {
		return strings.HasPrefix(s, "TILESMITH_") || strings.HasPrefix(s, "GODEBUG=")
	})
	cmd.Env = append(append(cmd.Env, "TILESMITH_TEST_CHILD="+what, "GORACE=atexit_sleep_ms=0"), env...)
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("the machine cannot start this program by itself: an emulator runs it")
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", env, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if s, ok := strings.CutPrefix(strings.TrimSpace(line), "child: "); ok {
			return s
		}
	}
	t.Fatalf("%v: no answer in\n%s", env, out)
	return ""
}

// TestChild is what child runs.
func TestChild(t *testing.T) {
	switch os.Getenv("TILESMITH_TEST_CHILD") {
	case "threads":
		value := panicOf(func() { fmt.Println("child:", Threads()) })
		if value != nil {
			fmt.Println("child:", value)
		}
	case "explicit threads":
		// A call that says how many threads it wants.
		fmt.Println("child:", panicOf(func() {
			j := &job{do: taskFunc(func(*worker) {})}
			j.run(2)
		}))
	case "pick":
		// What the process can run, then what it picks.
		s := &Set[float32]{Name: "test", Variants: []*Kernels{{ISA: "avx512"}, {ISA: "avx2"}}}
		value := panicOf(func() {
			if k := s.pick(""); k != nil {
				fmt.Println("child:", ISAs(), k.ISA)
			} else {
				fmt.Println("child:", ISAs(), Portable)
			}
		})
		if err, ok := value.(ISAError); ok {
			fmt.Println("child: ISAError", err)
		} else if value != nil {
			fmt.Println("child:", value)
		}
	default:
		t.Skip("for child processes")
	}
}

func TestThreadsEnvironment(t *testing.T) {
	const sentence = `tilesmith: TILESMITH_THREADS is %q; it must be a number of goroutines, 1 or more`
	for _, tc := range []struct{ env, want string }{
		{"1", "1"}, {"3", "3"}, {"500", "500"}, {"", fmt.Sprint(runtime.NumCPU())},
		{"0", fmt.Sprintf(sentence, "0")}, {"-2", fmt.Sprintf(sentence, "-2")}, {"two", fmt.Sprintf(sentence, "two")}, {"4 ", fmt.Sprintf(sentence, "4 ")},
		{"99999999999999999999", fmt.Sprintf(sentence, "99999999999999999999")},
	} {
		env := []string{"TILESMITH_THREADS=" + tc.env, fmt.Sprintf("GOMAXPROCS=%d", runtime.NumCPU())}
		if have := child(t, "threads", env...); have != tc.want {
			t.Errorf("TILESMITH_THREADS=%q: %s, want %s", tc.env, have, tc.want)
		}
	}
	if have, want := child(t, "explicit threads", "TILESMITH_THREADS=x"), fmt.Sprintf(sentence, "x"); have != want {
		t.Errorf("a call with Options.Threads: %s, want %s", have, want)
	}
}
