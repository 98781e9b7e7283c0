package emit

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
)

// Builder appends operations to a function. Its methods panic on operands that
// do not fit; [Build] turns that into an error with the place in the builder.
type Builder struct {
	f     *Func
	block *Block
	from  string // where the Go stands that the next operations compute
}

// From says where the user's Go stands that the operations after this compute, as
// file:line:column; "" if they are not a user's. A refusal of one names that place.
func (b *Builder) From(source string) { b.from = source }

// Build makes a function: body appends its operations. The error, if any, is an
// [*Error] that names the operation, the place and what is wrong. The result has
// been checked by [Func.Check].
func Build(name string, args []Arg, body func(b *Builder)) (f *Func, err error) {
	f = &Func{Name: name, Args: args, Body: &Block{}}
	defer func() {
		if r := recover(); r != nil {
			refused, ok := r.(refusal)
			if !ok {
				panic(r)
			}
			f, err = nil, refused.err
		}
	}()
	body(&Builder{f: f, block: f.Body})
	f.Number()
	if err := f.Check(); err != nil {
		return nil, err
	}
	return f, nil
}

// A Family is functions for one target, whose names begin and end alike. It keeps the first error, and builds nothing
// after it.
type Family struct {
	Of             string // what an error begins with
	Prefix, Suffix string
	Args           []Arg
	Funcs          []*Func
	Err            error
}

// Add builds a function and returns its name. doc, which follows that, says what it does.
func (f *Family) Add(name, doc string, body func(b *Builder)) string {
	return f.With(f.Args, name, doc, body)
}

// With is Add for a function with another argument block.
func (f *Family) With(args []Arg, name, doc string, body func(b *Builder)) string {
	name = f.Prefix + name + f.Suffix
	if f.Err != nil {
		return name
	}
	built, err := Build(name, args, body)
	if err != nil {
		f.Err = fmt.Errorf("%s: %w", f.Of, err)
		return name
	}
	built.Doc = name + " " + doc
	f.Funcs = append(f.Funcs, built)
	return name
}

type refusal struct{ err error }

// Refuse stops the build with a reason that is not about one operation, such as
// a tile that no machine can hold.
func (b *Builder) Refuse(format string, args ...any) {
	panic(refusal{b.f.Refuse(nil, format, args...)})
}

// Op appends an operation of the table with the given result types.
func (b *Builder) Op(name string, at Attr, types []Type, args ...*Value) []*Value {
	if ops[name] == nil {
		b.Refuse("there is no operation called %q", name)
	}
	return b.append(&Op{Def: ops[name], Attr: at, Args: args}, types)
}

// bad is the error of an operation whose operands do not fit, which has no text yet.
func (b *Builder) bad(op *Op, err error) error {
	return &Error{Func: b.f.Name, Op: op.Def.Name, Where: op.Where(), Source: op.Source, Why: err.Error()}
}

func (b *Builder) one(name string, at Attr, t Type, args ...*Value) *Value {
	return b.append(&Op{Def: ops[name], Attr: at, Args: args}, []Type{t})[0]
}

// builderMethod begins the names of the builder's methods and of what is declared
// inside them.
var builderMethod = reflect.TypeFor[Builder]().PkgPath() + ".(*Builder)."

var builders sync.Map // program counter: bool

// ofBuilder reports whether a caller is a method of the builder. The same few places call for every operation, and
// finding their names takes longer than all else.
func ofBuilder(pc uintptr) bool {
	if known, ok := builders.Load(pc); ok {
		return known.(bool)
	}
	fr, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	is := strings.HasPrefix(fr.Function, builderMethod)
	builders.Store(pc, is)
	return is
}

func (b *Builder) append(op *Op, types []Type) []*Value {
	op.Source = b.from
	// The place is the innermost caller that is not a method of the builder.
	// It is near as a rule, and each frame takes longer than all else here.
	var pcs [8]uintptr
	n := runtime.Callers(2, pcs[:3])
	if ofBuilder(pcs[n-1]) {
		n = runtime.Callers(2, pcs[:])
	}
	for _, pc := range pcs[:n] {
		if op.pc = pc; !ofBuilder(pc) {
			break
		}
	}
	for _, t := range types {
		op.Results = append(op.Results, &Value{Type: t, Op: op})
	}
	for i, a := range op.Args {
		if a == nil {
			panic(refusal{b.bad(op, fmt.Errorf("operand %d is missing", i))})
		}
	}
	if op.Def.Type != nil {
		if err := op.Def.Type(op); err != nil {
			panic(refusal{b.bad(op, err)})
		}
	}
	b.block.Ops = append(b.block.Ops, op)
	return op.Results
}

// Comment attaches a note to the last operation; backends print it.
func (b *Builder) Comment(format string, args ...any) {
	if n := len(b.block.Ops); n > 0 {
		b.block.Ops[n-1].Comment = fmt.Sprintf(format, args...)
	}
}

// Const returns the number x as a t: an integer, or a floating-point value that
// is rounded to t, in every lane.
func (b *Builder) Const(t Type, x float64) *Value {
	if t.Elem.Float() {
		return b.one("const", Attr{F: roundTo(t.Elem, x)}, t)
	}
	return b.one("const", Attr{Imm: int64(x)}, t)
}

// Int returns an i64 constant.
func (b *Builder) Int(n int64) *Value { return b.one("const", Attr{Imm: n}, Int64) }

// Param loads the field called name of the argument block. t may be a vector of the
// field's type, which then holds the field in every lane.
func (b *Builder) Param(name string, t Type) *Value {
	v := b.one("param", Attr{Name: name}, t)
	if err := typeParam(b.f, v.Op); err != nil {
		panic(refusal{b.bad(v.Op, err)})
	}
	return v
}

// Add returns x + y. Sub, Mul and the others are named as in the op table.
func (b *Builder) Add(x, y *Value) *Value { return b.one("add", Attr{}, x.Type, x, y) }

// Sub returns x - y.
func (b *Builder) Sub(x, y *Value) *Value { return b.one("sub", Attr{}, x.Type, x, y) }

// Mul returns x * y.
func (b *Builder) Mul(x, y *Value) *Value { return b.one("mul", Attr{}, x.Type, x, y) }

// FMA returns acc + x*y, rounded once.
func (b *Builder) FMA(acc, x, y *Value) *Value { return b.one("fma", Attr{}, acc.Type, acc, x, y) }

// And returns the bitwise and.
func (b *Builder) And(x, y *Value) *Value { return b.one("and", Attr{}, x.Type, x, y) }

// Or returns the bitwise or.
func (b *Builder) Or(x, y *Value) *Value { return b.one("or", Attr{}, x.Type, x, y) }

// Xor returns the bitwise exclusive or.
func (b *Builder) Xor(x, y *Value) *Value { return b.one("xor", Attr{}, x.Type, x, y) }

// Shl returns x << y.
func (b *Builder) Shl(x, y *Value) *Value { return b.one("shl", Attr{}, x.Type, x, y) }

// Shr returns x >> y without sign.
func (b *Builder) Shr(x, y *Value) *Value { return b.one("shr", Attr{}, x.Type, x, y) }

// Cmp returns the predicate pred (eq ne lt le gt ge) of x and y.
func (b *Builder) Cmp(pred string, x, y *Value) *Value {
	return b.one("cmp", Attr{Name: pred}, x.Type.Mask(), x, y)
}

// Select returns x where m is set and y elsewhere.
func (b *Builder) Select(m, x, y *Value) *Value { return b.one("select", Attr{}, x.Type, m, x, y) }

// Splat returns the scalar x in every lane of t.
func (b *Builder) Splat(t Type, x *Value) *Value { return b.one("splat", Attr{}, t, x) }

// Shuffle returns the lanes of x, or of x and y laid end to end, in the order perm.
func (b *Builder) Shuffle(perm []int, x ...*Value) *Value {
	return b.one("shuffle", Attr{Perm: perm}, Vector(x[0].Type.Elem, len(perm)), x...)
}

// Pack returns the fragment whose registers are regs.
func (b *Builder) Pack(regs ...*Value) *Value {
	return b.one("pack", Attr{}, Frag(regs[0].Type, len(regs)), regs...)
}

// Unpack returns the registers of the fragment x.
func (b *Builder) Unpack(x *Value) []*Value {
	one := x.Type
	one.Regs = 0
	types := make([]Type, x.Type.Regs)
	for i := range types {
		types[i] = one
	}
	return b.Op("unpack", Attr{}, types, x)
}

// MaskN returns the mask with the first n lanes set, for vectors like t.
func (b *Builder) MaskN(t Type, n *Value) *Value { return b.one("maskn", Attr{}, t.Mask(), n) }

// AddP returns p moved by n bytes. Its alignment is not known.
func (b *Builder) AddP(p, n *Value) *Value {
	return b.one("addp", Attr{}, Pointer(p.Type.Space, 0), p, n)
}

// SReg reads a special register, the same over level threads.
func (b *Builder) SReg(name string, t Type, level Level) *Value {
	return b.one("sreg", Attr{Name: name, Level: level}, t)
}

// Inst appends a machine instruction.
func (b *Builder) Inst(i *Instruction, imm int64, args ...*Value) []*Value {
	return b.append(&Op{Def: ops["inst"], Inst: i, Attr: Attr{Imm: imm}, Args: args}, i.Out)
}

// within runs body with new operations going to a fresh block.
func (b *Builder) within(args []*Value, body func() []*Value) *Block {
	outer := b.block
	in := &Block{Args: args}
	b.block = in
	b.append(&Op{Def: ops["yield"], Args: body()}, nil)
	b.block = outer
	return in
}

func fresh(types ...Type) []*Value {
	vs := make([]*Value, len(types))
	for i, t := range types {
		vs[i] = &Value{Type: t}
	}
	return vs
}

func typesOf(vs []*Value) []Type {
	ts := make([]Type, len(vs))
	for i, v := range vs {
		ts[i] = v.Type
	}
	return ts
}

// For appends a loop. It calls body once, with the index and the carried values of an
// iteration; body returns those of the next. The results are the carried values after
// the last.
func (b *Builder) For(lo, hi *Value, step int64, inits []*Value, body func(i *Value, x []*Value) []*Value) []*Value {
	s := b.one("const", Attr{Imm: step}, lo.Type)
	return b.loop(false, lo, hi, s, inits, body)
}

// ForOnce is For with the promise that lo < hi, which saves the test.
func (b *Builder) ForOnce(lo, hi *Value, step int64, inits []*Value, body func(i *Value, x []*Value) []*Value) []*Value {
	s := b.one("const", Attr{Imm: step}, lo.Type)
	return b.loop(true, lo, hi, s, inits, body)
}

func (b *Builder) loop(once bool, lo, hi, step *Value, inits []*Value, body func(i *Value, x []*Value) []*Value) []*Value {
	args := fresh(append([]Type{lo.Type}, typesOf(inits)...)...)
	in := b.within(args, func() []*Value { return body(args[0], args[1:]) })
	op := &Op{Def: ops["for"], Args: append([]*Value{lo, hi, step}, inits...), Blocks: []*Block{in}, Attr: Attr{Once: once}}
	return b.append(op, typesOf(inits))
}

// While appends a loop that runs body while cond holds. cond returns the condition and
// the values that body takes; body returns the next values for cond.
func (b *Builder) While(inits []*Value, cond func(x []*Value) (*Value, []*Value), body func(x []*Value) []*Value) []*Value {
	head := fresh(typesOf(inits)...)
	var passed []*Value
	c := b.within(head, func() []*Value {
		ok, vs := cond(head)
		passed = vs
		return append([]*Value{ok}, vs...)
	})
	args := fresh(typesOf(passed)...)
	in := b.within(args, func() []*Value { return body(args) })
	op := &Op{Def: ops["while"], Args: inits, Blocks: []*Block{c, in}}
	return b.append(op, typesOf(passed))
}

// If appends a branch; both sides return values of the same types. A nil side
// does nothing.
func (b *Builder) If(cond *Value, then, otherwise func() []*Value) []*Value {
	side := func(f func() []*Value) *Block {
		return b.within(nil, func() []*Value {
			if f == nil {
				return nil
			}
			return f()
		})
	}
	blocks := []*Block{side(then), side(otherwise)}
	var types []Type
	if y := blocks[0].yield(); y != nil {
		types = typesOf(y)
	}
	return b.append(&Op{Def: ops["if"], Args: []*Value{cond}, Blocks: blocks}, types)
}

// AsError returns err as an [*Error], or nil.
func AsError(err error) *Error {
	var e *Error
	errors.As(err, &e)
	return e
}
