package emu

// mma.sp (ISA 9.7.14.6): A is stored without half of its elements. Two of each chunk of four
// neighbours along a row are stored, one of two for tf32. Four bits of metadata say which.
// The fragments of A are those of a dense instruction of half the depth, and those of B and
// D of one of all of it. [mmaShape] has both.

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

// mmaSparse is how an instruction runs: a's fragments are those of shape sa, b's and d's of s.
func mmaSparse[T float32 | int64](m sparseMeta, sa, s *mmaShape, readA, readB func(x uint32) [4]T, a, b, c, d []int, e int, sums sparseSums[T]) func(w *warp) {
	return func(w *warp) {
		var A [16 * 32]T
		var B [64 * 8]T
		var C [16 * 8]T
		for j, r := range a {
			for lane, x := range &w.r[r] {
				v := readA(uint32(x))
				for i, at := range sa.a[lane][j*s.per : (j+1)*s.per] {
					A[at] = v[i]
				}
			}
		}
		for j, r := range b {
			for lane, x := range &w.r[r] {
				v := readB(uint32(x))
				for i, at := range s.b[lane][j*s.per : (j+1)*s.per] {
					B[at] = v[i]
				}
			}
		}
		per := len(s.d[0]) / len(d) // sums in a register
		for j, r := range c {
			for lane, x := range &w.r[r] {
				for i := range per {
					C[s.d[lane][j*per+i]] = sums.load(x >> (16 * i))
				}
			}
		}
		var cols [32]uint8
		for row := range 16 {
			m.columns(w, &w.r[e], row, cols[:sa.k])
			sum := C[8*row:][:8]
			for i, x := range A[row*sa.k:][:sa.k] {
				for j, y := range B[int(cols[i])*8:][:8] {
					sum[j] += T(x * y)
				}
			}
		}
		for j, r := range d {
			for lane := range 32 {
				var x uint64
				for i := range per {
					x |= sums.store(C[s.d[lane][j*per+i]]) << (16 * i)
				}
				w.r[r][lane] = x
			}
		}
	}
}

// sparseSums are how sums lie in registers.
type sparseSums[T float32 | int64] struct {
	load  func(x uint64) T
	store func(x T) uint64
}

var (
	sumsF32 = sparseSums[float32]{f32, bits32}
	sumsF16 = sparseSums[float32]{
		func(x uint64) float32 { return floats16()[x&0xffff] },
		func(x float32) uint64 { return formats["f16"].encode(float64(x), roundNear, false) },
	}
	sumsS32 = sparseSums[int64]{
		func(x uint64) int64 { return int64(int32(x)) },
		func(x int64) uint64 { return uint64(uint32(x)) },
	}
	sumsClamped = sparseSums[int64]{sumsS32.load, func(x int64) uint64 {
		return uint64(uint32(min(max(x, -1<<31), 1<<31-1)))
	}}
)

// operandInts returns the four elements that a register holds.
func operandInts(t typ) func(x uint32) [4]int64 {
	return func(x uint32) (v [4]int64) {
		for i := range v {
			if b := uint8(x >> (8 * i)); t.signed() {
				v[i] = int64(int8(b))
			} else {
				v[i] = int64(b)
			}
		}
		return v
	}
}

// sparse returns how an instruction runs whose registers are known but for the metadata.
func (c *compiler) sparse(ordered bool, sa, s *mmaShape, ta, tb typ, a, b, cc, d []int, satfinite bool) func(w *warp) {
	m := sparseMeta{chunks: s.k / 4, bytes: ta.size == 1, pairs: ta.name == "tf32", ordered: ordered}
	if m.pairs {
		m.chunks = s.k / 2
	}
	if c.register(c.arg(4)) == nil {
		c.failAt(c.arg(4), "a register is wanted for the metadata")
	}
	e, selector := c.src(4, types["b32"]), c.arg(5)
	n := m.lanes()
	if selector.kind != argInt || selector.bits >= uint64(4/n) {
		c.failAt(selector, "the sparsity selector is a constant from 0 to %d here", 4/n-1)
	}
	m.lane = int(selector.bits) * n
	if ta.integer() {
		sums := sumsS32
		if satfinite {
			sums = sumsClamped
		}
		return mmaSparse(m, sa, s, operandInts(ta), operandInts(tb), a, b, cc, d, e, sums)
	}
	sums := sumsF32
	if len(d) < 4 {
		sums = sumsF16
	}
	return mmaSparse(m, sa, s, operandFloats(ta), operandFloats(tb), a, b, cc, d, e, sums)
}
