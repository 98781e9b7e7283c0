package gemm

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Epilogue says what becomes of each sum before it is stored: an ordinary Go
// function of the sum and of operands. The zero Epilogue stores the sum, converted
// to Out. It is made by [Map1] to [Map4], or by [Fuse] if there are several
// results.
type Epilogue[Acc, Out dtype.Elem] struct{ fusion *Fusion }

// Ending is what a spec takes as its epilogue: an [Epilogue] of its sums. If its function
// returns the type of the sums, the result is converted to the spec's, as a sum without an
// epilogue is. Any other function has to return the result's type, which is checked when the
// spec is lowered.
type Ending[Acc dtype.Elem] interface {
	Sum() Acc // a zero, which says what the sums are
	Fusion() *Fusion
}

// Fusion is an epilogue without its type parameters.
type Fusion struct {
	Fn       any // func(acc, inputs...) (out, also...), or an emit.Derivative of that type
	Inputs   []Input
	Also     []Output
	Acc      dtype.Type
	Out      dtype.Type
	Rounds   bool // Fn returns an Acc, which is rounded to Out
	Unstored bool // the first result is only reduced
	Reduces  []Reduce
	Zeros    Zeros  // of A and B, where sums are of integers
	Where    string // file:line at which it was made, "" if not known

	refused error // why there is no such epilogue

	of string // the result that the next reductions are of
}

// Results lists what the function returns: out and the further results.
func (e *Fusion) Results() []Output {
	return append([]Output{{Name: "out", Type: e.Out, Unstored: e.Unstored}}, e.Also...)
}

// Map1 applies f to the sum.
func Map1[Acc, Out dtype.Elem](f func(Acc) Out) Epilogue[Acc, Out] {
	return Fuse[Acc, Out](f, nil)
}

// Map2 applies f to the sum and one operand.
func Map2[Acc, X, Out dtype.Elem](f func(Acc, X) Out, x Operand[X]) Epilogue[Acc, Out] {
	return Fuse[Acc, Out](f, nil, x.In())
}

// Map3 applies f to the sum and two operands.
func Map3[Acc, X, Y, Out dtype.Elem](f func(Acc, X, Y) Out, x Operand[X], y Operand[Y]) Epilogue[Acc, Out] {
	return Fuse[Acc, Out](f, nil, x.In(), y.In())
}

// Map4 applies f to the sum and three operands.
func Map4[Acc, X, Y, Z, Out dtype.Elem](f func(Acc, X, Y, Z) Out, x Operand[X], y Operand[Y], z Operand[Z]) Epilogue[Acc, Out] {
	return Fuse[Acc, Out](f, nil, x.In(), y.In(), z.In())
}

// Fuse applies f, a function of the sum and of any operands. Its first result is out; its
// others are the outputs also, such as the value before the activation. f may return an
// Acc in place of a narrower Out. Lowering the spec reports what does not fit together.
func Fuse[Acc, Out dtype.Elem](f any, also []Output, inputs ...Input) Epilogue[Acc, Out] {
	fusion := &Fusion{Fn: f, Inputs: inputs, Also: also, Acc: dtype.Of[Acc](), Out: dtype.Of[Out](), Where: where()}
	if t, _, err := emit.FuncType(f); err == nil && t.NumOut() > 0 && is(t.Out(0), fusion.Acc) {
		_, err := Store(fusion.Acc, fusion.Out)
		fusion.Rounds = err == nil && fusion.Acc != fusion.Out
	}
	return Epilogue[Acc, Out]{fusion}
}

// is reports whether a type of Go is the element type t.
func is(have reflect.Type, t dtype.Type) bool {
	x, err := emit.ElemOf(have)
	unsigned := reflect.Uint8 <= have.Kind() && have.Kind() <= reflect.Uint64
	return err == nil && x == ElemOf(t) && unsigned == (t == dtype.U8)
}

// Returns is the type of what the function returns first.
func (e *Fusion) Returns() dtype.Type {
	if e.Rounds {
		return e.Acc
	}
	return e.Out
}

// where returns the place that called one of the functions above, as a refusal of an
// epilogue names it: a file name relative to the current folder if it lies there.
func where() string {
	var pcs [8]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if f.Function != "" && !fuses.MatchString(f.Function) {
			file := f.File
			if dir, err := os.Getwd(); err == nil {
				if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
					file = rel
				}
			}
			return fmt.Sprintf("%s:%d", file, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// fuses matches the run time's names of what makes epilogues.
var fuses = regexp.MustCompile(`^` + regexp.QuoteMeta(reflect.TypeFor[Fusion]().PkgPath()) + `\.(where|Fuse|Map\d)(\[\.\.\.\])?$`)

// At says where the epilogue was made, before an error about it.
func (e *Fusion) At(err error) error {
	if err == nil || e.Where == "" {
		return err
	}
	return fmt.Errorf("%s: %w", e.Where, err)
}

// Slots counts the matrices that a CPU's kernel sees.
func (e *Fusion) Slots() int { return e.ReduceSlot(len(e.Reduces)) }

// Check returns why the function and its operands do not fit together, or nil.
func (e *Fusion) Check() error { return e.At(e.check()) }

func (e *Fusion) check() error {
	t, _, err := emit.FuncType(e.Fn)
	switch v := reflect.ValueOf(e.Fn); {
	case e.refused != nil:
		return e.refused
	case e.Fn == nil || v.Kind() == reflect.Func && v.IsNil():
		return fmt.Errorf("the epilogue's function is nil; name one, as in gemm.Map1(act.ReLU[float32]), or leave the epilogue away")
	case reflect.TypeOf(e.Fn) == reflect.TypeFor[emit.Derivative]() && err != nil:
		return err
	case err != nil:
		return fmt.Errorf("the epilogue is a %T, not a function", e.Fn)
	}
	if e.Slots() > kernel.MaxSlots {
		return fmt.Errorf("the epilogue has %d outputs, operands and reductions (a row index counts as three, a log-sum-exp as two); the limit is %d: divide them between two specs", e.Slots(), kernel.MaxSlots)
	}
	if t.NumIn() != 1+len(e.Inputs) || t.NumOut() != 1+len(e.Also) {
		return fmt.Errorf("the epilogue is a %v; with %d operands and %d further outputs it needs %d parameters and %d results",
			t, len(e.Inputs), len(e.Also), 1+len(e.Inputs), 1+len(e.Also))
	}
	match := func(what string, have reflect.Type, want dtype.Type) error {
		if want.Complex() {
			return fmt.Errorf("%s of the epilogue is a %s; epilogues are of real numbers and integers", what, want.Go())
		}
		if !is(have, want) {
			return fmt.Errorf("%s of the epilogue is a %v, want %s", what, have, want.Go())
		}
		return nil
	}
	if err := match("the first parameter", t.In(0), e.Acc); err != nil {
		return err
	}
	if err := match("the first result", t.Out(0), e.Returns()); err != nil {
		return err
	}
	names := map[string]bool{"out": true, "a": true, "b": true}
	name := func(n string) error {
		if !token.IsIdentifier(n) {
			return fmt.Errorf("a parameter is called %q, which is no Go identifier", n)
		}
		if names[n] {
			return fmt.Errorf("two parameters are called %q", n)
		}
		names[n] = true
		return nil
	}
	for i, in := range e.Inputs {
		if err := match(fmt.Sprintf("parameter %d (%s)", i+2, in.Name), t.In(i+1), in.Type); err != nil {
			return err
		}
		if err := name(in.Name); err != nil {
			return err
		}
		if in.Range != nil {
			if err := in.Range.Check(); err != nil {
				return fmt.Errorf("operand %s of the epilogue is %s: %w", in.Name, in.span(), err)
			}
		}
	}
	for i, o := range e.Also {
		if err := match(fmt.Sprintf("result %d (%s)", i+2, o.Name), t.Out(i+1), o.Type); err != nil {
			return err
		}
		if err := name(o.Name); err != nil {
			return err
		}
	}
	for _, n := range e.Zeros.names() {
		if err := name(n); err != nil {
			return err
		}
	}
	for _, r := range e.Reduces {
		if err := name(r.Name); err != nil {
			return err
		}
		if e.Result(r) < 0 {
			return fmt.Errorf("reduction %s is of %q; the results are %s", r.Name, r.Of, strings.Join(e.names(), ", "))
		}
		if t := e.ReducedType(r); t != dtype.F32 && t != dtype.F64 {
			return fmt.Errorf("reduction %s: reductions are of f32 or f64, the result is %v", r.Name, t)
		}
	}
	for i, o := range e.Results() {
		if o.Unstored && !e.Reduced(i) {
			return fmt.Errorf("result %s is not stored, and nothing is reduced of it: store it, or reduce it as Of(%q).RowSum does", o.Name, o.Name)
		}
	}
	return nil
}

// names lists the names of the results.
func (e *Fusion) names() (list []string) {
	for _, o := range e.Results() {
		list = append(list, o.Name)
	}
	return list
}
