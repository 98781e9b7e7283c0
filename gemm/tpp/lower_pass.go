package tpp

import (
	"maps"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// pass goes along the row: rounds of unroll vectors, single ones, and what is left under a
// mask. With random words, which come four vectors at once, the last round has a mask for
// each vector instead.
func (k *stageKernel) pass(q *pass, unroll int) {
	b := k.b
	if len(q.order) == 0 {
		return
	}
	k.addresses(q)
	random, narrow := k.words != nil && slices.Contains(q.order, k.words), maps.Clone(k.narrow)
	sums := unroll
	if random {
		sums = 1 // the words of a round take longer than additions that wait for each other, and most registers
	}
	var acc []*emit.Value // sums of each reduction
	for _, r := range q.reduces {
		for range sums {
			acc = append(acc, b.Const(k.vector(r.t), identity(r.op, r.t)))
		}
	}
	step := int64(unroll * k.lanes)
	// Asked for again after a loop, it holds no register in that.
	cols := func() *emit.Value { return b.Param("cols", emit.Int64) }
	whole := b.And(cols(), b.Int(-step))
	acc = b.For(b.Int(0), whole, step, acc, func(j *emit.Value, acc []*emit.Value) []*emit.Value {
		return k.round(q, unroll, sums, acc, j)
	})
	switch {
	case random:
		left := b.Sub(cols(), whole)
		acc = b.If(b.Cmp("gt", left, b.Int(0)), func() []*emit.Value {
			words, acc := k.random(whole), acc
			k.reread(q)
			for u := range unroll {
				rest := b.Sub(left, b.Int(int64(u*k.lanes)))
				mask := func() *emit.Value {
					return b.MaskN(emit.Vector(emit.I8, k.lanes), b.IMin(rest, b.Int(int64(k.lanes))))
				}
				if k.hasBits(q) { // which are stored without a mask
					acc = b.If(b.Cmp("gt", rest, b.Int(0)), func() []*emit.Value {
						return k.step(q, u, sums, acc, whole, cut{mask(), rest}, words[u])
					}, func() []*emit.Value { return acc })
					continue
				}
				rest = b.IMax(rest, b.Int(0)) // without blocks of their own, registers that wait can be in the frame
				acc = k.step(q, u, sums, acc, whole, cut{mask(), rest}, words[u])
			}
			return acc
		}, func() []*emit.Value { return acc })
	default:
		vectors := whole
		if unroll > 1 {
			vectors = b.And(cols(), b.Int(int64(-k.lanes)))
			acc = b.For(whole, vectors, int64(k.lanes), acc, func(j *emit.Value, acc []*emit.Value) []*emit.Value {
				return k.round(q, 1, unroll, acc, j)
			})
		}
		rest := b.Sub(cols(), vectors)
		acc = b.If(b.Cmp("gt", rest, b.Int(0)), func() []*emit.Value {
			return k.step(q, 0, unroll, acc, vectors, cut{b.MaskN(emit.Vector(emit.I8, k.lanes), rest), rest}, nil)
		}, func() []*emit.Value { return acc })
	}
	k.narrow = narrow // without what was read again inside of loops
	for i, r := range q.reduces {
		join := func(b *emit.Builder, x, y *emit.Value) *emit.Value { return vector.Combine(b, r.op, x, y) }
		k.narrow[r] = vector.EveryLane(b, join, vector.Fold(b, join, acc[i*sums:(i+1)*sums], 1)[0])
	}
}

// fetch fetches n vectors from column j on of the matrices' next row, which kernels have from
// memory, or store to.
func (k *stageKernel) fetch(n int, j *emit.Value) {
	for _, next := range k.next {
		size := gemm.ElemOf(k.of(next.slot).t).Bytes()
		for at := 0; at < n*k.lanes*size; at += vector.LineBytes {
			k.b.Prefetch(0, emit.Addr{Ptr: next.p, Index: j, Scale: int64(size), Off: int64(at)})
		}
	}
}

// addresses computes those of a pass before its loops. Addresses that do not move from row to row are taken
// from the argument block where they are used, or before that if there are registers. So are bits next to
// random words and for vectors that do not fill a byte, which leave few registers.
func (k *stageKernel) addresses(q *pass) {
	left := k.early
	early := func(s int) {
		late := k.bitSlot(s) && (k.lanes < 8 || slices.Contains(q.order, k.words))
		if k.of(s).pattern == gemm.FullPattern && !late && left > 0 && k.pointer[s] == nil {
			k.at(s)
			left--
		}
	}
	for _, o := range q.order {
		switch {
		case slices.Contains(q.loaded, o):
			k.temporary(o)
		case o.kind == operand:
			early(k.place(o))
		}
	}
	for _, s := range q.spills {
		k.temporary(s)
	}
	for _, s := range q.stores {
		early(s)
	}
	k.next = nil
	if q != k.plan.fetches(k.st) || k.early < kernel.MaxSlots {
		return
	}
	for s := range k.slots() {
		if n := k.of(s); n.pattern == gemm.FullPattern && k.touched(s) && !k.bitSlot(s) {
			k.next = append(k.next, nextRow{s, k.b.AddP(k.at(s), k.b.Param(vector.SlotStride(s), emit.Int64))})
		}
	}
}

// nextRow is where a matrix goes on.
type nextRow struct {
	slot int
	p    *emit.Value
}

// touched reports whether the stage reads or writes a slot.
func (k *stageKernel) touched(s int) bool {
	return slices.ContainsFunc(k.st.passes, func(q *pass) bool {
		return slices.Contains(q.stores, s) || slices.ContainsFunc(q.order, func(o *node) bool { return o.kind == operand && k.place(o) == s })
	})
}

// round does n whole vectors from column j on. acc has of accumulators of each reduction.
func (k *stageKernel) round(q *pass, n, of int, acc []*emit.Value, j *emit.Value) []*emit.Value {
	if q == k.plan.fetches(k.st) {
		k.fetch(n, j)
	}
	var random [4]*emit.Value
	if k.words != nil && slices.Contains(q.order, k.words) {
		random = k.random(j)
		k.reread(q)
	}
	for u := range n {
		acc = k.step(q, u, of, acc, j, cut{}, random[u])
	}
	return acc
}

// hasBits reports whether a pass loads or stores bits.
func (k *stageKernel) hasBits(q *pass) bool {
	return slices.ContainsFunc(q.stores, k.bitSlot) || slices.ContainsFunc(q.order, func(n *node) bool { return n.bits })
}

// reread takes the scalars that a pass needs from memory once more, so that none waits in a register while random words are made.
func (k *stageKernel) reread(q *pass) {
	for _, o := range q.order {
		for _, a := range o.args {
			if a.kind == operand && a.pattern == gemm.ScalarPattern {
				k.narrow[a] = k.compute(a)
			}
		}
	}
}

// step does vector u of those from column j on, as far as c says. word is its random words.
func (k *stageKernel) step(q *pass, u, of int, acc []*emit.Value, j *emit.Value, c cut, word *emit.Value) []*emit.Value {
	b, mask := k.b, c.mask
	next := append([]*emit.Value(nil), acc...)
	wide := map[*node]*emit.Value{}
	place := func(n *node, p *emit.Value) emit.Addr {
		size := int64(gemm.ElemOf(n.t).Bytes())
		return emit.Addr{Ptr: p, Index: j, Scale: size, Off: int64(u*k.lanes) * size}
	}
	load := func(n *node, p *emit.Value) *emit.Value {
		return vector.Load(b, k.vector(n.t), mask, place(n, p))
	}
	store := func(n *node, x, p *emit.Value) {
		vector.Store(b, x, mask, place(n, p))
	}
	for _, o := range q.order {
		switch {
		case slices.Contains(q.loaded, o):
			wide[o] = load(o, k.temporary(o))
		case o.kind == words:
			wide[o] = word
		case o.kind == number:
			at := b.Trunc(emit.I32, b.Add(j, b.Int(int64(u*k.lanes))))
			wide[o] = b.Add(b.Splat(k.vector(o.t), at), k.number)
		case o.bits:
			wide[o] = k.loadBits(o.t, k.rowAt(k.place(o)), j, u, c)
		case k.isLeaf(o, k.st.number):
			wide[o] = load(o, k.rowAt(k.place(o)))
		default:
			var args []*emit.Value
			for _, a := range o.args {
				if k.st.wide(a) {
					args = append(args, wide[a])
				} else {
					args = append(args, k.narrow[a])
				}
			}
			wide[o] = k.value(o, args)
		}
	}
	for _, s := range q.spills {
		store(s, wide[s], k.temporary(s))
	}
	for _, s := range q.stores {
		if x := wide[k.plan.at(s)]; k.bitSlot(s) {
			k.storeBits(x, k.rowAt(s), j, u, c)
		} else {
			store(k.plan.at(s), x, k.rowAt(s))
		}
	}
	for _, c := range q.cols {
		p := k.at(k.place(c))
		store(c, vector.Combine(b, c.op, load(c, p), wide[c.args[0]]), p)
	}
	for i, r := range q.reduces {
		x := wide[r.args[0]]
		if mask != nil {
			x = b.Select(mask, x, b.Const(x.Type, identity(r.op, r.t)))
		}
		next[i*of+u%of] = vector.Combine(b, r.op, next[i*of+u%of], x)
	}
	return next
}
