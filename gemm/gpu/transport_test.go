package gpu

import (
	"encoding/binary"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// elements is what transports of tests have in common. They load and store one element after the other. step is
// the step of K that arrives next, or that is fetched next, from the first of the piece.
type elements struct {
	piece
	tile     tiling.GPU
	operands []source
	bytes    int // of a stage
	step     *emit.Value
}

func openElements(b *emit.Builder, p piece, t tiling.GPU, operands iter.Seq[source]) elements {
	e := elements{piece: p, tile: t, operands: slices.Collect(operands), step: b.Int(0)}
	for _, s := range e.operands {
		e.bytes += s.tile.bytes()
	}
	return e
}

// stage is where a step's tiles are, of n stages.
func (e *elements) stage(b *emit.Builder, step *emit.Value, n int) *emit.Value {
	return b.Mul(remainder(b, step, n), b.Int(int64(e.bytes)))
}

func remainder(b *emit.Builder, x *emit.Value, n int) *emit.Value {
	return b.Sub(x, b.Mul(b.UDiv(x, b.Int(int64(n))), b.Int(int64(n))))
}

func (e *elements) turns(b *emit.Builder, carried []*emit.Value, turn func(carried []*emit.Value, stage *emit.Value) []*emit.Value, stages int) []*emit.Value {
	before := e.step
	defer func() { e.step = before }()
	return b.For(b.Int(0), b.Sub(e.last, e.first), 1, carried, func(i *emit.Value, v []*emit.Value) []*emit.Value {
		e.step = b.Add(i, b.Int(1))
		return turn(v, e.stage(b, i, stages))
	})
}

// copy copies the tiles of the step to a stage, by so many threads.
func (e *elements) copy(b *emit.Builder, stage, thread *emit.Value, threads int) {
	for _, s := range e.operands {
		t, k0 := s.tile, times(b, b.Add(e.first, e.step), e.tile.BK)
		if s.shift > 0 {
			k0 = b.Shr(k0, b.Int(int64(s.shift)))
		}
		along := func(row *emit.Value) *emit.Value {
			if row == nil {
				return b.Int(int64(t.size))
			}
			return row
		}
		to, elem := b.AddPAligned(b.Shared(int64(s.region), t.size), stage, t.size), emit.Scalar(s.e)
		b.For(thread, b.Int(int64(t.mn*t.k)), int64(threads), nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
			mn, k := split(b, i, t.k)
			at := b.AddPAligned(s.base, b.Mul(b.IMin(b.Add(s.mn0, mn), b.Sub(s.mn, b.Int(1))), along(s.mnRow)), t.size)
			kk := b.Add(k0, k)
			x := b.If(b.Cmp("lt", kk, s.k), func() []*emit.Value {
				return []*emit.Value{b.Load(elem, emit.At(b.AddPAligned(at, b.Mul(kk, along(s.kRow)), t.size), 0))}
			}, func() []*emit.Value { return []*emit.Value{b.Const(elem, s.pad)} })[0]
			b.Store(x, emit.At(b.AddPAligned(to, s.tile.value(b, mn, k), t.size), 0))
			return nil
		})
	}
}

// direct is a transport of which nothing is asynchronous. A turn copies the tiles of the next one, to the other of
// two stages.
type direct struct{}

type directCopies struct{ elements }

func (direct) producers() int { return 0 }
func (direct) shared(int) int { return 0 }

func (direct) open(b *emit.Builder, p piece, t tiling.GPU, operands iter.Seq[source]) pipeline {
	d := &directCopies{openElements(b, p, t, operands)}
	d.fetch(b)
	return d
}

func (d *directCopies) fetch(b *emit.Builder) {
	s := d.operands[0]
	d.copy(b, d.stage(b, d.step, 2), s.tid, s.threads)
}

func (d *directCopies) arrive(b *emit.Builder) *emit.Value {
	b.Inst(inst.BarSync, 0)
	return d.stage(b, d.step, 2)
}

func (d *directCopies) release(*emit.Builder) {}

func (d *directCopies) turns(b *emit.Builder, carried []*emit.Value, turn func(carried []*emit.Value, stage *emit.Value) []*emit.Value) []*emit.Value {
	return d.elements.turns(b, carried, turn, 2)
}

// byWarp is a transport with a warp that produces, and two barriers a stage: one that is full, and one that is
// empty. The first stages are empty from the beginning, all but one: the turn that reads the first
// releases the last.
type byWarp struct{}

type warpCopies struct {
	elements
	thread *emit.Value
}

func (byWarp) producers() int        { return 1 }
func (byWarp) shared(stages int) int { return 16 * stages }

func (byWarp) open(b *emit.Builder, p piece, t tiling.GPU, operands iter.Seq[source]) pipeline {
	w := &warpCopies{elements: openElements(b, p, t, operands)}
	w.thread = w.operands[0].tid
	b.If(b.Cmp("eq", w.thread, b.Int(0)), func() []*emit.Value {
		for s := range t.Stages {
			b.Inst(inst.MbarrierInit, 0, w.barrier(b, b.Int(int64(s)), 0), int32Of(b, 32))
			b.Inst(inst.MbarrierInit, 0, w.barrier(b, b.Int(int64(s)), 1), int32Of(b, t.Threads()))
		}
		return nil
	}, nil)
	b.Inst(inst.BarSync, 0)
	return w
}

// barrier is that of a step's stage: 0 is full, 1 is empty.
func (w *warpCopies) barrier(b *emit.Builder, step *emit.Value, which int) *emit.Value {
	at := b.Add(b.Mul(remainder(b, step, w.tile.Stages), b.Int(8)), b.Int(int64(w.tile.Stages*(w.bytes+8*which))))
	return b.AddPAligned(b.Shared(0, 8), at, 8)
}

// wait waits for the phase of a barrier: the one with the parity of n passes over all stages.
func (w *warpCopies) wait(b *emit.Builder, barrier, n *emit.Value, other int64) {
	parity := b.And(b.Add(b.UDiv(n, b.Int(int64(w.tile.Stages))), b.Int(other)), b.Int(1))
	b.While(nil, func([]*emit.Value) (*emit.Value, []*emit.Value) {
		return b.Not(b.Inst(inst.MbarrierTryWait, 0, barrier, b.Trunc(emit.I32, parity))[0]), nil
	}, func([]*emit.Value) []*emit.Value { return nil })
}

func (w *warpCopies) fetch(b *emit.Builder) {
	w.wait(b, w.barrier(b, w.step, 1), b.Add(w.step, b.Int(1)), 1)
	w.copy(b, w.stage(b, w.step, w.tile.Stages), b.And(w.thread, b.Int(31)), 32)
	b.Inst(inst.MbarrierArrive, 0, w.barrier(b, w.step, 0))
}

func (w *warpCopies) arrive(b *emit.Builder) *emit.Value {
	w.wait(b, w.barrier(b, w.step, 0), w.step, 0)
	return w.stage(b, w.step, w.tile.Stages)
}

func (w *warpCopies) release(b *emit.Builder) {
	b.Inst(inst.MbarrierArrive, 0, w.barrier(b, b.Add(w.step, b.Int(int64(w.tile.Stages-2))), 1))
}

func (w *warpCopies) turns(b *emit.Builder, carried []*emit.Value, turn func(carried []*emit.Value, stage *emit.Value) []*emit.Value) []*emit.Value {
	return w.elements.turns(b, carried, turn, w.tile.Stages)
}

// by returns k with another transport.
func (k Kernel) by(t *testing.T, m *Module, tr transport) Kernel {
	t.Helper()
	g := &lowering{op: m.Op.(operator), m: m, fusion: m.Fusion, tile: k.Tile, v: k, a: gemm.ElemOf(m.A), b: gemm.ElemOf(m.B), out: gemm.ElemOf(m.Out),
		schedule: wholeTiles{}, transport: tr}
	if k.Split {
		g.schedule = spans{}
	}
	f, err := g.kernel(k.Func.Name)
	if err != nil {
		t.Fatal(err)
	}
	k.Func = f
	return k
}

// TestTransports: kernels compute the same by every transport, whichever operator multiplies and wherever tiles end.
func TestTransports(t *testing.T) {
	shapes := []call{{m: 33, n: 41, k: 133}, {m: 32, n: 32, k: 32}, {m: 5, n: 3, k: 0}, {m: 40, n: 20, k: 65}}
	all := products(oneWarp)
	for i, name := range []string{"bf16", "maxplus", "i8", "f64", "tf32"} {
		if level.Of(i > 0, i > 1, false) {
			continue
		}
		m := lower(t, all[name])
		for j, tr := range []transport{direct{}, byWarp{}} {
			for n, k := range m.Kernels {
				if k.Split && tr.producers() > 0 || level.Of(n%5 != j, n%3 != j, false) {
					continue // the barriers of byWarp are for one piece
				}
				k = k.by(t, m, tr)
				for s, c := range shapes {
					c.alpha, c.aT, c.bT, c.seed, c.early, c.span = 1, !k.A.KMajor, k.B.KMajor, uint64(n), n%2 == 1, 2
					if k.Wide {
						c.unit = 16
					}
					if c.unit = max(c.unit, k.A.Unit/gemm.ElemOf(m.A).Bytes(), 1); s == n%4 || level.Long() {
						c.check(t, m, k)
					}
				}
			}
		}
	}
	third := gemm.Map1(func(x float32) float32 { return x / 4 }).RowSum("total")
	m := lower(t, gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Reduced", Epilogue: third, GPU: fourWarps})
	c := call{m: 70, n: 68, k: 97, unit: 8, bT: true}
	k := kernelFor(m, 16, true, true).by(t, m, byWarp{})
	slots, err := c.run(m, k)
	if err != nil {
		t.Fatal(err)
	}
	c.reductions(t, m, k, slots, func(z, i, j int) float64 { return c.sum(z, i, j) / 4 })
}

// TestTransportsEmulated: as PTX in the emulator, which knows when copies are done and who may read what, products
// have the same bits by every transport.
func TestTransportsEmulated(t *testing.T) {
	const rows, cols, depth = 70, 72, 104
	m := lower(t, gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Product", GPU: fourWarps})
	r := rand.New(level.PCG(38, 7))
	var operands [2][]byte
	for i, n := range []int{rows * depth, cols * depth} {
		for range n {
			operands[i] = binary.LittleEndian.AppendUint16(operands[i], uint16(emit.BF16.Encode(r.NormFloat64())))
		}
	}
	var want []byte
	for _, tr := range []transport{async{}, direct{}, byWarp{}} {
		k := kernelFor(m, 16, true, true).by(t, m, tr)
		if have := emulated(t, k, operands, rows, cols, depth); want == nil {
			want = have
		} else if !slices.Equal(have, want) {
			t.Errorf("%T: other results than by cp.async", tr)
		}
	}
}

// emulated multiplies rows of a by columns of b, contiguous along K, in the emulator.
func emulated(t *testing.T, k Kernel, operands [2][]byte, rows, cols, depth int) []byte {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	must(emit.Run(k.Func, ptx.Backend{}.Passes(ptx.SM90a), nil))
	must(ptx.Backend{}.Print(&text, ptx.SM90a, "", []*emit.Func{k.Func}))
	d, err := emu.Open(emu.Options{Seed: 3})
	must(err)
	defer d.Close()
	s, err := d.NewStream()
	must(err)
	memory := func(data []byte) cuda.Memory {
		m, err := d.Alloc(int64(len(data)))
		must(err)
		must(s.Write(m, 0, data))
		return m
	}
	a, b, out := memory(operands[0]), memory(operands[1]), memory(make([]byte, 4*rows*cols))
	block := make([]byte, kernel.GPUParamBytes(1, 4))
	put := func(at int, xs ...int) {
		for i, x := range xs {
			binary.LittleEndian.PutUint64(block[at+8*i:], uint64(x))
		}
	}
	put(kernel.GPUArgA, int(a.Address()), int(b.Address()), 2*depth, 2, 2, 2*depth, rows, cols, depth)
	put(kernel.GPUArgSlots, int(out.Address()), 4*cols, 4)
	tm, tn := (rows+k.Tile.BM-1)/k.Tile.BM, (cols+k.Tile.BN-1)/k.Tile.BN
	binary.LittleEndian.PutUint32(block[kernel.GPUArgTM:], uint32(tm))
	binary.LittleEndian.PutUint32(block[kernel.GPUArgTN:], uint32(tn))
	binary.LittleEndian.PutUint32(block[kernel.GPUArgAlpha:], math.Float32bits(1))
	module, err := d.Load(text.String())
	must(err)
	f, err := module.Function(k.Func.Name)
	must(err)
	must(f.Launch(s, cuda.Grid{Blocks: [3]int{tm * tn, 1, 1}, Threads: [3]int{k.Func.Threads, 1, 1}, Shared: k.Func.Shared}, block))
	must(s.Synchronize())
	have := make([]byte, 4*rows*cols)
	must(s.Read(have, out, 0))
	return have
}
