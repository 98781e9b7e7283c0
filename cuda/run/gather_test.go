package run_test

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// fusedOne is what generated code looks like for one product.
func fusedOne(s cuda.Stream, opt run.Options, out cuda.Matrix[float32], pre cuda.Matrix[dtype.BF16], sums cuda.Slice[float32],
	a, b cuda.Matrix[dtype.BF16], scale, bias cuda.Slice[float32], residual cuda.Matrix[dtype.BF16], gain float32) error {
	c := run.Begin(fused(), s, opt)
	run.Out(c, out)
	run.Out(c, pre)
	run.Reduced(c, sums)
	run.A(c, a)
	run.B(c, b)
	run.PerRow(c, scale)
	run.PerColumn(c, bias)
	run.FullOf(c, residual)
	run.One(c, gain)
	return c.Launch()
}

// TestGather: gathered calls give what a batch gives, and what each gives alone; with an
// operand that lies elsewhere, or of another shape, they are refused.
func TestGather(t *testing.T) {
	const count, m, n, k = 3, 37, 72, 24
	_, s := emulator(t, emu.Options{})
	stacked := func(rows, cols int) run.Batch[dtype.BF16] {
		return stack(t, s, count, rows, cols, 8, func(z, i, j int) dtype.BF16 { return dtype.ToBF16(small(1+z, i, j)) })
	}
	a, b, residual := stacked(m, k), stacked(k, n), stacked(m, n)
	vector := func(length int) cuda.Slice[float32] {
		x, err := cuda.Upload(s, func() (v []float32) {
			for i := range length {
				v = append(v, float32(i%5-2))
			}
			return v
		}())
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	scale, bias := vector(count*m), vector(n)
	type result struct {
		out  run.Batch[float32]
		pre  run.Batch[dtype.BF16]
		sums cuda.Slice[float32]
	}
	fresh := func() result {
		return result{stack(t, s, count, m, n, 8, func(z, i, j int) float32 { return 0 }), stacked(m, n), vector(count * m)}
	}
	at := func(x run.Batch[dtype.BF16], z int) cuda.Matrix[dtype.BF16] {
		y := x.Matrix
		y.Data = y.Data.Slice(z*x.Stride, y.Data.Len())
		return y
	}
	call := func(r result, opt run.Options, z int) error {
		out := r.out.Matrix
		out.Data = out.Data.Slice(z*r.out.Stride, out.Data.Len())
		return fusedOne(s, opt, out, at(r.pre, z), r.sums.Slice(z*m, z*m+m), at(a, z), at(b, z), scale.Slice(z*m, z*m+m), bias, at(residual, z), 0.5)
	}
	var g run.Gather
	want, batch, gathered := fresh(), fresh(), fresh()
	for z := range count {
		if err := call(want, run.Options{}, z); err != nil {
			t.Fatal(err)
		}
		if err := call(gathered, run.Options{Gather: &g}, z); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Launch(); err != nil {
		t.Fatal(err)
	}
	if err := FusedBatched(s, batch.out, batch.pre, batch.sums, a, b, scale, bias, residual, 0.5); err != nil {
		t.Fatal(err)
	}
	read := func(r result) (all []float32) {
		for z := range count {
			o, p := r.out.Matrix, at(r.pre, z)
			o.Data = o.Data.Slice(z*r.out.Stride, o.Data.Len())
			ho, hp := download(t, s, o), download(t, s, p)
			for i := range m {
				for j := range n {
					all = append(all, ho.At(i, j), hp.At(i, j).Float32())
				}
			}
		}
		sums, err := r.sums.Download(s)
		if err != nil {
			t.Fatal(err)
		}
		return append(all, sums...)
	}
	w := read(want)
	for name, r := range map[string]result{"batch": batch, "gathered": gathered} {
		for i, x := range read(r) {
			if x != w[i] {
				t.Fatalf("%s: value %d is %v, want %v", name, i, x, w[i])
			}
		}
	}
	refused := func(why string, calls func(g *run.Gather) error) {
		t.Helper()
		var g run.Gather
		err := calls(&g)
		if err == nil {
			err = g.Launch()
		}
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("got %v, want something about %q", err, why)
		}
	}
	refused("without a call", func(*run.Gather) error { return nil })
	refused("does not lie as far", func(g *run.Gather) error {
		for _, z := range []int{0, 1, 1} {
			if err := call(want, run.Options{Gather: g}, z); err != nil {
				return err
			}
		}
		return nil
	})
	refused("overlap", func(g *run.Gather) error { // the output of all
		for range 2 {
			if err := call(want, run.Options{Gather: g}, 0); err != nil {
				return err
			}
		}
		return nil
	})
	refused("other scalars or options", func(g *run.Gather) error {
		if err := call(want, run.Options{Gather: g}, 0); err != nil {
			return err
		}
		return call(want, run.Options{Gather: g, Kernel: fused().Targets[0].Kernels[0].Name}, 1)
	})
}
