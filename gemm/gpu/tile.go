package gpu

import (
	"math/bits"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout"
)

// smemTile is a tile of one operand in shared memory: mn rows (of A) or columns (of
// B) and k steps. Its lines are contiguous along k or along mn, whichever the
// matrix in memory is, so that a copy moves whole chunks of 16 bytes.
//
// The chunks of a line are permuted by the line's number. Without that, the eight lines
// that an ldmatrix or eight threads read at once would lie in the same banks. A
// permutation by exclusive or makes the offset linear in the bits of (mn, k):
//
//	at(p xor q) = at(p) xor at(q)
//
// So the part of a coordinate that is known when the kernel is written, and the part
// that depends on the thread, are computed separately and joined by one xor.
type smemTile struct {
	mn, k, size int
	kMajor      bool
}

func (t smemTile) line() int {
	if t.kMajor {
		return t.k
	}
	return t.mn
}

// pitch returns the bytes of a line, bytes those of the tile.
func (t smemTile) pitch() int { return t.line() * t.size }
func (t smemTile) bytes() int { return t.mn * t.k * t.size }

// swizzle returns the permutation, of offsets in bytes. A period of it is eight
// lines, or as many as fill the 128 bytes that the banks are wide.
func (t smemTile) swizzle() layout.Swizzle {
	p := log2(t.pitch())
	return layout.Swizzle{B: min(p, 7) - 4, M: 4, S: max(p, 7) - 4}
}

// layout returns where element (mn, k) is, in elements from the start of the tile.
func (t smemTile) layout() (layout.Swizzled, error) {
	stride := layout.Ints(1, t.mn)
	if t.kMajor {
		stride = layout.Ints(t.k, 1)
	}
	l, err := layout.Make(layout.Ints(t.mn, t.k), stride)
	if err != nil {
		return layout.Swizzled{}, err
	}
	s, err := t.swizzle().PerElement(t.size)
	if err != nil {
		return layout.Swizzled{}, err
	}
	return s.Of(l)
}

// at returns the offset of an element in bytes: that of layout, computed directly.
func (t smemTile) at(mn, k int) int {
	line, pos := k, mn
	if t.kMajor {
		line, pos = mn, k
	}
	return t.swizzle().At(line*t.pitch() + pos*t.size)
}

// value is at for coordinates of a thread.
func (t smemTile) value(b *emit.Builder, mn, k *emit.Value) *emit.Value {
	line, pos := k, mn
	if t.kMajor {
		line, pos = mn, k
	}
	x := b.Add(times(b, line, t.pitch()), times(b, pos, t.size))
	s := t.swizzle()
	if s.B == 0 {
		return x
	}
	return b.Xor(x, b.And(b.Shr(x, b.Int(int64(s.S))), b.Int(1<<(s.M+s.B)-1<<s.M)))
}

// swizzled are the bits of an offset that a swizzle may change. Bits above are
// those of one coordinate or the other, so what is known can be added there.
const swizzled = 0x7f

// smemAddr is an address in shared memory: bytes from its start, of which low depends on
// the thread. Offsets that are known are joined to it by xor below bit 7, which
// needs a register for each pattern, and by addition above, which needs none.
type smemAddr struct {
	patterns map[int]*emit.Value
	stages   map[*emit.Value]func(off int) emit.Addr
	align    int
}

// newSmemAddr returns the address of a thread's first element, off bytes into a region of
// shared memory; offs are the known offsets that will be joined. It must be made
// outside of loops: what it computes stays.
func newSmemAddr(b *emit.Builder, region int, off *emit.Value, align int, offs []int) *smemAddr {
	s := &smemAddr{map[int]*emit.Value{}, map[*emit.Value]func(off int) emit.Addr{}, align}
	base := b.Shared(int64(region), align)
	for _, o := range offs {
		if x := o & swizzled; s.patterns[x] == nil {
			at := off
			if x != 0 {
				at = b.Xor(off, b.Int(int64(x)))
			}
			s.patterns[x] = b.AddPAligned(base, at, align)
		}
	}
	return s
}

// in returns the addresses in one stage, stage bytes on. All calls for a
// stage must come from the block that the first comes from.
func (s *smemAddr) in(b *emit.Builder, stage *emit.Value) func(off int) emit.Addr {
	if at := s.stages[stage]; at != nil {
		return at
	}
	moved := map[int]*emit.Value{}
	at := func(off int) emit.Addr {
		x := off & swizzled
		if moved[x] == nil {
			moved[x] = b.AddPAligned(s.patterns[x], stage, s.align)
		}
		return emit.At(moved[x], int64(off&^swizzled))
	}
	s.stages[stage] = at
	return at
}

// pointer returns a as one value, for instructions that take no offset.
func pointer(b *emit.Builder, a emit.Addr) *emit.Value {
	if a.Off == 0 {
		return a.Ptr
	}
	return b.AddPAligned(a.Ptr, b.Int(a.Off), a.Ptr.Type.Align)
}

// times returns x*n; n is a power of two.
func times(b *emit.Builder, x *emit.Value, n int) *emit.Value {
	if n == 1 {
		return x
	}
	return b.Shl(x, b.Const(x.Type, float64(log2(n))))
}

// split returns x/n and x%n of an x that is not negative; n is a power of two.
func split(b *emit.Builder, x *emit.Value, n int) (div, mod *emit.Value) {
	if n == 1 {
		return x, b.Int(0)
	}
	return b.Shr(x, b.Int(int64(log2(n)))), b.And(x, b.Int(int64(n-1)))
}

// log2 is the logarithm of n, rounded up.
func log2(n int) int { return bits.Len(uint(n - 1)) }
