package simd

import (
	"reflect"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// The Go functions of a semiring stand in its kernels once for each sum of a tile, and the kernels of all
// smaller tiles and of the rest of a row repeat them.

// Computed is the widest type that a step of an operator on elements of type e computes with: a register
// holds so many lanes. math.Log1p of a float32 sum may take float64, and then half of a register of sums.
// widest, if not nil, knows the Go functions of a semiring.
func Computed(e emit.Elem, op gemm.Operator, widest Widest) (emit.Elem, error) {
	s, ok := op.(gemm.Semiring)
	if !ok || widest == nil {
		return e, nil
	}
	for _, f := range applied(s) {
		w, err := widest(f)
		if err != nil {
			return e, err
		}
		if w.Bits() > e.Bits() {
			e = w
		}
	}
	return e, nil
}

// applied are the functions of a semiring that no instruction computes.
func applied(s gemm.Semiring) (fs []any) {
	if s.PlusBy == semiring.None {
		fs = append(fs, s.Plus)
	}
	if s.TimesBy == semiring.None {
		fs = append(fs, s.Times)
	}
	return fs
}

// A Step is what a semiring costs: the vector operations of Plus and Times with all Go functions
// translated, and those of them that are Plus.
type Step struct {
	Operations, Plus int
	of               gemm.Semiring
}

// StepOf counts the operations of a step. inline translates Go functions.
func StepOf(s gemm.Semiring, inline func(...*emit.Func) error) (Step, error) {
	const lanes = 8 // any
	step := Step{of: s}
	all, err := step.Kernel(lanes)
	if err != nil {
		return step, err
	}
	plus, err := step.kernel(lanes, func(b *emit.Builder, x, y *emit.Value) *emit.Value { return s.Join(b, x, y) })
	if err != nil {
		return step, err
	}
	if s.Translates() {
		err = inline(all, plus)
	}
	step.Operations, step.Plus = operations(all), operations(plus)
	return step, err
}

// Kernel is one step alone, on vectors of so many lanes, with its Go functions as they are: what is at p becomes
// Plus of itself and Times of itself and the vector behind.
func (s Step) Kernel(lanes int) (*emit.Func, error) {
	return s.kernel(lanes, func(b *emit.Builder, x, y *emit.Value) *emit.Value { return s.of.Step(b, x, x, y) })
}

func (s Step) kernel(lanes int, of func(b *emit.Builder, x, y *emit.Value) *emit.Value) (*emit.Func, error) {
	e, _, _ := s.of.Types()
	v := emit.Vector(e, lanes)
	return emit.Build("step", []emit.Arg{{Name: "p", Type: emit.Ptr}}, func(b *emit.Builder) {
		p := b.Param("p", emit.Ptr)
		b.Store(of(b, b.Load(v, emit.At(p, 0)), b.Load(v, emit.At(p, int64(v.Bytes())))), emit.At(p, 0))
	})
}

// operations counts those of a step that depend on its operands.
func operations(f *emit.Func) (n int) {
	f.Body.Walk(func(op *emit.Op) {
		switch op.Def.Name {
		case "const", "param", "load", "store", "bitcast":
		default:
			n++
		}
	})
	return n
}

// smallStep is the most operations of a step whose kernels have the largest tiles, for which there are
// registers, and several steps of k a round: their cost is that of loading operands and of branches. Or and
// and is such a step.
const smallStep = 8

// mostApplied is the most operations that the Go functions in all kernels for a target come to, if a step is
// large: some 100 KB of assembly. A step of hundreds of instructions takes the same time in any tile.
const mostApplied = 2000

// Large reports whether kernels are as small as their step wants them. Instructions alone are never large.
func (s Step) Large() bool { return s.of.Translates() && s.Operations > smallStep }

// TooLong reports whether a large step stands in kernels, whose Go functions are not translated yet, so
// often that their tile should be smaller.
func (s Step) TooLong(fs ...*emit.Func) bool {
	n, plus := 0, reflect.ValueOf(s.of.Plus).Pointer()
	for _, f := range fs {
		f.Body.Walk(func(op *emit.Op) {
			switch {
			case op.Fn == nil:
			case reflect.ValueOf(op.Fn.Fn).Pointer() == plus:
				n += s.Plus
			default:
				n += s.Operations - s.Plus
			}
		})
	}
	return s.Large() && n > mostApplied
}
