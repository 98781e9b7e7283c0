package run_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// emulator opens an emulated GPU and a stream.
func emulator(t testing.TB, o emu.Options) (*emu.Device, cuda.Stream) {
	t.Helper()
	d, err := emu.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, s
}

// small are numbers for which every order of summation gives the same bits.
func small(seed, i, j int) float32 { return float32((i*7+j*3+i*j*seed+seed)%9 - 4) }

// upload makes a matrix on the device, by columns if trans is set, with rows pad
// elements longer than needed.
func upload[T dtype.Elem](t testing.TB, s cuda.Stream, rows, cols int, trans bool, pad int, f func(i, j int) T) cuda.Matrix[T] {
	t.Helper()
	r, c := rows, cols
	if trans {
		r, c = c, r
	}
	// Rows are a multiple of 8 elements apart, and pad.
	m := matrix[T](t, s.Device(), r, c, (c+7)&^7+pad)
	if trans {
		m = m.T()
	}
	host := layout.New[T](rows, cols)
	for i := range rows {
		for j := range cols {
			host.Set(i, j, f(i, j))
		}
	}
	if err := m.Write(s, host); err != nil {
		t.Fatal(err)
	}
	return m
}

func download[T dtype.Elem](t testing.TB, s cuda.Stream, m cuda.Matrix[T]) layout.Matrix[T] {
	t.Helper()
	host := layout.New[T](m.Rows, m.Cols)
	if err := m.Read(s, host); err != nil {
		t.Fatal(err)
	}
	return host
}

// product is one call of a plain product on the emulator.
type product struct {
	m, n, k    int
	pad, off   int
	aT, bT, cT bool
	kernel     string // the end of its name; "" leaves the choice
	copies     bool   // Options.Pad
	beta       float32
}

// call makes operands, calls and compares with a plain loop.
func call[T dtype.Elem](t testing.TB, s cuda.Stream, set *run.Set, c product, to func(float32) T, sum func(i, j int) float32) error {
	t.Helper()
	cut := func(m cuda.Matrix[T]) cuda.Matrix[T] { return m.Slice(c.off, m.Rows, c.off, m.Cols) }
	o := c.off
	a := cut(upload(t, s, c.m+o, c.k+o, c.aT, c.pad, func(i, j int) T { return to(small(1, i-o, j-o)) }))
	b := cut(upload(t, s, c.k+o, c.n+o, c.bT, c.pad, func(i, j int) T { return to(small(2, i-o, j-o)) }))
	out := cut(upload(t, s, c.m+o, c.n+o, c.cT, c.pad, func(i, j int) T { return to(-1) }))
	defer a.Free()
	defer b.Free()
	defer out.Free()
	opt := run.Options{Scaling: run.Scale(1, float64(c.beta)), Pad: c.copies}
	if c.kernel != "" {
		for _, k := range set.Targets[0].Kernels {
			if strings.HasSuffix(k.Name, "_"+c.kernel) {
				opt.Kernel = k.Name
			}
		}
	}
	call := run.Begin(set, s, opt)
	run.Out(call, out)
	run.A(call, a)
	run.B(call, b)
	if err := call.Launch(); err != nil {
		return err
	}
	if err := s.Synchronize(); err != nil {
		return err
	}
	have := download(t, s, out)
	for i := range c.m {
		for j := range c.n {
			if w := to(sum(i, j) - c.beta); have.At(i, j) != w {
				return fmt.Errorf("out[%d, %d] = %v, want %v", i, j, have.At(i, j), w)
			}
		}
	}
	return nil
}

func (c product) sum(i, j int) (x float32) {
	for l := range c.k {
		x += small(1, i, l) * small(2, l, j)
	}
	return x
}

func (c product) longest(i, j int) float32 {
	x := float32(math.Inf(-1))
	for l := range c.k {
		x = max(x, small(1, i, l)+small(2, l, j))
	}
	return x
}

var (
	matMulF16 = cached(gemm.Spec[dtype.F16, dtype.F16, float32, dtype.F16]{Name: "MatMulF16"}, nil)
	tinyF16   = cached(gemm.Spec[dtype.F16, dtype.F16, float32, dtype.F16]{Name: "TinyF16", GPU: groupTile}, nil)
	longest   = cached(gemm.Spec[float32, float32, float32, float32]{Name: "Longest", Operator: gemm.MaxPlus}, nil)
)

// TestEmulatedKernels runs every kernel of every operator as PTX, on shapes with
// ragged edges and rows that begin where the kernel allows and no better.
func TestEmulatedKernels(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("runs every kernel on the emulator")
	}
	for i, o := range []emu.Options{{}, {Seed: 1, Async: emu.Latest}, {Seed: 2, Async: emu.Random}} {
		_, s := emulator(t, o)
		// Kernels of f16 are those of bf16 but for one instruction, so a normal run has small ones.
		f16 := level.Of(tinyF16, tinyF16, matMulF16)()
		for _, set := range []*run.Set{matMulBF16(), f16, matMulF32(), longest()} {
			for at, k := range set.Targets[0].Kernels {
				if i > 0 && !long && (set.A != dtype.TypeBF16 || k.Unit != 16 || at%3 != i) {
					continue
				}
				size := 4
				if set.A != dtype.F32 {
					size = 2
				}
				unit := max(k.Unit/size, 1)
				_, name, _ := strings.Cut(k.Name, "_sm80_")
				c := product{m: k.Tile.BM + 3, n: k.Tile.BN - 3, k: 2*k.Tile.BK + 5, pad: unit, off: unit, aT: !k.AK, bT: k.BK, kernel: name}
				if !long { // a tile, and two of K
					c.m, c.k = k.Tile.BM-5, k.Tile.BK+5
				}
				if k.Wide {
					c.pad, c.off = 8, 8 // of either type
				}
				if k.Unit == 0 {
					c.aT, c.bT, c.cT = true, false, true
				}
				var err error
				switch {
				case set.A == dtype.TypeBF16:
					err = call(t, s, set, c, dtype.ToBF16[float32], c.sum)
				case set.A == dtype.TypeF16:
					err = call(t, s, set, c, dtype.ToF16[float32], c.sum)
				case set == longest():
					err = call(t, s, set, c, func(x float32) float32 { return x }, c.longest)
				default:
					err = call(t, s, set, c, func(x float32) float32 { return x }, c.sum)
				}
				if err != nil {
					t.Fatalf("%s, %+v: %v", k.Name, c, err)
				}
			}
		}
	}
}

var long = level.Long()

// TestEmulatedCounts: on aligned operands no access to shared memory has a bank
// conflict, and global memory is asked for whole sectors only.
func TestEmulatedCounts(t *testing.T) {
	d, s := emulator(t, emu.Options{})
	sets := []func() *run.Set{matMulBF16, matMulF32}
	for _, of := range sets[:level.Of(1, 2, 2)] {
		set := of()
		for at, k := range set.Targets[0].Kernels {
			if !k.Wide || level.Of(at%4 != 0, false, false) {
				continue
			}
			_, name, _ := strings.Cut(k.Name, "_sm80_")
			c := product{m: k.Tile.BM, n: k.Tile.BN, k: 4 * k.Tile.BK, aT: !k.AK, bT: k.BK, kernel: name}
			d.ResetReport()
			var err error
			if set.A == dtype.F32 {
				err = call(t, s, set, c, func(x float32) float32 { return x }, c.sum)
			} else {
				err = call(t, s, set, c, dtype.ToBF16[float32], c.sum)
			}
			if err != nil {
				t.Fatalf("%s: %v", k.Name, err)
			}
			r := d.Report().Kernels[0]
			if r.SharedWavefronts != r.SharedIdeal || r.GlobalSectors != r.GlobalIdeal {
				t.Errorf("%s: %d wavefronts, ideal %d; %d sectors, ideal %d", k.Name, r.SharedWavefronts, r.SharedIdeal, r.GlobalSectors, r.GlobalIdeal)
				for _, l := range r.Lines {
					if l.SharedWavefronts != l.SharedIdeal || l.GlobalSectors != l.GlobalIdeal {
						t.Logf("%+v", l)
					}
				}
			}
		}
	}
}

// TestEmulatedEpilogue: an operand, and reductions that several tiles take part in.
func TestEmulatedEpilogue(t *testing.T) {
	schedules := []emu.Options{{Seed: 1, Async: emu.Random}, {}}
	for _, o := range schedules[:level.Of(1, 1, 2)] {
		d, s := emulator(t, o)
		for _, c := range []struct{ m, n, k, pad int }{{130, 150, 20, 0}, {70, 260, 9, 1}, {3, 0, 5, 0}, {0, 3, 5, 0}} {
			a := upload(t, s, c.m, c.k, false, c.pad, func(i, j int) float32 { return small(1, i, j) })
			b := upload(t, s, c.k, c.n, false, c.pad, func(i, j int) float32 { return small(2, i, j) })
			out := matrix[float32](t, d, c.m, c.n, c.n+c.pad)
			peak, at, sums := slice[float32](t, d, c.m), slice[int32](t, d, c.m), slice[float32](t, d, c.n)
			bias, err := cuda.Upload(s, make([]float32, c.n))
			if err == nil {
				host := make([]float32, c.n)
				for j := range host {
					host[j] = float32(j % 7)
				}
				err = bias.Write(s, host)
			}
			if err == nil {
				err = Biased(s, out, peak, at, sums, a, b, bias)
			}
			if err == nil {
				err = s.Synchronize()
			}
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			have := download(t, s, out)
			peaks, _ := peak.Download(s)
			ats, _ := at.Download(s)
			columns, _ := sums.Download(s)
			want := make([]float32, c.n)
			for i := range c.m {
				best, where := float32(math.Inf(-1)), int32(-1)
				for j := range c.n {
					x := product{k: c.k}.sum(i, j) + float32(j%7)
					if have.At(i, j) != x {
						t.Fatalf("%+v: out[%d, %d] = %g, want %g", c, i, j, have.At(i, j), x)
					}
					if x > best {
						best, where = x, int32(j)
					}
					want[j] += x
				}
				if peaks[i] != best || ats[i] != where {
					t.Fatalf("%+v: row %d has its peak %g at %d, want %g at %d", c, i, peaks[i], ats[i], best, where)
				}
			}
			for j := range want {
				if columns[j] != want[j] {
					t.Fatalf("%+v: column %d sums to %g, want %g", c, j, columns[j], want[j])
				}
			}
		}
	}
}

// TestEmulatedConcurrently: one set, many goroutines, each with a stream.
func TestEmulatedConcurrently(t *testing.T) {
	d, _ := emulator(t, emu.Options{})
	errs := make(chan error)
	n := level.Of(4, 8, 8)
	set := level.Of(groupedF32, matMulF32, matMulF32)()
	for i := range n {
		go func() {
			s, err := d.NewStream()
			if err == nil {
				c := product{m: 20 + i, n: 30, k: 10 + i, pad: i % 2}
				err = call(t, s, set, c, func(x float32) float32 { return x }, c.sum)
			}
			errs <- err
		}()
	}
	for range n {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestEmulatedRandom: any shapes and strides, with the kernel that is chosen.
func TestEmulatedRandom(t *testing.T) {
	seed := uint64(20)
	n := level.Of(8, 20, 0)
	if long {
		seed, n = uint64(os.Getpid()), 1000
	}
	r := rand.New(level.PCG(seed, 0))
	used := map[string]int{}
	for i := range n {
		d, s := emulator(t, emu.Options{Seed: uint64(i), Async: emu.Completion(i % 3)})
		c := product{
			m: r.IntN(140), n: r.IntN(140), k: r.IntN(100), pad: r.IntN(4) * (1 + r.IntN(4)), off: r.IntN(3) * 4 >> r.IntN(3),
			aT: r.IntN(2) == 0, bT: r.IntN(2) == 0, cT: r.IntN(4) == 0, beta: float32(r.IntN(2) * 2),
		}
		c.copies = i%3 == 0
		if i%2 == 0 {
			c.pad, c.off, c.cT = 8*r.IntN(2), 8*r.IntN(2), false
		}
		if err := call(t, s, tiny(), c, dtype.ToBF16[float32], c.sum); err != nil {
			t.Fatalf("seed %d, call %d: %+v: %v", seed, i, c, err)
		}
		for _, k := range d.Report().Kernels {
			used[k.Name]++
		}
	}
	if len(used) < level.Of(3, 6, 9) {
		t.Errorf("of all kernels only %v were used", used)
	}
}
