package emit

import (
	"fmt"
	"reflect"
	"runtime"
)

// Applied is a user's Go function inside the IR: op "apply" calls it once for
// every lane. The interpreter really calls it, [Inline] puts the translation of
// its source in its place, and no backend prints it.
type Applied struct {
	Name string
	Fn   reflect.Value
}

// Apply appends a call of the Go function fn on the lanes of args, which have one
// number of lanes. fn takes and returns numbers or truth values; its types say
// what args and the results must be.
func (b *Builder) Apply(fn any, args ...*Value) []*Value {
	v := reflect.ValueOf(fn)
	if v.Kind() != reflect.Func || v.IsNil() {
		b.Refuse("apply: a %T is not a function", fn)
	}
	name := "func"
	if f := runtime.FuncForPC(v.Pointer()); f != nil {
		name = f.Name()
	}
	lanes := 1
	if len(args) > 0 {
		lanes = args[0].Type.Lanes
	}
	var types []Type
	for i := range v.Type().NumOut() {
		e, err := ElemOf(v.Type().Out(i))
		if err != nil {
			b.Refuse("apply: %s returns a %v: %v", name, v.Type().Out(i), err)
		}
		types = append(types, Vector(e, lanes))
	}
	return b.append(&Op{Def: ops["apply"], Attr: Attr{Name: name}, Fn: &Applied{name, v}, Args: args}, types)
}

func typeApply(op *Op) error {
	if op.Fn == nil {
		return fmt.Errorf("the Go function %q is not at hand: text cannot hold one", op.Attr.Name)
	}
	t := op.Fn.Fn.Type()
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
	fn, args, results := s.op.Fn.Fn, s.args, s.results
	t := fn.Type()
	return func(th *thread) error {
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
func Inline(f *Func, translate func(b *Builder, op *Op) ([]*Value, error)) error {
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
	return Check(f)
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
