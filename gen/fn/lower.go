package fn

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vmath"
)

// Emit appends the function for a number of lanes, 1 for scalars. args are vectors of
// the element types of Params, and the results are vectors of those of Results. A bool
// is a mask.
func (f *Func) Emit(b *emit.Builder, lanes int, args []*emit.Value) ([]*emit.Value, error) {
	return f.emit(b, lanes, args, true)
}

func (f *Func) emit(b *emit.Builder, lanes int, args []*emit.Value, fuse bool) ([]*emit.Value, error) {
	if len(args) != len(f.Params) {
		return nil, fmt.Errorf("%s takes %d operands, not %d", f.Name, len(f.Params), len(args))
	}
	for i, p := range f.Params {
		if want := emit.Vector(p.Elem(), lanes); args[i].Type != want {
			return nil, fmt.Errorf("%s: operand %d is %v, not %v", f.Name, i+1, args[i].Type, want)
		}
	}
	l := &lowering{b: b, f: f, lanes: lanes, args: args, fuse: fuse, done: map[*node]*emit.Value{}, made: map[*node]*emit.Value{}, consts: map[constKey]*emit.Value{}}
	for _, n := range f.order {
		if n.isConst() || fuse && f.inside[n] {
			continue
		}
		b.From(f.prog.position(n.pos).String())
		l.done[n] = l.lower(n)
	}
	b.From("")
	var out []*emit.Value
	for _, n := range f.out {
		out = append(out, l.of(n))
	}
	return out, nil
}

// lowering is one call of Emit.
type lowering struct {
	b      *emit.Builder
	f      *Func
	lanes  int
	args   []*emit.Value
	fuse   bool
	done   map[*node]*emit.Value
	made   map[*node]*emit.Value // before their turn
	consts map[constKey]*emit.Value
}

type constKey struct {
	e    emit.Elem
	bits uint64
}

func (l *lowering) vector(e emit.Elem) emit.Type { return emit.Vector(e, l.lanes) }

// constant returns the bits in every lane.
func (l *lowering) constant(e emit.Elem, bits uint64) *emit.Value {
	k := constKey{e, bits}
	if v := l.consts[k]; v != nil {
		return v
	}
	at := emit.Attr{Imm: int64(bits)}
	if e.Float() {
		at = emit.Attr{F: e.Decode(bits)}
	} else if n := 64 - e.Bits(); e != emit.I1 {
		at.Imm = int64(bits<<n) >> n
	}
	v := l.b.Op("const", at, []emit.Type{l.vector(e)})[0]
	l.consts[k] = v
	return v
}

// of returns the value of a node.
func (l *lowering) of(n *node) *emit.Value {
	if n.isConst() {
		return l.constant(n.t.Elem(), n.bits)
	}
	return l.done[n]
}

// lower appends the operations of one node.
func (l *lowering) lower(n *node) *emit.Value {
	if p := l.f.fused[n]; l.fuse && p != nil {
		return l.fma(n, p)
	}
	x := make([]*emit.Value, len(n.args))
	for i, a := range n.args {
		x[i] = l.of(a)
	}
	if n.t.Float() && n.op != opParam && n.op != opTable {
		if v := l.float(n, x); v != nil {
			return v
		}
	}
	b := l.b
	switch n.op {
	case opTable:
		return b.Table(n.t.Elem(), n.table, x[0])
	case opParam:
		return l.args[n.bits]
	case opAdd:
		return b.Add(x[0], x[1])
	case opSub:
		return b.Sub(x[0], x[1])
	case opMul:
		return b.Mul(x[0], x[1])
	case opMax, opMin:
		return l.extreme(n, x)
	case opCmp:
		return l.compare(n.args[0].t, n.name, x[0], x[1])
	case opSelect:
		return b.Select(x[0], x[1], x[2])
	case opAnd:
		return b.And(x[0], x[1])
	case opOr:
		return b.Or(x[0], x[1])
	case opXor:
		return b.Xor(x[0], x[1])
	case opNot:
		return b.Not(x[0])
	case opShl:
		return b.Shl(x[0], l.constant(n.t.Elem(), n.bits))
	case opShr:
		return b.Shr(x[0], l.constant(n.t.Elem(), n.bits))
	case opSar:
		return b.Sar(x[0], l.constant(n.t.Elem(), n.bits))
	case opQuo, opRem:
		return l.divide(n, x[0], x[1])
	case opShlBy:
		return b.Shl(x[0], x[1])
	case opShrBy:
		return b.Shr(x[0], x[1])
	case opSarBy:
		return b.Sar(x[0], x[1])
	case opOnes:
		return b.OnesCount(x[0])
	case opLeading:
		return b.LeadingZeros(x[0])
	case opConv:
		return l.convert(n, x[0])
	case opBits:
		return l.reread(n.t.Elem(), x[0])
	case opRounded:
		return x[0]
	}
	panic(fmt.Sprintf("fn: no lowering for operation %d of %v", n.op, n.t)) // a row is missing above
}

// float lowers the operations of floating-point numbers only, nil for others.
func (l *lowering) float(n *node, x []*emit.Value) *emit.Value {
	b := l.b
	if f, ok := mathOps[n.op]; ok {
		return f.lower(b, x)
	}
	switch n.op {
	case opDiv:
		if near(n) {
			return b.DivNear(x[0], x[1])
		}
		return b.Div(x[0], x[1])
	case opNeg:
		return b.NegF(x[0])
	case opFMA:
		return b.FMA(x[2], x[0], x[1])
	case opVMax:
		return b.Max(x[0], x[1])
	case opVMin:
		return b.Min(x[0], x[1])
	case opMax:
		return vmath.Max(b, x[0], x[1])
	case opMin:
		return vmath.Min(b, x[0], x[1])
	case opCall:
		return l.call(n, x)
	}
	return nil
}

// call lowers a function of package vmath. The sine and the cosine of one number are
// made together.
func (l *lowering) call(n *node, x []*emit.Value) *emit.Value {
	if v := l.made[n]; v != nil {
		return v
	}
	if other := l.otherOf(n); other != nil {
		own, its := vmath.Sincos(l.b, x[0])
		if n.name == "math.Cos" {
			own, its = its, own
		}
		l.made[other] = its
		return own
	}
	if n.name == "math.Exp" {
		r := rangeOf(n.args[0], nil)
		return vmath.ExpNear(l.b, x[0], r.lo, r.hi)
	}
	return vmath.Lookup(n.name).Build(l.b, x...)
}

// near reports whether a quotient keeps the promise of [emit.Builder.DivNear].
func near(n *node) bool {
	within := func(r interval, e int) bool {
		least, most := math.Ldexp(1, -e), math.Ldexp(1, e)
		return r.within(interval{least, most}) || r.within(interval{-most, -least})
	}
	x, y := n.args[0], rangeOf(n.args[1], nil)
	if x.isConst() && x.float() == 1 {
		return within(y, 126)
	}
	return within(y, 60) && within(rangeOf(x, nil), 60)
}

// otherOf returns the cosine that goes with a sine, or the other way round, or nil.
func (l *lowering) otherOf(n *node) *node {
	name := map[string]string{"math.Sin": "math.Cos", "math.Cos": "math.Sin"}[n.name]
	for _, m := range l.f.order {
		if name != "" && m.op == opCall && m.name == name && m.args[0] == n.args[0] {
			return m
		}
	}
	return nil
}
