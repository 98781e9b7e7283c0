package run

import (
	"sync"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// ABI1 is the contract between generated code and this package. Code that names
// it was generated for a version that still fits: if this does not compile,
// generate the code again.
const ABI1 = 1

// Set describes the kernels of one spec, for all targets. It is a literal in
// generated code.
type Set struct {
	Name    string // as messages call it: "package.Function"
	A, B    dtype.Type
	Acc     dtype.Type // of the sums; Invalid is F32
	Slots   []Slot     // out first
	Targets []Target   // a device takes the newest that it can run
	Plain   bool       // ends in alpha and beta, not in an epilogue
	// Work is how many operations the epilogue's function is for an element, as far as
	// is known; it guides the choice of the tile.
	Work int

	devices sync.Map // cuda.Device -> *loaded
	views   sync.Map // viewKey -> *view
}

// Target is a set's kernels for one kind of GPU.
type Target struct {
	PTX     string // the text of all kernels
	Kernels []Kernel
	Joins   []string // one for each reduction
	Pad     string   // copies an operand, so that a kernel takes it that would not; "" is none
}

// Kernel is one product kernel: tiling.GPU says how it cuts the product, and the
// rest what it asks of its operands.
type Kernel struct {
	Name            string
	Tile            tiling.GPU
	Threads, Shared int
	// Unit is how many bytes are copied at a time: addresses and strides of a and b
	// are multiples of it. 0 takes any strides.
	Unit int
	// AK says that a is contiguous along k, else along m; BK the same of b and n.
	AK, BK bool
	// Wide kernels store 16 bytes at a time. Rows of outputs are contiguous, and they and
	// the operands that are read along rows are aligned to 16 bytes.
	Wide bool
	// Parts is what ends the tiles of a kernel whose CTAs share tiles; the zero value is one
	// with a tile for each CTA.
	Parts Part
	// Grouped kernels do the tiles of many products of any shapes: see [Gather.Group].
	Grouped bool
}

// Part is the kernel that adds up the sums of parts of tiles, with the threads of the one
// before it.
type Part struct {
	Name   string
	Shared int
}

// Slot is one entry of a kernel's slots; see param.Slots.
type Slot struct {
	Name   string
	Kind   Kind
	Type   dtype.Type
	Reduce Reduction // of a Partial or Second
	Col    bool      // of a Partial or Second: one value a column, else one a row
}

// Kind is what a slot holds.
type Kind uint8

// The kinds of slots.
const (
	Output  Kind = iota
	Row          // an operand with an element for each row
	Column       // for each column
	Full         // for each element
	Scalar       // one number
	Partial      // the partial values of a reduction
	Second       // what a reduction keeps besides the values: indices, or the sums of a log-sum-exp
	Hidden       // a result that is not stored: nothing is handed over
	Meta         // the metadata of an a of which half is stored: see A24
)

// Reduction tells what a reduction gives.
type Reduction uint8

// The reductions.
const (
	Values  Reduction = iota // float32
	Indices                  // int32
	Pairs                    // float32 of two partial values
)
