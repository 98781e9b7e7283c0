package lower

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// lookup finds the kernels that a driver would take for p.
func lookup(t *testing.T, p format.Packed[float64]) Nest {
	t.Helper()
	for _, general := range []bool{false, true} {
		for _, n := range formats() {
			if general {
				for k := range n.Axes {
					n.Axes[k].Size = 0
				}
			}
			axes := p.Format().Axes
			if general {
				axes = append([]format.Axis(nil), axes...)
				for k := range axes {
					axes[k].Size = 0
				}
			}
			if format.Loops(axes, n.Masked, p.Arrays().Order != nil) == format.Loops(n.Axes, n.Masked, n.Ordered) {
				return n
			}
		}
	}
	t.Fatalf("no kernels for %s: %s", p.Format(), p.Loops())
	return Nest{}
}

// Kernels made from the axes of a format give what its Walk says, and the
// interpreter sees every access: memories are exactly as long as the arrays.
func TestNest(t *testing.T) {
	pointers, indices, values := testMatrix()
	general, err := sparse.FromCSR(len(testRows), testCols, pointers, indices, values)
	if err != nil {
		t.Fatal(err)
	}
	b := sparse.NewBuilder[float64](6, 6)
	for i := range 6 {
		for j := range i + i%2 { // the first row is empty, rows begin at column 0
			b.Add(i, j, float64(i-j)+.25)
		}
	}
	triangle, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	for at, c := range []struct {
		f format.Format
		m sparse.Matrix[float64]
	}{
		{format.CSC, general}, {format.COO, general}, {format.DCSR, general}, {format.ELL(6), general}, {format.SELL(4, 1), general},
		{format.SELL(2, 8), general}, {format.DIA, general}, {format.SRBCRS(4, 2), general}, {format.SRBCRS(1, 8), general},
		{format.Dense, general}, {format.Ragged, triangle},
	} {
		p, err := format.Pack(c.m, c.f)
		if err != nil {
			t.Fatal(err)
		}
		for i, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
			for _, e := range []emit.Elem{emit.F32, emit.F64} {
				if shortOmits(at + i + e.Bytes()/4) {
					continue
				}
				n := lookup(t, p)
				n.Op, n.Vectors = NewSum(e), 2
				fs, k, err := n.Lower(target)
				if err != nil {
					t.Fatal(err)
				}
				for _, at := range k.Entries {
					last := k.VL
					if at.Form == kernel.Tail {
						last /= 2
					}
					for _, mode := range []int64{kernel.ModeStore, kernel.ModeScale, kernel.ModeUpdate} {
						if err := interpret(named(fs)[at.F], e, p, (at.NV-1)*k.VL+last, last, mode, arithmetic{}); err != nil {
							t.Errorf("%s, %s, mode %d: %v", at.F, c.f, mode, err)
						}
					}
				}
			}
		}
	}
}

// arithmetic is what entries become if they are not multiplied and added.
type arithmetic struct {
	zero        float64
	plus, times func(x, y float64) float64
	pattern     bool // their values are not read
}

// TestNestSemirings: the same kernels in every format are those of a semiring, or of a
// pattern, and padding is nothing to them: min-plus would take a 0 for a way without a cost.
func TestNestSemirings(t *testing.T) {
	pointers, indices, values := testMatrix()
	m, err := sparse.FromCSR(len(testRows), testCols, pointers, indices, values)
	if err != nil {
		t.Fatal(err)
	}
	m = m.Canonical()
	rings := []semiring.Semiring[float64]{semiring.MinPlus[float64](), semiring.MaxTimes[float64](), semiring.PlusTimes[float64]()}
	for at, f := range []format.Format{
		format.CSC, format.COO, format.DCSR, format.ELL(6), format.DELL(4), format.SELL(2, 8), format.DIA, format.SRBCRS(4, 2), format.Dense, format.BSR(2), format.DBSR(4),
	} {
		p, err := format.Pack(m, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
			for i, ring := range rings {
				if shortOmits(at + i) {
					continue
				}
				for _, pattern := range []bool{false, true} {
					n := Nest{Name: "nest", Axes: f.Axes, Masked: f.Masks(), Ordered: f.Ordered, Pattern: pattern, Op: gemm.OverParts(ring.Parts()), Vectors: 1}
					fs, _, err := n.Lower(target)
					if err != nil {
						t.Fatal(err)
					}
					how := arithmetic{ring.Zero, ring.Plus, ring.Times, pattern}
					modes := []int64{kernel.ModeStore, kernel.ModeUpdate}
					if ring.Parts().Sums() {
						how.plus, modes = nil, append(modes, kernel.ModeScale)
					}
					for i, k := range fs {
						for _, mode := range modes {
							cols := target.Lanes(emit.F64) - i
							if err := interpret(k, emit.F64, p, cols, cols, mode, how); err != nil {
								t.Errorf("%s, %s, %s, pattern %v, mode %d: %v", k.Name, f, ring.Name, pattern, mode, err)
							}
						}
					}
				}
			}
		}
	}
}

// interpret runs a kernel over all of p with cols columns, last of them in the last
// vector, and compares C.
func interpret(f *emit.Func, e emit.Elem, p format.Packed[float64], cols, last int, mode int64, how arithmetic) error {
	a, raw := p.Arrays(), p.Raw()
	m, k := p.Dims()
	words := map[string]emit.Word{}
	ints := func(name string, s []int32) {
		mem := emit.MemoryOf(name, emit.Generic, s)
		mem.ReadOnly = true
		words[name] = emit.PtrTo(mem, 0)
	}
	for l, level := range a.Levels {
		ints(fmt.Sprintf("pointers%d", l), level.Pointers)
		ints(fmt.Sprintf("indices%d", l), level.Indices)
		words[fmt.Sprintf("size%d", l)] = emit.IntWord(int64(level.Size))
	}
	for l := range a.Levels {
		if level := p.RawLevel(l); level.Name == "j" {
			words["ahead"], words["last"] = emit.IntWord(5), emit.IntWord(int64(level.Positions-1))
		}
	}
	ints("map", a.Order)
	mask := a.Mask
	if mask == nil {
		mask = make([]uint64, (raw.Slots+63)/64)
		for i := range mask {
			mask[i] = ^uint64(0)
		}
	}
	words["mask"] = emit.PtrTo(emit.MemoryOf("mask", emit.Generic, mask), 0)
	if !how.pattern {
		words["values"] = emit.PtrTo(memory("values", e, p.Values()), 0)
	}

	used := make([]bool, k)
	for x := range p.All() {
		used[x.J] = true
	}
	var bs []float64
	for j := range k {
		for c := range cols {
			x := dense(max(j, 1), c)
			if !used[j] {
				x = dense(0, c) // poison
			}
			bs = append(bs, x)
		}
	}
	old := func(i, j int) float64 { return float64((i+3*j)%7 - 3) }
	var cs []float64
	gap := cols + 1
	for i := range m {
		for j := range gap {
			cs = append(cs, old(i, j))
		}
	}
	out := memory("C", e, cs)
	out.ReadOnly = false
	word := func(x float64) emit.Word { return emit.Word{Lane: []uint64{e.Encode(x)}} }
	size := int64(cols * e.Bytes())
	words["b"], words["c"] = emit.PtrTo(memory("B", e, bs), 0), emit.PtrTo(out, 0)
	words["ldb"], words["ldc"], words["n"] = emit.IntWord(size), emit.IntWord(int64(gap*e.Bytes())), emit.IntWord(int64(last))
	words["rows"], words["limit"], words["mode"] = emit.IntWord(int64(m)), emit.IntWord(int64(k)), emit.IntWord(mode)
	outer, adds := outermost(p)
	beta := 3.0
	if adds > 0 && p.Format().Name != "dcsr" { // what the driver says
		beta = 1
	}
	words["alpha"], words["beta"] = word(2), word(beta)
	words["from"], words["to"] = emit.IntWord(0), emit.IntWord(int64(outer))
	if err := binder(kernel.Fields[kernel.SparseArgs](), words).Run(f); err != nil {
		return err
	}
	factor := 2.0
	if mode == kernel.ModeStore && adds < 2 {
		factor = 1
	}
	want, met := make([]float64, len(cs)), make([]bool, m)
	for x, v := range p.All() {
		if how.pattern {
			v = 1
		}
		for j := range cols {
			w, y := &want[x.I*gap+j], bs[x.J*cols+j]
			switch {
			case how.plus == nil:
				*w += factor * v * y
			default:
				if !met[x.I] {
					*w = how.zero
				}
				if !how.pattern {
					y = how.times(v, y)
				}
				*w = how.plus(*w, y)
			}
		}
		met[x.I] = true
	}
	for i := range want {
		if how.plus != nil && !met[i/gap] {
			want[i] = how.zero
		}
	}
	if l := p.RawLevel(0); l.Name == "io" && l.Sparse { // a block stores all of its rows
		for _, io := range a.Levels[0].Indices {
			for r := int(io) * a.Levels[2].Size; r < min(m, int(io+1)*a.Levels[2].Size); r++ {
				met[r] = true
			}
		}
	}
	for i := range want {
		switch row := i / gap; {
		case i%gap == cols, adds == 1 && !met[row]:
			want[i] = cs[i]
		case (mode == kernel.ModeUpdate || adds == 2) && how.plus != nil:
			want[i] = how.plus(cs[i], want[i])
		case mode == kernel.ModeUpdate || adds == 2:
			want[i] += beta * cs[i]
		}
		again := adds == 1 && p.Repeats() // rows come again, and are only ever added to
		if got := decode(out, e, i); got != want[i] && !(again && mode != kernel.ModeUpdate) {
			return fmt.Errorf("C[%d, %d] is %v, want %v", i/gap, i%gap, got, want[i])
		}
	}
	return nil
}

// outermost returns how often the outermost loop runs, and whether it stores rows
// once (0), once for each of several parts of it (1), or adds to C whatever the mode
// (2).
func outermost(p format.Packed[float64]) (n, adds int) {
	for k, ax := range p.Format().Axes {
		switch l := p.RawLevel(k); {
		case ax.Name != "i" && ax.Name != "io":
		case k == 0 && ax.Sparse:
			return l.Positions, 1
		case ax.Variable:
			return p.RawLevel(0).Size, 2
		default:
			return l.Size, 0
		}
	}
	return 0, 0
}
