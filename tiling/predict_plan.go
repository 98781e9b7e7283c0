package tiling

import (
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Cuts is how a length is cut into Count pieces whose sizes differ by at most one:
// the first Tall have Size, the others one less.
type Cuts struct{ Count, Size, Tall int }

// total is the length.
func (c Cuts) total() int { return c.Count*(c.Size-1) + c.Tall }

// Way is how an operand lies, or is read.
type Way string

// The ways of an operand.
const (
	ByRows    Way = "rows"    // its rows are contiguous
	ByColumns Way = "columns" // its columns are
	Strided   Way = "strided" // neither
)

// Loop is the kind of kernel that a product is made of.
type Loop string

// The kinds of kernels.
const (
	TileLoop Loop = "tile" // down the panels of B, for each tile of rows
	AxpyLoop Loop = "axpy" // along a few rows of B, see [Axpy]
	DotLoop  Loop = "dot"  // both operands along k, see [DotTiles]
	GoLoop   Loop = "go"   // the portable code
)

// Plan is how one product is cut and what it copies: what cpu/run says of a call, and
// all that a prediction needs to know. M, N and K are those that kernels see: a result
// by columns is computed as its transpose.
type Plan struct {
	ISA     string
	Loop    Loop
	M, N, K int
	Size    int // bytes of a sum, and of an element of a packed operand
	SizeA   int // of an element of a in memory, likewise b and c
	SizeB   int
	SizeC   int
	A, B, C Way // in memory
	StrideA int // bytes from row to row, or from column to column, of what lies by rows or columns
	StrideB int
	StrideC int
	Depth   int  // products of a step, which K counts; 0 for one. Elements are then of steps
	AtOnce  int  // steps that kernels do by one instruction: of products of tiles; 0 for one
	Update  bool // c is read
	Small   bool // it is not planned at all: what takes time in Go is short

	Threads       int
	VL            int // lanes of a vector
	Rows, Vecs    Cuts
	KC            int // depth of a k-block
	Slab          int // k for which B is packed at once
	PanelsAtOnce  int
	TilesPerBlock int
	TilesPerCall  int
	PackA, PackB  bool
	Stream        bool // results are stored past the caches
	Prepacked     bool // b was packed before the call
	Narrow        bool // with elements of SizeB, which kernels widen, or copies if PackB is set
	BF16          bool // these are bf16, or else f16

	// For wide and dot kernels: Rows cuts the small side. The long side is done in chunks
	// of so many elements, in tiles of Tile vectors or elements. KC counts. Dot kernels do
	// one k-block after another of Strip elements of a chunk.
	Columns    bool // the small side is n
	Long       int
	Chunk      int
	Strip      int
	Tile       int
	CopyLittle bool // the small operand is copied first

	// For a product with an epilogue, which its kernel applies to finished sums: the
	// cycles for a vector of sums on a core of two multiply-adds a cycle, the bytes of
	// operands and outputs that an element reads and writes besides c, and the number of
	// reductions. 0 for one without.
	Fused          bool
	EpilogueCycles float64
	EpilogueBytes  int
	Reductions     int
}

// Bytes returns what the product reads and writes at least: each operand once.
func (p *Plan) Bytes() float64 {
	return float64(p.M)*float64(p.K)*float64(p.SizeA) + float64(p.K)*float64(p.N)*float64(p.SizeB) +
		float64(p.M)*float64(p.N)*float64(p.SizeC+p.EpilogueBytes)
}

// blocks and groups are how often A's and B's parts are gone over.
func (p *Plan) blocks() int  { return ceilDiv(p.Rows.Count, max(1, p.TilesPerBlock)) }
func (p *Plan) groups() int  { return ceilDiv(p.Vecs.Count, max(1, p.PanelsAtOnce)) }
func (p *Plan) kblocks() int { return max(1, ceilDiv(p.K, max(1, p.KC))) }

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// Outline returns the shapes of the kernels that package simd makes for isa ("avx512",
// "avx2" or "neon") and sums of size bytes, unless a spec says otherwise. It contains no code.
// It is nil for the portable code.
func Outline(isa string, size int) *kernel.Kernels {
	i := isaset.ByName(isa)
	if i == nil {
		return nil
	}
	regs := i.Regs
	lanes := i.Bits / 8 / size
	m := Machine{Regs: regs, Lanes: lanes, Elements: i.Elements}.Tile(Shape{})
	k := &kernel.Kernels{ISA: isa, Table: &kernel.Table[kernel.Func[kernel.Args]]{MR: m.MR, NV: m.NV, VL: lanes}}
	for mr := 1; mr <= m.MR; mr++ {
		t := Axpy(regs, mr)
		k.Add(kernel.Axpy, t.MR, t.NV, nil)
	}
	for _, t := range DotTiles(DotRegs(i.Bits, regs)) {
		k.Add(kernel.Dot, t.MR, t.NV, nil)
	}
	k.Add(kernel.Join, 1, 1, nil)
	return k
}
