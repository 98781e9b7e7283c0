package lower

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Nest is the family of kernels for a format, made from its axes alone. There is one
// loop for each axis, whose two bits say where it runs and where its coordinate comes
// from. So a new format needs no line here.
//
// Axes that make the row and are neither variable nor sparse go outward if possible, so
// that the sums of a row stay in registers. If the row is known only inside the last
// loop, as in compressed columns, sums are kept in C.
type Nest struct {
	Name    string
	Axes    []format.Axis
	Masked  bool // slots have a mask
	Ordered bool // rows are moved
	Pattern bool // entries have no values
	Op      Operator
	Vectors int // 0: 8
	Lanes   int // elements of a vector; 0: as many as a register holds
}

// Lower returns the kernels for one target, whose operation is the loops, and an error that says what of the axes it
// does not know.
func (n Nest) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	elem, _, _ := n.Op.Types()
	if err := check(n.Op, elem); err != nil {
		return nil, k, err
	}
	loops := format.Loops(n.Axes, n.Masked, n.Ordered)
	if len(n.Axes) == 0 || len(n.Axes) > kernel.NestAxes {
		return nil, k, fmt.Errorf("lower: %s: %d axes, not 1 to %d", n.Name, len(n.Axes), kernel.NestAxes)
	}
	k.ISA, k.VL, k.NV = t.Name, cmp.Or(n.Lanes, t.Lanes(elem)), n.Vectors
	if k.NV == 0 {
		k.NV = min(8, Widest(t))
	}
	f := rowFamily(n.Name, elem, t)
	f.Of = "lower: " + n.Name
	for nv := 1; nv <= k.NV; nv++ {
		for _, masked := range []bool{false, true} {
			one := nest{Nest: n}
			one.row = row{Rows: Rows{Op: n.Op, Pattern: n.Pattern}, tail: masked, Panel: vector.Panel{Vec: emit.Vector(elem, k.VL), N: nv, Backs: vector.Backs(t, nv)}}
			if one.Backs && !masked {
				continue // the kernel of tails does both
			}
			name, form := fmt.Sprint(nv*k.VL), kernel.Panel
			if masked {
				name, form = name+"tail", kernel.Tail
			}
			name = f.Add(name, fmt.Sprintf("runs over %s with %d vectors of %v.", loops, nv, n.Op), one.build)
			k.Entries = append(k.Entries, kernel.Entry[string]{Op: loops, Form: form, MR: 1, NV: nv, F: name})
			if one.Backs {
				k.Entries = append(k.Entries, kernel.Entry[string]{Op: loops, Form: kernel.Panel, MR: 1, NV: nv, F: name})
			}
		}
	}
	k.Sort()
	return f.Funcs, k, f.Err
}

// nest is one kernel while it is built.
type nest struct {
	Nest
	row
	order   []int // axes, outermost loop first
	scatter bool  // the row is known only inside the last loop
}

// cursor is what is known of the matrix somewhere in the loops, by axis, nil if it is
// not known yet. It has how far the loop is (a count within the parent or, for a
// variable axis, the position), the position, the coordinate, and the slots so far.
type cursor struct{ count, position, coordinate, slot []*emit.Value }

func newCursor(axes int) cursor {
	v := func() []*emit.Value { return make([]*emit.Value, axes) }
	return cursor{v(), v(), v(), v()}
}

func (p cursor) clone() cursor {
	return cursor{slices.Clone(p.count), slices.Clone(p.position), slices.Clone(p.coordinate), slices.Clone(p.slot)}
}

func isRow(ax format.Axis) bool { return ax.Name == "i" || ax.Name == "io" || ax.Name == "ii" }

// arrange decides the order of the loops.
func (n *nest) arrange() {
	for k, ax := range n.Axes {
		if isRow(ax) && (k == 0 || !ax.Variable && !ax.Sparse) {
			n.order = append(n.order, k)
		}
	}
	for k, ax := range n.Axes {
		if !slices.Contains(n.order, k) {
			n.order = append(n.order, k)
			n.scatter = n.scatter || isRow(ax)
		}
	}
	if n.scatter {
		slices.Sort(n.order)
	}
}

func (n *nest) axis(name string) int {
	return slices.IndexFunc(n.Axes, func(ax format.Axis) bool { return ax.Name == name })
}

func (n *nest) parent(k int) int {
	if name := n.Axes[k].Parent; name != "" {
		return n.axis(name)
	}
	return k - 1
}

func (n *nest) size(b *emit.Builder, k int) *emit.Value {
	return b.Param(fmt.Sprintf("size%d", k), emit.Int64)
}

func (n *nest) build(b *emit.Builder) {
	n.arrange()
	n.Panel = n.Cut(b, n.tail)
	n.loop(b, 0, newCursor(len(n.Axes)), nil)
}

// bounds are where the loop of axis k runs.
func (n *nest) bounds(b *emit.Builder, k int, at cursor, outermost bool) (lo, hi *emit.Value) {
	switch ax := n.Axes[k]; {
	case outermost:
		return b.Param("from", emit.Int64), b.Param("to", emit.Int64)
	case !ax.Variable:
		return b.Int(0), n.size(b, k)
	}
	p, of := b.Param(fmt.Sprintf("pointers%d", k), emit.Ptr), at.position[n.parent(k)]
	return indexAt(b, p, of, 0), indexAt(b, p, of, 1)
}

// loop emits the loop at a depth and all inside it. acc is the sums of the row, nil
// outside a row; the result is the sums after the loop.
func (n *nest) loop(b *emit.Builder, depth int, at cursor, acc []*emit.Value) []*emit.Value {
	if depth == len(n.order) { // a format of rows alone
		return n.entry(b, at, nil, acc)
	}
	k := n.order[depth]
	body := func(x, lo *emit.Value, acc []*emit.Value) []*emit.Value {
		at := at.clone()
		at.count[k] = x
		if ax := n.Axes[k]; ax.Variable && !ax.Sparse && depth > 0 {
			at.coordinate[k] = b.Sub(x, lo)
		}
		conditions := n.advance(b, at)
		if depth == len(n.order)-1 && (n.scatter || len(acc) > 0) {
			return n.entry(b, at, conditions, acc)
		}
		return n.where(b, conditions, acc, func(acc []*emit.Value) []*emit.Value {
			if len(acc) == 0 && !n.scatter && n.rowKnown(depth) {
				n.sumRow(b, depth, at)
				return nil
			}
			return n.loop(b, depth+1, at, acc)
		})
	}
	if n.single(k) && depth > 0 {
		zero := b.Int(0)
		return body(zero, zero, acc)
	}
	lo, hi := n.bounds(b, k, at, depth == 0)
	if hi.Op.Def.Name == "param" && (depth < len(n.order)-1 || n.axis("ji") >= 0) { // compared in memory: registers are for what is inside
		out := b.While(append([]*emit.Value{lo}, acc...), func(x []*emit.Value) (*emit.Value, []*emit.Value) {
			return b.Cmp("lt", x[0], b.Param(hi.Op.Attr.Name, emit.Int64)), x
		}, func(x []*emit.Value) []*emit.Value {
			acc := body(x[0], lo, x[1:])
			return append([]*emit.Value{b.Add(x[0], b.Int(1))}, acc...)
		})
		return out[1:]
	}
	return b.For(lo, hi, 1, acc, func(x *emit.Value, acc []*emit.Value) []*emit.Value { return body(x, lo, acc) })
}

// single reports whether axis k has one position in each of its parent.
func (n *nest) single(k int) bool { return !n.Axes[k].Variable && n.Axes[k].Size == 1 }

// rowKnown reports whether no loop inside the one at depth makes part of the row.
func (n *nest) rowKnown(depth int) bool {
	return !slices.ContainsFunc(n.order[depth+1:], func(k int) bool { return isRow(n.Axes[k]) })
}

// where emits body under conditions, each an i64 of 0 or 1; sums stay as they are
// where one is 0.
func (n *nest) where(b *emit.Builder, conditions, acc []*emit.Value, body func(acc []*emit.Value) []*emit.Value) []*emit.Value {
	if len(conditions) == 0 {
		return body(acc)
	}
	all := conditions[0]
	for _, c := range conditions[1:] {
		all = b.And(all, c)
	}
	if len(acc) == 0 {
		return b.If(b.Cmp("ne", all, b.Int(0)), func() []*emit.Value { return body(nil) }, nil)
	}
	// Once or not at all: unlike a branch that yields, a loop keeps the sums where they
	// are.
	return b.For(b.Int(0), all, 1, acc, func(_ *emit.Value, acc []*emit.Value) []*emit.Value { return body(acc) })
}

// notNegative is 1 if x is 0 or more, below 1 if x is less than y, else 0.
func notNegative(b *emit.Builder, x *emit.Value) *emit.Value {
	return b.Shr(b.Xor(x, b.Int(-1)), b.Int(63))
}

func below(b *emit.Builder, x, y *emit.Value) *emit.Value { return b.Shr(b.Sub(x, y), b.Int(63)) }

// advance works out positions, slots and coordinates as far as the counts allow, and
// returns the conditions under which something is there.
func (n *nest) advance(b *emit.Builder, at cursor) (conditions []*emit.Value) {
	for k, ax := range n.Axes {
		if at.count[k] == nil {
			continue
		}
		if !ax.Sparse && at.coordinate[k] == nil {
			at.coordinate[k] = at.count[k]
		}
		parent := n.parent(k)
		if at.position[k] != nil || parent >= 0 && at.position[parent] == nil || k > 0 && at.slot[k-1] == nil {
			continue
		}
		switch {
		case ax.Variable || k == 0:
			at.position[k], at.slot[k] = at.count[k], at.count[k]
		default:
			below := func(p *emit.Value) *emit.Value {
				if n.single(k) {
					return p
				}
				return b.Add(b.Mul(p, n.size(b, k)), at.count[k])
			}
			at.slot[k] = below(at.slot[k-1])
			at.position[k] = at.slot[k]
			if at.position[parent] != at.slot[k-1] {
				at.position[k] = below(at.position[parent])
			}
		}
		if ax.Sparse {
			at.coordinate[k] = indexAt(b, b.Param(fmt.Sprintf("indices%d", k), emit.Ptr), at.position[k], 0)
			if !ax.Variable && ax.Name != "d" {
				conditions = append(conditions, notNegative(b, at.coordinate[k]))
			}
		}
	}
	return conditions
}

// coordinate makes the row or column, of its only axis or of an outer and an inner
// one. It reports whether the coordinate may lie beyond the matrix.
func (n *nest) coordinate(b *emit.Builder, at cursor, only, outer, inner string) (v *emit.Value, beyond bool) {
	if k := n.axis(only); k >= 0 {
		return at.coordinate[k], false
	}
	o, i := n.axis(outer), n.axis(inner)
	switch {
	case o < 0 && i < 0:
		return b.Int(0), false
	case i < 0:
		return at.coordinate[o], false
	case o < 0:
		return at.coordinate[i], true
	}
	return b.Add(b.Mul(at.coordinate[o], n.size(b, i)), at.coordinate[i]), true
}

// rowAt makes the row of C, and reports whether there may be none.
func (n *nest) rowAt(b *emit.Builder, at cursor) (row *emit.Value, beyond bool) {
	if o := n.axis("io"); o >= 0 && n.Axes[o].Sparse && at.position[o] != nil { // it is read again where it is needed, too
		at = at.clone()
		at.coordinate[o] = indexAt(b, b.Param(fmt.Sprintf("indices%d", o), emit.Ptr), at.position[o], 0)
	}
	row, beyond = n.coordinate(b, at, "i", "io", "ii")
	if n.Ordered {
		return indexAt(b, b.Param("map", emit.Ptr), row, 0), true
	}
	return row, beyond
}

// inRow emits body if there is a row of C. body makes the row again where it needs
// it, which is cheaper than a register for it all the way.
func (n *nest) inRow(b *emit.Builder, at cursor, body func()) {
	row, beyond := n.rowAt(b, at)
	var conditions []*emit.Value
	switch {
	case n.Ordered:
		conditions = append(conditions, notNegative(b, row))
	case beyond:
		conditions = append(conditions, below(b, row, b.Param("rows", emit.Int64)))
	}
	n.where(b, conditions, nil, func([]*emit.Value) []*emit.Value { body(); return nil })
}

// rowOfC is the address of the row of C.
func (n *nest) rowOfC(b *emit.Builder, at cursor) *emit.Value {
	row, _ := n.rowAt(b, at)
	return b.AddP(b.Param("c", emit.Ptr), b.Mul(row, b.Param("ldc", emit.Int64)))
}

// sumRow emits the loops inside a row, and the store of its sums.
func (n *nest) sumRow(b *emit.Builder, depth int, at cursor) {
	n.inRow(b, at, func() {
		acc := make([]*emit.Value, n.N)
		for i := range acc {
			acc[i] = n.row.Op.Identity(b, n.Vec)
		}
		acc = n.loop(b, depth+1, at, acc)
		n.finish(b, acc, n.rowOfC(b, at), nil, nil)
	})
}

// entry takes one slot into acc, or into C if the row was not known before.
func (n *nest) entry(b *emit.Builder, at cursor, conditions, acc []*emit.Value) []*emit.Value {
	slot := at.slot[len(n.Axes)-1]
	if n.Masked {
		word := b.Load(emit.Int64, emit.Addr{Ptr: b.Param("mask", emit.Ptr), Index: b.Shr(slot, b.Int(6)), Scale: 8})
		conditions = append(conditions, b.And(b.Shr(word, b.And(slot, b.Int(63))), b.Int(1)))
	}
	return n.where(b, conditions, acc, func(acc []*emit.Value) []*emit.Value {
		if !n.scatter {
			n.fetch(b, at)
			return n.take(b, at, slot, acc, nil)
		}
		n.inRow(b, at, func() { n.take(b, at, slot, nil, n.rowOfC(b, at)) })
		return nil
	})
}

// fetch fetches a row of B that an entry further on needs, where columns have an
// index for each slot. The matrix ends somewhere, so the position is at most the last.
func (n *nest) fetch(b *emit.Builder, at cursor) {
	k := n.axis("j")
	if k < 0 || !n.Axes[k].Sparse || at.position[k] != at.slot[k] {
		return
	}
	far := b.IMin(b.Add(at.position[k], b.Param("ahead", emit.Int64)), b.Param("last", emit.Int64))
	column := indexAt(b, b.Param(fmt.Sprintf("indices%d", k), emit.Ptr), far, 0)
	p := b.AddP(b.Param("b", emit.Ptr), b.Mul(column, b.Param("ldb", emit.Int64)))
	vector.Fetch(b, p, n.Bytes())
}

// take takes value ⊗ row of B, or of a pattern the row of B, into acc, or into the row at
// c. For sums, alpha is then a factor of the value.
func (n *nest) take(b *emit.Builder, at cursor, slot *emit.Value, acc []*emit.Value, c *emit.Value) []*emit.Value {
	column, beyond := n.coordinate(b, at, "j", "jo", "ji")
	if k := n.axis("d"); k >= 0 {
		row, _ := n.rowAt(b, at)
		column, beyond = b.Add(at.coordinate[k], row), false
	}
	var conditions []*emit.Value
	if beyond {
		conditions = append(conditions, below(b, column, b.Param("limit", emit.Int64)))
	}
	return n.where(b, conditions, acc, func(acc []*emit.Value) []*emit.Value {
		p := b.AddP(b.Param("b", emit.Ptr), b.Mul(column, b.Param("ldb", emit.Int64)))
		var x *emit.Value
		if !n.row.Pattern {
			x = b.LoadSplat(n.Vec, emit.Addr{Ptr: b.Param("values", emit.Ptr), Index: slot, Scale: int64(n.Vec.Elem.Bytes())})
		}
		switch {
		case c == nil || !n.scales():
		case x == nil:
			x = b.Param("alpha", n.Vec)
		default:
			x = b.Mul(x, b.Param("alpha", n.Vec))
		}
		step := func(acc, y *emit.Value) *emit.Value {
			if x == nil {
				return n.row.Op.Join(b, acc, y)
			}
			return n.row.Op.Step(b, acc, x, y)
		}
		next := make([]*emit.Value, n.N)
		for j := range next {
			if c == nil {
				next[j] = step(acc[j], n.Load(b, p, j))
			} else {
				old := n.Load(b, c, j)
				n.Update(b, old, step(old, n.Load(b, p, j)), c, j)
			}
		}
		if c != nil {
			return nil
		}
		return next
	})
}
