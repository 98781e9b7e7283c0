package gpu

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// Module is a product lowered for a GPU: one kernel for each way that its operands
// may lie in memory, and the kernels that join the partial results of reductions.
type Module struct {
	Name       string
	Target     emit.Target
	A, B       dtype.Type
	Acc, Out   dtype.Type
	Op         fmt.Stringer
	Fusion     *gemm.Fusion // nil: alpha and beta
	Sparse     gemm.Sparsity
	ParamBytes int // of the block that kernel.GPUArgA etc. describe
	Kernels    []Kernel
	Joins      []*emit.Func // one for each reduction; blocks of kernel.GPUJoinThreads
	Pad        *emit.Func   // copies an operand whose rows begin anywhere
	Slots      []Slot
}

// Funcs returns all functions of the module, in the order in which they are printed.
func (m *Module) Funcs() []*emit.Func {
	fs := slices.Clone(m.Joins)
	for _, k := range m.Kernels {
		if k.Parts != nil && !slices.Contains(fs, k.Parts) {
			fs = append(fs, k.Parts)
		}
	}
	for _, k := range m.Kernels {
		fs = append(fs, k.Func)
	}
	if m.Pad != nil {
		fs = append(fs, m.Pad)
	}
	return fs
}

// Kernel is one product kernel and what it asks of its operands.
type Kernel struct {
	Func *emit.Func // with the threads and the shared memory of a CTA
	Tile tiling.GPU
	A, B Access
	// Wide stores rows of 16 bytes. It needs contiguous rows that are aligned to 16 bytes, in
	// every output and every operand that is read by rows or columns. Without Wide strides are
	// arbitrary.
	Wide bool
	// Split says that CTAs take spans of the steps of K of all tiles. A tile may then be in
	// parts, which Parts adds up, with the threads of a CTA of k. Several kernels share one Parts.
	Split bool
	Parts *emit.Func
	// Grouped says that the tiles are those of many products, of any shapes.
	Grouped bool
}

// name distinguishes the kernel: which index is contiguous in a and b, and the bytes
// of a copy.
func (v Kernel) name() string {
	if v.B.Unit == 0 {
		return "any"
	}
	a, b := "m", "n"
	if v.A.KMajor {
		a = "k"
	}
	if v.B.KMajor {
		b = "k"
	}
	return fmt.Sprintf("%s%s%d", a, b, v.B.Unit)
}

func (v Kernel) doc() string {
	tiles, of := "tiles", ""
	switch {
	case v.Split:
		tiles = "tiles and parts of tiles"
	case v.Grouped:
		of = "a group of "
	}
	return fmt.Sprintf("%s of %v of %s", tiles, v.Tile, of) + v.operands()
}

func (v Kernel) operands() string {
	along := func(k bool, other string) string {
		if k {
			return "K"
		}
		return other
	}
	if v.B.Unit == 0 {
		return "products of operands with any strides."
	}
	return fmt.Sprintf("products of an A contiguous along %s and a B contiguous along %s, copied %d bytes at a time.",
		along(v.A.KMajor, "M"), along(v.B.KMajor, "N"), v.B.Unit)
}

// Slot is one entry of the parameter block's slots.
type Slot struct {
	Name string
	Type dtype.Type
	Kind SlotKind
	// Of an operand.
	Pattern gemm.Pattern
	// For a reduction: the index into Fusion.Reduces.
	Reduce int
}

// SlotKind says what a slot holds.
type SlotKind uint8

// The kinds of slots.
const (
	OutputSlot SlotKind = iota
	OperandSlot
	PartialSlot // the partial values of a reduction
	SecondSlot  // what a reduction keeps besides the values: indices, or the sums of a log-sum-exp
	HiddenSlot  // of a result that is not stored: nothing
	MetaSlot    // the metadata of a sparse a
	ZeroSlot    // the zero point of an operand, one number
)

// slotsOf lists the slots of the parameter block.
func slotsOf(fusion *gemm.Fusion, a, b, out dtype.Type, sparse gemm.Sparsity) (slots []Slot) {
	if sparse != 0 {
		defer func() { slots = append(slots, Slot{Name: "the metadata of a", Type: dtype.I32, Kind: MetaSlot}) }()
	}
	if fusion == nil {
		return []Slot{{Name: "out", Type: out, Kind: OutputSlot, Pattern: gemm.FullPattern}}
	}
	for _, o := range fusion.Results() {
		kind := OutputSlot
		if o.Unstored {
			kind = HiddenSlot
		}
		slots = append(slots, Slot{Name: o.Name, Type: o.Type, Kind: kind, Pattern: gemm.FullPattern})
	}
	for _, in := range fusion.Inputs {
		slots = append(slots, Slot{Name: in.Name, Type: in.Type, Kind: OperandSlot, Pattern: in.Pattern})
	}
	for _, z := range []Slot{{Name: fusion.Zeros.A, Type: a}, {Name: fusion.Zeros.B, Type: b}} {
		if z.Name != "" {
			z.Kind = ZeroSlot
			slots = append(slots, z)
		}
	}
	for i, r := range fusion.Reduces {
		slots = append(slots, Slot{Name: r.Name, Type: dtype.F32, Kind: PartialSlot, Reduce: i})
		switch {
		case r.Op.Arg():
			slots = append(slots, Slot{Name: r.Name, Type: dtype.I32, Kind: SecondSlot, Reduce: i})
		case r.Op == gemm.LogSumExp:
			slots = append(slots, Slot{Name: r.Name, Type: dtype.F32, Kind: SecondSlot, Reduce: i})
		}
	}
	return slots
}
