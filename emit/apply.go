package emit

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"

	"github.com/tilesmith/tilesmith/layout/ranges"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// Applied is a user's Go function inside the IR: op "apply" calls it once for
// every lane. The interpreter really calls it, [Func.Inline] puts the translation of
// its source in its place, and no backend prints it.
type Applied struct {
	Name string
	Fn   any // the Go function, a [Derivative], or a [ranges.Promise] of one
	Type reflect.Type
}

// Derivative stands for the derivative of the Go function Of. Whoever inlines functions makes it from Of's
// source. It takes the operands of Of and, for each result that is a float, the gradient by that result. It
// returns the gradients by the operands By, counted from 0, or by all that are floats if By is empty. They
// are float32 for operands of package dtype. The interpreter runs it once it is inlined.
type Derivative struct {
	Of any
	By []int
	// Reduced are results that are reduced from many numbers to one, and have a gradient as well. Each has a
	// parameter after those of the results. LogSumExp has two: the reduced value and the gradient.
	// Unread are results that nothing else reads: they have no gradient of their own.
	Reduced []Reduced
	Unread  []int
}

// Reduced is a result of a function, counted from 0, and what its numbers are reduced to: Sum, SumSquares or
// LogSumExp, which have a derivative by each number, made of that number and of what all come to.
type Reduced struct {
	Result int
	How    reduce.Op
}

// FuncType returns the type of a Go function, of a [Derivative] or of a [ranges.Promise], and its name. The error says that fn is none.
func FuncType(fn any) (reflect.Type, string, error) {
	switch f := fn.(type) {
	case Derivative:
		return f.funcType()
	case ranges.Promise:
		return FuncType(f.Of)
	}
	v := reflect.ValueOf(fn)
	if v.Kind() != reflect.Func {
		return nil, "", fmt.Errorf("a %T is not a function", fn)
	}
	if v.IsNil() {
		return nil, "", fmt.Errorf("the function is nil")
	}
	name := "func"
	if f := runtime.FuncForPC(v.Pointer()); f != nil {
		name = f.Name()
	}
	return v.Type(), name, nil
}

func (d Derivative) funcType() (reflect.Type, string, error) {
	if _, ok := d.Of.(Derivative); ok {
		return nil, "", fmt.Errorf("derivatives of derivatives are not made; write the first as a function")
	}
	t, name, err := FuncType(d.Of)
	if err != nil {
		return nil, "", fmt.Errorf("derivative: %w", err)
	}
	differs := func(t reflect.Type) bool {
		e, err := ElemOf(t)
		return err == nil && e.Float()
	}
	var in, out []reflect.Type
	by := d.By
	for i := range t.NumIn() {
		in = append(in, t.In(i))
		if len(d.By) == 0 && differs(t.In(i)) {
			by = append(by, i)
		}
	}
	for i := range t.NumOut() {
		if differs(t.Out(i)) && !slices.Contains(d.Unread, i) {
			in = append(in, t.Out(i))
		}
	}
	for _, r := range d.Reduced {
		if r.Result < 0 || r.Result >= t.NumOut() || !differs(t.Out(r.Result)) {
			return nil, "", fmt.Errorf("derivative: %s has no result %d, counting from 0, that is a float", name, r.Result)
		}
		if in = append(in, t.Out(r.Result)); r.How == reduce.LogSumExp {
			in = append(in, t.Out(r.Result))
		}
	}
	if len(in) == t.NumIn() {
		return nil, "", fmt.Errorf("derivative: %s has no float result", name)
	}
	for _, i := range by {
		switch {
		case i < 0 || i >= t.NumIn():
			return nil, "", fmt.Errorf("derivative: %s has %d parameters, and no parameter %d, counting from 0", name, t.NumIn(), i)
		case !differs(t.In(i)):
			return nil, "", fmt.Errorf("derivative: parameter %d of %s, counting from 0, is a %v, which has no derivative", i, name, t.In(i))
		case t.In(i).Kind() == reflect.Struct: // of package dtype
			out = append(out, reflect.TypeFor[float32]())
		case t.In(i).Kind() == reflect.Float64:
			out = append(out, reflect.TypeFor[float64]())
		default:
			out = append(out, reflect.TypeFor[float32]())
		}
	}
	if len(out) == 0 {
		return nil, "", fmt.Errorf("derivative: %s has no parameter that is a float", name)
	}
	return reflect.FuncOf(in, out, false), "the derivative of " + name, nil
}

// Apply appends a call of the Go function fn, of a [Derivative] or of a [ranges.Promise], on the lanes of args, which have one
// number of lanes. fn takes and returns numbers or truth values; its types say
// what args and the results must be.
func (b *Builder) Apply(fn any, args ...*Value) []*Value {
	t, name, err := FuncType(fn)
	if err != nil {
		b.Refuse("apply: %v", err)
	}
	lanes := 1
	if len(args) > 0 {
		lanes = args[0].Type.Lanes
	}
	var types []Type
	for i := range t.NumOut() {
		e, err := ElemOf(t.Out(i))
		if err != nil {
			b.Refuse("apply: %s returns a %v: %v", name, t.Out(i), err)
		}
		types = append(types, Vector(e, lanes))
	}
	return b.append(&Op{Def: ops["apply"], Attr: Attr{Name: name}, Fn: &Applied{name, fn, t}, Args: args}, types)
}

func typeApply(op *Op) error {
	if op.Fn == nil {
		return fmt.Errorf("the Go function %q is not at hand: text cannot hold one", op.Attr.Name)
	}
	t := op.Fn.Type
	if t.IsVariadic() || t.NumIn() != len(op.Args) || t.NumOut() != len(op.Results) || t.NumOut() == 0 {
		return fmt.Errorf("%s is a %v, called with %d operands for %d results", op.Fn.Name, t, len(op.Args), len(op.Results))
	}
	for i, a := range op.Args {
		e, err := ElemOf(t.In(i))
		if err != nil {
			return fmt.Errorf("parameter %d of %s: %w", i, op.Fn.Name, err)
		}
		if a.Type != Vector(e, op.Args[0].Type.Lanes) {
			return fmt.Errorf("parameter %d of %s is a %v, the operand is %v", i, op.Fn.Name, t.In(i), a.Type)
		}
	}
	return nil
}

func makeApply(_ *program, s *step, _ []*block) action {
	args, results, t := s.args, s.results, s.op.Fn.Type
	fn := called(s.op.Fn.Fn)
	return func(th *thread) error {
		if fn.Kind() != reflect.Func {
			return fmt.Errorf("%s is not at hand until it is inlined", s.op.Fn.Name)
		}
		in := make([]reflect.Value, len(args))
		for lane := range th.v[results[0]].Lane {
			for i, a := range args {
				in[i] = fromBits(t.In(i), th.v[a].Lane[lane])
			}
			for i, out := range fn.Call(in) {
				th.v[results[i]].Lane[lane] = toBits(out)
			}
		}
		return nil
	}
}

// Inline replaces every apply of f by what translate appends for it: values of
// the types of the results.
func (f *Func) Inline(translate func(b *Builder, op *Op) ([]*Value, error)) error {
	replaced := map[*Value]*Value{}
	var walk func(b *Block) error
	walk = func(b *Block) error {
		var out []*Op
		for _, op := range b.Ops {
			for i, a := range op.Args {
				if v := replaced[a]; v != nil {
					op.Args[i] = v
				}
			}
			for _, in := range op.Blocks {
				if err := walk(in); err != nil {
					return err
				}
			}
			if op.Fn == nil {
				out = append(out, op)
				continue
			}
			nb := &Builder{f: f, block: &Block{}}
			values, err := nb.catch(func() ([]*Value, error) { return translate(nb, op) })
			if err != nil {
				return err
			}
			if err := sameList("translation of "+op.Fn.Name, values, op.Results); err != nil {
				return f.Refuse(op, "%v", err)
			}
			for i, r := range op.Results {
				replaced[r] = values[i]
			}
			out = append(out, nb.block.Ops...)
		}
		b.Ops = out
		return nil
	}
	if err := walk(f.Body); err != nil {
		return err
	}
	f.Number()
	return f.Check()
}

// catch runs body and returns a refusal as an error.
func (b *Builder) catch(body func() ([]*Value, error)) (vs []*Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			refused, ok := r.(refusal)
			if !ok {
				panic(r)
			}
			err = refused.err
		}
	}()
	return body()
}

// called is the Go function that stands in fn, which may be a [ranges.Promise].
func called(fn any) reflect.Value {
	if r, ok := fn.(ranges.Promise); ok {
		return called(r.Of)
	}
	return reflect.ValueOf(fn)
}
