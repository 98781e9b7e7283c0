package peer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/attnf"
	"github.com/tilesmith/tilesmith/cpu/kern/bsrf"
	"github.com/tilesmith/tilesmith/cpu/kern/prunedf"
	"github.com/tilesmith/tilesmith/cpu/kern/sddmmf"
	"github.com/tilesmith/tilesmith/cpu/kern/spmmf"
	cpurun "github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/graph"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/rows"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/lower"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// tables are the stock kernels of one element type.
type tables[T dtype.Float] struct {
	elem   emit.Elem
	rows   []*kernel.Table[kernel.Func[kernel.SparseArgs]]
	nests  []*kernel.Table[kernel.Func[kernel.SparseArgs]]
	sddmm  []*kernel.Table[kernel.Func[kernel.SparseArgs]]
	attend []*kernel.Table[kernel.Func[kernel.SparseArgs]]
	blocks []*kernel.Table[kernel.Func[kernel.SparseArgs]]
	pruned []*kernel.Table[kernel.Func[kernel.SparseArgs]]
}

var (
	tables32 = tables[float32]{emit.F32, spmmf.RowsF32, spmmf.NestsF32, sddmmf.KernelsF32, attnf.KernelsF32, bsrf.KernelsF32, prunedf.KernelsF32}
	tables64 = tables[float64]{emit.F64, spmmf.RowsF64, spmmf.NestsF64, sddmmf.KernelsF64, attnf.KernelsF64, bsrf.KernelsF64, prunedf.KernelsF64}
)

// TestLLCSparse compares llc's code for every kernel of the sparse products with ours.
func TestLLCSparse(t *testing.T) {
	if !level.Long() {
		t.Skip("TILESMITH_LONG=1 compiles every sparse kernel with LLVM")
	}
	for _, target := range llctest.Targets() {
		t.Run("isa="+target.Name+"/type=f32", func(t *testing.T) { testLLCSparse(t, target, tables32) })
		t.Run("isa="+target.Name+"/type=f64", func(t *testing.T) { testLLCSparse(t, target, tables64) })
	}
}

func testLLCSparse[T dtype.Float](t *testing.T, target emit.Target, k tables[T]) {
	family := func(name string, lower func() ([]*emit.Func, error), test func(t *testing.T, c *comparison[T])) {
		t.Run("family="+name, func(t *testing.T) {
			fs, err := lower()
			if err != nil {
				t.Fatal(err)
			}
			c := &comparison[T]{Opinion: llctest.Compile(t, target, fs), t: t, target: target, vl: target.Lanes(k.elem), r: rand.New(level.PCG(3, uint64(target.Bits)))}
			test(t, c)
			if names := c.Missing(); len(names) > 0 {
				t.Errorf("%d of %d kernels were not called: %v", len(names), len(fs), names)
			}
			t.Logf("%d kernels agree, bit for bit, in %d calls", len(fs), c.n)
		})
	}
	family("rows", func() ([]*emit.Func, error) {
		fs, _, err := lower.StockRows{Elem: k.elem}.Lower(target)
		return fs, err
	}, k.testRows)
	family("nests", func() ([]*emit.Func, error) {
		fs, _, err := lower.StockNests{Elem: k.elem}.Lower(target)
		return fs, err
	}, k.testNests)
	family("sddmm", func() ([]*emit.Func, error) {
		fs, _, err := lower.SDDMM{Name: k.elem.String() + "sddmm", Op: lower.NewSum(k.elem)}.Lower(target)
		return fs, err
	}, k.testSDDMM)
	family("attention", func() ([]*emit.Func, error) {
		fs, _, err := lower.Attention{Name: k.elem.String() + "attention", Elem: k.elem}.Lower(target)
		return fs, err
	}, k.testAttention)
	family("blocks", func() ([]*emit.Func, error) {
		fs, _, err := lower.Blocks{Name: k.elem.String() + "blocks", Elem: k.elem}.Lower(target)
		return fs, err
	}, k.testBlocks)
	family("pruned", func() ([]*emit.Func, error) {
		fs, _, err := lower.Pruned{Name: k.elem.String() + "pruned", Elem: k.elem}.Lower(target)
		return fs, err
	}, k.testPruned)
}

// comparison runs products twice, with our kernels and with llc's.
type comparison[T dtype.Float] struct {
	*llctest.Opinion
	t      *testing.T
	target emit.Target
	vl     int
	r      *rand.Rand
	kind   int
	n      int
}

// ours returns the table for the target.
func ours[K any](target emit.Target, list []*K, isa func(*K) string) *K {
	for _, k := range list {
		if isa(k) == target.Name {
			return k
		}
	}
	panic("there are no stock kernels for " + target.Name)
}

// dense returns a matrix of numbers of the kind that it is the turn of.
func (c *comparison[T]) dense(m, n int) layout.Matrix[T] {
	return layout.RowMajor(llctest.Fill[T](c.r, llctest.Kinds[c.kind].Some, m*n), m, n)
}

// matrix returns a sparse matrix with empty rows, some of every length up to 20 and one
// that is nearly full.
func (c *comparison[T]) matrix(m, n int) sparse.Matrix[T] {
	b := sparse.NewBuilder[T](m, n)
	for i := range m {
		length := min(i%23, n)
		if i == m/2 {
			length = n - n/8
		}
		for _, j := range c.r.Perm(n)[:length] {
			b.Add(i, j, llctest.Fill[T](c.r, llctest.Kinds[c.kind].Some, 1)[0])
		}
	}
	a, err := b.Matrix()
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

// ragged returns a matrix whose rows have entries in the first columns only.
func (c *comparison[T]) ragged(m, n int) sparse.Matrix[T] {
	b := sparse.NewBuilder[T](m, n)
	for i := range m {
		for j := range c.r.IntN(n + 1) {
			b.Add(i, j, llctest.Fill[T](c.r, llctest.Kinds[c.kind].Some, 1)[0])
		}
	}
	a, err := b.Matrix()
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

// options are those of the products that follow, in turn.
func (c *comparison[T]) options() cpurun.Options {
	o := cpurun.Options{ISA: c.target.Name, Threads: 1}
	scales := [][2]float64{{1, 0}, {-1.5, 0}, {.5, -3}}
	s := scales[c.n%len(scales)]
	o.Scaling = cpurun.Scale(s[0], s[1])
	return o
}

// both computes out with our kernels and with llc's.
func (c *comparison[T]) both(what string, out []T, native, llc func(out []T)) {
	c.t.Helper()
	want, have := slices.Clone(out), slices.Clone(out)
	native(want)
	llc(have)
	c.n++
	if i := llctest.Differs(have, want); i >= 0 {
		c.t.Fatalf("%s, %s numbers: element %d is %v by llc, %v by our assembly", what, llctest.Kinds[c.kind].Name, i, have[i], want[i])
	}
	c.kind = c.r.IntN(len(llctest.Kinds))
}

// widths calls f for numbers of columns that take every kernel of 1 to most vectors.
func (c *comparison[T]) widths(most int, f func(n int)) {
	for nv := 1; nv <= most; nv++ {
		f(nv * c.vl)
		f(nv*c.vl - 1 - c.r.IntN(c.vl-1))
	}
}

func (k tables[T]) testNests(t *testing.T, c *comparison[T]) {
	table := ours(c.target, k.nests, func(k *kernel.Table[kernel.Func[kernel.SparseArgs]]) string { return k.ISA })
	native := rows.SpMM[T]{Name: "ours", Nests: []*kernel.Table[kernel.Func[kernel.SparseArgs]]{table}, Rows: k.rows}
	llc := rows.SpMM[T]{Name: "llc", Nests: []*kernel.Table[kernel.Func[kernel.SparseArgs]]{llctest.Replace(c.Opinion, table)}, Rows: k.rows}
	for _, f := range []format.Format{format.Dense, format.CSC, format.COO, format.DCSR, format.ELL(60), format.DELL(60), format.SELL(4, 16),
		format.DIA, format.Ragged, format.SRBCRS(4, 8)} {
		c.widths(8, func(n int) {
			m := c.matrix(49, 63)
			if f.Name == format.Ragged.Name {
				m = c.ragged(49, 63)
			}
			a, err := format.Pack(m, f)
			if err != nil {
				t.Fatal(err)
			}
			opt, b := c.options(), c.dense(63, n)
			c.both(fmt.Sprintf("%s, n=%d, %+v", f.Name, n, opt), c.dense(49, n).Data,
				func(out []T) { rows.Multiply(&native, opt, layout.RowMajor(out, 49, n), a, b) },
				func(out []T) { rows.Multiply(&llc, opt, layout.RowMajor(out, 49, n), a, b) })
		})
	}
}

// testSDDMM tries sets without the kernels for narrow panels, which those take that
// fetch B early, and sets that end at each width, since panels are as wide as there are
// kernels.
func (k tables[T]) testSDDMM(t *testing.T, c *comparison[T]) {
	table := ours(c.target, k.sddmm, func(k *kernel.Table[kernel.Func[kernel.SparseArgs]]) string { return k.ISA })
	theirs := llctest.Replace(c.Opinion, table)
	try := func(near bool, most, f int) {
		set := func(k kernel.Table[kernel.Func[kernel.SparseArgs]], weigh bool) *graph.SDDMM[T] {
			k.NV = most
			k.Entries = slices.DeleteFunc(slices.Clone(k.Entries), func(e kernel.Entry[kernel.Func[kernel.SparseArgs]]) bool {
				return e.NV > most || !near && (e.Form == kernel.Panel || e.Form == kernel.Tail)
			})
			return &graph.SDDMM[T]{Name: "sddmm", Variants: []*kernel.Table[kernel.Func[kernel.SparseArgs]]{&k}, Pattern: !weigh}
		}
		s, opt, weigh := c.matrix(45, 50), c.options(), c.n%2 == 0
		a, b := c.dense(45, f), c.dense(50, f)
		c.both(fmt.Sprintf("near %v, at most %d vectors, f=%d, %+v, weigh %v", near, most, f, opt, weigh), c.dense(1, s.NNZ()).Data,
			func(out []T) { set(*table, weigh).Multiply(opt, out, s, a, b) },
			func(out []T) { set(*theirs, weigh).Multiply(opt, out, s, a, b) })
	}
	most := table.NV
	c.widths(len(table.Of(kernel.Panel)), func(f int) { try(true, most, f) })
	c.widths(most, func(f int) { try(false, most, f) })
	for nv := 1; nv <= most; nv++ {
		try(false, nv, 2*nv*c.vl)
		try(false, nv, 3*nv*c.vl-1)
	}
}

func (k tables[T]) testAttention(t *testing.T, c *comparison[T]) {
	table := ours(c.target, k.attend, func(k *kernel.Table[kernel.Func[kernel.SparseArgs]]) string { return k.ISA })
	scores := &graph.SDDMM[T]{Name: "scores", Variants: k.sddmm}
	native := graph.Attention[T]{Name: "ours", SDDMM: scores, Variants: []*kernel.Table[kernel.Func[kernel.SparseArgs]]{table}}
	llc := graph.Attention[T]{Name: "llc", SDDMM: scores, Variants: []*kernel.Table[kernel.Func[kernel.SparseArgs]]{llctest.Replace(c.Opinion, table)}}
	try := func(m, n, f, h int) {
		s, q, key, v := c.matrix(m, n), c.dense(m, f), c.dense(n, f), c.dense(n, h)
		opt := graph.AttentionOptions{Options: cpurun.Options{ISA: c.target.Name, Threads: 1}, Bias: c.n%2 == 0}
		c.both(fmt.Sprintf("%d x %d, f=%d, h=%d, bias %v", m, n, f, h, opt.Bias), make([]T, m*h),
			func(out []T) { native.Attend(opt, layout.RowMajor(out, m, h), s, q, key, v) },
			func(out []T) { llc.Attend(opt, layout.RowMajor(out, m, h), s, q, key, v) })
	}
	c.widths(table.NV, func(h int) { try(47, 60, 9, h) })
	c.widths(3, func(h int) { try(30, 1500, 3, h) })
	// Which results are stored past the caches depends on their size.
	theirs := llc.Variants[0]
	for i, full := range table.Of(kernel.Panel) {
		r := rowCall[T]{c: c, mode: kernel.ModeStream, cols: (i + 1) * c.vl, last: c.vl, fetch: true}
		r.compare(fmt.Sprintf("streaming %d vectors", i+1), full.F, theirs.Tile(kernel.Panel, 1, i+1))
	}
	theirs.Op("Fence").F(new(kernel.SparseArgs))
}

func (k tables[T]) testBlocks(t *testing.T, c *comparison[T]) {
	table := ours(c.target, k.blocks, func(k *kernel.Table[kernel.Func[kernel.SparseArgs]]) string { return k.ISA })
	native := rows.BlockSet[T]{Name: "ours", Variants: []*kernel.Table[kernel.Func[kernel.SparseArgs]]{table}}
	llc := rows.BlockSet[T]{Name: "llc", Variants: []*kernel.Table[kernel.Func[kernel.SparseArgs]]{llctest.Replace(c.Opinion, table)}}
	for size := 1; size <= table.MR; size++ {
		for round, f := range []format.Format{format.BSR(size), format.DBSR(size), format.BSR(size)} {
			c.widths(table.NV, func(n int) {
				if round == 2 { // an Inf in B goes another way
					c.kind = 0
				}
				a, err := format.Pack(c.matrix(50, 41), f)
				if err != nil {
					t.Fatal(err)
				}
				opt, b := c.options(), c.dense(41, n)
				c.both(fmt.Sprintf("%s, n=%d, %+v", f.Name, n, opt), c.dense(50, n).Data,
					func(out []T) { native.Multiply(opt, layout.RowMajor(out, 50, n), a, b) },
					func(out []T) { llc.Multiply(opt, layout.RowMajor(out, 50, n), a, b) })
			})
		}
	}
}

func (k tables[T]) testPruned(t *testing.T, c *comparison[T]) {
	table := ours(c.target, k.pruned, func(k *kernel.Table[kernel.Func[kernel.SparseArgs]]) string { return k.ISA })
	native := rows.PrunedSet[T]{Name: "ours", Variants: []*kernel.Table[kernel.Func[kernel.SparseArgs]]{table}}
	llc := rows.PrunedSet[T]{Name: "llc", Variants: []*kernel.Table[kernel.Func[kernel.SparseArgs]]{llctest.Replace(c.Opinion, table)}}
	for range 3 {
		c.widths(table.NV, func(n int) {
			a := rows.NewPruned(c.matrix(90, 200))
			opt, b := c.options(), c.dense(200, n)
			c.both(fmt.Sprintf("n=%d, %+v", n, opt), c.dense(90, n).Data,
				func(out []T) { native.Multiply(opt, layout.RowMajor(out, 90, n), a, b) },
				func(out []T) { llc.Multiply(opt, layout.RowMajor(out, 90, n), a, b) })
		})
	}
}
