package fixed

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Apart against the definition, for lengths and distances around every edge.
func TestApart(t *testing.T) {
	buf := make([]float32, 64)
	base := 24
	for _, n := range [][3]int{{4, 4, 4}, {1, 1, 1}, {6, 2, 3}, {2, 8, 5}} {
		for da := -20; da <= 20; da++ {
			for _, db := range []int{-20, -n[2], 1 - n[2], 0, n[0] - 1, n[0], 20} {
				args := One(&buf[base], &buf[base+da], &buf[base+db])
				meet := func(d, size int) bool { return d < n[0] && d+size > 0 }
				want := !meet(da, n[1]) && !meet(db, n[2])
				if have := Apart(&args, uintptr(4*n[0]), uintptr(4*n[1]), uintptr(4*n[2])); have != want {
					t.Errorf("out of %d, a of %d at %+d, b of %d at %+d: apart is %v, want %v", n[0], n[1], da, n[2], db, have, want)
				}
			}
		}
	}
}

// meets against every pair of elements.
func TestBatchMeets(t *testing.T) {
	buf := make([]float64, 80)
	wrong := 0
	for _, dx := range []int{3, 5, 7, 11} {
		for _, dy := range []int{0, 2, 3, 5, 7, 11} {
			for at := range 40 {
				const count, sx, sy = 3, 3, 2
				x, y := buf[20:], buf[at:]
				want := false
				for p := range count {
					for q := range count {
						a, b := 20+p*dx, at+q*dy
						want = want || a < b+sy && b < a+sx
					}
				}
				switch have := meets(x, sx, dx, y, sy, dy, count); {
				case want && !have, dx == dy && want != have:
					t.Errorf("out at 20 + %d*i, a at %d + %d*i: meet is %v, want %v", dx, at, dy, have, want)
				case want != have:
					wrong++ // refused although it would do, as the doc says
				}
			}
		}
	}
	t.Logf("%d interleaved batches are refused although they do not meet", wrong)
}

// The variants of a kernel are numbered as it lists them, after the rules that hold
// for all kernels.
func TestFixedVariant(t *testing.T) {
	all := []string{"avx512", "avx2"}
	for _, isas := range [][]string{all, {"avx2"}, nil} {
		f := &Product{Name: "small.Test", ISAs: isas}
		for range 2 { // the second time from memory
			if isa, _ := run.UseISA(); isa != "" {
				break
			}
			want := len(isas) + 1
			for i, isa := range slices.Backward(isas) {
				if slices.Contains(run.ISAs(), isa) {
					want = i + 1
				}
			}
			if have := f.Best(); have != want {
				t.Errorf("of %v the best is number %d, want %d", isas, have, want)
			}
		}
		if have := f.Variant(run.Portable); have != len(isas)+1 {
			t.Errorf("of %v the portable one is number %d, want %d", isas, have, len(isas)+1)
		}
		for _, isa := range append(slices.Clone(all), "neon") {
			value := panicOf(func() {
				if have, want := f.Variant(isa), slices.Index(isas, isa)+1; have != want {
					t.Errorf("of %v, %s is number %d, want %d", isas, isa, have, want)
				}
			})
			want := "<nil>"
			switch {
			case !slices.Contains(run.ISAs(), isa):
				want = fmt.Sprintf("small.Test: Options.ISA asks for the instruction set %q; want one that kernel, machine and build have: %s", isa, strings.Join(run.ISAs(), ", "))
			case !slices.Contains(isas, isa):
				want = fmt.Sprintf("small.Test: Options.ISA asks for the instruction set %q; want one that kernel, machine and build have: %s", isa, strings.Join(append(slices.Clone(isas), run.Portable), ", "))
			}
			if fmt.Sprint(value) != want {
				t.Errorf("of %v, %s: panic %v, want %s", isas, isa, value, want)
			}
		}
	}
}

// A batch comes in calls of bounded work, one after another, whose pointers stay in
// their memory; on several goroutines every product is done once.
func TestBatchRun(t *testing.T) {
	f := &Product{Name: "small.Test", Shape: tiling.Shape{M: 64, N: 64, K: 64}, Size: 4, ISAs: run.ISAs()} // TILESMITH_ISA may ask for any
	const count = 23
	out, a, b := make([]float32, count*4096), make([]float32, count*4096), make([]float32, 4096)
	n := dense.Batch{Count: count, Out: 4096, A: 4096, B: 0}
	r := Begin(f, f.Name, &run.Options{Threads: 1}, n, out, a, b)
	var done int64
	for args := (kernel.FixedArgs{}); r.Next(&args); {
		if args.Count < 1 || args.Count*64*64*64 > 1<<21 {
			t.Errorf("a call of %d products", args.Count)
		}
		if want := unsafe.Pointer(&out[done*4096]); args.Out != want || args.B != unsafe.Pointer(&b[0]) {
			t.Errorf("after %d products, out is %d bytes off", done, uintptr(args.Out)-uintptr(want))
		}
		done += args.Count
	}
	if done != count {
		t.Errorf("%d products were done, want %d", done, count)
	}
	mark := func(_ int, args *kernel.FixedArgs) {
		for i := range args.Count {
			*(*float32)(unsafe.Add(args.Out, i*args.OutStride))++
		}
	}
	r = Begin(f, f.Name, &run.Options{Threads: 3}, n, out, a, b)
	if r.Threads != 3 {
		t.Fatalf("%d threads, want 3", r.Threads)
	}
	r.Share(mark)
	for i := range count {
		if out[i*4096] != 1 {
			t.Errorf("product %d was done %v times", i, out[i*4096])
		}
	}
	allocs := 1.0
	for range 5 { // a helper that starts anew costs some
		allocs = min(allocs, testing.AllocsPerRun(10, func() { r.Share(mark) }))
	}
	if allocs > 0 {
		t.Errorf("%v allocations a batch", allocs)
	}
	if r := Begin(f, f.Name, &run.Options{Threads: 3}, dense.Batch{Count: 2, Out: 4096, A: 4096, B: 0}, out, a, b); r.Threads != 1 {
		t.Errorf("2 products on %d threads, which do not pay", r.Threads)
	}
}

// Assembly is not interrupted: a call ends soon where memory or the loop over products
// takes the time, too.
func TestBatchCallsEnd(t *testing.T) {
	for _, s := range []tiling.Shape{{M: 1, N: 1, K: 1}, {M: 4, N: 4, K: 4}, {M: 64, N: 1, K: 1}, {M: 1, N: 1, K: 512}, {M: 64, N: 64, K: 64}} {
		f := &Product{Name: "small.Test", Shape: s, Size: 8}
		elements := int64(s.M*s.N + s.M*s.K + s.K*s.N)
		if n := f.most(); n < 1 || n > 1<<15 || n*elements > 1<<18 {
			t.Errorf("%v: %d products of %d elements in a call", s, n, elements)
		}
	}
}

// What a batch refuses, with reasons that say what would be right.
func TestBatchRefused(t *testing.T) {
	f := &Product{Name: "small.Test", Shape: tiling.Shape{M: 2, N: 3, K: 4}, Size: 4}
	buf := func(n int) []float32 { return make([]float32, n) }
	for _, c := range []struct {
		n    dense.Batch
		opt  run.Options
		a    int
		want string
	}{
		{dense.Batch{Count: 2, Out: 6, A: 8, B: 12}, run.Options{Scaling: run.Scale(0, 0)}, 16, "a batch of arrays has neither alpha and beta nor a packed b; leave Options.Scaling and B unset, or call the product of matrices for each"},
		{dense.Batch{Count: 2, Out: 6, A: 8, B: 12}, run.Options{}, 15, "a has 15 elements, too few for 2 matrices of 8 elements, 8 apart"},
		{dense.Batch{Count: 2, Out: 5, A: 8, B: 12}, run.Options{}, 16, "results of 6 elements begin 5 elements apart, so they share places"},
		{dense.Batch{Count: -2, Out: 6, A: 8, B: 12}, run.Options{}, 16, "a batch of -2 products; want 0 or more"},
		{dense.Batch{Count: 2, Out: 6, A: -8, B: 12}, run.Options{}, 16, "a has the stride -8; matrices of a batch go upwards"},
		{dense.Batch{Count: 3, Out: 6, A: math.MaxInt, B: 12}, run.Options{}, 16, fmt.Sprintf("a has 16 elements, too few for 3 matrices of 8 elements, %d apart", math.MaxInt)},
	} {
		want := fmt.Sprint(layout.ShapeError{What: "small.Test", Why: c.want})
		if have := fmt.Sprint(panicOf(func() { Begin(f, f.Name, &c.opt, c.n, buf(18), buf(c.a), buf(36)) })); have != want {
			t.Errorf("%+v: panic %s, want %s", c.n, have, want)
		}
	}
}

// panicOf returns what f panics with.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
