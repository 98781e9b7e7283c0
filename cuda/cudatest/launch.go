package cudatest

import (
	"fmt"
	"math"
	"sync"

	"github.com/tilesmith/tilesmith/cuda"
)

// ints returns n small integers, as floats, that add exactly.
func ints(n, seed int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32((i*7 + seed) % 1000)
	}
	return x
}

// launchAdd queues out = a + b on s with blocks of 128 threads.
func launchAdd(f cuda.Function, s cuda.Stream, out, a, b cuda.Slice[float32]) error {
	p := cuda.NewParams()
	defer p.Release()
	p.Pointer(out.Address())
	p.Pointer(a.Address())
	p.Pointer(b.Address())
	p.Uint32(uint32(out.Len()))
	err := f.Launch(s, line((out.Len()+127)/128, 128), p.Block())
	clear(p.Block()) // it was copied
	return err
}

// checkAdd adds n numbers on the device and here.
func checkAdd(d cuda.Device, f cuda.Function, s cuda.Stream, n, seed int) error {
	x, y := ints(n, seed), ints(n, 3*seed+1)
	a, err := cuda.Upload(s, x)
	if err != nil {
		return err
	}
	defer a.Free()
	b, err := cuda.Upload(s, y)
	if err != nil {
		return err
	}
	defer b.Free()
	all, err := cuda.Make[float32](d, n+2)
	if err != nil {
		return err
	}
	defer all.Free()
	out := all.Slice(1, n+1)
	if err := all.Zero(s); err != nil {
		return err
	}
	if err := launchAdd(f, s, out, a, b); err != nil {
		return err
	}
	got, err := all.Download(s)
	if err != nil {
		return err
	}
	if got[0] != 0 || got[n+1] != 0 {
		return fmt.Errorf("n = %d: wrote beside the output: %v and %v", n, got[0], got[n+1])
	}
	for i, z := range got[1 : n+1] {
		if want := x[i] + y[i]; z != want {
			return fmt.Errorf("n = %d: element %d is %v, want %v", n, i, z, want)
		}
	}
	return nil
}

func add(t *T) {
	f, s := t.kernel("add_f32"), t.stream()
	if a := f.Attributes(); a.Registers < 0 || a.Static != 0 || a.Local != 0 {
		t.Errorf("attributes: %+v", a)
	}
	for _, n := range []int{1, 2, 127, 128, 129, 1000, 5000} {
		if err := checkAdd(t.dev, f, s, n, n); err != nil {
			t.Error(err)
		}
	}
}

// shared asks for more shared memory than a kernel has without asking.
func shared(t *T) {
	f, s := t.kernel("reverse_f32"), t.stream()
	in, err := cuda.Upload(s, ints(512, 1))
	t.must("Upload", err)
	for _, bytes := range []int{1 << 10, 48 << 10, 64 << 10, 50 << 10, int(t.dev.Info().SharedPerBlock)} {
		if int64(bytes) > t.dev.Info().SharedPerBlock {
			continue
		}
		out, err := cuda.Make[float32](t.dev, 512)
		t.must("Make", err)
		p := cuda.NewParams()
		p.Pointer(out.Address())
		p.Pointer(in.Address())
		g := line(2, 256)
		g.Shared = bytes
		t.must(fmt.Sprintf("Launch with %d bytes", bytes), f.Launch(s, g, p.Block()))
		p.Release()
		got, err := out.Download(s)
		t.must("Download", err)
		for i, want := range ints(512, 1) {
			if at := i/256*256 + 255 - i%256; got[at] != want {
				t.Fatalf("%d bytes: element %d is %v, want %v", bytes, at, got[at], want)
			}
		}
	}
}

func grids(t *T) {
	f, s := t.kernel("store_f32"), t.stream()
	out, err := cuda.Make[float32](t.dev, 1)
	t.must("Make", err)
	p := cuda.NewParams()
	defer p.Release()
	p.Pointer(out.Address())
	one := 1 // not a constant: where int has 32 bits, this has to compile
	for _, g := range []cuda.Grid{
		{},
		{Blocks: [3]int{1, 1, 1}},
		{Blocks: [3]int{0, 1, 1}, Threads: [3]int{1, 1, 1}},
		{Blocks: [3]int{1, -1, 1}, Threads: [3]int{1, 1, 1}},
		{Blocks: [3]int{one << 31, 1, 1}, Threads: [3]int{1, 1, 1}},
		{Blocks: [3]int{1, 65536, 1}, Threads: [3]int{1, 1, 1}},
		{Blocks: [3]int{1, 1, 65536}, Threads: [3]int{1, 1, 1}},
		{Blocks: [3]int{1, 1, 1}, Threads: [3]int{1025, 1, 1}},
		{Blocks: [3]int{1, 1, 1}, Threads: [3]int{32, 33, 1}},
		{Blocks: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 65}},
		{Blocks: [3]int{1, 1, 1}, Threads: [3]int{min(1<<32, math.MaxInt), min(1<<32, math.MaxInt), 1}},
		{Blocks: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}, Shared: -1},
		{Blocks: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}, Shared: int(t.dev.Info().SharedPerBlock) + 1},
		{Blocks: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}, Shared: min(1<<40, math.MaxInt)},
	} {
		t.fails(fmt.Sprintf("%+v", g), f.Launch(s, g, p.Block()), cuda.ErrUnsupported)
	}
	t.fails("no parameters", f.Launch(s, line(1, 1), nil))
	t.fails("half of the parameters", f.Launch(s, line(1, 1), p.Block()[:4]))
	t.fails("too many parameters", f.Launch(s, line(1, 1), make([]byte, 16)))
	t.fails("far too many parameters", f.Launch(s, line(1, 1), make([]byte, 1<<20)))
	t.must("a right launch after wrong ones", f.Launch(s, line(1, 1), p.Block()))
	got, err := out.Download(s)
	t.must("Download", err)
	if got[0] != 1 {
		t.Errorf("the kernel stored %v, want 1", got[0])
	}
}

// goroutines has many of them share a device and a kernel, with streams of their
// own and one that all use.
func goroutines(t *T) {
	f, common := t.kernel("add_f32"), t.stream()
	const n = 100
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			s := common
			if i%4 != 0 {
				own, err := t.dev.NewStream()
				if err != nil {
					errs[i] = err
					return
				}
				defer own.Close()
				s = own
			}
			for k := range 3 {
				if err := checkAdd(t.dev, f, s, 300+i, k+i); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("goroutine %d: %v", i, err)
		}
	}
}

// fault stores through a pointer that a program forgot to set.
func fault(t *T) {
	f, s := t.kernel("store_f32"), t.stream()
	t.must("Launch", f.Launch(s, line(1, 1), make([]byte, 8)))
	t.fails("Synchronize", s.Synchronize(), cuda.ErrLaunch)
}
