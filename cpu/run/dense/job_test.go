package dense

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
	"syscall"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// TestConcurrentCallers: calls do not disturb each other.
func TestConcurrentCallers(t *testing.T) {
	many(t, 6)
	driver := setOf[float32](goKernels[float32](3, 2, 4, nil))
	plain := setOf[float64](nil)
	var wg sync.WaitGroup
	for g := range 32 {
		wg.Go(func() {
			r := rand.New(level.PCG(uint64(g), 1))
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
	s.Gemm(run.Options{Threads: 1 + r.IntN(5)}, out, a, b)
	if !slices.Equal(out.Data, want.Data) {
		t.Errorf("%d x %d x %d of %v: wrong product", m, n, k, dtype.Of[T]())
	}
}

// taskFunc is a task that is a function.
type taskFunc func(w *worker)

func (f taskFunc) work(w *worker) { f(w) }

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

// TestPackingPanic: nobody waits for ever for a panel whose packing failed, be it
// the caller's or a helper's.
func TestPackingPanic(t *testing.T) {
	many(t, 4)
	for _, inCaller := range []bool{true, false} {
		packing := make(chan bool)
		var once sync.Once
		kern := goKernels[float32](3, 2, 4, func(call) {})
		for v := range kern.Pack.Of(kernel.Panel) {
			kern.Pack.Entries[v].F = func(*kernel.Args) {
				once.Do(func() { close(packing) })
				time.Sleep(20 * time.Millisecond) // so that the others come to wait
				thisFunctionPanics("fault in packing")
			}
		}
		// Rows of b in one cache set: b is packed, in one panel.
		const m, n, k = 4096, 8, 1024
		a, b := layout.New[float32](m, k), layout.Matrix[float32]{Data: make([]float32, 1024*k), Rows: k, Cols: n, RowStride: 1024, ColStride: 1}
		j := &job{}
		j.product = product{kern: kern, size: 4, ta: dtype.F32, tb: dtype.F32, a: mem.OperandOf(a), b: mem.OperandOf(b), c: mem.OperandOf(layout.New[float32](m, n)), m: m, n: n, k: k}
		j.product.plan(machine.Reference("avx512"), 4, &j.plan)
		j.setup(mem.Extent{From: 0, To: j.plan.vecs.Count}, 0, k)
		if !j.plan.packB || j.plan.vecs.Count != 1 {
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
			concurrentCall(t, setOf[float64](nil), rand.New(level.PCG(1, 1)), 60, 70, 80)
		case <-time.After(20 * time.Second):
			t.Fatalf("in the caller %v: the call hangs", inCaller)
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
		value := panicOf(func() { fmt.Println("child:", run.Threads()) })
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
		s := &Set[float32]{Name: "test", Variants: []*kernel.Kernels{{ISA: "avx512"}, {ISA: "avx2"}}}
		value := panicOf(func() {
			if k := s.pick(s.Name, ""); k != nil {
				fmt.Println("child:", run.ISAs(), k.ISA)
			} else {
				fmt.Println("child:", run.ISAs(), run.Portable)
			}
		})
		if err, ok := value.(run.ISAError); ok {
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
