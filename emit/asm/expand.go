package asm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// Expansions replace operations for which a target has no single instruction, by
// the name of the operation. Each makes operations that mean the same and returns
// the value that takes the place of the result, or nil if the operation may stay.
// The operations that they make are looked at in turn.
type Expansions map[string]func(x *Expansion) *emit.Value

// An Expansion is one operation being replaced.
type Expansion struct {
	T   emit.Target
	Old *emit.Op
	ops []*emit.Op
	err error
}

// Legalize replaces operations that need several instructions by those.
func (all Expansions) Legalize(t emit.Target, f *emit.Func) error { return all.block(t, f, f.Body) }

func (all Expansions) block(t emit.Target, f *emit.Func, b *emit.Block) error {
	var out []*emit.Op
	for _, op := range b.Ops {
		for _, in := range op.Blocks {
			if err := all.block(t, f, in); err != nil {
				return err
			}
		}
		ops, err := all.op(t, op)
		if err != nil {
			return f.Refuse(op, "%v", err)
		}
		out = append(out, ops...)
	}
	b.Ops = out
	return nil
}

func (all Expansions) op(t emit.Target, op *emit.Op) ([]*emit.Op, error) {
	expand := all[op.Def.Name]
	if expand == nil {
		return []*emit.Op{op}, nil
	}
	x := &Expansion{T: t, Old: op}
	v := expand(x)
	if v == nil || x.err != nil {
		return []*emit.Op{op}, x.err
	}
	// The operation that makes v takes over the old result.
	last := v.Op
	last.Results, last.Comment = op.Results, op.Comment
	last.Results[0].Op = last
	var out []*emit.Op
	for _, o := range x.ops {
		ops, err := all.op(t, o)
		if err != nil {
			return nil, err
		}
		out = append(out, ops...)
	}
	return out, nil
}

// Refuse says that the operation has no meaning on the target.
func (x *Expansion) Refuse(format string, args ...any) *emit.Value {
	x.err = fmt.Errorf(format, args...)
	return nil
}

func (x *Expansion) add(op *emit.Op) *emit.Value {
	x.ops = append(x.ops, op)
	return op.Result()
}

// Op appends an operation of the table; how is its name attribute.
func (x *Expansion) Op(name, how string, t emit.Type, args ...*emit.Value) *emit.Value {
	return x.add(NewOp(x.Old, name, emit.Attr{Name: how}, nil, t, args...))
}

// Int appends an integer constant.
func (x *Expansion) Int(t emit.Type, n int64) *emit.Value {
	return x.add(NewOp(x.Old, "const", emit.Attr{Imm: n}, nil, t))
}

// Inst appends a machine instruction.
func (x *Expansion) Inst(i *emit.Instruction, args ...*emit.Value) *emit.Value {
	return x.add(NewOp(x.Old, "inst", emit.Attr{}, i, i.Out[0], args...))
}

// Float appends a floating-point constant.
func (x *Expansion) Float(t emit.Type, f float64) *emit.Value {
	return x.add(NewOp(x.Old, "const", emit.Attr{F: f}, nil, t))
}

// Wider returns the type with lanes of 2*bits in place of t's, and whether a register
// holds it.
func (x *Expansion) Wider(t emit.Type) (emit.Type, bool) {
	e := map[emit.Elem]emit.Elem{emit.I8: emit.I16, emit.I16: emit.I32, emit.I32: emit.I64}[t.Elem]
	w := With(t, e)
	return w, e != emit.None && w.Bits() <= x.T.Bits
}
