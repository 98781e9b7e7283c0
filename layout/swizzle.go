package layout

import (
	"fmt"
	"math/bits"
)

// Swizzle permutes offsets by exclusive-or. For S > 0, the B bits from bit M+S on are
// added, without carry, to the B bits from bit M on. For S < 0 the lower group is added
// to the upper.
//
//	bit  9 8 7 6 5 4 3 2 1 0
//	     y y y x x x . . . .      Sw<3,4,3>: x ^= y
//
// It is its own inverse and maps every aligned block of 2^(M+B+|S|) offsets to
// itself. Sw<3,4,3> of byte addresses is the 128-byte pattern of TMA and wgmma,
// Sw<2,4,3> the 64-byte and Sw<1,4,3> the 32-byte one (PTX ISA 9.1, 5.5.6). The
// zero Swizzle changes nothing.
type Swizzle struct{ B, M, S int }

// Check returns nil if s is a swizzle. B and M must not be negative, |S| must be at
// least B so that the groups of bits do not overlap, and both must lie below bit 48.
func (s Swizzle) Check() error {
	d := max(s.S, -s.S)
	switch {
	case s.B < 0 || s.M < 0 || s.B > 48 || s.M > 48 || d < 0 || d > 48 || s.B+s.M+d > bits.Len(uint(maxSize))-1:
		return refuse("Swizzle", "%v needs B and M from 0 on, and M+B+|S| at most %d", s, bits.Len(uint(maxSize))-1)
	case d < s.B:
		return refuse("Swizzle", "%v moves bits onto themselves: |S| is %d, below B", s, d)
	}
	return nil
}

// At returns where s puts offset o, which must not be negative; s must pass Check.
func (s Swizzle) At(o int) int {
	group := (1<<s.B - 1) << s.M
	if s.S < 0 {
		return o ^ (o&group)<<-s.S
	}
	return o ^ o>>s.S&group
}

// Block returns the length of the aligned blocks that s maps to themselves; 1 if
// it changes nothing.
func (s Swizzle) Block() int {
	if s.B == 0 {
		return 1
	}
	return 1 << (s.M + s.B + max(s.S, -s.S))
}

// PerElement returns the swizzle of elements of the given size that does what s
// does to their byte addresses. It is refused if size is not a power of two or s
// would tear elements apart.
func (s Swizzle) PerElement(size int) (Swizzle, error) {
	if size < 1 || size&(size-1) != 0 {
		return Swizzle{}, refuse("Swizzle", "elements of %d bytes, not a power of two", size)
	}
	if s.B == 0 {
		return Swizzle{}, nil
	}
	m := s.M - bits.TrailingZeros(uint(size))
	if m < 0 {
		return Swizzle{}, refuse("Swizzle", "%v moves parts of elements of %d bytes: M is less than %d", s, size, s.M-m)
	}
	return Swizzle{s.B, m, s.S}, nil
}

// String returns s as in Sw<3,4,3>.
func (s Swizzle) String() string { return fmt.Sprintf("Sw<%d,%d,%d>", s.B, s.M, s.S) }

// Of returns the layout whose offsets are those of l after the swizzle.
func (s Swizzle) Of(l Layout) (Swizzled, error) {
	if err := s.Check(); err != nil {
		return Swizzled{}, err
	}
	return Swizzled{s, l}, nil
}

// Swizzled is a layout followed by a swizzle, as shared memory has. The layout says
// where an element would be, and the swizzle moves it to another bank.
type Swizzled struct {
	swizzle Swizzle
	layout  Layout
}

// Swizzle returns the swizzle.
func (s Swizzled) Swizzle() Swizzle { return s.swizzle }

// Layout returns the layout before the swizzle.
func (s Swizzled) Layout() Layout { return s.layout }

// Shape returns the shape of the layout.
func (s Swizzled) Shape() Tuple { return s.layout.shape }

// Size returns how many coordinates there are.
func (s Swizzled) Size() int { return s.layout.Size() }

// Cosize returns a bound of the offsets: that of the layout, rounded up to whole
// blocks of the swizzle.
func (s Swizzled) Cosize() int {
	b := s.swizzle.Block()
	return (s.layout.Cosize() + b - 1) / b * b
}

// At returns the offset of a coordinate, given as for [Layout.At].
func (s Swizzled) At(c ...int) int { return s.swizzle.At(s.layout.At(c...)) }

// Compose is [Compose] of s and b: the swizzle stays last.
func (s Swizzled) Compose(b Layout) (Swizzled, error) {
	l, err := Compose(s.layout, b)
	return Swizzled{s.swizzle, l}, err
}

// String returns s as text, which [ParseSwizzled] reads.
func (s Swizzled) String() string { return s.swizzle.String() + " o " + s.layout.String() }
