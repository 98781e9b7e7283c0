package emit

import (
	"fmt"
	"math"
	"slices"
)

// maxThreads is how many threads a CTA may have. CUDA programming guide, "Compute
// Capabilities".
const maxThreads = 1024

// Check returns the first thing that is wrong with f, or nil. The error is an
// [*Error]. It holds that
//
//   - the argument block consists of aligned scalars and pointers, by offset, and
//     there are no more threads than a CTA may have;
//   - every value is defined once and used only where it is visible;
//   - blocks end in a yield, attributes and types fit the op table;
//   - registers that an instruction overwrote are not read again (check_tied.go);
//   - registers that an instruction in flight may write are read only by those
//     that declare it;
//   - threads that must execute an instruction together reach it together
//     (check_uniform.go).
func (f *Func) Check() error {
	if f.Body == nil || len(f.Body.Args) > 0 {
		return f.Refuse(nil, "a body is a block without arguments; arguments come by op param")
	}
	if err := checkArgs(f); err != nil {
		return f.Refuse(nil, "%v", err)
	}
	if f.Threads < 0 || f.Threads > maxThreads || f.Shared < 0 || f.Shared > math.MaxInt32 {
		return f.Refuse(nil, "%d threads and %d bytes of shared memory: want 0 to %d, and 0 to 2^31-1", f.Threads, f.Shared, maxThreads)
	}
	c := &checker{f: f, known: map[Type]bool{}}
	if err := c.block(f.Body, nil, 0); err != nil {
		return err
	}
	if err := checkTied(f); err != nil {
		return err
	}
	return checkUniform(f)
}

// checkArgs checks the argument block.
func checkArgs(f *Func) error {
	names := map[string]bool{}
	end := 0
	for _, a := range f.Args {
		if !a.Type.known() || a.Type.Lanes != 1 || a.Type.Regs != 0 || a.Type.Async {
			return fmt.Errorf("field %s is %v; a field is a scalar or a pointer", a.Name, a.Type)
		}
		size := a.Type.Bytes()
		switch {
		case a.Name == "":
			return fmt.Errorf("the field at %d has no name", a.Offset)
		case names[a.Name]:
			return fmt.Errorf("two fields are called %s", a.Name)
		case a.Offset%size != 0:
			return fmt.Errorf("field %s at offset %d is not aligned to its %d bytes", a.Name, a.Offset, size)
		case a.Offset < end:
			return fmt.Errorf("field %s at offset %d begins before %d, where the one before it ends; fields stand by offset", a.Name, a.Offset, end)
		case a.Offset > maxOffset:
			return fmt.Errorf("field %s at offset %d is beyond %d", a.Name, a.Offset, maxOffset)
		}
		names[a.Name], end = true, a.Offset+size
	}
	return nil
}

// maxOffset bounds an argument block: CUDA's limit for kernel parameters is
// 32764 bytes, and no CPU kernel comes near it.
const maxOffset = 1 << 15

// known reports whether t is well-formed: then, and only then, its text form
// reads back.
func (t Type) known() bool {
	back, err := parseType(t.String())
	return err == nil && back == t
}

type checker struct {
	f       *Func
	visible table[bool]   // whether a value that is defined may be used here
	known   map[Type]bool // types that were found well-formed
}

func (c *checker) block(b *Block, owner *Op, number int) error {
	if b == nil {
		return c.f.Refuse(owner, "block %d is missing", number)
	}
	var mine []*Value
	define := func(vs []*Value, op *Op) error {
		for i, v := range vs {
			if err := c.define(v, op); err != nil {
				about := op
				if op == nil {
					about = owner
				}
				return c.f.Refuse(about, "value %d: %v", i, err)
			}
			mine = append(mine, v)
		}
		return nil
	}
	if err := define(b.Args, nil); err != nil {
		return err
	}
	for i, op := range b.Ops {
		if op == nil || op.Def == nil || ops[op.Def.Name] != op.Def {
			return c.f.Refuse(op, "operation %d of its block is not in the op table", i)
		}
		if isYield, last := op.Def.Name == "yield", i == len(b.Ops)-1; isYield && (owner == nil || !last) {
			return c.f.Refuse(op, "a yield ends a block that an operation owns and stands nowhere else")
		}
		if err := c.op(op); err != nil {
			return err
		}
		if err := define(op.Results, op); err != nil {
			return err
		}
	}
	if n := len(b.Ops); owner != nil && (n == 0 || b.Ops[n-1].Def.Name != "yield") {
		return c.f.Refuse(owner, "block %d does not end in a yield", number)
	}
	for _, v := range mine {
		c.visible.put(v, false)
	}
	return nil
}

// define makes v visible; op is nil for a block argument.
func (c *checker) define(v *Value, op *Op) error {
	if v == nil {
		return fmt.Errorf("it is missing")
	}
	switch _, defined := c.visible.get(v); {
	case defined:
		return fmt.Errorf("%%%d is defined twice", v.ID)
	case v.Op != op:
		return fmt.Errorf("%%%d does not name the operation that makes it", v.ID)
	case !c.known[v.Type]:
		if !v.Type.known() {
			return fmt.Errorf("%%%d has no type that exists: %v", v.ID, v.Type)
		}
		c.known[v.Type] = true
	}
	c.visible.put(v, true)
	return nil
}

// op checks everything about op but where it stands. Its blocks come before its
// type rule, which looks at their yields.
func (c *checker) op(op *Op) error {
	for i, v := range op.Args {
		if v == nil {
			return c.f.Refuse(op, "operand %d is missing", i)
		}
		switch visible, defined := c.visible.get(v); {
		case visible:
		case defined:
			return c.f.Refuse(op, "%%%d is used outside the block that defines it; let that block yield it", v.ID)
		default:
			return c.f.Refuse(op, "%%%d is not defined before its use", v.ID)
		}
	}
	if slices.Contains(op.Results, nil) {
		return c.f.Refuse(op, "a result is missing")
	}
	if err := op.checkAttr(); err != nil {
		return c.f.Refuse(op, "%v", err)
	}
	switch name := op.Def.Name; {
	case (op.Inst != nil) != (name == "inst"):
		return c.f.Refuse(op, "an instruction belongs to op inst, and to no other")
	case name == "for" || name == "while" || name == "if":
	case len(op.Blocks) > 0:
		return c.f.Refuse(op, "owns blocks; only for, while and if do")
	case name == "yield":
		if len(op.Results) > 0 {
			return c.f.Refuse(op, "has no result")
		}
	case name != "inst":
		if err := checkAsync(op); err != nil {
			return c.f.Refuse(op, "%v", err)
		}
	}
	for i, b := range op.Blocks {
		if err := c.block(b, op, i); err != nil {
			return err
		}
	}
	var err error
	switch {
	case op.Def.Name == "param":
		err = typeParam(c.f, op)
	case op.Def.Type != nil:
		err = op.Def.Type(op)
	}
	if err != nil {
		return c.f.Refuse(op, "%v", err)
	}
	return nil
}

// checkAsync keeps ordinary operations away from registers that an instruction
// in flight may still write. Instructions say by their types which they take;
// for, while, if and yield only hand values on.
func checkAsync(op *Op) error {
	for _, v := range op.Args {
		if v.Type.Async {
			return fmt.Errorf("%%%d is %v: an instruction in flight may still write it; pass it through the one that waits first", v.ID, v.Type)
		}
	}
	for _, v := range op.Results {
		if v.Type.Async {
			return fmt.Errorf("only an instruction makes an async value")
		}
	}
	return nil
}
