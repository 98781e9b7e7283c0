package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// TestMatMulOf: every pair, as package check has products: shapes, layouts, guard pages, NaN,
// denormal numbers, sums that wrap, threads. The tests of cpu/kern have every variant of
// those whose results are the sums; here it is the one that is run without being asked for,
// of some of those whose results are the sums, and in a long run all.
func TestMatMulOf(t *testing.T) {
	for i, p := range mixedPairs() {
		every := level.Of(7, 2, 1) // results that round
		if p.plain {
			every = level.Of(7, 3, 1)
		}
		if p.plain && i < kernelPairs {
			every = level.Of(7, 4, 1)
		}
		if i%every != 0 {
			continue
		}
		for _, isa := range p.isas {
			if level.Long() || isa == defaultISA(p.isas) || isa == run.Portable && !p.plain {
				t.Run(p.name+"/"+isa, func(t *testing.T) { p.suite(t, isa) })
			}
		}
	}
}

// kernelPairs is how many of mixedPairs are first in it and have kernels made for them.
const kernelPairs = 12

func mixedSuite[Acc dtype.Sum, A, B, Out dtype.Elem](t *testing.T, isa string) {
	call := func(pack bool) check.MixedCase[A, B, Acc, Out] {
		return check.MixedCase[A, B, Acc, Out]{
			Name: fmt.Sprintf("packed %v", pack), MR: level.Of(1, 2, 6), NR: level.Of(4, 8, 32), KC: 256, MayFlush: mayFlush[A, B](isa), Odd: isa == "neonbf16", Threads: true,
			Call: func(threads int, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B]) {
				opt := Options{ISA: isa, Threads: threads}
				if pack {
					opt.B = packedOn[Acc, A](isa, b)
				}
				MatMulOfOpt[Acc](opt, out, a, b)
			},
			Store: storedAs[Out, Acc],
		}
	}
	check.Mixed(t, call(false))
	if isa != run.Portable && level.Long() { // what else packs: TestMatMulOfScaled, TestPackOf
		check.Mixed(t, call(true))
	}
}

// mayFlush reports whether kernels flush denormal numbers: dots of bfloat16 do.
func mayFlush[A, B dtype.Elem](isa string) bool {
	return (isa == "avx512bf16" || isa == "amxbf16" || isa == "neonbf16") && dtype.Of[A]() == dtype.TypeBF16 && dtype.Of[B]() == dtype.TypeBF16
}

// TestMatMulOfScaled: alpha and beta, or of int32 sums that are added to out; a packed b;
// shapes deeper and wider than blocks; and nothing written between the elements of out.
func TestMatMulOfScaled(t *testing.T) {
	eachMixed(t, func(t *testing.T, p mixedPair, isa string) { p.scaled(t, isa) })
}

func mixedScaled[Acc dtype.Sum, A, B, Out dtype.Elem](t *testing.T, isa string) {
	r := rand.New(level.PCG(1, 2))
	na, nb, no := mixedNumbers[A, Acc](r.IntN), mixedNumbers[B, Acc](r.IntN), mixedNumbers[Out, Acc](r.IntN)
	scales := []run.Scaling{{}, Scale(1, 1), Scale(-2, 1), Scale(3, -2), Scale(2, 0), Scale(0, 3)}
	if dtype.Of[Acc]() == dtype.I32 {
		scales = scales[:2]
	}
	shapes := [][3]int{{7, 9, 11}, {20, 49, 33}, {1, 70, 1030}, {70, 1, 1030}, {11, 50, 2050}, {61, 130, 101}, {2, 3, 0}, {0, 3, 2}, {13, 600, 5}}
	if testing.Short() {
		shapes = append(shapes[:2], shapes[6:8]...)
	}
	for i, s := range shapes {
		if level.Of(i > 1, i > 1 && (i+int(dtype.Of[A]())+int(dtype.Of[B]()))%2 > 0, false) {
			continue // other types have it
		}
		m, n, k := s[0], s[1], s[2]
		var as [allOrders]layout.Matrix[A]
		var bs [allOrders]layout.Matrix[B]
		var outs [allOrders]layout.Matrix[Out]
		for o := range allOrders {
			if level.Long() || int(o) == i%9/3 {
				as[o] = mixedMatrix(o, m, k, na)
			}
			if level.Long() || int(o) == (i%9+i%9/3)%3 {
				bs[o] = mixedMatrix(o, k, n, nb)
			}
			if level.Long() || int(o) == i%3 {
				outs[o] = mixedMatrix(o, m, n, no)
			}
		}
		for count := range level.Of(1, 1, 9) { // any two layouts meet, by turns in all shapes
			at := (i + 5*count) % 9
			opt := Options{ISA: isa, Threads: at % 3, Scaling: scales[r.IntN(len(scales))]}
			a, b, out := as[at/3], bs[(at+at/3)%3], outs[at%3]
			out.Data = slices.Clone(out.Data)
			if at%2 == 1 {
				opt.B = packedOn[Acc, A](isa, b)
			}
			want := mixedWant[Acc](opt, out, a, b)
			all := slices.Clone(out.Data)
			for i := range m {
				for j := range n {
					all[i*out.RowStride+j*out.ColStride] = want.At(i, j)
				}
			}
			MatMulOfOpt[Acc](opt, out, a, b)
			for i, have := range out.Data {
				// Of nothing to sum there is beta*out, which may be a zero of either sign.
				if have != all[i] && (k > 0 || check.Float64(have) != 0 || check.Float64(all[i]) != 0) {
					t.Fatalf("%v, layouts %d, packed %v, %v, %d threads: out.Data[%d] = %v, want %v", s, at, opt.B != nil, opt.Scaling, opt.Threads, i, have, all[i])
				}
			}
		}
	}
}

// TestMatMulOfAllocs: a call allocates nothing.
func TestMatMulOfAllocs(t *testing.T) {
	eachMixed(t, func(t *testing.T, p mixedPair, isa string) { p.allocs(t, isa) })
}

func mixedAllocs[Acc dtype.Sum, A, B, Out dtype.Elem](t *testing.T, isa string) {
	shapes := [][3]int{{8, 9, 10}, {40, 50, 60}, {3, 80, 1100}, {120, 100, 70}}
	shapes = shapes[:level.Of(1, 3, 4)]
	one := func(n int) int { return n - 1 }
	na, nb, no := mixedNumbers[A, Acc](one), mixedNumbers[B, Acc](one), mixedNumbers[Out, Acc](one)
	for i, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		for at := range 3 {
			if !level.Long() && at != i%3 {
				continue
			}
			a, b, out := mixedMatrix(order(at), m, k, na), mixedMatrix(order((at+1)%3), k, n, nb), mixedMatrix(order((at+2)%3), m, n, no)
			for _, opt := range []Options{{ISA: isa, Threads: 1}, {ISA: isa, Threads: 2}, {ISA: isa, B: packedOn[Acc, A](isa, b)}} {
				allocs(t, fmt.Sprintf("%v %+v, layouts %d", s, opt, at), func() { MatMulOfOpt[Acc](opt, out, a, b) })
			}
		}
	}
	a, b, out := layout.New[A](20*4, 4), layout.New[B](4, 4), layout.New[Out](20*4, 4)
	a.Rows, out.Rows = 4, 4
	allocs(t, "a batch", func() { MatMulBatchOf[Acc](Options{ISA: isa, Threads: 2}, Batch{Count: 20, Out: 16, A: 16}, out, a, b) })
	if isa == mixedISAs[Acc, A, B]()[0] {
		allocs(t, "MatMulOf", func() { MatMulOf[Acc](out, a, b) })
	}
}

// TestMatMulBatchOf: each product of a batch is what MatMulOf gives for it.
func TestMatMulBatchOf(t *testing.T) {
	eachMixed(t, func(t *testing.T, p mixedPair, isa string) { p.batch(t, isa) })
}

func mixedBatches[Acc dtype.Sum, A, B, Out dtype.Elem](t *testing.T, isa string) {
	r := rand.New(level.PCG(3, 4))
	na, nb, no := mixedNumbers[A, Acc](r.IntN), mixedNumbers[B, Acc](r.IntN), mixedNumbers[Out, Acc](r.IntN)
	for _, c := range []struct{ m, n, k, count int }{{3, 5, 4, 7}, {16, 16, 16, level.Of(10, 30, 1100)}, {3, 2, 5, level.Of(10, 300, 1100)}, {1, 1, 1, 3}, {33, 50, 20, 3}, {4, 4, 4, 1}, {4, 4, 4, 0}, {2, 3, 0, 5}, {0, 3, 2, 5}} {
		for _, threads := range []int{1, 3} {
			opt := Options{ISA: isa, Threads: threads, Scaling: Scale(1, float64(threads%3))}
			count := max(1, c.count)
			a, b := mixedMatrix(rowMajor, count*c.m, c.k, na), mixedMatrix(colMajor, c.k, count*c.n, nb)
			out := mixedMatrix(rowMajor, count*c.m, c.n, no)
			n := Batch{Count: c.count, Out: c.m * c.n, A: c.m * c.k, B: c.k * c.n}
			if threads == 3 { // one b for all
				n.B = 0
				if c.count > 0 {
					opt.B = packedOn[Acc, A](isa, b.Slice(0, c.k, 0, c.n))
				}
			}
			a.Rows, b.Cols, out.Rows = c.m, c.n, c.m
			want := slices.Clone(out.Data)
			for z := range c.count {
				w, x, y := out, a, b
				w.Data, x.Data, y.Data = want[min(z*n.Out, len(want)):], a.Data[min(z*n.A, len(a.Data)):], b.Data[min(z*n.B, len(b.Data)):]
				MatMulOfOpt[Acc](Options{ISA: isa, Scaling: opt.Scaling}, w, x, y)
			}
			MatMulBatchOf[Acc](opt, n, out, a, b)
			if !slices.Equal(out.Data, want) {
				t.Fatalf("%+v %+v: another result than of single products", c, opt)
			}
		}
	}
}

// TestMatMulOfRefuses: what there is no product of, and what does not fit together, is an
// error that says so, and nothing is written.
func TestMatMulOfRefuses(t *testing.T) {
	const sums32 = "; sums of float32 have operands of float32, dtype.F16, dtype.BF16, int8, uint8 and int16, and results of float32, dtype.F16 and dtype.BF16"
	const sumsInt = "; sums of int32 have operands of int8, uint8 and int16, and results of int32"
	i8, u8, f := layout.New[int8](4, 4), layout.New[uint8](4, 4), layout.New[float32](4, 4)
	d, h, i32 := layout.New[float64](4, 4), layout.New[dtype.BF16](4, 4), layout.New[int32](4, 4)
	deep, tall := view[int8](4, 131072), view[int8](131072, 4)
	packed := PackOf[int32, uint8](i8)
	types := func(what, why string) error { return run.TypeError{What: what, Why: why} }
	shape := func(what, why string) error { return layout.ShapeError{What: what, Why: why} }
	option := func(what, why string) error { return run.OptionError{What: what, Why: why} }
	for _, c := range []struct {
		call func()
		want error
	}{
		{func() { MatMulOf[float32](f, d, f) }, types("cpu.MatMulOf", "no product of float64 and float32 has sums of float32 and a result of float32"+sums32)},
		{func() { MatMulOf[float32](d, f, h) }, types("cpu.MatMulOf", "no product of float32 and dtype.BF16 has sums of float32 and a result of float64"+sums32)},
		{func() { MatMulOf[int32](i32, i8, h) }, types("cpu.MatMulOf", "no product of int8 and dtype.BF16 has sums of int32 and a result of int32"+sumsInt)},
		{func() { MatMulOf[int32](f, i8, i8) }, types("cpu.MatMulOf", "no product of int8 and int8 has sums of int32 and a result of float32"+sumsInt)},
		{func() { MatMulOfOpt[int32](Options{Caller: "my.Product"}, i8, i8, i8) }, types("my.Product", "no product of int8 and int8 has sums of int32 and a result of int8"+sumsInt)},
		{func() { MatMulBatchOf[int32](Options{}, Batch{Count: 1}, i32, i32, i32) }, types("cpu.MatMulBatchOf", "no product of int32 and int32 has sums of int32 and a result of int32"+sumsInt)},
		{func() { PackOf[int32, int8](f) }, types("cpu.PackOf", "no product of int8 and float32 has sums of int32 and a result of int32"+sumsInt)},

		{func() { MatMulOf[int32](i32, i8.Slice(0, 3, 0, 4), i8) }, shape("cpu.MatMulOf", "out is 4 x 4, a is 3 x 4, b is 4 x 4; want m x n, m x k, k x n")},
		{func() {
			MatMulOf[int32](i32, i8, layout.Matrix[uint8]{Data: u8.Data[:9], Rows: 4, Cols: 4, RowStride: 4, ColStride: 1})
		},
			shape("cpu.MatMulOf", "b: 9 elements do not hold 4 x 4 with strides (4, 1); want at least 16")},
		{func() { MatMulOfOpt[float32](Options{Threads: -1}, f, h, h) }, option("cpu.MatMulOfOpt", "-1 threads; want 1 or more, or 0 for the default, which is TILESMITH_THREADS or else GOMAXPROCS")},
		{func() { MatMulOfOpt[float32](Options{ISA: "avx3"}, f, h, h) }, run.ISAError{What: "cpu.MatMulOfOpt", From: "Options.ISA", ISA: "avx3", Have: run.ISAs()}},
		{func() { MatMulOfOpt[int32](Options{Scaling: Scale(2, 0)}, i32, i8, i8) }, option("cpu.MatMulOfOpt", "sums of int32 are not scaled, Options.Scaling is Scale(2, 0); want alpha 1, and beta 0, or 1 to add to out")},
		{func() { MatMulBatchOf[int32](Options{Scaling: Scale(1, 2)}, Batch{}, i32, i8, i8) }, option("cpu.MatMulBatchOf", "sums of int32 are not scaled, Options.Scaling is Scale(1, 2); want alpha 1, and beta 0, or 1 to add to out")},

		{func() { MatMulOfOpt[int32](Options{NoWrap: true}, i32, deep, tall) }, run.WrapError{What: "cpu.MatMulOfOpt", A: dtype.I8, B: dtype.I8, K: 131072, Most: 131071}},
		{func() { MatMulOfOpt[int32](Options{NoWrap: true}, i32, view[int16](4, 2), view[int16](2, 4)) }, run.WrapError{What: "cpu.MatMulOfOpt", A: dtype.I16, B: dtype.I16, K: 2, Most: 1}},
		{func() { MatMulBatchOf[int32](Options{NoWrap: true}, Batch{Count: 2, Out: 16}, i32, deep, tall) }, run.WrapError{What: "cpu.MatMulBatchOf", A: dtype.I8, B: dtype.I8, K: 131072, Most: 131071}},
		{func() { MatMulOfOpt[int32](Options{NoWrap: true, Scaling: Scale(1, 1)}, i32, i8, i8) }, option("cpu.MatMulOfOpt", "Options.NoWrap cannot say of sums that are added to out whether they wrap; leave Options.Scaling unset")},

		{func() { MatMulOfOpt[int32](Options{B: packed}, i32, u8, i8.T()) }, shape("cpu.MatMulOfOpt", "Options.B was packed from a matrix with strides (4, 1), b has (1, 4); pack this b, or leave Options.B nil")},
		{func() { MatMulOfOpt[int32](Options{B: packed}, i32, i8, i8) }, shape("cpu.MatMulOfOpt", "Options.B was packed by cpu.PackOf for another kernel; pack b with the Pack of this one")},
		{func() { MatMulOfOpt[int32](Options{B: packed}, i32, u8, layout.New[int8](4, 4)) }, shape("cpu.MatMulOfOpt", "Options.B was packed from another matrix than b, at another address; pack this b, or leave Options.B nil")},
		{func() { MatMulBatchOf[int32](Options{B: packed}, Batch{Count: 2, Out: 16, B: 1}, i32, u8, i8) }, shape("cpu.MatMulBatchOf", "Options.B is one packed b, and the batch has another one every 1 elements; want a stride of 0 for b, or no Options.B")},
		{func() { MatMulBatchOf[int32](Options{}, Batch{Count: 2, Out: 16}, i32, u8, i8) }, shape("cpu.MatMulBatchOf", "16 elements of out do not hold 2 of 4 x 4 that begin 16 elements apart; want more, or a smaller stride")},
	} {
		for i := range i32.Data {
			i32.Data[i], f.Data[i], d.Data[i] = 7, 7, 7
		}
		wantPanic(t, c.want, c.call)
		if slices.ContainsFunc(i32.Data, func(x int32) bool { return x != 7 }) || slices.ContainsFunc(f.Data, func(x float32) bool { return x != 7 }) ||
			slices.ContainsFunc(d.Data, func(x float64) bool { return x != 7 }) {
			t.Errorf("%v: something was written", c.want)
		}
	}
	// A product that is plain Go everywhere has no other variant, and says so.
	if isa := ISAs()[0]; isa != run.Portable {
		wantPanic(t, run.ISAError{What: "cpu.MatMulOfOpt", From: "Options.ISA", ISA: isa, Have: []string{run.Portable}},
			func() { MatMulOfOpt[float32](Options{ISA: isa}, f, layout.New[float32](4, 4), i8) })
	}
}

// TestSafeDepth: at the depth that is safe the largest sums of either sign are right in
// int32, and at the next one of them is not.
func TestSafeDepth(t *testing.T) {
	for _, c := range []struct {
		have                         int
		want                         int
		leastA, mostA, leastB, mostB int64
	}{
		{SafeDepth[int8, int8](), 131071, -128, 127, -128, 127},
		{SafeDepth[uint8, int8](), 65793, 0, 255, -128, 127},
		{SafeDepth[int8, uint8](), 65793, -128, 127, 0, 255},
		{SafeDepth[uint8, uint8](), 33025, 0, 255, 0, 255},
		{SafeDepth[int16, int8](), 511, -32768, 32767, -128, 127},
		{SafeDepth[uint8, int16](), 257, 0, 255, -32768, 32767},
		{SafeDepth[int16, int16](), 1, -32768, 32767, -32768, 32767},
	} {
		if c.have != c.want {
			t.Errorf("%d, want %d", c.have, c.want)
		}
		wraps := func(k int64) bool {
			for _, x := range []int64{c.leastA, c.mostA} {
				for _, y := range []int64{c.leastB, c.mostB} {
					if sum := k * x * y; int64(int32(sum)) != sum {
						return true
					}
				}
			}
			return false
		}
		if wraps(int64(c.want)) || !wraps(int64(c.want)+1) {
			t.Errorf("%d is not the largest k that is safe", c.want)
		}
	}
	if n := SafeDepth[float32, int8](); n != 0 {
		t.Errorf("%d for sums that are not of int32", n)
	}

	// The products themselves, on every variant: the largest sum, and what it wraps to.
	a, b, out := view[uint8](1, 65794), view[int8](65794, 1), layout.New[int32](1, 1)
	a.Data[0], b.Data[0] = 255, -128
	for _, isa := range mixedISAs[int32, uint8, int8]() {
		MatMulOfOpt[int32](Options{ISA: isa, NoWrap: true}, out, a.Slice(0, 1, 0, 65793), b.Slice(0, 65793, 0, 1))
		if out.Data[0] != -65793*255*128 {
			t.Errorf("%s: %d, want %d", isa, out.Data[0], -65793*255*128)
		}
		MatMulOfOpt[int32](Options{ISA: isa}, out, a, b)
		if out.Data[0] != 1<<31-(65794*255*128-1<<31) {
			t.Errorf("%s: %d, want %d", isa, out.Data[0], 1<<31-(65794*255*128-1<<31))
		}
	}
}

// TestMatMulOfOverlap: operands of other types in the memory of out are seen.
func TestMatMulOfOverlap(t *testing.T) {
	memory := make([]float32, 64)
	halves := unsafe.Slice((*dtype.BF16)(unsafe.Pointer(&memory[0])), 128)
	out, narrow, other := layout.RowMajor(memory, 8, 8), layout.RowMajor(halves, 8, 8), layout.New[dtype.BF16](8, 8)
	row := func(i int) layout.Matrix[float32] { return layout.RowMajor(memory[8*i:], 1, 8) }
	const overlap = "out shares memory with an operand; copy the operand first"
	for _, call := range []func(){
		func() { MatMulOf[float32](out, narrow, other) },
		func() { MatMulOf[float32](out, other, narrow) },
		func() { MatMulOf[float32](row(0), layout.RowMajor(halves[15:], 1, 8), other) },
		func() { MatMulOf[float32](row(3), layout.RowMajor(halves[41:], 1, 8), other) },
		func() {
			MatMulBatchOf[float32](Options{}, Batch{Count: 2, Out: 8, A: 8}, row(0), layout.RowMajor(halves[16:], 1, 8), other)
		},
	} {
		if why := refusal(call); why != overlap {
			t.Errorf("refused with %q, want %q", why, overlap)
		}
	}
	// What lies beside it does not.
	MatMulOf[float32](row(0), layout.RowMajor(halves[16:], 1, 8), other)
	MatMulOf[float32](row(3), layout.RowMajor(halves[40:48], 1, 8), other)
	MatMulBatchOf[float32](Options{}, Batch{Count: 2, Out: 8, A: 8}, row(0), layout.RowMajor(halves[32:], 1, 8), other)
}
