package tpp

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// stageKernel lowers a stage: a loop over rows around a loop over columns for each pass.
type stageKernel struct {
	*plan
	st     *stage
	lanes  int
	unroll []int // vectors at once, of each pass
	early  int   // addresses of matrices that are computed before a pass, at most

	b       *emit.Builder
	i       *emit.Value // the row
	pointer map[int]*emit.Value
	block   *emit.Value // of random words, of column 0
	number  *emit.Value // 0, 1, 2, ...
	temp    map[*node]*emit.Value
	narrow  map[*node]*emit.Value
	next    []nextRow // what the pass fetches
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

// equationArgs describes kernel.EpiArgs to the IR.
func equationArgs(slots int) (args []emit.Arg) {
	for _, a := range vector.SlotArgs(emit.F32, slots) {
		switch a.Name {
		case "m64", "n64":
			a.Type = emit.Scalar(emit.F64)
		case "key", "number": // the lower half of a word, and the upper
			a.Type = emit.Scalar(emit.I32)
			args = append(args, a)
			a.Name, a.Offset = a.Name+"high", a.Offset+4
		}
		args = append(args, a)
	}
	return args
}

func (k *stageKernel) vector(t dtype.Type) emit.Type { return emit.Vector(gemm.ElemOf(t), k.lanes) }

func (k *stageKernel) body() {
	b := k.b
	k.narrow = map[*node]*emit.Value{}
	k.forget()
	for _, n := range k.st.scalars {
		k.narrow[n] = k.compute(n)
	}
	var carried []*emit.Value
	if k.words != nil && k.has(k.words) {
		carried = append(carried, b.Param("block", emit.Int64))
	}
	if slices.ContainsFunc(k.st.closure, func(n *node) bool { return n.kind == number }) {
		k.number = b.Load(emit.Vector(emit.I32, k.lanes), emit.At(b.Param("lanes", emit.Ptr), kernel.LaneNumbersAt))
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
	return slices.ContainsFunc(k.st.passes, func(q *pass) bool { return slices.Contains(q.order, n) })
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
		if slices.Contains(k.st.ends, n) && k.stageOf(n) == k.st.number {
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
		k.b.StoreMasked(vector.Combine(k.b, n.op, old, k.narrow[n.args[0]]), one, p)
	}
}

// kept reports whether n stays for later stages in a slot of its own.
func (k *stageKernel) kept(n *node) bool { return k.place(n) >= len(k.outs)+len(k.operands) }

// forget has the addresses of slots computed again. They are known for a pass only, since
// there are fewer registers than an equation may have operands.
func (k *stageKernel) forget() {
	k.pointer, k.temp = map[int]*emit.Value{}, map[*node]*emit.Value{}
}

// at is where slot s lies, of this row.
func (k *stageKernel) at(s int) *emit.Value {
	p, b := k.pointer[s], k.b
	if p == nil {
		p = b.Param(vector.SlotPtr(s), emit.Ptr)
		if n := k.of(s); k.i != nil && !k.st.columns && (n.pattern == gemm.FullPattern || n.pattern == gemm.RowPattern) {
			p = b.AddP(p, b.Mul(k.i, b.Param(vector.SlotStride(s), emit.Int64)))
			k.pointer[s] = p
		}
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

// rowAt is at in a pass: where the address was not computed before, for one use.
func (k *stageKernel) rowAt(s int) *emit.Value {
	if p := k.pointer[s]; p != nil {
		return p
	}
	p := k.at(s)
	delete(k.pointer, s)
	return p
}

// temporary is where the row of temporaries of n lies.
func (k *stageKernel) temporary(n *node) *emit.Value {
	p, b := k.temp[n], k.b
	if p == nil {
		p = b.Param("tile", emit.Ptr)
		for i, s := range k.st.spilled {
			if s == n && i > 0 {
				p = b.AddP(p, b.Mul(b.Param("tileld", emit.Int64), b.Int(int64(i))))
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
	case rowNumber:
		return b.Splat(k.vector(n.t), b.Trunc(emit.I32, b.Add(b.Param("row", emit.Int64), k.i)))
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
