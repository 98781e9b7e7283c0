package run_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// mixed has an operand of every pattern and a further output.
func mixed(acc, row, col float32, full dtype.BF16, one float32) (float32, dtype.BF16) {
	x := acc*row + col
	return x + full.Float32()*one, dtype.ToBF16(x)
}

func mixedIR(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
	acc, row, col, full, one := op.Args[0], op.Args[1], op.Args[2], op.Args[3], op.Args[4]
	x := b.Add(b.Mul(acc, row), col)
	return []*emit.Value{b.Add(x, b.Mul(b.Cvt(emit.F32, "rne", full), one)), b.Cvt(emit.BF16, "rne", x)}, nil
}

var fused = cached(gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Fused",
	GPU: tiling.GPU{BM: 32, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 3},
	Epilogue: gemm.Fuse[float32, float32](mixed, []gemm.Output{gemm.Also[dtype.BF16]("pre")}, gemm.PerRow[float32]("scale").In(),
		gemm.PerColumn[float32]("bias").In(), gemm.Full[dtype.BF16]("residual").In(), gemm.Scalar[float32]("gain").In()).RowSum("sums")}, mixedIR)

// FusedBatched is what generated code looks like for a batch.
func FusedBatched(s cuda.Stream, out run.Batch[float32], pre run.Batch[dtype.BF16], sums cuda.Slice[float32], a, b run.Batch[dtype.BF16], scale, bias cuda.Slice[float32], residual run.Batch[dtype.BF16], gain float32) error {
	c := run.Begin(fused(), s, run.Options{})
	run.OutBatch(c, out)
	run.OutBatch(c, pre)
	run.Reduced(c, sums)
	run.ABatch(c, a)
	run.BBatch(c, b)
	run.PerRow(c, scale)
	run.PerColumn(c, bias)
	run.FullBatch(c, residual)
	run.One(c, gain)
	return c.Launch()
}

// stack makes a batch whose matrices lie one after the other, by way of one matrix.
func stack[T dtype.Elem](t testing.TB, s cuda.Stream, count, rows, cols, pad int, f func(z, i, j int) T) run.Batch[T] {
	t.Helper()
	m := upload(t, s, count*rows, cols, false, pad, func(i, j int) T { return f(i/rows, i%rows, j) })
	first := m
	first.Rows = rows
	return run.Batch[T]{Matrix: first, Count: count, Stride: rows * m.RowStride}
}

func (c product) at(z, i, j int) (x float32) {
	for l := range c.k {
		x += small(1+z, i, l) * small(2, l, j)
	}
	return x
}

// TestEmulatedBatch: three products, one b for all of them, vectors for all and for
// each.
func TestEmulatedBatch(t *testing.T) {
	type bf = dtype.BF16
	const count = 3
	d, s := emulator(t, emu.Options{})
	for i, c := range []product{{m: 33, n: 70, k: 40, pad: 8}, {m: 5, n: 6, k: 7, pad: 1}} {
		to := func(x float32) bf { return dtype.ToBF16(x) }
		a := stack(t, s, count, c.m, c.k, c.pad, func(z, i, j int) bf { return to(small(1+z, i, j)) })
		b := run.Batch[bf]{Matrix: upload(t, s, c.k, c.n, false, c.pad, func(i, j int) bf { return to(small(2, i, j)) })}
		residual := stack(t, s, count, c.m, c.n, c.pad, func(z, i, j int) bf { return to(small(3+z, i, j)) })
		out := stack(t, s, count, c.m, c.n, c.pad, func(z, i, j int) float32 { return 0 })
		pre := stack(t, s, count, c.m, c.n, c.pad, func(z, i, j int) bf { return to(0) })
		scale := slice[float32](t, d, count*c.m)
		host := make([]float32, count*c.m)
		for i := range host {
			host[i] = float32(1 + (i/c.m+i%c.m)%3)
		}
		if err := scale.Write(s, host); err != nil {
			t.Fatal(err)
		}
		bias := upload(t, s, 1, c.n, false, 0, func(_, j int) float32 { return float32(j % 5) }).Data.Slice(0, c.n)
		sums := slice[float32](t, d, count*c.m)
		if i == 1 {
			pre = residual // in place
		}
		if err := FusedBatched(s, out, pre, sums, a, b, scale, bias, residual, 2); err != nil {
			t.Fatal(err)
		}
		have := func(b run.Batch[float32]) func(z, i, j int) float32 {
			all := b.Matrix
			all.Rows *= count
			x := download(t, s, all)
			return func(z, i, j int) float32 { return x.At(z*c.m+i, j) }
		}(out)
		total, err := sums.Download(s)
		if err != nil {
			t.Fatal(err)
		}
		for z := range count {
			for i := range c.m {
				var sum float32
				for j := range c.n {
					want := c.at(z, i, j)*float32(1+(z+i)%3) + float32(j%5) + 2*small(3+z, i, j)
					if x := have(z, i, j); x != want {
						t.Fatalf("%+v: out[%d][%d, %d] = %g, want %g", c, z, i, j, x, want)
					}
					sum += want
				}
				if x := total[z*c.m+i]; x != sum {
					t.Fatalf("%+v: sums[%d][%d] = %g, want %g", c, z, i, x, sum)
				}
			}
		}
	}
}

// TestBatch: batches that do not fit together, and one that takes two launches.
func TestBatch(t *testing.T) {
	type bf = dtype.BF16
	d, s := device(t)
	call := func(out, a, b run.Batch[bf]) error {
		c := run.Begin(matMulBF16(), s, run.Options{})
		run.OutBatch(c, out)
		run.ABatch(c, a)
		run.BBatch(c, b)
		return c.Launch()
	}
	batch := func(count, stride, rows int) run.Batch[bf] {
		m := matrix[bf](t, d, rows, 8, 8)
		m.Rows = 8
		return run.Batch[bf]{Matrix: m, Count: count, Stride: stride}
	}
	for want, err := range map[string]error{
		"a: is a batch of 2, out is one of 3":           call(batch(3, 64, 24), batch(2, 64, 24), batch(3, 64, 24)),
		"b: 128 elements do not hold 3 products 64":     call(batch(3, 64, 24), batch(3, 64, 24), batch(3, 64, 16)),
		"out: products 32 elements apart overlap":       call(batch(3, 32, 24), batch(3, 64, 24), batch(3, 64, 24)),
		"a: the stride -1 between products must not be": call(batch(3, 64, 24), batch(3, -1, 24), batch(3, 64, 24)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// One matrix for all products is repeated, whatever its Stride says.
	d.launches = nil
	if err := call(batch(3, 64, 24), batch(3, 64, 24), batch(0, 64, 8)); err != nil {
		t.Fatal(err)
	}
	if x := binary.LittleEndian.Uint64(d.launches[0].params[param.BsB:]); x != 0 {
		t.Errorf("b is one matrix, and products are %d bytes apart in it", x)
	}
	d.launches = nil
	const count = 65535 + 10
	if err := call(batch(count, 64, 8*count), batch(count, 64, 8*count), batch(count, 0, 8)); err != nil {
		t.Fatal(err)
	}
	if n := len(d.launches); n != 2 || d.launches[0].grid.Blocks[2] != 65535 || d.launches[1].grid.Blocks[2] != 10 {
		t.Fatalf("%d launches: %+v", n, d.launches)
	}
	field := func(i, at int) uint64 { return binary.LittleEndian.Uint64(d.launches[i].params[at:]) }
	if step := field(1, param.A) - field(0, param.A); step != 65535*128 {
		t.Errorf("the second launch begins %d bytes on in a, want %d", step, 65535*128)
	}
	if field(1, param.B) != field(0, param.B) {
		t.Error("b is repeated, but moves on")
	}
}

// fusedOn calls [FusedBatched] for count products of 8 x 8 on a fake device; pre is
// a batch of pres matrices.
func fusedOn(t *testing.T, d *fake, s cuda.Stream, count, pres int) error {
	batch := func(n int) run.Batch[dtype.BF16] {
		m := matrix[dtype.BF16](t, d, 8*max(n, 1), 8, 8)
		m.Rows = 8
		return run.Batch[dtype.BF16]{Matrix: m, Count: n, Stride: 64}
	}
	out := matrix[float32](t, d, 8*count, 8, 8)
	out.Rows = 8
	return FusedBatched(s, run.Batch[float32]{Matrix: out, Count: count, Stride: 64}, batch(pres), slice[float32](t, d, 8*count),
		batch(count), batch(count), slice[float32](t, d, 8), slice[float32](t, d, 8), batch(count), 1)
}

// TestOutputOfBatch: what is written needs a place for every product.
func TestOutputOfBatch(t *testing.T) {
	d, s := device(t)
	if err := fusedOn(t, d, s, 3, 3); err != nil {
		t.Fatal(err)
	}
	const want = "pre: is one matrix, out is a batch of 3"
	if err := fusedOn(t, d, s, 3, 0); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	if err := fusedOn(t, d, s, 1, 0); err != nil {
		t.Error(err)
	}
}

// TestWorkspaceOfClosedStreams: a program that makes a stream for each piece of work
// does not fill the device with workspaces.
func TestWorkspaceOfClosedStreams(t *testing.T) {
	d, kept := device(t)
	if err := fusedOn(t, d, kept, 1, 1); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		s, _ := d.NewStream()
		if err := fusedOn(t, d, s, 1, 1); err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	if d.freed != 4 { // the last is found when the next stream comes
		t.Errorf("%d workspaces of 5 closed streams were freed, want 4", d.freed)
	}
}
