package gpu

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

var sm80 = emit.Target{Name: "sm_80", Arch: "ptx"}

// call is one launch in the interpreter. Numbers are small integers, for which
// every order of summation gives the same bits.
type call struct {
	m, n, k, batch int
	aT, bT, cT     bool // columns are contiguous
	pad            int  // units between rows
	off            int  // units before the first
	up             bool // the first row, or column, of an operand is the last in memory
	unit           int  // elements that rows begin at a multiple of; 0 is 1
	alpha, beta    float32
	seed           uint64
	early          bool
	span           int // steps of K of a CTA of kernels that split; 0 are those of a tile
	// operands and further outputs, by slot; what is missing is an output
	operands map[int]func(z, i, j int) float64
}

func (c call) String() string {
	return fmt.Sprintf("%dx%dx%d x%d aT=%v bT=%v pad=%d off=%d alpha=%g beta=%g seed=%d span=%d", c.m, c.n, c.k, c.batch, c.aT, c.bT, c.pad, c.off, c.alpha, c.beta, c.seed, c.span)
}

// matrix is one operand in the interpreter's memory.
type matrix struct {
	mem        *emit.Memory
	e          emit.Elem
	off        int // bytes
	rs, cs, bs int // bytes
}

func newMatrix(name string, e emit.Elem, batch, rows, cols int, trans bool, c call, f func(z, i, j int) float64) matrix {
	size, unit := e.Bytes(), max(c.unit, 1)
	m := matrix{e: e, off: c.off * unit * size}
	stride := func(n int) int { return (n+unit-1)/unit*unit + c.pad*unit }
	ld, lines := stride(cols), rows
	m.rs, m.cs = ld*size, size
	if trans {
		ld, lines = stride(rows), cols
		m.rs, m.cs = size, ld*size
	}
	m.bs = ld * lines * size
	m.mem = emit.NewMemory(name, emit.Global, m.off+batch*m.bs)
	if last := (lines - 1) * ld * size; c.up && f != nil && lines > 0 {
		m.off += last
		if trans {
			m.cs = -m.cs
		} else {
			m.rs = -m.rs
		}
	}
	if f != nil {
		for z := range batch {
			for i := range rows {
				for j := range cols {
					m.set(z, i, j, f(z, i, j))
				}
			}
		}
		m.mem.ReadOnly = true
	}
	return m
}

func (m matrix) at(z, i, j int) int64 { return int64(m.off + z*m.bs + i*m.rs + j*m.cs) }

func (m matrix) set(z, i, j int, x float64) {
	p := binary.LittleEndian.AppendUint64(nil, m.bits(x))
	if err := m.mem.Write(m.at(z, i, j), p[:m.e.Bytes()]); err != nil {
		panic(err)
	}
}

func (m matrix) bits(x float64) uint64 {
	if m.e.Int() {
		return uint64(int64(x))
	}
	return m.e.Encode(x)
}

func (m matrix) get(z, i, j int) (float64, error) {
	p, err := m.mem.Read(m.at(z, i, j), m.e.Bytes())
	if err != nil {
		return 0, err
	}
	var q [8]byte
	copy(q[:], p)
	x := binary.LittleEndian.Uint64(q[:])
	if m.e.Int() {
		shift := 64 - m.e.Bits()
		return float64(int64(x<<shift) >> shift), nil
	}
	return m.e.Decode(x), nil
}

func small(seed int) func(z, i, j int) float64 {
	return func(z, i, j int) float64 { return float64((i*7+j*3+z*5+i*j*seed+seed)%9 - 4) }
}

// matrices returns the operands of c.
func (c call) matrices(m *Module, k Kernel) (a, b matrix, slots []matrix) {
	batch := max(c.batch, 1)
	a = newMatrix("a", gemm.ElemOf(m.A), batch, c.m, c.k, c.aT, c, small(1))
	b = newMatrix("b", gemm.ElemOf(m.B), batch, c.k, c.n, c.bT, c, small(2))
	tm, tn := c.tiles(k)
	for i, s := range m.Slots {
		e := gemm.ElemOf(s.Type)
		f := c.operands[i]
		switch {
		case s.Kind == PartialSlot || s.Kind == SecondSlot:
			r := m.Fusion.Reduces[s.Reduce]
			if r.Col {
				slots = append(slots, newMatrix(s.Name, e, batch, tm, c.n, false, call{}, nil))
			} else {
				slots = append(slots, newMatrix(s.Name, e, batch, tn, c.m, false, call{}, nil))
			}
		case s.Kind == OutputSlot:
			x := newMatrix(s.Name, e, batch, c.m, c.n, c.cT, c, f)
			x.mem.ReadOnly = false
			slots = append(slots, x)
		case s.Pattern == gemm.FullPattern:
			slots = append(slots, newMatrix(s.Name, e, batch, c.m, c.n, c.cT, c, f))
		case s.Pattern == gemm.ColumnPattern:
			slots = append(slots, newMatrix(s.Name, e, batch, 1, c.n, false, c, f))
		case s.Pattern == gemm.RowPattern:
			slots = append(slots, newMatrix(s.Name, e, batch, c.m, 1, false, call{}, f))
		default:
			slots = append(slots, newMatrix(s.Name, e, 1, 1, 1, false, call{}, f))
		}
	}
	return a, b, slots
}

func (c call) tiles(k Kernel) (tm, tn int) {
	return (c.m + k.Tile.BM - 1) / k.Tile.BM, (c.n + k.Tile.BN - 1) / k.Tile.BN
}

// machine is CTA (x, z) of a launch of f.
func (c call) machine(f *emit.Func, x, z int) *emit.Machine {
	smem := emit.NewMemory("smem", emit.Shared, f.Shared)
	return &emit.Machine{Threads: f.Threads, Shared: smem, Seed: c.seed, Early: c.early, SRegs: func(name string, thread int) uint64 {
		switch name {
		case "tid.x":
			return uint64(thread)
		case "warpid":
			return uint64(thread / 32)
		case "ctaid.x":
			return uint64(x)
		case "ctaid.z":
			return uint64(z)
		}
		panic(name)
	}}
}

// run launches kernel k of the module for c and returns the slots.
func (c call) run(m *Module, k Kernel) ([]matrix, error) {
	batch := max(c.batch, 1)
	a, b, slots := c.matrices(m, k)
	tm, tn := c.tiles(k)
	steps := max(1, (c.k+k.Tile.BK-1)/k.Tile.BK)
	span, ctas := c.span, tm*tn
	if span == 0 {
		span = steps
	}
	places := emit.NewMemory("parts", emit.Global, 0)
	if k.Split {
		ctas = (tm*tn*steps + span - 1) / span
		places = emit.NewMemory("parts", emit.Global, batch*ctas*kernel.GPUPartsOfCTA*k.Tile.BM*k.Tile.BN*m.Op.(operator).Sum().Bytes())
	}
	launch := func(f *emit.Func, x, z int) error {
		mach := c.machine(f, x, z)
		ints := func(names string, v ...int) {
			for i, n := range strings.Fields(names) {
				mach.Bind(n, emit.IntWord(int64(v[i])))
			}
		}
		mach.Bind("a", emit.PtrTo(a.mem, int64(a.off)))
		mach.Bind("b", emit.PtrTo(b.mem, int64(b.off)))
		ints("rsa csa rsb csb bsa bsb m n k tm tn", a.rs, a.cs, b.rs, b.cs, a.bs, b.bs, c.m, c.n, c.k, tm, tn)
		if k.Split {
			mach.Bind(argParts, emit.PtrTo(places, 0))
			ints("bsparts steps span all", len(places.Data)/batch, steps, span, tm*tn*steps)
		}
		factor := func(x float32) emit.Word {
			if m.Acc == dtype.F64 {
				return emit.IntWord(int64(math.Float64bits(float64(x))))
			}
			return emit.F32Word(x)
		}
		mach.Bind("alpha", factor(c.alpha))
		mach.Bind("beta", factor(c.beta))
		for i, s := range slots {
			if m.Slots[i].Kind == OperandSlot && m.Slots[i].Pattern == gemm.ScalarPattern {
				v, _ := s.get(0, 0, 0)
				mach.Bind(slotPtr(i), emit.IntWord(int64(s.bits(v))))
			} else {
				mach.Bind(slotPtr(i), emit.PtrTo(s.mem, int64(s.off)))
			}
			ints(slotStride(i)+" "+slotColumn(i)+" "+slotBatch(i), s.rs, s.cs, s.bs)
		}
		return mach.Run(f)
	}
	for z := range batch {
		for x := range ctas {
			if err := launch(k.Func, x, z); err != nil {
				return nil, err
			}
		}
		for x := range tm * tn {
			if !k.Split || span%steps == 0 {
				break
			}
			if err := launch(k.Parts, x, z); err != nil {
				return nil, err
			}
		}
	}
	return slots, nil
}

// sum is the plain loop.
func (c call) sum(z, i, j int) float64 {
	a, b := small(1), small(2)
	s := 0.0
	for l := range c.k {
		s += a(z, i, l) * b(z, l, j)
	}
	return s
}

// against compares slot s with want.
func (c call) against(out matrix, want func(z, i, j int) float64) error {
	for z := range max(c.batch, 1) {
		for i := range c.m {
			for j := range c.n {
				got, err := out.get(z, i, j)
				if err != nil {
					return fmt.Errorf("out[%d][%d, %d]: %w", z, i, j, err)
				}
				w := want(z, i, j)
				if out.e.Float() {
					w = out.e.Decode(out.e.Encode(w))
				}
				if got != w && !(math.IsNaN(got) && math.IsNaN(w)) {
					return fmt.Errorf("out[%d][%d, %d] = %g, want %g", z, i, j, got, w)
				}
			}
		}
	}
	return nil
}

// kernel returns the kernel for operands that lie as given.
func kernelFor(m *Module, unit int, aK, bK bool) Kernel {
	for _, k := range m.Kernels {
		if k.A.Unit == unit && !k.Grouped && (unit == 0 || k.A.KMajor == aK && k.B.KMajor == bK) {
			return k
		}
	}
	panic("no such kernel")
}

type spec interface{ Describe() gemm.Description }

func lower(t *testing.T, s spec) *Module {
	t.Helper()
	target := sm80
	if d := s.Describe(); d.A == dtype.TypeF8E5M2 {
		target.Name = "sm_89"
	}
	m, err := Lower(s.Describe(), target)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tiles for each kind of elements: one warp, four warps, several steps a stage.
var (
	oneWarp   = tiling.GPU{BM: 32, BN: 32, BK: 32, WM: 32, WN: 32, Stages: 3}
	fourWarps = tiling.GPU{BM: 64, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 4}
	twoStages = tiling.GPU{BM: 32, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 2}
)

func products(tile tiling.GPU) map[string]spec {
	return map[string]spec{
		"bf16":    gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "Product", GPU: tile},
		"f16":     gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "Product", GPU: tile},
		"f32":     gemm.Spec[float32, float32, float32, float32]{Name: "Product", GPU: tile},
		"tf32":    gemm.Spec[float32, float32, float32, float32]{Name: "Product", Operator: gemm.TF32, GPU: tile},
		"f16sums": gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "Product", Operator: gemm.F16Sums, GPU: tile},
		"f64":     gemm.Spec[float64, float64, float64, float64]{Name: "Product", GPU: tile},
		"i8":      gemm.Spec[int8, int8, int32, int32]{Name: "Product", GPU: tile},
		"e5m2":    gemm.Spec[dtype.F8E5M2, dtype.F8E4M3, float32, dtype.BF16]{Name: "Product", GPU: tile},
		"maxplus": gemm.Spec[float32, float32, float32, float32]{Name: "Longest", Operator: gemm.MaxPlus, GPU: tile},
	}
}

// TestProduct runs every kernel of every operator over ragged shapes.
func TestProduct(t *testing.T) {
	all := products(oneWarp)
	names := slices.Sorted(maps.Keys(all))
	for _, at := range level.Pick(len(names), 2, len(names)) {
		t.Run(names[at], func(t *testing.T) {
			m := groupedModule(t, names[at]) // whose other kernels are those of a spec that is not Grouped
			if level.Long() {
				m = lower(t, all[names[at]])
			}
			plain := 0
			for n, k := range m.Kernels {
				if k.Grouped {
					continue
				}
				if plain++; level.Of(false, (plain+at)%2 != 0, false) { // a normal run has every other one, of the next type those between
					continue
				}
				shapes := []call{{m: 32, n: 32, k: 48}, {m: 33, n: 41, k: 17, batch: 2}, {m: 1, n: 1, k: 1}, {m: 5, n: 3, k: 0}, {m: 70, n: 20, k: 33}, {m: 33, n: 20, k: 37}}
				for i, c := range shapes {
					// Each kernel has an edge, and every third two tiles, and one of the other shapes in turn.
					if level.Of(i != 5 || n%3 != 0, i != 5 && (i != n%5 || n%3 != 0), false) {
						continue
					}
					if n%3 != 0 && !level.Long() { // a tile with edges
						c.m = 31
					}
					c.alpha, c.aT, c.bT = 1, !k.A.KMajor, k.B.KMajor
					c.seed, c.early = uint64(i), i == 1
					c.unit, c.pad, c.off = max(k.A.Unit/gemm.ElemOf(m.A).Bytes(), 1), i, i
					if k.Wide {
						c.unit = 16 // of any type
					}
					c.span = i + 1
					if k.A.Unit == 0 {
						c.aT, c.bT, c.cT = i%2 == 1, i%3 == 1, i%2 == 0
					}
					c.check(t, m, k)
				}
			}
		})
	}
}

// TestTiles: other tiles, and enough of them that a band of tiles has a neighbour.
func TestTiles(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("interprets kernels for GPUs")
	}
	for i, tile := range []tiling.GPU{fourWarps, twoStages} {
		all := products(tile)
		for n, name := range slices.Sorted(maps.Keys(all)) {
			if (n/2+i)%2 != 0 && !level.Long() { // each operator in one of the tiles
				continue
			}
			m := lower(t, all[name])
			for _, aK := range []bool{true, false} {
				if aK != ((i+n)%2 == 0) && !level.Long() {
					continue
				}
				k := kernelFor(m, 16, aK, false)
				call{m: 70, n: 67, k: 75, unit: 16, alpha: 1, aT: !aK, seed: 1}.check(t, m, k)
			}
		}
	}
	m := lower(t, products(oneWarp)["bf16"])
	call{m: 32*10 - 3, n: 70, k: 16, unit: 8, alpha: 1}.check(t, m, kernelFor(m, 16, true, false))
}

func (c call) check(t *testing.T, m *Module, k Kernel) {
	t.Helper()
	want := c.sum
	if m.Name == "Longest" {
		want = c.longest
	}
	slots, err := c.run(m, k)
	if err == nil {
		err = c.against(slots[0], want)
	}
	if err != nil {
		t.Errorf("%s, %v: %v", k.Func.Name, c, err)
	}
}

// longest is sum in the semiring of MaxPlus.
func (c call) longest(z, i, j int) float64 {
	a, b := small(1), small(2)
	s := math.Inf(-1)
	for l := range c.k {
		s = max(s, a(z, i, l)+b(z, l, j))
	}
	return s
}
