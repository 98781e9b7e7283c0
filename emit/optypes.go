package emit

import (
	"fmt"
	"slices"
)

// The type rules of the op table. Each returns nil or what is wrong.

func typeSreg(op *Op) error {
	if len(op.Args) != 0 || len(op.Results) != 1 {
		return fmt.Errorf("takes no operand and gives one result")
	}
	t := op.Results[0].Type
	return want(t == Scalar(t.Elem), "a special register is a scalar, not %v", t)
}

func sameTypes(op *Op, n int) error {
	if len(op.Args) != n || len(op.Results) != 1 {
		return fmt.Errorf("takes %d operands and gives one result", n)
	}
	for _, a := range op.Args {
		if a.Type != op.Results[0].Type {
			return fmt.Errorf("operand is %v, result is %v", a.Type, op.Results[0].Type)
		}
	}
	t := op.Results[0].Type
	return want(!t.Async && t.Regs == 0 && !t.Ptr, "is not defined on %v", t)
}

func lanewise(n int, float bool) func(*Op) error {
	return func(op *Op) error {
		if err := sameTypes(op, n); err != nil {
			return err
		}
		return want(op.Results[0].Type.Elem.Float() == float, "is not defined on %v", op.Results[0].Type)
	}
}

func lanewiseAny(n int) func(*Op) error {
	return func(op *Op) error {
		if err := sameTypes(op, n); err != nil {
			return err
		}
		return want(op.Results[0].Type.Elem != I1, "is not defined on %v", op.Results[0].Type)
	}
}

func lanewiseInt(n int) func(*Op) error {
	return func(op *Op) error {
		if err := sameTypes(op, n); err != nil {
			return err
		}
		return want(!op.Results[0].Type.Elem.Float(), "is not defined on %v", op.Results[0].Type)
	}
}

func typeConst(op *Op) error {
	if len(op.Args) != 0 || len(op.Results) != 1 {
		return fmt.Errorf("takes no operand and gives one result")
	}
	t := op.Results[0].Type
	return want(!t.Ptr && t.Regs == 0 && !t.Async, "cannot make a %v", t)
}

func typeParam(f *Func, op *Op) error {
	if len(op.Args) != 0 || len(op.Results) != 1 {
		return fmt.Errorf("takes no operand and gives one result")
	}
	a := f.Arg(op.Attr.Name)
	if a == nil {
		return fmt.Errorf("the argument block has no field %q", op.Attr.Name)
	}
	t := op.Results[0].Type
	scalar := t
	scalar.Lanes = 1
	return want(a.Type == scalar && t.Regs == 0, "field %q is %v, not %v", a.Name, a.Type, t)
}

var predicates = []string{"eq", "ne", "lt", "le", "gt", "ge"}

func typeCmp(op *Op) error {
	if len(op.Args) != 2 || len(op.Results) != 1 {
		return fmt.Errorf("takes two operands and gives one result")
	}
	x, y := op.Args[0].Type, op.Args[1].Type
	if !slices.Contains(predicates, op.Attr.Name) {
		return fmt.Errorf("predicate %q is not one of %v", op.Attr.Name, predicates)
	}
	return want(x == y && !x.Ptr && !x.Async && x.Regs == 0 && op.Results[0].Type == x.Mask(), "compares %v with %v into %v", x, y, op.Results[0].Type)
}

func typeSelect(op *Op) error {
	if len(op.Args) != 3 || len(op.Results) != 1 {
		return fmt.Errorf("takes a mask and two operands and gives one result")
	}
	m, x, y, r := op.Args[0].Type, op.Args[1].Type, op.Args[2].Type, op.Results[0].Type
	return want(x == y && x == r && m == x.Mask() && !x.Async && x.Regs == 0, "selects %v from %v and %v by %v", r, x, y, m)
}

func typeResize(op *Op) error {
	if len(op.Args) != 1 || len(op.Results) != 1 {
		return fmt.Errorf("takes one operand and gives one result")
	}
	x, r := op.Args[0].Type, op.Results[0].Type
	ok := x.Elem.Int() && r.Elem.Int() && x.Lanes == r.Lanes && x.Regs == 0 && r.Regs == 0
	if op.Def.Name == "trunc" || op.Def.Name == "sat" {
		return want(ok && r.Elem.Bits() < x.Elem.Bits(), "cannot make %v of %v", r, x)
	}
	return want(ok && r.Elem.Bits() > x.Elem.Bits(), "cannot make %v of %v", r, x)
}

func typeSplat(op *Op) error {
	if len(op.Args) != 1 || len(op.Results) != 1 {
		return fmt.Errorf("takes one operand and gives one result")
	}
	x, r := op.Args[0].Type, op.Results[0].Type
	return want(x == Scalar(r.Elem) && r.Lanes > 1 && r.Regs == 0, "cannot make %v of %v", r, x)
}

func typeShuffle(op *Op) error {
	if len(op.Args) != 1 && len(op.Args) != 2 || len(op.Results) != 1 {
		return fmt.Errorf("takes one or two operands and gives one result")
	}
	x, r := op.Args[0].Type, op.Results[0].Type
	for _, a := range op.Args {
		if a.Type != x || x.Async || x.Regs > 0 || x.Ptr {
			return fmt.Errorf("operands are %v and %v", x, a.Type)
		}
	}
	if r != Vector(x.Elem, len(op.Attr.Perm)) {
		return fmt.Errorf("perm has %d lanes, the result is %v", len(op.Attr.Perm), r)
	}
	for _, p := range op.Attr.Perm {
		if p < 0 || p >= len(op.Args)*x.Lanes {
			return fmt.Errorf("perm lane %d is outside the operands' %d lanes", p, len(op.Args)*x.Lanes)
		}
	}
	return nil
}

func typePack(op *Op) error {
	if len(op.Results) != 1 || len(op.Args) == 0 {
		return fmt.Errorf("takes the registers of a fragment and gives the fragment")
	}
	return fragment(op.Results[0].Type, op.Args)
}

func typeUnpack(op *Op) error {
	if len(op.Args) != 1 || len(op.Results) == 0 {
		return fmt.Errorf("takes a fragment and gives its registers")
	}
	return fragment(op.Args[0].Type, op.Results)
}

// fragment checks that t is what regs make up.
func fragment(t Type, regs []*Value) error {
	for _, r := range regs {
		if r.Type.Regs > 0 || r.Type.Ptr || t != Frag(r.Type, len(regs)) {
			return fmt.Errorf("%d registers, one a %v, are not a %v", len(regs), r.Type, t)
		}
	}
	return nil
}

func typeMaskN(op *Op) error {
	ok := len(op.Args) == 1 && len(op.Results) == 1 && op.Args[0].Type == Int64 &&
		op.Results[0].Type == Vector(I1, op.Results[0].Type.Lanes) && op.Results[0].Type.Lanes > 1
	return want(ok, "takes an i64 and gives a mask")
}

func typeAddp(op *Op) error {
	if len(op.Args) != 2 || len(op.Results) != 1 {
		return fmt.Errorf("takes a pointer and an i64 and gives a pointer")
	}
	p, n, r := op.Args[0].Type, op.Args[1].Type, op.Results[0].Type
	return want(p.Ptr && n == Int64 && r.Ptr && r.Space == p.Space && r.Align <= max(p.Align, 1), "adds %v to %v giving %v", n, p, r)
}

// typeAccess checks a memory operation whose address begins at operand n: a mask
// and the stored value may come before it.
func typeAccess(n int) func(*Op) error {
	return func(op *Op) error {
		if len(op.Args) != n+1 && len(op.Args) != n+2 {
			return fmt.Errorf("has %d operands", len(op.Args))
		}
		p := op.Args[n].Type
		if !p.Ptr {
			return fmt.Errorf("address is a %v", p)
		}
		if len(op.Args) == n+2 {
			if op.Args[n+1].Type != Int64 {
				return fmt.Errorf("index is a %v, not an i64", op.Args[n+1].Type)
			}
			switch op.Attr.Scale {
			case 1, 2, 4, 8:
			default:
				return fmt.Errorf("scale is %d, not 1, 2, 4 or 8", op.Attr.Scale)
			}
		} else if op.Attr.Scale != 0 {
			return fmt.Errorf("scale without an index")
		}
		var v Type
		switch op.Def.Name {
		case "prefetch":
			return want(len(op.Results) == 0, "has no result")
		case "store", "storem":
			v = op.Args[0].Type
			if len(op.Results) != 0 {
				return fmt.Errorf("has no result")
			}
		default:
			if len(op.Results) != 1 {
				return fmt.Errorf("has one result")
			}
			v = op.Results[0].Type
		}
		if v.Async || v.Regs > 0 || v.Elem == I1 {
			return fmt.Errorf("cannot access a %v", v)
		}
		if op.Def.Name == "loadb" && v.Lanes < 2 {
			return fmt.Errorf("result is a scalar")
		}
		if m := op.Def.Name == "loadm" || op.Def.Name == "storem"; m && op.Args[n-1].Type != v.Mask() {
			return fmt.Errorf("mask is %v for %v", op.Args[n-1].Type, v)
		}
		return nil
	}
}

func sameList(what string, have, wanted []*Value) error {
	if len(have) != len(wanted) {
		return fmt.Errorf("%s: %d values, not %d", what, len(have), len(wanted))
	}
	for i := range have {
		if have[i].Type != wanted[i].Type {
			return fmt.Errorf("%s: value %d is %v, not %v", what, i, have[i].Type, wanted[i].Type)
		}
	}
	return nil
}

func typeFor(op *Op) error {
	if len(op.Args) < 3 || len(op.Blocks) != 1 || len(op.Blocks[0].Args) < 1 {
		return fmt.Errorf("takes lo, hi, step and a block with an index")
	}
	i := op.Blocks[0].Args[0].Type
	for _, a := range op.Args[:3] {
		if a.Type != i || i != Scalar(i.Elem) || !i.Elem.Int() {
			return fmt.Errorf("bounds and index must be one integer type, not %v and %v", a.Type, i)
		}
	}
	body := op.Blocks[0]
	if err := sameList("carried values", body.Args[1:], op.Args[3:]); err != nil {
		return err
	}
	if err := sameList("yield", body.yield(), op.Args[3:]); err != nil {
		return err
	}
	return sameList("results", op.Results, op.Args[3:])
}

func typeWhile(op *Op) error {
	if len(op.Blocks) != 2 {
		return fmt.Errorf("takes two blocks")
	}
	cond, body := op.Blocks[0], op.Blocks[1]
	if err := sameList("condition block", cond.Args, op.Args); err != nil {
		return err
	}
	y := cond.yield()
	if len(y) < 1 || y[0].Type != Bool {
		return fmt.Errorf("block 0 must yield a condition first")
	}
	if err := sameList("body block", body.Args, y[1:]); err != nil {
		return err
	}
	if err := sameList("body yield", body.yield(), op.Args); err != nil {
		return err
	}
	return sameList("results", op.Results, y[1:])
}

func typeIf(op *Op) error {
	if len(op.Args) != 1 || op.Args[0].Type != Bool || len(op.Blocks) != 2 {
		return fmt.Errorf("takes a condition and two blocks")
	}
	for _, b := range op.Blocks {
		if len(b.Args) != 0 {
			return fmt.Errorf("blocks take no arguments")
		}
		if err := sameList("yield", b.yield(), op.Results); err != nil {
			return err
		}
	}
	return nil
}

func typeInst(op *Op) error {
	if op.Inst == nil {
		return fmt.Errorf("no instruction")
	}
	// A pointer may be aligned better than the place it goes to promises.
	fits := func(v, place Type) bool {
		return v == place || v.Ptr && place.Ptr && v.Space == place.Space && v.Align >= place.Align
	}
	list := func(what string, have []*Value, wanted []Type, ok func(have, wanted Type) bool) error {
		if len(have) != len(wanted) {
			return fmt.Errorf("%s: %d values, %s has %d", what, len(have), op.Inst.Name, len(wanted))
		}
		for i := range have {
			if h, w := have[i].Type, wanted[i]; !ok(h, w) {
				return fmt.Errorf("%s %d of %s is %v, not %v", what, i, op.Inst.Name, h, w)
			}
		}
		return nil
	}
	if err := list("operand", op.Args, op.Inst.In, fits); err != nil {
		return err
	}
	return list("result", op.Results, op.Inst.Out, func(have, wanted Type) bool { return fits(wanted, have) })
}
