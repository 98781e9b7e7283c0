package amd64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// expansions replace operations for which a target has no single instruction, by
// the name of the operation. Each makes operations that mean the same and returns
// the value that takes the place of the result, or nil if the operation may stay.
// The operations that they make are looked at in turn.
var expansions map[string]func(x *expansion) *emit.Value

func init() { // expansions refer to themselves
	expansions = map[string]func(x *expansion) *emit.Value{
		"const": expandConst, "maskn": expandMaskN, "maskof": expandMaskOf, "cmp": expandCmp, "select": expandSelect,
		"mul": expandMul, "umulh": expandMulHi, "shl": expandShift, "shr": expandShift, "sar": expandShift,
		"popcnt": expandOnesCount, "clz": expandLeadingZeros, "udiv": expandDivide, "urem": expandDivide,
		"imin": expandMinMax, "imax": expandMinMax, "trunc": expandTrunc, "sat": expandSat, "cvt": expandCvt,
	}
}

// expansion is one operation being replaced.
type expansion struct {
	t   emit.Target
	old *emit.Op
	ops []*emit.Op
	err error
}

// legalize replaces operations that need several instructions by those.
func legalize(t emit.Target, f *emit.Func) error {
	if err := expandBlock(t, f, f.Body); err != nil {
		return err
	}
	if t.Bits == 256 {
		cutMasks(f)
	}
	return nil
}

func expandBlock(t emit.Target, f *emit.Func, b *emit.Block) error {
	var out []*emit.Op
	for _, op := range b.Ops {
		for _, in := range op.Blocks {
			if err := expandBlock(t, f, in); err != nil {
				return err
			}
		}
		ops, err := expandOp(t, op)
		if err != nil {
			return f.Refuse(op, "%v", err)
		}
		out = append(out, ops...)
	}
	b.Ops = out
	return nil
}

func expandOp(t emit.Target, op *emit.Op) ([]*emit.Op, error) {
	expand := expansions[op.Def.Name]
	if expand == nil {
		return []*emit.Op{op}, nil
	}
	x := &expansion{t: t, old: op}
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
		ops, err := expandOp(t, o)
		if err != nil {
			return nil, err
		}
		out = append(out, ops...)
	}
	return out, nil
}

func (x *expansion) refuse(format string, args ...any) *emit.Value {
	x.err = fmt.Errorf(format, args...)
	return nil
}

func (x *expansion) add(op *emit.Op) *emit.Value {
	x.ops = append(x.ops, op)
	return op.Result()
}

// op appends an operation of the table; how is its name attribute.
func (x *expansion) op(name, how string, t emit.Type, args ...*emit.Value) *emit.Value {
	return x.add(newOp(x.old, name, emit.Attr{Name: how}, nil, t, args...))
}

// int appends an integer constant.
func (x *expansion) int(t emit.Type, n int64) *emit.Value {
	return x.add(newOp(x.old, "const", emit.Attr{Imm: n}, nil, t))
}

// inst appends a machine instruction.
func (x *expansion) inst(i *emit.Instruction, args ...*emit.Value) *emit.Value {
	return x.add(newOp(x.old, "inst", emit.Attr{}, i, i.Out[0], args...))
}

// newOp returns an operation that stands for part of old, at its place.
func newOp(old *emit.Op, name string, at emit.Attr, inst *emit.Instruction, t emit.Type, args ...*emit.Value) *emit.Op {
	op := new(emit.Op)
	*op = *old
	op.Def, op.Attr, op.Inst, op.Args, op.Comment, op.Blocks = emit.Lookup(name), at, inst, args, "", nil
	op.Results = []*emit.Value{{Type: t, Op: op}}
	return op
}

// expandMaskN makes a mask from a bit pattern, or cuts it from a table.
func expandMaskN(x *expansion) *emit.Value {
	n, lanes := x.old.Args[0], x.old.Result().Type.Lanes
	if x.t.Bits == 512 {
		if kmovs[lanes] == nil {
			return x.refuse("masks on %s have 2, 4, 8, 16, 32 or 64 lanes", x.t.Name)
		}
		return x.inst(kmovs[lanes], x.inst(bzhi, x.int(emit.Int64, -1), n))
	}
	s := maskShape{lanes, widest(lanes)}
	if tails[s] == nil {
		return x.refuse("masks on %s have 2, 4, 8, 16 or 32 lanes", x.t.Name)
	}
	full := x.int(emit.Int64, int64(lanes))
	rest := x.op("sub", "", emit.Int64, full, n)
	return x.inst(tails[s], x.inst(tailTable), rest)
}

// expandMaskOf moves bits to a K register, without bits that belong to no lane.
func expandMaskOf(x *expansion) *emit.Value {
	n, lanes := x.old.Args[0], x.old.Result().Type.Lanes
	if x.t.Bits == 256 {
		return nil
	}
	if kmovs[lanes] == nil {
		return x.refuse("masks on %s have 2, 4, 8, 16, 32 or 64 lanes", x.t.Name)
	}
	if lanes < 8 {
		n = x.op("and", "", emit.Int64, n, x.int(emit.Int64, 1<<lanes-1))
	}
	return x.inst(kmovs[lanes], n)
}

// expandConst makes constant masks.
func expandConst(x *expansion) *emit.Value {
	t, set := x.old.Result().Type, x.old.Attr.Imm != 0
	if !isMask(t) {
		return nil
	}
	if x.t.Bits == 512 {
		if kmovs[t.Lanes] == nil {
			return x.refuse("masks on %s have 2, 4, 8, 16, 32 or 64 lanes", x.t.Name)
		}
		bits := int64(0)
		if set {
			bits = int64(^uint64(0) >> (64 - t.Lanes))
		}
		return x.inst(kmovs[t.Lanes], x.int(emit.Int64, bits))
	}
	s := maskShape{t.Lanes, widest(t.Lanes)}
	switch {
	case fills[s] == nil:
		return x.refuse("masks on %s have 2, 4, 8, 16 or 32 lanes", x.t.Name)
	case set:
		return x.inst(fills[s])
	}
	return x.inst(clear[s])
}
