package gpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

func scaleAdd(acc float32, row dtype.F16, col, full, one float32) (float32, dtype.BF16) {
	x := acc*row.Float32() + col
	return x + full*one, dtype.ToBF16(x)
}

// fused is an epilogue with every pattern of operands, a further output and one
// reduction of each kind.
var fused = gemm.Fuse[float32, float32](scaleAdd, []gemm.Output{gemm.Also[dtype.BF16]("pre")},
	gemm.PerRow[dtype.F16]("scale").In(), gemm.PerColumn[float32]("bias").In(), gemm.Full[float32]("residual").In(), gemm.Scalar[float32]("gain").In()).
	RowSum("rowsum").RowMax("rowmax").ColSum("colsum").ColMax("colmax").RowMin("rowmin").ColSumSquares("squares")

// indices reduces to indices.
var indices = gemm.Map1(func(x float32) float32 { return x }).RowArgMax("at").RowArgMin("least").RowMax("peak")

// TestEpilogue holds what the kernels store, and the partial results, against a
// plain loop.
func TestEpilogue(t *testing.T) {
	m := lower(t, gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Fused", Epilogue: fused, GPU: oneWarp})
	scale := func(_, i, _ int) float64 { return float64(i%3 - 1) }
	bias := func(_, _, j int) float64 { return float64(j % 5) }
	gain := func(_, _, _ int) float64 { return 2 }
	for i, k := range []Kernel{kernelFor(m, 16, true, false), kernelFor(m, 0, false, false)} {
		c := call{m: 35, n: 68, k: 20, batch: 2, unit: 8, pad: 1, seed: uint64(i), cT: !k.Wide}
		c.aT, c.bT = !k.A.KMajor, k.B.KMajor
		c.operands = map[int]func(z, i, j int) float64{2: scale, 3: bias, 4: small(3), 5: gain}
		slots, err := c.run(m, k)
		if err != nil {
			t.Fatalf("%s: %v", k.Func.Name, err)
		}
		pre := func(z, i, j int) float64 { return c.sum(z, i, j)*scale(z, i, j) + bias(z, i, j) }
		out := func(z, i, j int) float64 { return pre(z, i, j) + 2*small(3)(z, i, j) }
		if err := c.against(slots[0], out); err != nil {
			t.Errorf("%s: %v", k.Func.Name, err)
		}
		if err := c.against(slots[1], pre); err != nil {
			t.Errorf("%s: pre: %v", k.Func.Name, err)
		}
		c.reductions(t, m, k, slots, out)
	}
}

// TestIndices is about reductions to indices; many results are equal.
func TestIndices(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("makes kernels with reductions to indices")
	}
	m := lower(t, gemm.Spec[float32, float32, float32, float32]{Name: "Indices", Epilogue: indices, GPU: oneWarp})
	k := kernelFor(m, 16, false, false)
	c := call{m: 33, n: 70, k: 3, batch: 2, unit: 8, aT: true}
	slots, err := c.run(m, k)
	if err != nil {
		t.Fatal(err)
	}
	c.reductions(t, m, k, slots, c.sum)
}

// reductions checks all reductions.
func (c call) reductions(t *testing.T, m *Module, k Kernel, slots []matrix, out func(z, i, j int) float64) {
	t.Helper()
	for s, slot := range m.Slots {
		if slot.Kind != PartialSlot {
			continue
		}
		r := m.Fusion.Reduces[slot.Reduce]
		if err := c.partials(m, r, slots[s:], out); err != nil {
			t.Errorf("%s: %s: %v", k.Func.Name, r.Name, err)
		}
		if err := c.joined(m, slot.Reduce, slots[s:], out); err != nil {
			t.Errorf("%s: %s: %v", k.Func.Name, r.Name, err)
		}
	}
}

// reduced is what r makes of results lo <= x < hi along a row or column.
func reduced(r gemm.Reduce, lo, hi int, f func(x int) float64) (v float64, at int) {
	v, at = r.Op.Identity(), math.MaxInt32
	for x := lo; x < hi; x++ {
		y := f(x)
		switch {
		case r.Op == gemm.Sum:
			v += y
		case r.Op == gemm.SumSquares:
			v += y * y
		case r.Op == gemm.Max:
			v = max(v, y)
		case r.Op == gemm.Min:
			v = min(v, y)
		case at == math.MaxInt32, r.Op == gemm.ArgMax && y > v, r.Op == gemm.ArgMin && y < v:
			v, at = y, x
		}
	}
	return v, at
}

// partials checks what the tiles left of reduction r in slots.
func (c call) partials(m *Module, r gemm.Reduce, slots []matrix, out func(z, i, j int) float64) error {
	tile, along, across := m.Kernels[0].Tile.BN, c.n, c.m
	if r.Col {
		tile, along, across = m.Kernels[0].Tile.BM, c.m, c.n
	}
	for z := range c.batch {
		for part := 0; part*tile < along; part++ {
			for i := range across {
				want, at := reduced(r, part*tile, min((part+1)*tile, along), c.lineOf(r, z, i, out))
				have, err := slots[0].get(z, part, i)
				if err == nil && have != want {
					err = fmt.Errorf("value %d of tile %d, batch %d is %g, want %g", i, part, z, have, want)
				}
				if err == nil && r.Op.Arg() {
					have, err = slots[1].get(z, part, i)
					if err == nil && int(have) != at {
						err = fmt.Errorf("index %d of tile %d, batch %d is %g, want %d", i, part, z, have, at)
					}
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c call) lineOf(r gemm.Reduce, z, i int, out func(z, i, j int) float64) func(x int) float64 {
	return func(x int) float64 {
		if r.Col {
			return out(z, x, i)
		}
		return out(z, i, x)
	}
}

// joined runs the kernel that joins the partial results.
func (c call) joined(m *Module, reduce int, slots []matrix, out func(z, i, j int) float64) error {
	r := m.Fusion.Reduces[reduce]
	tile, along, across := m.Kernels[0].Tile.BN, c.n, c.m
	if r.Col {
		tile, along, across = m.Kernels[0].Tile.BM, c.m, c.n
	}
	result := emit.NewMemory("result", emit.Global, 4*across*c.batch)
	for z := range c.batch {
		mach := &emit.Machine{Threads: 128, SRegs: func(name string, thread int) uint64 {
			return map[string]uint64{"tid.x": uint64(thread), "ctaid.x": 0, "ctaid.z": uint64(z)}[name]
		}}
		mach.Bind("values", emit.PtrTo(slots[0].mem, 0))
		mach.Bind("indices", emit.Word{Lane: []uint64{0}})
		if r.Op.Arg() {
			mach.Bind("indices", emit.PtrTo(slots[1].mem, 0))
		}
		mach.Bind("out", emit.PtrTo(result, 0))
		for name, v := range map[string]int{"count": across, "parts": (along + tile - 1) / tile, "stride": 4 * across, "batch": slots[0].bs, "outbatch": 4 * across} {
			mach.Bind(name, emit.IntWord(int64(v)))
		}
		if err := mach.Run(m.Joins[reduce]); err != nil {
			return err
		}
	}
	for z := range c.batch {
		for i := range across {
			want, at := reduced(r, 0, along, c.lineOf(r, z, i, out))
			e := emit.F32
			if r.Op.Arg() {
				want, e = float64(at), emit.I32
			}
			g := matrix{mem: result, e: e, cs: 4, bs: 4 * across}
			if have, err := g.get(z, 0, i); err != nil || have != want {
				return fmt.Errorf("result %d of batch %d is %g, want %g (%v)", i, z, have, want, err)
			}
		}
	}
	return nil
}

// TestScale: out is read if and only if beta is not 0.
func TestScale(t *testing.T) {
	old := small(7)
	specs := []spec{
		gemm.Spec[float32, float32, float32, float32]{Name: "Product", GPU: oneWarp},
		gemm.Spec[dtype.F16, dtype.F16, float32, dtype.F16]{Name: "Product", GPU: oneWarp},
	}
	for _, s := range specs[:level.Of(1, 2, 2)] {
		m := lower(t, s)
		ks := []Kernel{kernelFor(m, 16, true, true), kernelFor(m, 0, false, false)}
		for _, k := range ks[:level.Of(1, 2, 2)] {
			c := call{m: 33, n: 27, k: 9, unit: 8, alpha: 2, beta: 3}
			c.aT, c.bT = !k.A.KMajor, k.B.KMajor
			c.operands = map[int]func(z, i, j int) float64{0: old}
			slots, err := c.run(m, k)
			if err == nil {
				err = c.against(slots[0], func(z, i, j int) float64 { return 2*c.sum(z, i, j) + 3*old(z, i, j) })
			}
			if err != nil {
				t.Errorf("%s: %v", k.Func.Name, err)
			}
			c.operands, c.beta = nil, 0 // reading it would be an error
			if slots, err = c.run(m, k); err == nil {
				err = c.against(slots[0], func(z, i, j int) float64 { return 2 * c.sum(z, i, j) })
			}
			if err != nil {
				t.Errorf("%s, beta 0: %v", k.Func.Name, err)
			}
		}
	}
}

func toInt8(x float32) int8 { return int8(max(-128, min(127, x))) }

func toF64(x float32, by dtype.BF16) float64 { return float64(x) * float64(by.Float32()) }

// TestOutTypes: the narrowest results, 16 columns a thread, and the widest, 2.
func TestOutTypes(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("makes kernels of two more types")
	}
	by := func(_, _, _ int) float64 { return 3 }
	for _, s := range []struct {
		spec spec
		want func(x float64) float64
	}{
		{gemm.Spec[dtype.BF16, dtype.BF16, float32, int8]{Name: "Narrow", Epilogue: gemm.Map1(toInt8), GPU: oneWarp}, func(x float64) float64 { return max(-128, min(127, x)) }},
		{gemm.Spec[float32, float32, float32, float64]{Name: "Wide", Epilogue: gemm.Map2(toF64, gemm.Scalar[dtype.BF16]("by")), GPU: oneWarp}, func(x float64) float64 { return 3 * x }},
	} {
		m := lower(t, s.spec)
		for _, k := range []Kernel{kernelFor(m, 16, true, true), kernelFor(m, 0, false, false)} {
			c := call{m: 33, n: 45, k: 30, unit: 16, bT: k.B.KMajor, operands: map[int]func(z, i, j int) float64{1: by}}
			slots, err := c.run(m, k)
			if err == nil {
				err = c.against(slots[0], func(z, i, j int) float64 { return s.want(c.sum(z, i, j)) })
			}
			if err != nil {
				t.Errorf("%s: %v", k.Func.Name, err)
			}
		}
	}
}
