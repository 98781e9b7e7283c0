package run

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Options change how one call runs. The zero value is what most callers want. An option
// that a call cannot honour is an error, not a wish: it panics with an [OptionError],
// before an element is read or written.
type Options struct {
	// Threads is how many goroutines may work on the call, the caller among them;
	// 0 means [Threads]. The result does not depend on it, bit for bit.
	Threads int
	// Scaling makes the call compute alpha*a*b + beta*out: Scale(alpha, beta). The factors
	// are first rounded to the accumulator's type. The zero value is 1 and 0, the product
	// as it is. With beta = 0 out is not read. With alpha = 0 neither a nor b is.
	Scaling Scaling
	// Conj has a product of complex numbers take the conjugates of a's or of b's elements, or
	// of both. Real numbers are their own.
	Conj Conjugates
	// ISA forces a variant. "go" is the portable code; "avx512" and "avx2" are vectors. Dot
	// products of narrow elements are "avx512bf16", "avx512vnni" and "avxvnni", and tiles of
	// them "amxbf16" and "amxint8". On arm64 they are "neon", and for narrow elements "neonbf16",
	// "neondot" and "neoni8mm". A kernel without such a variant uses that of the set that it
	// extends, in the end "avx512", "avx2" or "neon". A call panics with an [ISAError] if the
	// machine or the kernel lacks the set. A pair of types with portable code only takes "go"
	// only. "" means the best variant, or TILESMITH_ISA. With portable code only,
	// TILESMITH_ISA changes nothing, but the machine must have the set.
	ISA string
	// B is the call's b of a dense product packed beforehand, as [dense.Pack] does it, or nil.
	B *Packed
	// NoWrap refuses, with a [WrapError], a product whose sums of int32 might wrap. Its k is
	// then larger than what is safe for its types, whatever the elements are. Other sums do
	// not wrap.
	NoWrap bool
	// Caller is what errors call the function, for those who wrap one: what their own user
	// called. "" is the function's own name.
	Caller string
}

// Name returns o.Caller, or if that is empty the function's own name.
func (o *Options) Name(own string) string {
	if o.Caller != "" {
		return o.Caller
	}
	return own
}

// Scaling is the factors alpha and beta of a call: 1 and 0 if it is zero.
type Scaling = kernel.Scaling

// Scale returns the factors of out = alpha*a*b + beta*out, for Options.Scaling.
func Scale(alpha, beta float64) Scaling { return kernel.Scale(alpha, beta) }

// ScaleComplex is [Scale] for products of complex numbers. Products of real numbers refuse factors with imaginary parts with an
// [OptionError].
func ScaleComplex(alpha, beta complex128) Scaling { return kernel.ScaleComplex(alpha, beta) }

// CheckReal panics with an [OptionError] of the function called what if a factor of s has an imaginary part.
// Such factors are for products of complex numbers.
func CheckReal(what string, s *Scaling) {
	if s.Turns() {
		panic(OptionError{what, "Options.Scaling is " + s.String() + ", and elements are real; want factors without imaginary parts"})
	}
}

// Conjugates says which operands of a product are conjugated.
type Conjugates uint8

// The operands, which may be joined by |.
const (
	ConjA Conjugates = 1 << iota
	ConjB
)

// T returns them for the transposed product, in which a and b change places.
func (c Conjugates) T() Conjugates { return c&ConjA<<1 | c&ConjB>>1 }

// Packed is a second operand b in the order in which kernels read it. It is for products that
// use one b many times, such as the weights of a layer. Put it into Options.B of calls with
// that b: the same elements, shape and strides, not a copy or a transpose. Any number of calls
// may use it at once. It belongs to the kernel and the variant that packed it. A call with
// anything else panics with a [layout.ShapeError].
//
// It keeps b and a copy alive. If you change an element of b, pack it again. Products that read
// the copy have the old value, while products with few rows or columns read b itself, which is
// as fast. While b is unchanged, the result has the same bits as without it.
type Packed = mem.Packed

// OptionError says that an option has a value that it cannot have, or that the function
// that was called has no use for it. Entry points panic with it before anything is read
// or written.
type OptionError struct {
	What string // the function
	Why  string // the option, what is wrong with it, and what would be right
}

func (e OptionError) Error() string { return e.What + ": " + e.Why }
