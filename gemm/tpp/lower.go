package tpp

import (
	"fmt"
	"maps"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// stageKernel lowers a stage: a loop over rows around a loop over columns for each pass.
type stageKernel struct {
	*plan
	st     *stage
	lanes  int
	unroll []int // vectors at once, of each pass

	b       *emit.Builder
	i       *emit.Value // the row
	pointer map[int]*emit.Value
	block   *emit.Value // of random words, of column 0
	temp    map[*node]*emit.Value
	narrow  map[*node]*emit.Value
	next    []nextRow // what the pass fetches
	most    int       // of next that there are registers for
	parks   bool      // distances of rows in the frame, in place of addresses in registers
	frame   *emit.Value
	parked  map[int]bool // slots whose distances are there
}

// build is the kernel called name.
func (k *stageKernel) build(name string) (*emit.Func, error) {
	f, err := emit.Build(name, equationArgs(k.slots()), func(b *emit.Builder) {
		k.b = b
		k.body()
	})
	if err == nil {
		f.Doc = fmt.Sprintf("%s is stage %d of an equation: %d passes over each row.", name, k.st.number, len(k.st.passes))
		if len(k.st.passes) == 1 {
			f.Doc = fmt.Sprintf("%s is stage %d of an equation: one pass over each row.", name, k.st.number)
		}
	}
	return f, err
}

// equationArgs describes kernel.EquationArgs to the IR.
func equationArgs(slots int) []emit.Arg {
	var args []emit.Arg
	for _, a := range []struct {
		name string
		t    emit.Type
	}{
		{"rows", emit.Int64}, {"cols", emit.Int64}, {"temps", emit.Ptr}, {"templd", emit.Int64},
		{"m32", emit.Scalar(emit.F32)}, {"n32", emit.Scalar(emit.F32)}, {"m64", emit.Scalar(emit.F64)}, {"n64", emit.Scalar(emit.F64)},
		{"block", emit.Int64}, {"blockld", emit.Int64}, {"key", emit.Scalar(emit.I32)}, {"number", emit.Scalar(emit.I32)}, {"lanes", emit.Ptr},
	} {
		arg := emit.Arg{Name: a.name, Type: a.t, Offset: kernel.Offset[kernel.EquationArgs](a.name)}
		args = append(args, arg)
		if a.t == emit.Scalar(emit.I32) { // the lower half of a word
			arg.Name, arg.Offset = a.name+"high", arg.Offset+4
			args = append(args, arg)
		}
	}
	for i := range slots {
		p, rs := slotPointer(i), fmt.Sprintf("rs%d", i)
		args = append(args, emit.Arg{Name: p, Type: emit.Ptr, Offset: kernel.Offset[kernel.EquationArgs](p)},
			emit.Arg{Name: rs, Type: emit.Int64, Offset: kernel.Offset[kernel.EquationArgs](rs)})
	}
	return args
}

func slotPointer(i int) string { return fmt.Sprintf("p%d", i) }

func (k *stageKernel) vector(t dtype.Type) emit.Type { return emit.Vector(gemm.ElemOf(t), k.lanes) }

func (k *stageKernel) body() {
	b := k.b
	if k.parks {
		k.frame = b.Inst(inst.Scratch, int64(8*k.slots()))[0]
	}
	k.narrow = map[*node]*emit.Value{}
	k.forget()
	for _, n := range k.st.scalars {
		k.narrow[n] = k.compute(n)
	}
	var carried []*emit.Value
	if k.words != nil && k.has(k.words) {
		carried = append(carried, b.Param("block", emit.Int64))
	}
	b.For(b.Int(0), b.Param("rows", emit.Int64), 1, carried, func(i *emit.Value, x []*emit.Value) (next []*emit.Value) {
		k.i = i
		if carried != nil {
			k.block = x[0]
			next = append(next, b.Add(x[0], b.Param("blockld", emit.Int64)))
		}
		k.row()
		return next
	})
}

func (k *stageKernel) has(n *node) bool {
	for _, q := range k.st.passes {
		for _, o := range q.order {
			if o == n {
				return true
			}
		}
	}
	return false
}

// row computes one row.
func (k *stageKernel) row() {
	k.forget()
	for _, n := range k.st.firsts {
		k.narrow[n] = k.compute(n)
	}
	for i, q := range k.st.passes {
		k.forget()
		k.pass(q, k.unroll[i])
		k.forget()
		for _, n := range q.narrow {
			if n.kind != rowReduce || k.isLeaf(n, k.st.number) {
				k.narrow[n] = k.compute(n)
			}
		}
	}
	one := k.b.MaskN(emit.Vector(emit.I8, k.lanes), k.b.Int(1))
	for i, n := range k.outs {
		if k.ends(n) && k.stageOf(n) == k.st.number {
			k.b.StoreMasked(k.narrow[n], one, emit.At(k.at(i), 0))
		}
	}
	for _, n := range k.st.ends {
		if k.kept(n) {
			k.b.StoreMasked(k.narrow[n], one, emit.At(k.at(k.place(n)), 0))
		}
	}
	for _, n := range k.st.totals {
		p := emit.At(k.at(k.place(n)), 0)
		old := k.b.LoadSplat(k.vector(n.t), p)
		k.b.StoreMasked(combine(k.b, n.op, old, k.narrow[n.args[0]]), one, p)
	}
}

// ends reports whether n is among the narrow results of the stage.
func (k *stageKernel) ends(n *node) bool {
	for _, e := range k.st.ends {
		if e == n {
			return true
		}
	}
	return false
}

// kept reports whether n stays for later stages in a slot of its own.
func (k *stageKernel) kept(n *node) bool { return k.place(n) >= len(k.outs)+len(k.operands) }

// forget has the addresses of slots computed again: they are known for a pass only, since
// there are fewer registers than an equation may have operands.
func (k *stageKernel) forget() {
	k.pointer, k.temp, k.parked = map[int]*emit.Value{}, map[*node]*emit.Value{}, map[int]bool{}
}

// park puts into the frame how far row i of slot s lies from the first.
func (k *stageKernel) park(s int) {
	if k.frame == nil || !k.moves(s) {
		k.at(s)
		return
	}
	k.b.Store(k.distance(s), emit.At(k.frame, int64(8*s)))
	k.parked[s] = true
}

// moves reports whether what slot s has of a row lies elsewhere in the next.
func (k *stageKernel) moves(s int) bool {
	p := k.of(s).pattern
	return k.i != nil && !k.st.columns && (p == gemm.FullPattern || p == gemm.RowPattern)
}

// distance is that of row i from the first.
func (k *stageKernel) distance(s int) *emit.Value {
	return k.b.Mul(k.i, k.b.Param(fmt.Sprintf("rs%d", s), emit.Int64))
}

// at is where slot s lies, of this row.
func (k *stageKernel) at(s int) *emit.Value {
	p, b := k.pointer[s], k.b
	switch {
	case p != nil:
	case k.parked[s]:
		p = b.AddP(b.Param(slotPointer(s), emit.Ptr), b.Load(emit.Int64, emit.At(k.frame, int64(8*s))))
	case k.moves(s):
		p = b.AddP(b.Param(slotPointer(s), emit.Ptr), k.distance(s))
		k.pointer[s] = p
	default:
		p = b.Param(slotPointer(s), emit.Ptr)
	}
	return p
}

// of is the node that slot s is of.
func (k *stageKernel) of(s int) *node {
	if i := s - len(k.outs); 0 <= i && i < len(k.operands) {
		return k.operands[i]
	}
	return k.plan.at(s)
}

// temporary is where the row of temporaries of n lies.
func (k *stageKernel) temporary(n *node) *emit.Value {
	p, b := k.temp[n], k.b
	if p == nil {
		p = b.Param("temps", emit.Ptr)
		for i, s := range k.st.spilled {
			if s == n && i > 0 {
				p = b.AddP(p, b.Mul(b.Param("templd", emit.Int64), b.Int(int64(i))))
			}
		}
		k.temp[n] = p
	}
	return p
}

// compute is the value of a narrow node, in every lane.
func (k *stageKernel) compute(n *node) *emit.Value {
	b := k.b
	switch n.kind {
	case rows, cols:
		name := map[kind]string{rows: "m", cols: "n"}[n.kind] + map[dtype.Type]string{dtype.F32: "32", dtype.F64: "64"}[n.t]
		return b.Param(name, k.vector(n.t))
	case apply, convert:
		if k.isLeaf(n, k.st.number) {
			break
		}
		var args []*emit.Value
		for _, a := range n.args {
			args = append(args, k.narrow[a])
		}
		return k.value(n, args)
	}
	return b.LoadSplat(k.vector(n.t), emit.At(k.at(k.place(n)), 0))
}

// value is that of n, of its arguments'.
func (k *stageKernel) value(n *node, args []*emit.Value) *emit.Value {
	if n.kind == convert {
		return k.b.Cvt(gemm.ElemOf(n.t), "rne", args[0])
	}
	return k.b.Apply(n.fn, args...)[0]
}

// pass goes along the row: rounds of unroll vectors, single ones, and what is left under a
// mask. Where there are random words, which come four vectors at once, the last round has a
// mask for each vector instead.
func (k *stageKernel) pass(q *pass, unroll int) {
	b := k.b
	if len(q.order) == 0 {
		return
	}
	k.addresses(q)
	random, narrow := k.words != nil && contains(q.order, k.words), maps.Clone(k.narrow)
	sums := unroll
	if random {
		sums = 1 // the words of a round take longer than additions that wait for each other, and most registers
	}
	var acc []*emit.Value // sums of each reduction
	for _, r := range q.reduces {
		for range sums {
			acc = append(acc, b.Const(k.vector(r.t), r.op.Identity()))
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
				rest := b.IMax(b.Sub(left, b.Int(int64(u*k.lanes))), b.Int(0))
				acc = k.step(q, u, sums, acc, whole, b.MaskN(emit.Vector(emit.I8, k.lanes), b.IMin(rest, b.Int(int64(k.lanes)))), words[u])
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
			return k.step(q, 0, unroll, acc, vectors, b.MaskN(emit.Vector(emit.I8, k.lanes), rest), nil)
		}, func() []*emit.Value { return acc })
	}
	k.narrow = narrow // without what was read again inside of loops
	for i, r := range q.reduces {
		join := func(b *emit.Builder, x, y *emit.Value) *emit.Value { return combine(b, r.op, x, y) }
		parts := acc[i*sums : (i+1)*sums]
		for len(parts) > 1 {
			var half []*emit.Value
			for j := 0; j < len(parts)/2; j++ {
				half = append(half, join(b, parts[j], parts[j+len(parts)/2]))
			}
			parts = half
		}
		k.narrow[r] = simd.EveryLane(b, join, parts[0])
	}
}

// lineBytes is what one prefetch brings.
const lineBytes = 64

// fetch fetches n vectors from column j on of the matrices' next row, which kernels have from
// memory, or store to.
func (k *stageKernel) fetch(n int, j *emit.Value) {
	for _, next := range k.next {
		size := gemm.ElemOf(k.of(next.slot).t).Bytes()
		for at := 0; at < n*k.lanes*size; at += lineBytes {
			k.b.Prefetch(0, emit.Addr{Ptr: next.p, Index: j, Scale: int64(size), Off: int64(at)})
		}
	}
}

// addresses computes those of a pass before its loops. What does not move from row to row is
// taken from the argument block where it is used, or before that if there are registers.
func (k *stageKernel) addresses(q *pass) {
	for _, o := range q.order {
		switch {
		case contains(q.loaded, o):
			k.temporary(o)
		case o.kind == operand && o.pattern == gemm.FullPattern:
			k.park(k.place(o))
		}
	}
	for _, s := range q.spills {
		k.temporary(s)
	}
	for _, s := range q.stores {
		if k.of(s).pattern == gemm.FullPattern {
			k.park(s)
		}
	}
	k.next = nil
	if q != k.plan.fetches(k.st) {
		return
	}
	for s := range k.slots() {
		if n := k.of(s); n.pattern == gemm.FullPattern && k.touched(s) && len(k.next) < k.most {
			k.next = append(k.next, nextRow{s, k.b.AddP(k.at(s), k.b.Param(fmt.Sprintf("rs%d", s), emit.Int64))})
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
	for _, q := range k.st.passes {
		for _, x := range q.stores {
			if x == s {
				return true
			}
		}
		for _, o := range q.order {
			if o.kind == operand && k.place(o) == s {
				return true
			}
		}
	}
	return false
}

func contains(list []*node, n *node) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}

// combine takes a partial result into another, as gemm's reductions do: NaN stays.
func combine(b *emit.Builder, op gemm.Reduction, old, x *emit.Value) *emit.Value {
	switch op {
	case gemm.Sum:
		return b.Add(old, x)
	case gemm.Min:
		return b.Select(b.Cmp("ne", x, x), x, b.Min(x, old))
	}
	return b.Select(b.Cmp("ne", x, x), x, b.Max(x, old)) // old if that is NaN
}

// round does n whole vectors from column j on. acc has of accumulators of each reduction.
func (k *stageKernel) round(q *pass, n, of int, acc []*emit.Value, j *emit.Value) []*emit.Value {
	if q == k.plan.fetches(k.st) {
		k.fetch(n, j)
	}
	var random [4]*emit.Value
	if k.words != nil && contains(q.order, k.words) {
		random = k.random(j)
		k.reread(q)
	}
	for u := range n {
		acc = k.step(q, u, of, acc, j, nil, random[u])
	}
	return acc
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

// step does vector u of those from column j on, the lanes in mask if it is not nil. word is its
// random words.
func (k *stageKernel) step(q *pass, u, of int, acc []*emit.Value, j, mask, word *emit.Value) []*emit.Value {
	b := k.b
	next := append([]*emit.Value(nil), acc...)
	wide := map[*node]*emit.Value{}
	place := func(n *node, p *emit.Value) emit.Addr {
		size := int64(gemm.ElemOf(n.t).Bytes())
		return emit.Addr{Ptr: p, Index: j, Scale: size, Off: int64(u*k.lanes) * size}
	}
	load := func(n *node, p *emit.Value) *emit.Value {
		if mask != nil {
			return b.LoadMasked(k.vector(n.t), mask, place(n, p))
		}
		return b.Load(k.vector(n.t), place(n, p))
	}
	store := func(n *node, x, p *emit.Value) {
		if mask != nil {
			b.StoreMasked(x, mask, place(n, p))
		} else {
			b.Store(x, place(n, p))
		}
	}
	for _, o := range q.order {
		switch {
		case contains(q.loaded, o):
			wide[o] = load(o, k.temporary(o))
		case o.kind == words:
			wide[o] = word
		case k.isLeaf(o, k.st.number):
			wide[o] = load(o, k.at(k.place(o)))
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
		store(k.plan.at(s), wide[k.plan.at(s)], k.at(s))
	}
	for _, c := range q.cols {
		p := k.at(k.place(c))
		store(c, combine(b, c.op, load(c, p), wide[c.args[0]]), p)
	}
	for i, r := range q.reduces {
		x := wide[r.args[0]]
		if mask != nil {
			x = b.Select(mask, x, b.Const(x.Type, r.op.Identity()))
		}
		next[i*of+u%of] = combine(b, r.op, next[i*of+u%of], x)
	}
	return next
}
