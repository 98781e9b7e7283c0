package gemm

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// GPUModule is a spec lowered for a GPU: one kernel for each way that its operands
// may lie in memory, and those that join the partial results of reductions.
type GPUModule struct {
	Name       string
	Target     emit.Target
	A, B       dtype.Type
	Acc, Out   dtype.Type
	Op         fmt.Stringer
	Body       *Body // nil: alpha and beta
	ParamBytes int   // of the block that kernel.GPUArgA etc. describe
	Kernels    []GPUKernel
	Joins      []*emit.Func // one for each reduction; blocks of kernel.GPUJoinThreads
	Slots      []GPUSlot
}

// Funcs returns all functions of the module, in the order in which they are printed.
func (m *GPUModule) Funcs() []*emit.Func {
	var fs []*emit.Func
	for _, k := range m.Kernels {
		fs = append(fs, k.Func)
	}
	return append(fs, m.Joins...)
}

// Stage returns where the elements of k's tiles of a and b are in a stage of the
// ring: element (mn, k) of the tile in elements from its start; b's tile comes after
// a's.
func (m *GPUModule) Stage(k GPUKernel) (a, b layout.Swizzled, err error) {
	size := elemOf(m.A).Bytes()
	if a, err = (smemTile{k.Tile.BM, k.Tile.BK, size, k.A.KMajor}).layout(); err != nil {
		return a, b, err
	}
	b, err = smemTile{k.Tile.BN, k.Tile.BK, size, k.B.KMajor}.layout()
	return a, b, err
}

// GPUKernel is one product kernel and what it asks of its operands.
type GPUKernel struct {
	Func *emit.Func // with the threads and the shared memory of a CTA
	Tile tiling.GPU
	A, B Access
	// Wide stores rows of 16 bytes: every output, and every operand that is read by
	// rows or columns, is aligned to 16 bytes and so are its rows, and rows are
	// contiguous. Else strides are arbitrary.
	Wide bool
}

// GPUSlot is one entry of the parameter block's slots.
type GPUSlot struct {
	Name string
	Type dtype.Type
	Kind SlotKind
	// Of an operand.
	Pattern Pattern
	// Of a reduction: the index into Body.Reduces.
	Reduce int
}

// SlotKind says what a slot holds.
type SlotKind uint8

// The kinds of slots.
const (
	OutputSlot SlotKind = iota
	OperandSlot
	PartialSlot // the partial values of a reduction
	IndexSlot   // the partial indices of one to an index
)

// LowerGPU gives the spec its meaning on a GPU. The epilogue's function stands in the
// kernels as an apply, as in [Spec.Lower]. The error says which tile, type or limit
// stands in the way.
//
// Operands are bf16 or f16, both of one type, on tensor cores, or f32; another
// Operator is for f32. It reads zeros beyond the end of K, which must not change its
// sums, unless it has a method Pad() float64 that gives what does not.
//
// Without an epilogue the kernels compute out = alpha*a*b + beta*out, in f32, and
// round to Out; out is read only if beta is not 0.
func (s Spec[A, B, Acc, Out]) LowerGPU(t emit.Target) (*GPUModule, error) {
	a, bt, acc, out := dtype.Of[A](), dtype.Of[B](), dtype.Of[Acc](), dtype.Of[Out]()
	fail := func(format string, args ...any) (*GPUModule, error) {
		return nil, fmt.Errorf("gemm: %s: "+format, append([]any{s.Name}, args...)...)
	}
	if !token.IsIdentifier(s.Name) {
		return nil, fmt.Errorf("gemm: a spec is called %q; its name must be a Go identifier", s.Name)
	}
	limits, ok := tiling.GPUTargets[t.Name]
	if !ok {
		return fail("%s is not a GPU that kernels are written for", t.Name)
	}
	if s.Shape != (Shape{}) {
		return fail("Shape is for CPUs: kernels for %s take any shape; leave it out, or list CPU targets", t.Name)
	}
	op, err := gpuOp(s.Operator, elemOf(a), elemOf(bt), elemOf(acc))
	if err != nil {
		return fail("%w", err)
	}
	body := s.Epilogue.body
	if body == nil {
		if o := elemOf(out); o != emit.F32 && o != emit.F16 && o != emit.BF16 {
			return fail("sums of %v are not stored as %v by themselves; give the spec an epilogue that converts them", acc, out)
		}
	} else if err := body.checkGPU(); err != nil {
		return fail("%w", err)
	}
	size := elemOf(a).Bytes()
	tiles := tiling.DefaultGPU(size, limits)
	if s.GPU != (tiling.GPU{}) {
		tiles = tiling.GPUTiles{Large: s.GPU, Pair: s.GPU, Small: s.GPU, Narrow: narrower(s.GPU, size, op.Fragment(true, true), limits)}
	}
	m := &GPUModule{
		Name: s.Name, Target: t, A: a, B: bt, Acc: acc, Out: out, Op: op, Body: body, Slots: gpuSlots(body, out),
	}
	m.ParamBytes = kernel.GPUParamBytes(len(m.Slots))
	for _, k := range gpuVariants(size, tiles) {
		if err := k.Tile.Check(size, op.Fragment(k.A.KMajor, k.B.KMajor), limits); err != nil {
			return fail("%s: %w", t.Name, err)
		}
		g := &gpuLowering{op: op, m: m, body: body, tile: k.Tile, v: k, a: elemOf(a), b: elemOf(bt), out: elemOf(out)}
		name := gpuPrefix(s.Name, t) + "_" + k.name()
		switch {
		case !k.Wide || k.Tile == tiles.Large:
		case k.Tile == tiles.Pair:
			name += "pair"
		default:
			name += "small"
		}
		f, err := emit.Build(name, g.args(), g.build)
		if err != nil {
			return nil, fmt.Errorf("gemm: %w", err)
		}
		f.Doc = name + " computes " + k.doc()
		f.Threads, f.Shared = k.Tile.Threads(), k.Tile.SharedBytes(size)
		k.Func = f
		m.Kernels = append(m.Kernels, k)
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

// gpuPrefix begins the names of all symbols: unexported, with the target.
func gpuPrefix(name string, t emit.Target) string {
	return strings.ToLower(name[:1]) + name[1:] + "_" + strings.ReplaceAll(t.Name, "_", "")
}

// gpuVariants lists the kernels of a module: all ways to lie for copies of 16 bytes,
// for each tile; the same for 4 bytes; and one for any strides.
func gpuVariants(size int, tiles tiling.GPUTiles) (ks []GPUKernel) {
	add := func(unit int, tile tiling.GPU) {
		for _, a := range []bool{true, false} {
			for _, b := range []bool{true, false} {
				ks = append(ks, GPUKernel{Tile: tile, A: Access{a, unit}, B: Access{b, unit}, Wide: unit == 16})
			}
		}
	}
	add(16, tiles.Large)
	if tiles.Pair != tiles.Large {
		add(16, tiles.Pair)
	}
	if tiles.Small != tiles.Large && tiles.Small != tiles.Pair {
		add(16, tiles.Small)
	}
	add(4, tiles.Narrow)
	// Tiles of gathered elements lie as the fragments like them best.
	k := size < 4
	return append(ks, GPUKernel{Tile: tiles.Narrow, A: Access{k, 0}, B: Access{k, 0}})
}

// name distinguishes the kernel: which index is contiguous in a and b, and the bytes
// of a copy.
func (v GPUKernel) name() string {
	if v.A.Unit == 0 {
		return "any"
	}
	a, b := "m", "n"
	if v.A.KMajor {
		a = "k"
	}
	if v.B.KMajor {
		b = "k"
	}
	return fmt.Sprintf("%s%s%d", a, b, v.A.Unit)
}

func (v GPUKernel) doc() string {
	return fmt.Sprintf("tiles of %v of ", v.Tile) + v.operands()
}

func (v GPUKernel) operands() string {
	along := func(k bool, other string) string {
		if k {
			return "K"
		}
		return other
	}
	if v.A.Unit == 0 {
		return "products of operands with any strides."
	}
	return fmt.Sprintf("products of an A contiguous along %s and a B contiguous along %s, copied %d bytes at a time.",
		along(v.A.KMajor, "M"), along(v.B.KMajor, "N"), v.A.Unit)
}

// gpuSlots lists the slots of the parameter block.
func gpuSlots(body *Body, out dtype.Type) []GPUSlot {
	slots := []GPUSlot{{Name: "out", Type: out, Kind: OutputSlot, Pattern: FullPattern}}
	if body == nil {
		return slots
	}
	for _, o := range body.Also {
		slots = append(slots, GPUSlot{Name: o.Name, Type: o.Type, Kind: OutputSlot, Pattern: FullPattern})
	}
	for _, in := range body.Inputs {
		slots = append(slots, GPUSlot{Name: in.Name, Type: in.Type, Kind: OperandSlot, Pattern: in.Pattern})
	}
	for i, r := range body.Reduces {
		slots = append(slots, GPUSlot{Name: r.Name, Type: dtype.F32, Kind: PartialSlot, Reduce: i})
		if r.arg() {
			slots = append(slots, GPUSlot{Name: r.Name, Type: dtype.I32, Kind: IndexSlot, Reduce: i})
		}
	}
	return slots
}

// checkGPU is check, and what GPUs ask beside.
func (e *Body) checkGPU() error {
	if err := e.check(); err != nil {
		return err
	}
	if len(e.Reduces) > 0 && e.Out != dtype.F32 {
		return fmt.Errorf("reductions on a GPU are of f32, the result is %v", e.Out)
	}
	return nil
}

// gpuLowering turns one variant into a kernel.
type gpuLowering struct {
	m    *GPUModule
	op   gpuOperator
	body *Body // nil: alpha and beta
	tile tiling.GPU
	v    GPUKernel
	a, b emit.Elem
	out  emit.Elem

	f      fragments
	tid    *emit.Value
	batch  *emit.Value
	m0, n0 *emit.Value // the CTA's first row and column
}

// args describes the parameter block to the IR.
func (g *gpuLowering) args() []emit.Arg {
	i64, i32, f32 := emit.Int64, emit.Int32, emit.Scalar(emit.F32)
	at := emit.Pointer(emit.Global, max(g.v.A.Unit, g.a.Bytes()))
	args := []emit.Arg{
		{Name: "a", Type: at, Offset: kernel.GPUArgA}, {Name: "b", Type: at, Offset: kernel.GPUArgB},
		{Name: "rsa", Type: i64, Offset: kernel.GPUArgRsA}, {Name: "csa", Type: i64, Offset: kernel.GPUArgCsA},
		{Name: "rsb", Type: i64, Offset: kernel.GPUArgRsB}, {Name: "csb", Type: i64, Offset: kernel.GPUArgCsB},
		{Name: "m", Type: i64, Offset: kernel.GPUArgM}, {Name: "n", Type: i64, Offset: kernel.GPUArgN}, {Name: "k", Type: i64, Offset: kernel.GPUArgK},
		{Name: "bsa", Type: i64, Offset: kernel.GPUArgBsA}, {Name: "bsb", Type: i64, Offset: kernel.GPUArgBsB},
		{Name: "tm", Type: i32, Offset: kernel.GPUArgTM}, {Name: "tn", Type: i32, Offset: kernel.GPUArgTN},
		{Name: "alpha", Type: f32, Offset: kernel.GPUArgAlpha}, {Name: "beta", Type: f32, Offset: kernel.GPUArgBeta},
	}
	for i, s := range g.m.Slots {
		off := kernel.GPUArgSlots + i*kernel.GPUSlotSize
		t := emit.Pointer(emit.Global, g.slotAlign(s))
		if s.Kind == OperandSlot && s.Pattern == ScalarPattern {
			t = emit.Scalar(elemOf(s.Type))
		}
		args = append(args, emit.Arg{Name: slotPtr(i), Type: t, Offset: off},
			emit.Arg{Name: slotStride(i), Type: i64, Offset: off + 8},
			emit.Arg{Name: slotColumn(i), Type: i64, Offset: off + 16},
			emit.Arg{Name: slotBatch(i), Type: i64, Offset: off + 24})
	}
	return args
}

func slotColumn(i int) string { return fmt.Sprintf("cs%d", i) }
func slotBatch(i int) string  { return fmt.Sprintf("bs%d", i) }

// slotAlign returns what the kernel knows of a slot's address.
func (g *gpuLowering) slotAlign(s GPUSlot) int {
	size := elemOf(s.Type).Bytes()
	if g.v.Wide && (s.Kind == OutputSlot || s.Pattern == FullPattern || s.Pattern == ColumnPattern) && s.Kind != PartialSlot && s.Kind != IndexSlot {
		return 16
	}
	return size
}
