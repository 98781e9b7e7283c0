package tpp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// multiply computes a product, which it rounds once.
func (p *problem) multiply(n *node, a, b, x []float64) {
	k, cols := p.ns[p.p.space(n.args[0])], p.width(n)
	atK, atN := cols, 1
	if n.trans {
		atK, atN = 1, k
	}
	for e := range x {
		sum := 0.0
		for l := range k {
			sum += a[e/cols*k+l] * b[l*atK+e%cols*atN]
		}
		x[e] = round(n.t, sum)
	}
}

// chains are equations with products: a product alone, of another, twice, by one factor twice, as a result and as what is
// computed further; results of rows that go from one width to another and back; reductions of columns before, between and after
// products; masks, random words and numbers of columns of a width.
func chains() map[string]Spec {
	x, y := In(gemm.Full[float32]("x")), In(gemm.Full[float32]("y"))
	a, b, c := In(gemm.Full[float32]("a")), In(gemm.Full[float32]("b")), In(gemm.Full[float32]("c"))
	row, bias, gain := In(gemm.PerRow[float32]("row")), In(gemm.PerColumn[float32]("bias")), In(gemm.PerColumn[float32]("gain"))
	eps, drop := In(gemm.Scalar[float32]("eps")), In(gemm.Scalar[int32]("drop"))
	half, weights := In(gemm.Full[dtype.BF16]("half")), In(gemm.Full[dtype.BF16]("weights"))
	one := func(is ...Tensor) (s Spec) {
		for i, t := range is {
			s.Outs = append(s.Outs, Out(fmt.Sprintf("out%d", i), t))
		}
		return s
	}
	xa := MatMul(x, a)
	gelu := func(x Tensor) Tensor { return Map(act.GELU[float32], x) }
	softmax := Softmax(mul.of(MatMulT(x, a), eps))
	layer := add.of(MatMul(gelu(add.of(xa, bias)), b), x)
	most, least := RowMax(xa), RowSum(xa)
	back := mul.of(y, mul.of(most, RowSum(mul.of(y, least))))
	dropped, mask := DropoutMask(gelu(xa), drop, eps)
	masked := one(MatMul(dropped, b))
	masked.Outs = append(masked.Outs, OutBits("mask", mask), OutBits("positive", Map(op.Positive[float32], MatMul(dropped, b))))
	return map[string]Spec{
		"product":    one(xa),
		"twice":      one(xa, xa, gelu(xa)),
		"ofProduct":  one(MatMul(MatMul(xa, b), c), xa),
		"sameFactor": one(add.of(MatMul(x, a), MatMul(gelu(x), a)), MatMulT(y, a)),
		"layer":      one(layer),
		"attention":  one(MatMul(softmax, b), RowMax(softmax)),
		"norms":      one(MatMul(LayerNorm(xa, gain, bias, eps), b), RowMean(xa), ColsOf(xa)),
		"counts":     one(mul.of(xa, div.of(RowSum(x), ColsOf(xa))), mul.of(x, mul.of(ColsOf(xa), ColsOf(x)))),
		"countsToo":  one(mul.of(ColsOf(x), xa), ColsOf(x), add.of(RowSum(xa), ColsOf(x))),
		"crossing":   one(mul.of(xa, RowSum(back)), add.of(back, row)),
		"columns":    one(MatMul(gelu(sub.of(x, ColMean(x))), a), ColSum(x), ColMax(xa)),
		"batchNorm":  one(MatMul(BatchNorm(xa, gain, bias, eps), b), Sum(xa)),
		"scalars":    one(mul.of(MatMul(mul.of(x, Sum(x)), a), Sum(xa)), mul.of(x, Max(xa))),
		"masks":      masked,
		"narrow":     one(Convert[dtype.BF16](add.of(MatMul(half, weights), bias)), RowArgMax(MatMul(half, weights))),
		"rows":       one(row, add.of(row, eps), mul.of(row, RowSum(xa)), MatMul(mul.of(x, row), a), bias, mul.of(xa, bias)),
	}
}

// chainOf divides an equation without a generator.
func chainOf(t *testing.T, s Spec) *chain {
	t.Helper()
	g, err := s.graph()
	if err != nil {
		t.Fatal(err)
	}
	l := &lowering{Spec: s, Draft: &unit.Draft{}, plan: &plan{graph: g, cost: costs}, calls: map[*node]unit.Call{}, costs: map[*node]int{}, widest: map[*node]int{}}
	for _, n := range g.nodes {
		l.costs[n] = costs(n)
	}
	c, err := l.asChain()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// chainRun interprets all steps of a chain, with whole matrices between them.
func chainRun(p *problem, c *chain, lanes, unroll int) error {
	view := func(space int) *problem {
		q := *p
		q.n, q.ns = p.ns[max(0, space)], nil
		return &q
	}
	mems, strides := make([]*emit.Memory, len(c.values)), make([]int, len(c.values))
	for i, v := range c.values {
		q := view(c.space(v.n))
		var numbers []float64
		if i >= len(c.outs) && i < len(c.outs)+len(c.operands) {
			numbers = p.values[v.n]
		}
		switch {
		case c.isFactor(v.n):
		case v.bits:
			mems[i], strides[i] = q.bits(v.name, numbers)
		default:
			mems[i], strides[i] = q.memory(v.name, v.n, numbers)
		}
	}
	for k, s := range c.steps {
		if n := s.product; n != nil {
			a, err := view(c.space(n.args[0])).numbers(n.args[0], mems[s.reads[0]], strides[s.reads[0]])
			if err != nil {
				return fmt.Errorf("step %d: %w", k, err)
			}
			x := make([]float64, p.m*p.width(n))
			p.multiply(n, a, p.values[n.args[1]], x)
			mems[s.writes[0]], strides[s.writes[0]] = view(c.space(n)).memory(n.name, n, x)
			continue
		}
		q := view(s.part.at.space)
		q.p = s.part.plan
		var slots []*emit.Memory
		var rs []int
		for _, i := range s.slots {
			slots, rs = append(slots, mems[i]), append(rs, strides[i])
		}
		if err := q.stage(s.st, lanes, unroll, slots, rs); err != nil {
			return fmt.Errorf("step %d: %w", k, err)
		}
		for j, i := range s.slots {
			mems[i], strides[i] = slots[j], rs[j]
		}
	}
	for i, n := range c.outs {
		q := view(c.space(n))
		compare := q.compare
		if c.outBits[i] {
			compare = q.compareBits
		}
		if err := compare(n, mems[i], strides[i]); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

// TestChains interprets the kernels of chains with the lanes of both instruction sets, against the operators one after the other.
func TestChains(t *testing.T) {
	for name, s := range chains() {
		t.Run(name, func(t *testing.T) {
			c := chainOf(t, s)
			for k, ns := range [][]int{{1, 1, 1, 1, 1}, {3, 16, 5, 9, 2}, {17, 2, 33, 8, 8}, {0, 3, 2, 4, 1}, {8, 0, 3, 1, 1}} {
				p := &problem{p: c.plan, m: 3, ns: ns, pad: 2, stream: [3]uint64{1 << 40, 7<<32 + 3, 1<<32 - 5}}
				p.evaluate(k, false)
				for _, lanes := range []int{8, 16} {
					if err := chainRun(p, c, lanes, 1<<(k%3)); err != nil {
						t.Fatalf("widths %v, %d lanes: %v", ns, lanes, err)
					}
				}
			}
		})
	}
}

// TestPhases: a reduction of columns ends a phase, and only what a later one needs is kept whole.
func TestPhases(t *testing.T) {
	for name, want := range map[string][3]int{ // phases, values of rows between steps, whole ones
		"layer": {1, 3, 0}, "attention": {1, 2, 0}, "batchNorm": {3, 2, 1}, "columns": {2, 2, 0}, "product": {1, 0, 0},
	} {
		c := chainOf(t, chains()[name])
		have := [3]int{c.steps[len(c.steps)-1].phase + 1}
		for _, v := range c.values[len(c.outs)+len(c.operands):] {
			if v.byRows() {
				have[1]++
				if v.whole {
					have[2]++
				}
			}
		}
		if have != want {
			t.Errorf("%s has %d phases, %d values of rows of which %d whole; want %v", name, have[0], have[1], have[2], want)
		}
	}
}

// TestRefusedProducts: what no chain can be made of.
func TestRefusedProducts(t *testing.T) {
	x, a := In(gemm.Full[float32]("x")), In(gemm.Full[float32]("a"))
	d, col, i8 := In(gemm.Full[float64]("d")), In(gemm.PerColumn[float32]("col")), In(gemm.Full[int8]("i8"))
	var many []Tensor
	for i := range 6 {
		many = append(many, MatMul(Map(act.GELU[float32], In(gemm.Full[float32](fmt.Sprintf("x%d", i)))), a))
	}
	sum := many[0]
	for _, m := range many[1:] {
		sum = add.of(sum, m)
	}
	for _, c := range []struct {
		is   Tensor
		want string
	}{
		{MatMul(x, d), "MatMul of float32 and float64; there are products of float32"},
		{MatMul(x, i8), "MatMul of float32 and int8; there are products"},
		{MatMul(col, a), "MatMul of operand col, which has no element for each row and column"},
		{MatMul(x, col), "MatMul by operand col; want a gemm.Full operand"},
		{MatMul(x, add.of(a, a)), "MatMul by the result of op.Add"},
		{MatMul(x, MatMul(x, a)), "MatMul by the result of MatMul"},
		{MatMul(x, InBits[float32]("bits")), "MatMul by operand bits"},
		{MatMul(InBits[float32]("bits"), x), "MatMul of operand bits"},
		{MatMul(x, x), "operand x is the second factor of a product, whose rows are not the equation's, and MatMul takes it too"},
		{add.of(MatMul(x, a), a), "operand a is the second factor of a product, whose rows are not the equation's, and op.Add takes it too"},
		{div.of(MatMul(x, a), Cols[float32]()), "tpp.Cols is ambiguous in an equation with products"},
		{MatMul(Tensor{}, a), "the zero tpp.Tensor"},
		{MatMul(x, Tensor{}), "the zero tpp.Tensor"},
		{Gradient(MatMul(x, a), x, a)[0], "multiply the transpose of its first factor by the gradient"},
		{MatMul(Convert[float32](Map(op.Keep[float32], Map(op.Exp[float32], col), Words(), In(gemm.Scalar[int32]("drop")), In(gemm.Scalar[float32]("s")))), a), ""},
		{sum, ""},
	} {
		s := Spec{Outs: []Output{Out("out", c.is)}}
		_, err := s.graph()
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	s := Spec{Outs: []Output{Out("out", x), Out("again", MatMul(In(gemm.Full[float32]("y")), a)), Out("factor", a)}}
	if _, err := s.graph(); err == nil || !strings.Contains(err.Error(), "and an output too") {
		t.Errorf("of a factor as an output: %v", err)
	}
}

// TestChainSchedule shows what explain prints of a chain.
func TestChainSchedule(t *testing.T) {
	x, up, down := In(gemm.Full[float32]("x")), In(gemm.Full[float32]("up")), In(gemm.Full[float32]("down"))
	s := Spec{Outs: []Output{Out("out", add.of(MatMul(Map(act.ReLU[float32], MatMul(x, up)), down), x))}}
	want := `chain      out is m x n0, x is m x n0, up is n0 x n1, down is n1 x n0. Matrices have any strides; kernels are for rows that are contiguous. What is between products is never in memory as a whole.
product    MatMul#2 = x (n0 wide) by up (n0 x n1), float32: its b is read once for a block of rows
part, n1 wide
  stage 1, over every row
    pass 1 along the row
      reads      MatMul#2
      computes   act.ReLU#1
      stores     act.ReLU#3
product    MatMul#5 = act.ReLU#3 (n1 wide) by down (n1 x n0), float32: its b is read once for a block of rows
part, n0 wide
  stage 1, over every row
    pass 1 along the row
      reads      MatMul#5, x
      computes   op.Add#2
      stores     out
block      4*n0 + 8*n1 bytes a row, which half of L2 has room for or which 144 rows take
memory     8*n0 bytes a row; its operators one by one take 20*n0 + 16*n1
`
	if have := chainOf(t, s).schedule(); have != want {
		t.Errorf("%s\nwant\n%s", have, want)
	}
}

// numbers reads what a node has in memory.
func (p *problem) numbers(n *node, m *emit.Memory, stride int) ([]float64, error) {
	rows, cols := p.size(n)
	size := n.t.Size()
	var x []float64
	for i := range rows {
		for j := range cols {
			b, err := m.Read(int64(i*stride+j*size), size)
			if err != nil {
				return nil, err
			}
			var bits uint64
			for _, v := range slices.Backward(b) {
				bits = bits<<8 | uint64(v)
			}
			x = append(x, gemm.ElemOf(n.t).Decode(bits))
		}
	}
	return x, nil
}
