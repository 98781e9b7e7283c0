// Package semiring has products that sum and multiply with other operations than + and *:
// longest paths (max, +), reachability (or, and), and others.
//
// A [Semiring] is two ordinary Go functions and a zero, which define its meaning. All
// code comes from that one value. Vector code is the functions' translation, or the
// instructions that the value names. Portable code calls the functions, and tests compare
// with them. Sparse and dense products, on CPUs and GPUs, take the same value.
//
// Start with [MaxPlus] or another of this package, or write one:
//
//	semiring.Semiring[float32]{Name: "norms", Plus: hypot, Times: size}
//
// The package's example defines hypot and size.
package semiring

import (
	"errors"
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Semiring is an arithmetic given by ordinary Go functions, declared and without side
// effects. An element of a product is Plus, over k, of Times(a, b), beginning with Zero.
//
// Plus must be associative and commutative, up to rounding, since the kernel decides in
// which order it joins the sums of goroutines and vector lanes. Zero must be neutral for
// the results of Times; it is the sum of nothing.
//
// Generated kernels take semirings of float32 and float64. Sparse products take any.
type Semiring[T dtype.Value] struct {
	Name        string
	Zero        T
	Plus, Times func(x, y T) T
	Laws        Laws
	// PlusBy and TimesBy name instructions that compute the functions to the bit, for
	// every operand; the functions are translated where they name none.
	PlusBy, TimesBy Instruction
}

// Laws say what holds of a semiring beyond what has to. The zero Laws promise
// nothing, which costs speed and a sharper test but is never wrong.
type Laws struct {
	// Exact: Plus rounds nothing, so joining the same numbers in any order gives the same
	// bits, except for which NaN it is. Tests then compare to the bit.
	Exact bool
	// Commutative: Times(x, y) is Times(y, x). For complex numbers this holds except for
	// rounding: some machines round once, some twice. A product may then be computed as
	// that of the transposed operands.
	Commutative bool
}

// Instruction names an operation that every target has. It means what Go's operator
// or builtin of that name does, for NaN, infinities and zeros of either sign.
type Instruction string

// The instructions.
const (
	None  Instruction = ""
	AddBy Instruction = "add" // x + y
	MulBy Instruction = "mul" // x * y
	MaxBy Instruction = "max" // max(x, y)
	MinBy Instruction = "min" // min(x, y)
	// DualBy multiplies pairs x + y·e with e·e = 0, kept as complex numbers; Go has no
	// operator for it.
	DualBy Instruction = "dual"
)

func (s Semiring[T]) String() string { return s.Name }

// Parts returns the semiring without its type: what a generator reads. Those of types that
// no kernel is generated for have an invalid one.
func (s Semiring[T]) Parts() Parts {
	p := Parts{Name: s.Name, Plus: s.Plus, Times: s.Times,
		Laws: s.Laws, PlusBy: s.PlusBy, TimesBy: s.TimesBy, semiring: s}
	switch zero := any(s.Zero).(type) {
	case float32:
		p.Type, p.Zero = dtype.F32, float64(zero)
	case float64:
		p.Type, p.Zero = dtype.F64, zero
	case complex64: // their kernels have sums that begin with 0
		if zero == 0 {
			p.Type = dtype.C64
		}
	case complex128:
		if zero == 0 {
			p.Type = dtype.C128
		}
	}
	return p
}

// Parts is a [Semiring] without its type parameter.
type Parts struct {
	Name            string
	Type            dtype.Type
	Zero            float64
	Plus, Times     any // func(x, y T) T
	Laws            Laws
	PlusBy, TimesBy Instruction
	semiring        interface {
		Check() error
		Pads() bool
	}
}

// Check is that of the semiring.
func (p Parts) Check() error {
	if p.semiring == nil {
		return errors.New("the semiring is empty; make it of a Semiring's Parts")
	}
	return p.semiring.Check()
}

// Pads is that of the semiring.
func (p Parts) Pads() bool { return p.semiring != nil && p.semiring.Pads() }

// Sums reports whether it is the ordinary arithmetic, by the instructions that it
// names: products are then fused with sums where a machine can.
func (p Parts) Sums() bool { return p.PlusBy == AddBy && p.TimesBy == MulBy && p.Zero == 0 }

// Instruct returns the function that an instruction means. It returns nil for None and
// unknown instructions, and for Max and Min of other types than float32 and float64.
func Instruct[T dtype.Value](i Instruction) func(x, y T) T {
	switch i {
	case AddBy:
		return Add[T]
	case MulBy:
		return Mul[T]
	case DualBy:
		return pairs[T](MulDual[complex64], MulDual[complex128])
	case MaxBy:
		return of[T](Max[float32], Max[float64], nil)
	case MinBy:
		return of[T](Min[float32], Min[float64], nil)
	}
	return nil
}

// unknown says that there is no such instruction.
func (i Instruction) unknown() error {
	return fmt.Errorf("there is no instruction %q; there is %s, %s, %s and %s, and of complex types %s", string(i), AddBy, MulBy, MaxBy, MinBy, DualBy)
}
