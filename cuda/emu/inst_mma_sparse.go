package emu

// mma.sp (ISA 9.7.14.6): A is stored without half of its elements. Two of each chunk of four
// neighbours along a row are stored, one of two for tf32. Four bits of metadata say which.
// The fragments of A are those of a dense instruction of half the depth, and those of B and
// D of one of all of it. [mmaOperand] has both.

// sparseKinds are the shapes of each type of A.
var sparseKinds = map[string][]string{
	"f16": {"m16n8k16", "m16n8k32"}, "bf16": {"m16n8k16", "m16n8k32"}, "tf32": {"m16n8k8", "m16n8k16"},
	"s8": {"m16n8k32", "m16n8k64"}, "u8": {"m16n8k32", "m16n8k64"}, "e4m3": {"m16n8k64"}, "e5m2": {"m16n8k64"},
}

// A sparseMeta says where the metadata of a chunk is. The sparsity selector picks lanes
// of each quad, which are one, two or all four; a lane has 32 bits:
//
//	of 8-bit elements   32 columns of one row
//	of others           four chunks of row g, and above them the same of row g+8
type sparseMeta struct {
	chunks  int // of a row
	bytes   bool
	pairs   bool // a chunk is two elements, of which one is stored
	ordered bool // indices ascend, else they only differ
	lane    int  // of a quad: the first that is picked
	slot    int  // of the register
}

// lanes is how many of a quad have metadata: eight chunks each, and there are two rows.
func (m *sparseMeta) lanes() int { return m.chunks / 4 }

// of returns the lane and the bit of a chunk of a row.
func (m *sparseMeta) of(row, chunk int) (lane, bit int) {
	quad, high := row%8*4+m.lane, row/8
	if m.bytes {
		return quad + high + chunk/8*2, chunk % 8 * 4
	}
	return quad + chunk/4, 16*high + chunk%4*4
}

// columns are where the stored elements of a row are in B, all of them in order.
func (m *sparseMeta) columns(w *warp, e *[32]uint64, row int, to []uint8) {
	for c := range m.chunks {
		lane, bit := m.of(row, c)
		x := e[lane] >> bit & 15
		first, second := uint8(x&3), uint8(x>>2)
		switch {
		case m.pairs && (x == 0b0100 || x == 0b1110):
			to[c] = uint8(2*c) + first>>1
		case m.pairs:
			w.fault(Undefined, lane, "the metadata of row %d, columns %d and %d is %04b; want 0100 for the first or 1110 for the second", row, 2*c, 2*c+1, x)
		case first == second || m.ordered && first > second:
			w.fault(Undefined, lane, "the metadata of row %d, columns %d to %d is %04b, which are elements %d and %d; want two that ascend", row, 4*c, 4*c+3, x, first, second)
		default:
			to[2*c], to[2*c+1] = uint8(4*c)+first, uint8(4*c)+second
		}
	}
}

// multiplySparse is multiply for an A of which half of the elements are stored.
func multiplySparse[T float32 | int64](w *warp, p *warpProduct, A, B, C *[512]T) {
	var cols [32]uint8
	k := p.k / 2
	for row := range p.m {
		p.meta.columns(w, &w.r[p.meta.slot], row, cols[:k])
		sum := C[8*row:][:8]
		for i, x := range A[row*k:][:k] {
			for j, y := range B[int(cols[i])*8:][:8] {
				sum[j] += T(x * y)
			}
		}
	}
}

// sparseMeta takes the operands of the metadata, for products of depth k with an A of type t.
func (c *compiler) sparseMeta(ordered bool, k int, t typ) *sparseMeta {
	m := &sparseMeta{chunks: k / 4, bytes: t.size == 1, pairs: t.name == "tf32", ordered: ordered}
	if m.pairs {
		m.chunks = k / 2
	}
	if c.register(c.arg(4)) == nil {
		c.failAt(c.arg(4), "a register is wanted for the metadata")
	}
	m.slot = c.src(4, types["b32"])
	selector, n := c.arg(5), m.lanes()
	if selector.kind != argInt || selector.bits >= uint64(4/n) {
		c.failAt(selector, "the sparsity selector is a constant from 0 to %d here", 4/n-1)
	}
	m.lane = int(selector.bits) * n
	return m
}
