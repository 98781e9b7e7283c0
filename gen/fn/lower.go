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
	if f := ops[n.op].lower; f != nil {
		return f(l, n, x)
	}
	panic(fmt.Sprintf("fn: no lowering for operation %d of %v", n.op, n.t)) // a row is missing in ops
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
		r := rangeOf(n.args[0], l.f.kept)
		return vmath.ExpNear(l.b, x[0], r.lo, r.hi)
	}
	return vmath.Lookup(n.name).Build(l.b, x...)
}

// near reports whether a quotient keeps the promise of [emit.Builder.DivNear].
func (f *Func) near(n *node) bool {
	within := func(r interval, e int) bool {
		least, most := math.Ldexp(1, -e), math.Ldexp(1, e)
		return r.within(interval{least, most}) || r.within(interval{-most, -least})
	}
	x, y := n.args[0], rangeOf(n.args[1], f.kept)
	if x.isConst() && x.float() == 1 {
		return within(y, 126)
	}
	return within(y, 60) && within(rangeOf(x, f.kept), 60)
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
