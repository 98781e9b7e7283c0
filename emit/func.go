package emit

import (
	"fmt"
	"path/filepath"
	"runtime"
)

// Func is one kernel: an argument block and a body. It has no results; a kernel
// speaks through memory.
type Func struct {
	Name string
	Doc  string // one or more lines; printed above the function
	Args []Arg  // the fields of the argument block, by offset
	Body *Block

	// On a GPU: the threads of a CTA that the function is made for and the bytes of
	// dynamic shared memory that it uses. 0 if it does not say, and on a CPU.
	Threads, Shared int

	// Spills allows a CPU's backend to keep in memory what finds no register. Without
	// it such a function is refused, which is how tiles that are too large are found.
	Spills bool
}

// Arg is one field of the argument block that a kernel gets a pointer to (on a
// GPU: one kernel parameter).
type Arg struct {
	Name   string
	Type   Type
	Offset int // in bytes
}

// Arg returns the field called name, or nil.
func (f *Func) Arg(name string) *Arg {
	for i := range f.Args {
		if f.Args[i].Name == name {
			return &f.Args[i]
		}
	}
	return nil
}

// Block is a straight list of operations with arguments. Every block but a
// function's body ends in a yield, which hands values to the operation that owns
// the block. Values are visible in the rest of their block and in nested blocks.
type Block struct {
	Args []*Value
	Ops  []*Op
}

// yield returns the operands of the final yield.
func (b *Block) yield() []*Value {
	if n := len(b.Ops); n > 0 && b.Ops[n-1].Def.Name == "yield" {
		return b.Ops[n-1].Args
	}
	return nil
}

// Value is a result of an operation or an argument of a block; it is assigned
// once. ID is dense within a function after [Func.Number].
type Value struct {
	Type Type
	ID   int
	Op   *Op // nil for a block argument
}

// Op is one operation.
type Op struct {
	Def     *Def
	Args    []*Value
	Results []*Value
	Attr    Attr
	Inst    *Instruction // of op "inst"
	Fn      *Applied     // of op "apply"
	Blocks  []*Block
	Comment string // printed after the instruction
	Source  string // file:line:column of the user's Go that this computes, "" if it is of ours
	pc      uintptr
	line    int32 // of a parsed operation: where it stands in the text
	column  int32
}

// Attr holds the compile-time operands of an operation. Which of them mean
// something is stated in the operation's [Def]; the others are zero.
type Attr struct {
	Off, Scale int64    // address: base + index*Scale + Off, in bytes
	Imm        int64    // const of an integer type; prefetch level; instruction modifier; 1 for a load that the next operation may contain
	F          float64  // const of a floating-point type
	Name       string   // param: the field; cmp: the predicate; cvt, round, sat: the rounding or the kind; sreg: the register
	Perm       []int    // shuffle: for each result lane the lane of the operands, laid end to end
	Once       bool     // for: the body is known to run at least once
	Near       bool     // div: no number is near the ends of its type, see [Builder.DivNear]
	Level      Level    // sreg: threads over which the register is the same
	Table      []uint64 // table: the bits of its elements
}

// Result returns the only result of op.
func (op *Op) Result() *Value {
	if len(op.Results) != 1 {
		return nil
	}
	return op.Results[0]
}

// Where returns the place in the builder that made op, as "file.go:12". For an op that
// was parsed from text it returns the place there, as "12:3". It may be "".
func (op *Op) Where() string {
	if op.line > 0 {
		return fmt.Sprintf("%d:%d", op.line, op.column)
	}
	if op.pc == 0 {
		return ""
	}
	f, _ := runtime.CallersFrames([]uintptr{op.pc}).Next()
	return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
}

// Walk calls visit for every operation under b in program order, an operation
// before the blocks it owns.
func (b *Block) Walk(visit func(*Op)) {
	for _, op := range b.Ops {
		visit(op)
		for _, in := range op.Blocks {
			in.Walk(visit)
		}
	}
}

// Number gives all values dense IDs in program order and returns their count.
func (f *Func) Number() int {
	n := 0
	f.Body.values(func(v *Value) {
		v.ID = n
		n++
	})
	return n
}

// values calls visit for every value defined under b in program order.
func (b *Block) values(visit func(*Value)) {
	for _, v := range b.Args {
		visit(v)
	}
	for _, op := range b.Ops {
		for _, in := range op.Blocks {
			in.values(visit)
		}
		for _, v := range op.Results {
			visit(v)
		}
	}
}

// Clone returns a deep copy that shares no block, operation or value with f.
func (f *Func) Clone() *Func {
	c := *f
	c.Args = append([]Arg(nil), f.Args...)
	seen := map[*Value]*Value{}
	c.Body = f.Body.clone(seen)
	return &c
}

func (b *Block) clone(seen map[*Value]*Value) *Block {
	dup := func(vs []*Value, op *Op) []*Value {
		if vs == nil {
			return nil
		}
		out := make([]*Value, len(vs))
		for i, v := range vs {
			w := *v
			w.Op = op
			out[i], seen[v] = &w, &w
		}
		return out
	}
	c := &Block{Args: dup(b.Args, nil)}
	for _, op := range b.Ops {
		o := *op
		o.Args = make([]*Value, len(op.Args))
		for i, v := range op.Args {
			if o.Args[i] = seen[v]; o.Args[i] == nil {
				o.Args[i] = v // of an enclosing function that is not cloned, or ill-formed
			}
		}
		o.Attr.Perm = append([]int(nil), op.Attr.Perm...)
		o.Blocks = nil
		for _, in := range op.Blocks {
			o.Blocks = append(o.Blocks, in.clone(seen))
		}
		o.Results = dup(op.Results, &o)
		c.Ops = append(c.Ops, &o)
	}
	return c
}

// Error is a refusal: a function that cannot be built, checked, interpreted or
// printed. If Source is set, the error is about Go that a user wrote. The message then
// names that place, and not the operation, which the reader has never seen.
type Error struct {
	Func   string // the kernel
	Op     string // the operation, in text form or by name
	Where  string // the place in the builder, "" if unknown
	Source string // the place in a user's Go, "" if it is not about that
	Why    string
	Scarce string // the registers that do not suffice, "general", "vector" or "mask"; "" if it is about something else
}

func (e *Error) Error() string {
	if e.Source != "" {
		return e.Source + ": in the kernel " + e.Func + ": " + e.Why
	}
	s := e.Func
	if e.Where != "" {
		s += " (" + e.Where + ")"
	}
	if e.Op != "" {
		s += ": " + e.Op
	}
	return s + ": " + e.Why
}

// Refuse returns an [Error] about op, which may be nil.
func (f *Func) Refuse(op *Op, format string, args ...any) error {
	e := &Error{Func: f.Name, Why: fmt.Sprintf(format, args...)}
	if op != nil {
		e.Op, e.Where, e.Source = op.String(), op.Where(), op.Source
	}
	return e
}
