package run_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// bytewise is a product of small tiles whose elements are of one byte.
var bytewise = cached(gemm.Spec[int8, int8, int32, int32]{Name: "Bytewise", GPU: tiling.GPU{BM: 32, BN: 64, BK: 64, WM: 32, WN: 32, Stages: 2}}, nil)

func callBytes(s cuda.Stream, opt run.Options, out run.Batch[int32], a, b run.Batch[int8]) error {
	c := run.Begin(bytewise(), s, opt)
	run.OutBatch(c, out)
	run.ABatch(c, a)
	run.BBatch(c, b)
	return c.Launch()
}

func alone[T dtype.Elem](m cuda.Matrix[T]) run.Batch[T] { return run.Batch[T]{Matrix: m} }

// TestPad: what is copied, from where to where, by the numbers.
func TestPad(t *testing.T) {
	type view struct{ rows, cols, rs, cs, off, count, stride int }
	type copied struct{ lines, along, line, next, batch, pitch, z int }
	for name, c := range map[string]struct {
		a, b view
		want []copied
	}{
		"odd rows":          {view{70, 61, 61, 1, 0, 0, 0}, view{61, 48, 48, 1, 0, 0, 0}, []copied{{70, 61, 61, 1, 0, 64, 1}}},
		"odd columns":       {view{70, 64, 64, 1, 0, 0, 0}, view{64, 48, 1, 67, 0, 0, 0}, []copied{{48, 64, 67, 1, 0, 64, 1}}},
		"an odd start":      {view{70, 64, 80, 1, 1, 0, 0}, view{64, 48, 1, 64, 0, 0, 0}, []copied{{70, 64, 80, 1, 0, 64, 1}}},
		"both":              {view{5, 9, 11, 1, 0, 0, 0}, view{9, 16, 1, 13, 0, 0, 0}, []copied{{5, 9, 11, 1, 0, 16, 1}, {16, 9, 13, 1, 0, 16, 1}}},
		"two strides":       {view{5, 9, 40, 3, 0, 0, 0}, view{9, 16, 2, 50, 0, 0, 0}, []copied{{5, 9, 40, 3, 0, 16, 1}, {16, 9, 50, 2, 0, 16, 1}}},
		"one column":        {view{50, 1, 3, 1, 0, 0, 0}, view{1, 16, 16, 1, 0, 0, 0}, []copied{{1, 50, 1, 3, 0, 64, 1}}},
		"one row":           {view{1, 50, 1, 3, 0, 0, 0}, view{50, 16, 16, 1, 0, 0, 0}, []copied{{1, 50, 1, 3, 0, 64, 1}}},
		"the same row":      {view{20, 33, 0, 1, 1, 0, 0}, view{33, 16, 16, 1, 0, 0, 0}, []copied{{20, 33, 0, 1, 0, 48, 1}}},
		"a batch":           {view{5, 9, 9, 1, 0, 3, 45}, view{9, 16, 16, 1, 0, 0, 0}, []copied{{5, 9, 9, 1, 45, 16, 3}}},
		"a batch of one":    {view{5, 9, 9, 1, 0, 3, 45}, view{9, 16, 1, 11, 0, 3, 0}, []copied{{5, 9, 9, 1, 45, 16, 3}, {16, 9, 11, 1, 0, 16, 1}}},
		"one for a batch":   {view{5, 9, 9, 1, 0, 3, 45}, view{9, 16, 1, 11, 0, 0, 0}, []copied{{5, 9, 9, 1, 45, 16, 3}, {16, 9, 11, 1, 0, 16, 1}}},
		"no depth":          {view{5, 0, 9, 1, 1, 0, 0}, view{0, 16, 16, 1, 1, 0, 0}, nil},
		"nothing to copy":   {view{5, 16, 16, 1, 0, 0, 0}, view{16, 16, 16, 1, 0, 0, 0}, nil},
		"odd between them":  {view{5, 16, 16, 1, 0, 2, 81}, view{16, 16, 16, 1, 0, 0, 0}, []copied{{5, 16, 16, 1, 81, 16, 2}}},
		"a launch and more": {view{5, 9, 9, 1, 0, 65537, 45}, view{9, 16, 1, 11, 0, 0, 0}, []copied{{5, 9, 9, 1, 45, 16, 65535}, {16, 9, 11, 1, 0, 16, 1}, {5, 9, 9, 1, 45, 16, 2}}},
	} {
		d, s := device(t)
		count := max(c.a.count, c.b.count, 1)
		place := func(v view) run.Batch[int8] {
			x := slice[int8](t, d, v.off+max(v.count-1, 0)*v.stride+max(v.rows-1, 0)*v.rs+max(v.cols-1, 0)*v.cs+1)
			m := cuda.Matrix[int8]{Data: x.Slice(v.off, x.Len()), Rows: v.rows, Cols: v.cols, RowStride: v.rs, ColStride: v.cs}
			return run.Batch[int8]{Matrix: m, Count: v.count, Stride: v.stride}
		}
		a, b := place(c.a), place(c.b)
		out := run.Batch[int32]{Matrix: matrix[int32](t, d, count*c.a.rows, c.b.cols, 0)}
		out.Rows = c.a.rows
		if count > 1 {
			out.Count, out.Stride = count, c.a.rows*c.b.cols
		}
		if err := callBytes(s, run.Options{Pad: true, Schedule: run.SplitK(1)}, out, a, b); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var have []copied
		from := []uint64{a.Address(), b.Address()}
		to := map[uint64]bool{}
		done := 0
		for _, l := range d.launches {
			at := func(off int) int { return int(int64(binary.LittleEndian.Uint64(l.params[off:]))) }
			if l.name != "bytewise_sm80_pad" {
				done += l.grid.Blocks[2]
				for _, off := range []int{param.A, param.B} {
					delete(to, uint64(at(off)))
				}
				if len(to) > 0 {
					t.Errorf("%s: the product does not read %v", name, to)
				}
				for _, off := range []int{param.RsA, param.CsA, param.RsB, param.CsB} {
					if at(off) != 1 && at(off)%16 != 0 {
						t.Errorf("%s: a stride of %d", name, at(off))
					}
				}
				continue
			}
			x := copied{at(param.PadLines), at(param.PadAlong), at(param.PadLine), at(param.PadNext), at(param.PadBatch), at(param.PadPitch), l.grid.Blocks[2]}
			have = append(have, x)
			if g := l.grid.Blocks; g[0] != (x.lines+3)/4 || g[1] != (x.along+at(param.PadSpan)-1)/at(param.PadSpan) || at(param.PadSpan)%128 != 0 {
				t.Errorf("%s: %v for spans of %d", name, g, at(param.PadSpan))
			}
			of := slices.IndexFunc(from, func(p uint64) bool { return p+uint64(done*x.batch) == uint64(at(param.PadFrom)) })
			if of < 0 {
				t.Errorf("%s: copies from %#x", name, at(param.PadFrom))
			}
			if at(param.PadTo)%256 != 0 || to[uint64(at(param.PadTo))] {
				t.Errorf("%s: copies to %#x", name, at(param.PadTo))
			}
			to[uint64(at(param.PadTo))] = true
		}
		if !slices.Equal(have, c.want) || done != count {
			t.Errorf("%s: %v and %d products, want %v", name, have, done, c.want)
		}
	}
}

// TestPadMemory: where there is no memory for a copy the product is done without, unless it cannot be.
func TestPadMemory(t *testing.T) {
	type bf = dtype.BF16
	const n = 1021
	names := func(d *fake) (s string) {
		for _, l := range d.launches {
			s += strings.TrimPrefix(l.name, "matMulBF16_sm80_") + " "
		}
		d.launches = nil
		return s
	}
	d, s := device(t)
	out, a, b := matrix[bf](t, d, n, n, 0), matrix[bf](t, d, n, n, 0), matrix[bf](t, d, n, n, 0)
	if err := MatMulBF16(s, run.Options{Schedule: run.SplitK(1)}, out, a, b); err != nil || names(d) != "pad pad kn4 " {
		t.Errorf("%v", err)
	}
	const copies = 2 * n * 2048
	for want, x := range map[string]int64{"pad pad kn4 ": copies, "any ": copies - 1} {
		d, s := device(t)
		d.info.TotalMemory = x
		if err := MatMulBF16(s, run.Options{Schedule: run.SplitK(1)}, matrix[bf](t, d, n, n, 0), matrix[bf](t, d, n, n, 0), matrix[bf](t, d, n, n, 0)); err != nil {
			t.Error(err)
		} else if have := names(d); have != want {
			t.Errorf("%d bytes: %s, want %s", x, have, want)
		}
	}
	for _, c := range []struct {
		opt  run.Options
		want string // "": any
	}{
		{run.Options{}, ""}, {run.Options{Pad: true}, "out of device memory"}, {run.Options{Schedule: run.SplitK(2)}, "out of device memory"},
		{run.Options{Pad: true, Kernel: "matMulBF16_sm80_kn4"}, "out of device memory"},
	} {
		for total := range 2 { // by what there is, and by what is free
			d, s := device(t)
			out, a, b := matrix[bf](t, d, n, n, 0), matrix[bf](t, d, n, n, 0), matrix[bf](t, d, n, n, 0)
			if total == 0 {
				d.info.TotalMemory = 1 << 20
			} else {
				d.fail = fmt.Errorf("fake: %w", cuda.ErrMemory)
			}
			err := MatMulBF16(s, c.opt, out, a, b)
			if c.want == "" {
				if have := names(d); err != nil || have != "any " {
					t.Errorf("%+v: %v, %s", c.opt, err, have)
				}
			} else if !errors.Is(err, cuda.ErrMemory) || !strings.Contains(err.Error(), c.want) || len(d.launches) > 0 {
				t.Errorf("%+v: %v", c.opt, err)
			}
		}
	}
	// Who names a kernel has what it wants, and groups copy nothing.
	for want, opt := range map[string]run.Options{
		"wants operands that lie otherwise":                                     {Kernel: "matMulBF16_sm80_kk16"},
		"Options.Kernel matMulBF16_sm80_kk16 wants operands that lie otherwise": {Kernel: "matMulBF16_sm80_kk16", Pad: true}, // b is by rows
		"Options.Pad is set, and nothing of a group is copied; leave it out":    {Pad: true, Gather: &run.Gather{}},
		"has a tile for each CTA, and Options.Schedule is SplitK(2)":            {Kernel: "matMulBF16_sm80_kn4", Pad: true, Schedule: run.SplitK(2)},
		"Options.Pad is set, and no kernel takes copies of the operands":        {Pad: true},
	} {
		call := MatMulBF16
		if strings.Contains(want, "no kernel takes") {
			call = func(s cuda.Stream, opt run.Options, out, a, b cuda.Matrix[bf]) error {
				set := *matMulBF16()
				target := set.Targets[0]
				target.Pad = ""
				c := run.Begin(&run.Set{Name: set.Name, A: set.A, B: set.B, Slots: set.Slots, Plain: true, Targets: []run.Target{target}}, s, opt)
				run.Out(c, out)
				run.A(c, a)
				run.B(c, b)
				return c.Launch()
			}
		}
		err := call(s, opt, out, a, b)
		if opt.Gather != nil && err == nil {
			err = opt.Gather.Group()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestPadReused: a workspace has what the call before left there, which is NaN, of other sizes; calls follow each other
// on a stream, and several streams are at it at a time. Sub-matrices begin anywhere, and NaN is all around them.
func TestPadReused(t *testing.T) {
	type bf = dtype.BF16
	schedules := []emu.Options{{Seed: 1, Async: emu.Latest}, {Seed: 2, Async: emu.Random, Workers: 2}, {}}
	for i, o := range schedules[:level.Of(1, 1, 3)] {
		d, _ := emulator(t, o)
		errs := make(chan error)
		work := func(seed int) (err error) {
			s, err := d.NewStream()
			if err != nil {
				return err
			}
			defer s.Close()
			nan := dtype.ToBF16(float32(math.NaN()))
			full := func(rows, cols int) cuda.Matrix[bf] {
				return upload(t, s, rows, cols, false, 0, func(int, int) bf { return nan })
			}
			shapes := []product{{m: 5, n: 9, k: 7}, {m: 90, n: 70, k: 131, aT: true, bT: true}, {m: 33, n: 20, k: 300}, {m: 40, n: 64, k: 65, bT: true}, {m: 3, n: 200, k: 1, aT: true}}
			for _, c := range shapes[:level.Of(1, 3, 5)] {
				if err := MatMulBF16(s, run.Options{Pad: true}, full(100, 100), full(100, 101+c.k).Slice(0, 100, 1, 1+c.k), full(c.k, 104).Slice(0, c.k, 3, 103)); err != nil {
					return err
				}
				set := func(rows, cols, seed int, trans bool) cuda.Matrix[bf] {
					m := full(rows+6, cols+7)
					if trans {
						m = full(cols+6, rows+7).T()
					}
					m = m.Slice(3, 3+rows, 1, 1+cols)
					host := layout.New[bf](rows, cols)
					for i := range rows {
						for j := range cols {
							host.Set(i, j, dtype.ToBF16(small(seed, i, j)))
						}
					}
					if e := m.Write(s, host); e != nil {
						err = e
					}
					return m
				}
				var outs []cuda.Matrix[bf]
				for range 2 { // one behind the other
					out := full(c.m, c.n)
					outs = append(outs, out)
					if e := MatMulBF16(s, run.Options{Pad: true}, out, set(c.m, c.k, 1, c.aT), set(c.k, c.n, 2, c.bT)); e != nil {
						return e
					}
				}
				if e := s.Synchronize(); e != nil || err != nil {
					return errors.Join(e, err)
				}
				for _, out := range outs {
					have := download(t, s, out)
					for i := range c.m {
						for j := range c.n {
							if w := dtype.ToBF16(c.sum(i, j)); have.At(i, j) != w {
								return fmt.Errorf("stream %d, %+v: out[%d, %d] = %v, want %v", seed, c, i, j, have.At(i, j), w)
							}
						}
					}
				}
			}
			return nil
		}
		streams := level.Of(2, 2, 3)
		for seed := range streams {
			go func() {
				err := errors.New("ended by a fatal error")
				defer func() { errs <- err }()
				err = work(seed)
			}()
		}
		for range streams {
			if err := <-errs; err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
		copied := false
		for _, k := range d.Report().Kernels {
			copied = copied || k.Name == "matMulBF16_sm80_pad"
		}
		if !copied {
			t.Error("nothing was copied")
		}
	}
}

// TestPadBatch: batches with operands of their own, with one in common, and with a stride of 0; strides of 0 in a matrix.
func TestPadBatch(t *testing.T) {
	const m, n, k, count = 37, 32, 70, 3
	_, s := emulator(t, emu.Options{Seed: 1, Async: emu.Latest})
	d := s.Device()
	x := slice[int8](t, d, 20_000)
	host := make([]int8, x.Len())
	for i := range host {
		host[i] = int8(i*7%15 - 7)
	}
	if err := x.Write(s, host); err != nil {
		t.Fatal(err)
	}
	type lie struct{ off, rs, cs, count, stride int }
	at := func(l lie, z, i, j int) int32 { return int32(host[l.off+z*l.stride+i*l.rs+j*l.cs]) }
	for _, c := range []struct{ a, b lie }{
		{lie{1, 71, 1, count, 3001}, lie{3, 33, 1, count, 2333}},
		{lie{1, 71, 1, count, 3001}, lie{3, 33, 1, count, 0}},
		{lie{1, 71, 1, 0, 0}, lie{3, 1, 77, count, 2601}},
		{lie{0, 1, 39, count, 1}, lie{5, 3, 217, 0, 0}},
		{lie{7, 0, 2, count, 9}, lie{5, 1, 0, 0, 0}},
		{lie{7, 0, 0, 0, 0}, lie{1, 48, 1, count, 0}},
	} {
		for _, how := range []run.Schedule{run.SplitK(1), run.SplitK(2)} {
			out := run.Batch[int32]{Matrix: matrix[int32](t, d, count*m, n, 0), Count: count, Stride: m * n}
			out.Rows = m
			view := func(l lie, rows, cols int) run.Batch[int8] {
				return run.Batch[int8]{Matrix: cuda.Matrix[int8]{Data: x.Slice(l.off, x.Len()), Rows: rows, Cols: cols, RowStride: l.rs, ColStride: l.cs}, Count: l.count, Stride: l.stride}
			}
			if err := callBytes(s, run.Options{Pad: true, Schedule: how}, out, view(c.a, m, k), view(c.b, k, n)); err != nil {
				t.Errorf("%+v: %v", c, err)
				continue
			}
			all := out.Matrix
			all.Rows = count * m
			have := download(t, s, all)
		each:
			for z := range count {
				for i := range m {
					for j := range n {
						var want int32
						for l := range k {
							want += at(c.a, z, i, l) * at(c.b, z, l, j)
						}
						if h := have.At(z*m+i, j); h != want {
							t.Errorf("%+v, %v: out[%d][%d, %d] = %d, want %d", c, how, z, i, j, h, want)
							break each
						}
					}
				}
			}
		}
	}
}

// TestPadCounts: a product of odd operands by the kernel for any strides, and with copies: what is executed, and whether
// copies ask for little more memory than they need, of what lies by rows and by columns.
func TestPadCounts(t *testing.T) {
	type bf = dtype.BF16
	const n = 256
	d, s := emulator(t, emu.Options{})
	one := asBF16(func(int, int) float32 { return 1 })
	for _, trans := range []bool{false, true}[:level.Of(1, 2, 2)] {
		out, a, b := upload(t, s, n, n, false, 0, one), upload(t, s, n, n, trans, 1, one), upload(t, s, n, n, !trans, 1, one)
		var total [2]int64
		for i, opt := range []run.Options{{Kernel: "matMulBF16_sm80_any"}, {Pad: true, Schedule: run.SplitK(1)}} {
			d.ResetReport()
			if err := MatMulBF16(s, opt, out, a, b); err != nil {
				t.Fatal(err)
			}
			if err := s.Synchronize(); err != nil {
				t.Fatal(err)
			}
			for _, k := range d.Report().Kernels {
				total[i] += k.Instructions
				t.Logf("trans %v: %s: %d instructions, %d sectors, ideal %d", trans, k.Name, k.Instructions, k.GlobalSectors, k.GlobalIdeal)
				if k.Name == "matMulBF16_sm80_pad" && 2*k.GlobalSectors > 3*k.GlobalIdeal {
					t.Errorf("trans %v: %d sectors, ideal %d", trans, k.GlobalSectors, k.GlobalIdeal)
				}
			}
		}
		if 3*total[1] > total[0] {
			t.Errorf("trans %v: %d instructions with copies, %d without", trans, total[1], total[0])
		}
	}
}
