package gpu

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Lower lowers a product to kernels for a GPU. In the kernels the epilogue's function is an
// apply, which the interpreter runs; printing replaces it by its translation. The error says
// which tile, type or limit is the obstacle.
//
// Tensor cores take these operands:
//
//   - bf16 or f16, both of one type, with sums of f32
//   - f64 with sums of f64
//   - i8 or u8, with sums of i32 that wrap around
//   - e4m3 or e5m2 with sums of f32, from sm_89 on
//   - f32 with the operator [gemm.TF32], and f16 with [gemm.F16Sums]
//
// Without tensor cores operands are f32, also with another Operator. That reads zeros beyond
// the end of K, which must not change its sums. Otherwise it needs a method Pad() float64 that
// returns a neutral number.
//
// Without an epilogue the kernels compute out = alpha*a*b + beta*out in the type of the sums,
// and round to Out. They read out only if beta is not 0. Sums of i32 are stored as they are.
func Lower(d gemm.Description, t emit.Target) (*Module, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) (*Module, error) {
		return nil, fmt.Errorf("gemm: %s: "+format, append([]any{d.Name}, args...)...)
	}
	limits, ok := tiling.GPUTargets[t.Name]
	if !ok {
		return fail("%s is not a GPU that kernels are written for", t.Name)
	}
	if d.Reduce.On() {
		return fail("Reduce is for CPUs; leave it out, or list CPU targets")
	}
	if d.Shape != (gemm.Shape{}) {
		return fail("Shape is for CPUs: kernels for %s take any shape; leave it out, or list CPU targets", t.Name)
	}
	a, bt, out := gemm.ElemOf(d.A), gemm.ElemOf(d.B), gemm.ElemOf(d.Out)
	op, err := operatorOf(d, t)
	if err != nil {
		return fail("%w", err)
	}
	switch {
	case d.Fusion == nil && d.Out != d.Acc && (op.Sum() != emit.F32 || out != emit.F16 && out != emit.BF16):
		return fail("sums of %v are not stored as %v by themselves; give the spec an epilogue that converts them", d.Acc, d.Out)
	case d.Fusion != nil && d.Fusion.Zeros != (gemm.Zeros{}) && d.Sparse != 0:
		return fail("what a sparse a does not store is no number above a zero point; leave ZeroPoints or Sparse out")
	case d.Fusion != nil && len(d.Fusion.Reduces) > 0 && op.Sum().Bytes() != 4:
		return fail("reductions on a GPU are of results that take the place of sums, 4 bytes each; those of %v take %d", d.Acc, op.Sum().Bytes())
	case d.Structure != (gemm.Structure{}):
		return fail("structured products are of CPUs: a GPU's kernels multiply all of a matrix; leave Structure out, or list CPU targets")
	case d.Grouped && d.Sparse != 0:
		return fail("products of a sparse a are not of groups: the metadata has no place in the table of a group; leave Grouped out and call it for each product")
	case d.Grouped && d.Fusion != nil && len(d.Fusion.Reduces) > 0:
		return fail("reductions are not of groups: reduction %s would have partial results for each product; leave Grouped out and call it for each product, or reduce the stored results",
			d.Fusion.Reduces[0].Name)
	case d.Fusion != nil:
		for _, r := range d.Fusion.Reduces {
			if x := d.Fusion.ReducedType(r); x != dtype.F32 {
				return fail("reduction %s: reductions on a GPU are of f32, the result is %v", r.Name, x)
			}
		}
	}
	size := a.Bytes()
	tiles := tiling.DefaultGPU(size, op.Fragment(true, true), limits)
	if d.GPU != (tiling.GPU{}) {
		tiles = tiling.GPUTiles{Large: d.GPU, Pair: d.GPU, Small: d.GPU, Narrow: narrower(d.GPU, size, op.Fragment(true, true), limits)}
	}
	m := &Module{
		Name: d.Name, Target: t, A: d.A, B: d.B, Acc: d.Acc, Out: d.Out, Op: op, Fusion: d.Fusion, Sparse: d.Sparse, Slots: slotsOf(d.Fusion, d.A, d.B, d.Out, d.Sparse),
	}
	m.ParamBytes = kernel.GPUParamBytes(len(m.Slots), op.Sum().Bytes())
	parts := map[string]*emit.Func{} // by name
	ks := variants(size, tiles, narrower(tiles.Small, size, op.Fragment(true, true), limits), op.Joins(), d.Sparse != 0)
	if d.Grouped {
		ks = withGroups(ks, size, tiles)
	}
	for _, k := range ks {
		if err := k.Tile.Check(size, op.Fragment(k.A.KMajor, k.B.KMajor), limits); err != nil {
			return fail("%s: %w", t.Name, err)
		}
		g := &lowering{op: op, m: m, fusion: d.Fusion, tile: k.Tile, v: k, a: a, b: bt, out: out, schedule: wholeTiles{}, transport: async{}}
		name := prefix(d.Name, t) + "_" + k.name()
		switch {
		case !k.Wide || k.Tile == tiles.Large:
		case k.Tile == tiles.Pair:
			name += "pair"
		default:
			name += "small"
		}
		if k.Split {
			name += "split"
			g.schedule = spans{}
			ends := prefix(d.Name, t) + "_parts"
			if !k.Wide {
				ends += "narrow"
			}
			if parts[ends] == nil {
				if parts[ends], err = g.partsKernel(ends); err != nil {
					return nil, fmt.Errorf("gemm: %w", err)
				}
			}
			k.Parts = parts[ends]
		}
		if k.Grouped {
			name += "group"
			g.schedule = &grouped{}
		}
		if k.Func, err = g.kernel(name); err != nil {
			return nil, fmt.Errorf("gemm: %w", err)
		}
		if k.Func.Shared > limits.Shared {
			return fail("%s: reductions of %d results take %d bytes of shared memory with the tile %v, a CTA has %d; give the spec a smaller GPU tile",
				t.Name, len(reducedResults(d.Fusion)), k.Func.Shared, k.Tile, limits.Shared)
		}
		m.Kernels = append(m.Kernels, k)
	}
	if err := m.padKernel(size); err != nil {
		return nil, err
	}
	return m, m.joins()
}

// crowded is how many registers for sums and operands leave none for the addresses of
// narrow copies, of which there are four times as many.
const crowded = 150

// narrower returns the tile for narrow copies: with twice the warps, each half as
// wide, if registers are short and the tile allows it.
func narrower(t tiling.GPU, size int, f tiling.Fragment, limits tiling.GPULimits) tiling.GPU {
	half := t
	half.WN /= 2
	if t.WM > 0 && t.WN > 0 && f.Registers(t.WM, t.WN) > crowded && half.Check(size, f, limits) == nil {
		return half
	}
	return t
}

// prefix begins the names of all symbols: unexported, with the target.
func prefix(name string, t emit.Target) string {
	return strings.ToLower(name[:1]) + name[1:] + "_" + strings.ReplaceAll(t.Name, "_", "")
}

// variants lists the kernels of a module. For copies of 16 bytes it has all ways to lie, for each
// tile, and for the smallest one with tiles in parts if joins says that parts can be joined. It
// has the same for copies of 4 bytes, or an element of 8, in parts if the tile is small. One
// kernel is for any strides. A sparse a lies along K and is copied by 16 bytes, as it was packed.
func variants(size int, tiles tiling.GPUTiles, small tiling.GPU, joins, sparse bool) (ks []Kernel) {
	add := func(unit int, tile tiling.GPU, split bool) {
		for _, b := range []bool{true, false} {
			k := Kernel{Tile: tile, A: Access{true, unit}, B: Access{b, unit}, Wide: unit == 16, Split: split}
			if sparse {
				k.A.Unit = 16
			}
			ks = append(ks, k)
		}
		for _, b := range []bool{true, false} {
			if !sparse {
				ks = append(ks, Kernel{Tile: tile, A: Access{false, unit}, B: Access{b, unit}, Wide: unit == 16, Split: split})
			}
		}
	}
	add(16, tiles.Large, false)
	if tiles.Pair != tiles.Large {
		add(16, tiles.Pair, false)
	}
	if tiles.Small != tiles.Large && tiles.Small != tiles.Pair {
		add(16, tiles.Small, false)
	}
	if joins {
		add(16, tiles.Small, true)
	}
	add(max(4, size), tiles.Narrow, false)
	if joins {
		add(max(4, size), small, true)
	}
	// Tiles of gathered elements lie as the fragments like them best.
	k := size < 4
	last := Kernel{Tile: tiles.Narrow, A: Access{k, 0}, B: Access{k, 0}}
	if sparse {
		last.A = Access{true, 16}
	}
	return append(ks, last)
}

// withGroups adds to each kernel of whole tiles the one that does groups of products. It has
// in registers what is a parameter to others, and with pairs of tiles of bytes none is left for it.
func withGroups(ks []Kernel, size int, tiles tiling.GPUTiles) []Kernel {
	for _, k := range ks {
		if crowded := size == 1 && k.Tile == tiles.Pair && k.Tile != tiles.Large; !k.Split && !crowded {
			k.Grouped = true
			ks = append(ks, k)
		}
	}
	return ks
}

// lowering turns one variant into a kernel.
type lowering struct {
	m      *Module
	op     operator
	fusion *gemm.Fusion // nil: alpha and beta
	tile   tiling.GPU
	v      Kernel
	a, b   emit.Elem
	out    emit.Elem

	schedule  scheduler
	transport transport

	f      fragments
	tid    *emit.Value
	batch  *emit.Value
	m0, n0 *emit.Value // the CTA's first row and column
}

// kernel is the variant's kernel.
func (g *lowering) kernel(name string) (*emit.Func, error) {
	f, err := emit.Build(name, g.args(), g.build)
	if err != nil {
		return nil, err
	}
	f.Doc = name + " computes " + g.v.doc()
	f.Threads = g.tile.Threads() + 32*g.transport.producers()
	stages := g.tile.SharedBytes(g.a.Bytes(), g.op.Fragment(g.v.A.KMajor, g.v.B.KMajor))
	f.Shared = max(stages+g.transport.shared(g.tile.Stages), g.endBytes())
	return f, nil
}

// args describes the parameter block to the IR.
func (g *lowering) args() []emit.Arg {
	i64, i32, f32 := emit.Int64, emit.Int32, emit.Scalar(emit.F32)
	at := func(a Access) emit.Type { return emit.Pointer(emit.Global, max(a.Unit, g.a.Bytes())) }
	args := []emit.Arg{
		{Name: "a", Type: at(g.v.A), Offset: kernel.GPUArgA}, {Name: "b", Type: at(g.v.B), Offset: kernel.GPUArgB},
		{Name: "rsa", Type: i64, Offset: kernel.GPUArgRsA}, {Name: "csa", Type: i64, Offset: kernel.GPUArgCsA},
		{Name: "rsb", Type: i64, Offset: kernel.GPUArgRsB}, {Name: "csb", Type: i64, Offset: kernel.GPUArgCsB},
		{Name: "m", Type: i64, Offset: kernel.GPUArgM}, {Name: "n", Type: i64, Offset: kernel.GPUArgN}, {Name: "k", Type: i64, Offset: kernel.GPUArgK},
		{Name: "bsa", Type: i64, Offset: kernel.GPUArgBsA}, {Name: "bsb", Type: i64, Offset: kernel.GPUArgBsB},
		{Name: "tm", Type: i32, Offset: kernel.GPUArgTM}, {Name: "tn", Type: i32, Offset: kernel.GPUArgTN},
	}
	if g.op.Sum() != emit.F64 {
		args = append(args, emit.Arg{Name: "alpha", Type: f32, Offset: kernel.GPUArgAlpha}, emit.Arg{Name: "beta", Type: f32, Offset: kernel.GPUArgBeta})
	}
	for i, s := range g.m.Slots {
		off := kernel.GPUArgSlots + i*kernel.GPUSlotSize
		t := emit.Pointer(emit.Global, g.slotAlign(s))
		if s.Kind == ZeroSlot || s.Kind == OperandSlot && s.Pattern == gemm.ScalarPattern {
			t = emit.Scalar(gemm.ElemOf(s.Type))
		}
		args = append(args, emit.Arg{Name: slotPtr(i), Type: t, Offset: off},
			emit.Arg{Name: slotStride(i), Type: i64, Offset: off + 8},
			emit.Arg{Name: slotColumn(i), Type: i64, Offset: off + 16},
			emit.Arg{Name: slotBatch(i), Type: i64, Offset: off + 24})
	}
	if g.op.Sum() == emit.F64 {
		f64, behind := emit.Scalar(emit.F64), kernel.GPUArgSlots+len(g.m.Slots)*kernel.GPUSlotSize
		args = append(args, emit.Arg{Name: "alpha", Type: f64, Offset: behind}, emit.Arg{Name: "beta", Type: f64, Offset: behind + 8})
	}
	behind := g.m.ParamBytes
	if g.v.Grouped {
		args = append(args, emit.Arg{Name: argRecords, Type: emit.Pointer(emit.Global, kernel.GPURecordAlign), Offset: behind + kernel.GPUArgRecords},
			emit.Arg{Name: argFirsts, Type: emit.Pointer(emit.Global, 4), Offset: behind + kernel.GPUArgFirsts},
			emit.Arg{Name: argProducts, Type: i32, Offset: behind + kernel.GPUArgProducts})
	}
	if g.v.Split {
		args = append(args, emit.Arg{Name: argParts, Type: emit.Pointer(emit.Global, partAlign), Offset: behind + kernel.GPUArgParts},
			emit.Arg{Name: argPartsBatch, Type: i64, Offset: behind + kernel.GPUArgPartsBatch},
			emit.Arg{Name: argSteps, Type: i32, Offset: behind + kernel.GPUArgSteps},
			emit.Arg{Name: argSpan, Type: i32, Offset: behind + kernel.GPUArgSpan},
			emit.Arg{Name: argAll, Type: i32, Offset: behind + kernel.GPUArgAll})
	}
	return args
}

func slotPtr(i int) string    { return fmt.Sprintf("p%d", i) }
func slotStride(i int) string { return fmt.Sprintf("rs%d", i) }
func slotColumn(i int) string { return fmt.Sprintf("cs%d", i) }
func slotBatch(i int) string  { return fmt.Sprintf("bs%d", i) }

// slotAlign returns what the kernel knows of a slot's address.
func (g *lowering) slotAlign(s Slot) int {
	size := gemm.ElemOf(s.Type).Bytes()
	if s.Kind == MetaSlot {
		return 16
	}
	if g.v.Wide && (s.Kind == OutputSlot || s.Pattern == gemm.FullPattern || s.Pattern == gemm.ColumnPattern) && s.Kind != PartialSlot && s.Kind != SecondSlot {
		return 16
	}
	return size
}
