package driver

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/cudatest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// storm has the run time overwrite what the collector frees, and make the memory of
// stacks that were left unreadable.
const storm = "clobberfree=1,efence=1"

// TestStorm makes every kind of call while stacks grow and the collector runs, with a
// driver that is slow to look at what it is given: Go memory that is let go before a
// call returns, or that lies on a stack, shows. It needs a process of its own, for the
// run time takes such settings when it starts.
func TestStorm(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("a storm of calls")
	}
	if raceDetector {
		t.Skip("the race detector knows the memory of stacks better than we may")
	}
	if os.Getenv("GODEBUG") != storm {
		newFake(t) // skips where there is none
		cmd := exec.Command(os.Args[0], "-test.run=^TestStorm$", "-test.v")
		cmd.Env = append(os.Environ(), "GODEBUG="+storm)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestStorm") {
			t.Errorf("%v\n%.4000s", err, out)
		}
		return
	}
	f := newFake(t, func(f *fake) { f.set("slow", 300) }) // lists are looked at after 30 ms, in which the collector gets round
	d := f.open()
	m := must(d.Load(cudatest.PTX))
	reverse := must(m.Function("reverse_f32"))
	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	// A new goroutine starts on the least of stacks: from a step deeper each time, what
	// is called has it grow at another place.
	for depth := range 64 {
		if depth == 8 {
			f.set("slow", 10)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			deeper(depth, func() {
				if err := everyCall(d, reverse, float32(depth)); err != nil {
					t.Errorf("%d steps down: %v", depth, err)
				}
			})
		})
		wg.Go(func() {
			deeper(depth, func() {
				if _, err := d.Load("not PTX at all"); err == nil {
					t.Error("loaded what is not PTX")
				}
				if n, err := f.lib.count(); n != 1 || err != nil {
					t.Errorf("%d devices, %v", n, err)
				}
				if _, info, err := f.lib.describe(0); err != nil || info != d.Info() {
					t.Errorf("%+v, %v", info, err)
				}
			})
		})
		wg.Wait()
		if t.Failed() {
			break
		}
	}
	close(stop)
	collector.Wait()
}

// everyCall reverses 64 numbers from x on in a buffer and a stream of its own.
func everyCall(d cuda.Device, reverse cuda.Function, x float32) error {
	mem, err := d.Alloc(512)
	if err != nil {
		return err
	}
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	e, err := d.NewEvent()
	if err != nil {
		return err
	}
	m, err := d.Load(strings.Replace(cudatest.PTX, "reverse_f32", "big_f32", 1))
	if err != nil {
		return err
	}
	big, err := m.Function("big_f32")
	if err != nil {
		return err
	}
	if got, want := big.Attributes(), (cuda.Attributes{Registers: 255, Static: 1024, Local: 16}); got != want {
		return errors.New("attributes of another kernel")
	}
	if _, err := m.Function("no_f32"); !errors.Is(err, cuda.ErrNoKernel) {
		return err
	}
	in, want := make([]byte, 0, 256), make([]byte, 0, 256)
	for i := range 64 {
		in = binary.LittleEndian.AppendUint32(in, math.Float32bits(x+float32(i)))
		want = binary.LittleEndian.AppendUint32(want, math.Float32bits(x+float32(63-i)))
	}
	var p cuda.Params
	p.Pointer(mem.Address())
	p.Pointer(mem.Address() + 256)
	got := make([]byte, 256)
	err = errors.Join(s.Record(e), s.Write(mem, 256, in),
		reverse.Launch(s, cuda.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{64, 1, 1}, Shared: 256}, p.Block()),
		s.Read(got, mem, 0))
	if _, e := e.Since(e); err == nil {
		err = e
	}
	if err == nil && !bytes.Equal(got, want) {
		err = errors.New("the kernel had other parameters")
	}
	return errors.Join(err, mem.Free(), s.Close(), e.Close(), m.Unload())
}

// deeper calls f some steps of the stack further down.
//
//go:noinline
func deeper(steps int, f func()) byte {
	var pad [96]byte
	pad[steps] = 1
	if steps > 0 {
		return deeper(steps-1, f) + pad[steps]
	}
	f()
	return pad[0]
}

// TestUnpinned: what was pinned for a launch is not afterwards, nor after one that
// failed, or it would stay for ever. The pool is emptied here by not giving back.
func TestUnpinned(t *testing.T) {
	b := newBench(t, func(f *fake) { f.set("eager", 1) })
	var lost []weak.Pointer[launch]
	for i := range 100 {
		fails := i%3 == 0
		if fails {
			b.fail(cuLaunchKernel, 1, 0, 1)
		}
		if err := b.reverse.Launch(b.s, b.grid, b.params); (err != nil) != fails {
			t.Fatal(err)
		}
		l := launches.Get().(*launch)
		if l.extra != [5]uintptr{} {
			t.Fatalf("a launch that is over still has the addresses %#x", l.extra)
		}
		lost = append(lost, weak.Make(l))
	}
	for range 4 {
		runtime.GC()
	}
	for i, l := range lost {
		if l.Value() != nil {
			t.Fatalf("launch %d is still there", i)
		}
	}
}
