package simd

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// The suite runs kernels in the interpreter on memories in which only what a
// kernel may read is defined, and whose ends are exact: the interpreter refuses
// any other access. What a kernel may write is undefined before, so that a store
// outside it shows as well.

// array is a matrix in such a memory.
type array struct {
	mem  *emit.Memory
	elem emit.Elem
	off  int64 // of element (0, 0)
	rs   int64 // bytes from row to row
	cs   int64
}

// newArray returns rows x cols undefined elements at strides rs and cs, after
// lead bytes.
func newArray(name string, e emit.Elem, lead, rows, cols, rs, cs int64) array {
	size := int64(0)
	if rows > 0 && cols > 0 {
		size = lead + (rows-1)*rs + (cols-1)*cs + int64(e.Bytes())
	}
	return array{emit.NewMemory(name, emit.Generic, int(size)), e, lead, rs, cs}
}

func (a array) at(i, j int) int64 { return a.off + int64(i)*a.rs + int64(j)*a.cs }

func (a array) set(i, j int, x float64) {
	b := binary.LittleEndian.AppendUint64(nil, a.elem.Encode(x))
	if err := a.mem.Write(a.at(i, j), b[:a.elem.Bytes()]); err != nil {
		panic(err)
	}
}

func (a array) get(i, j int) (float64, error) {
	b, err := a.mem.Read(a.at(i, j), a.elem.Bytes())
	if err != nil {
		return 0, err
	}
	if a.elem == emit.F64 {
		return a.elem.Decode(binary.LittleEndian.Uint64(b)), nil
	}
	return a.elem.Decode(uint64(binary.LittleEndian.Uint32(b))), nil
}

func (a array) fill(rows, cols int, f func(i, j int) float64) {
	for i := range rows {
		for j := range cols {
			a.set(i, j, f(i, j))
		}
	}
}

// compare checks that exactly rows x cols elements are defined and are those of f.
func (a array) compare(rows, cols int, f func(i, j int) float64) error {
	inside := make([]bool, len(a.mem.Data))
	for i := range rows {
		for j := range cols {
			have, err := a.get(i, j)
			if err != nil {
				return fmt.Errorf("element (%d, %d): %w", i, j, err)
			}
			if want := f(i, j); have != want || math.Signbit(have) != math.Signbit(want) {
				return fmt.Errorf("%s(%d, %d) = %g, want %g", a.mem.Name, i, j, have, want)
			}
			for b := range int64(a.elem.Bytes()) {
				inside[a.at(i, j)+b] = true
			}
		}
	}
	for b := range int64(len(a.mem.Data)) {
		if !inside[b] && a.mem.Undef[b/64]>>(b%64)&1 == 0 {
			return fmt.Errorf("byte %d of %s, outside the result, was written", b, a.mem.Name)
		}
	}
	return nil
}

// number is a small integer, not zero, that depends on its place without pattern.
func number(seed, i, j int) float64 {
	h := uint32(seed)*0x9e3779b1 ^ uint32(i)*0x85ebca6b ^ uint32(j)*0xc2b2ae35
	h = (h ^ h>>15) * 0x2c1b3c6d
	h = (h ^ h>>12) * 0x297a2d39
	x := float64((h^h>>15)%10) - 5
	if x >= 0 {
		x++
	}
	return x
}

// label is a number of its own for each place.
func label(i, j int) float64 { return float64(1 + 100*i + j) }

// call is one call of a kernel: the fields of its argument block that count, and
// the shape of the tile.
type call struct {
	elem           emit.Elem
	vl, mr, nv, n  int                            // n columns in the last vector
	join           func(old, acc float64) float64 // of a semiring
	k, tiles, mode int
	aByColumns     bool
	aOnce          bool // one element of a row is read in all steps
	alpha, beta    float64
	steps          [3]int64 // of a, b and c
	span           int      // of k, until an Axpy kernel fetches the next row
}

func (c call) String() string {
	return fmt.Sprintf("mr=%d k=%d n=%d tiles=%d mode=%d", c.mr, c.k, c.n, c.tiles, c.mode)
}

func (c call) size() int64 { return int64(c.elem.Bytes()) }

// machine returns an interpreter whose argument block has every field bound:
// those that a kernel does not use to numbers that would do harm.
func (c call) machine(a, b, out array) *emit.Machine {
	m := &emit.Machine{MaxSteps: 200_000}
	word := func(x float64) emit.Word { return emit.Word{Lane: []uint64{c.elem.Encode(x)}} }
	for name, w := range map[string]emit.Word{
		"a": emit.PtrTo(a.mem, a.off), "b": emit.PtrTo(b.mem, b.off), "c": emit.PtrTo(out.mem, out.off),
		"rsa": emit.IntWord(a.rs), "csa": emit.IntWord(a.cs), "ldb": emit.IntWord(b.rs), "ldc": emit.IntWord(out.rs),
		"k": emit.IntWord(int64(c.k)), "tiles": emit.IntWord(int64(c.tiles)), "n": emit.IntWord(int64(c.n)), "mode": emit.IntWord(int64(c.mode)),
		"next": emit.IntWord(1 << 40), "nextstep": emit.IntWord(192), // no memory is there, and nothing reads it
		"alpha": word(c.alpha), "beta": word(c.beta),
		"fetch": emit.PtrTo(a.mem, a.off+1), "ldf": emit.IntWord(1 << 22), "span": emit.IntWord(int64(c.span)),
		"pair": emit.PtrTo(a.mem, a.off+2),
		"rows": emit.IntWord(int64(c.mr)), "stepa": emit.IntWord(c.steps[0]), "stepb": emit.IntWord(c.steps[1]), "stepc": emit.IntWord(c.steps[2]),
	} {
		m.Bind(name, w)
	}
	return m
}

// micro runs a micro-kernel and compares it with a plain loop.
func (c call) micro(f *emit.Func) error {
	return c.against(f, dotted(c.k))
}

// against runs a micro-kernel whose accumulator of row i and column j is acc(i, j)
// when A and B are number(1, i, k) and number(2, k, j).
func (c call) against(f *emit.Func, acc func(i, j int) float64) error {
	rows, cols := c.mr*c.tiles, (c.nv-1)*c.vl+c.n
	a, b, out := c.operands(rows, cols)
	if err := c.machine(a, b, out).Run(f); err != nil {
		return err
	}
	return c.finished(out, rows, cols, acc)
}

// byColumns runs a micro-kernel that reads B by columns.
func (c call) byColumns(f *emit.Func) error {
	rows := c.mr * c.tiles
	a, _, out := c.operands(rows, c.n)
	// Row j of this b is column j of B.
	b := newArray("B", c.elem, c.size(), int64(c.n), int64(c.k), int64(c.k+3)*c.size(), c.size())
	b.fill(c.n, c.k, func(j, k int) float64 { return number(2, k, j) })
	if err := c.machine(a, b, out).Run(f); err != nil {
		return err
	}
	return c.finished(out, rows, c.n, dotted(c.k))
}

// operands returns rows of A, cols of B and what C holds before, each with gaps.
func (c call) operands(rows, cols int) (a, b, out array) {
	rsa, csa := int64(c.k+3)*c.size(), c.size()
	if c.aByColumns {
		rsa, csa = c.size(), int64(rows+2)*c.size()
	}
	// Rows lie a gap apart that is no multiple of a vector, and begin inside.
	a = newArray("A", c.elem, 2*c.size(), int64(rows), int64(c.k), rsa, csa)
	b = newArray("B", c.elem, c.size(), int64(c.k), int64(cols), int64(cols+5)*c.size(), c.size())
	out = newArray("C", c.elem, 3*c.size(), int64(rows), int64(cols), int64(cols+c.vl+3)*c.size(), c.size())
	if c.mode == kernel.ModeStream { // but for these rows
		out = newArray("C", c.elem, 0, int64(rows), int64(cols), int64(cols+c.vl)*c.size(), c.size())
	}
	a.fill(rows, c.k, func(i, k int) float64 { return number(1, i, k) })
	b.fill(c.k, cols, func(k, j int) float64 { return number(2, k, j) })
	if c.mode == kernel.ModeUpdate {
		out.fill(rows, cols, func(i, j int) float64 { return number(3, i, j) })
	}
	return a, b, out
}

// finished compares what a kernel stored by its mode.
func (c call) finished(out array, rows, cols int, acc func(i, j int) float64) error {
	return out.compare(rows, cols, func(i, j int) float64 {
		switch {
		case c.join != nil && c.mode == kernel.ModeUpdate:
			return c.join(number(3, i, j), acc(i, j))
		case c.join != nil:
			return acc(i, j)
		}
		switch c.mode {
		case kernel.ModeScale:
			return acc(i, j) * c.alpha
		case kernel.ModeUpdate:
			return acc(i, j)*c.alpha + number(3, i, j)*c.beta
		}
		return acc(i, j)
	})
}

// packRows runs a kernel that copies rows into a panel.
func (c call) packRows(f *emit.Func) error {
	cols := (c.nv-1)*c.vl + c.n
	b := newArray("B", c.elem, c.size(), int64(c.k), int64(cols), int64(cols+c.vl+2)*c.size(), c.size())
	out := newArray("C", c.elem, 0, int64(c.k), int64(c.nv*c.vl), int64(c.nv*c.vl+3)*c.size(), c.size())
	b.fill(c.k, cols, label)
	if err := c.machine(newArray("A", c.elem, 0, 0, 0, 1<<20, 1<<21), b, out).Run(f); err != nil {
		return err
	}
	return out.compare(c.k, c.nv*c.vl, func(k, j int) float64 {
		if j >= cols {
			return 0
		}
		return label(k, j)
	})
}

// packCols runs a kernel that transposes columns into rows of a panel.
func (c call) packCols(f *emit.Func) error {
	// Row j of this b is column j of B.
	b := newArray("B", c.elem, c.size(), int64(c.n), int64(c.k), int64(c.k+c.vl+1)*c.size(), c.size())
	out := newArray("C", c.elem, c.size(), int64(c.k), int64(c.vl), int64(c.vl+3)*c.size(), c.size())
	b.fill(c.n, c.k, label)
	if err := c.machine(newArray("A", c.elem, 0, 0, 0, 1<<20, 1<<21), b, out).Run(f); err != nil {
		return err
	}
	return out.compare(c.k, c.vl, func(k, j int) float64 { return label(min(j, c.n-1), k) })
}

// kernel is one function of a module with the calls that test it.
type checked struct {
	f     *emit.Func
	check func(c call, f *emit.Func) error
	calls []call
}

// run makes all calls of f, which is k.f or a mutant of it.
func (k checked) run(f *emit.Func) error {
	for _, c := range k.calls {
		if err := k.check(c, f); err != nil {
			return fmt.Errorf("%v: %w", c, err)
		}
	}
	return nil
}

// some are the calls that a run with correct kernels makes: in long tests all, else every second or fourth, at other places
// of each four. Mutants have to pass all of them.
func some[C any](calls []C) (list []C) {
	for i, c := range calls {
		if (i+i/4)%level.Of(4, 2, 1) == 0 {
			list = append(list, c)
		}
	}
	return list
}

// microCalls crosses K, the store modes and n; tiles and the layout of A go along. With many n each has all K, in one
// mode, but in long tests all.
func microCalls(base call, ns []int) []call {
	var out []call
	for _, n := range ns {
		for i, k := range []int{2, 0, 1, 11} { // rounds of two or four, and what is left
			for mode := range 3 {
				if len(ns) > 1 && mode != (i+n)%3 && !level.Long() {
					continue
				}
				c := base
				c.n, c.k, c.mode = n, k, mode
				c.tiles = 1 + (i+mode+n)%3
				c.aByColumns = (i+mode+n/3)%2 == 1
				c.alpha, c.beta = 3, -2
				out = append(out, c)
			}
		}
	}
	return out
}

// edges are the numbers of lanes that are tried: in long tests all, else those at the ends and one between.
func edges(vl int) []int {
	if level.Long() || vl <= 2 {
		return upTo(vl)
	}
	list := level.Of([]int{1, vl - 1}, []int{1, 2, vl/2 + 1, vl - 1, vl}, nil)
	slices.Sort(list)
	return slices.Compact(list)
}

// packDepths are the depths at which a kernel packs n columns, transposed: every remainder of vl columns, of fewer
// blocks with a remainder, and in long tests all.
func packDepths(vl, n int) []int {
	list := []int{2*vl + 3, vl - 1, 0, vl, vl + 1, 2 * vl}
	switch {
	case level.Of(true, n < vl, false):
		return list[:level.Of(1, 2, 0)]
	case vl > 2:
		list = append(list, upTo(vl-2)...)
	}
	return list
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// kernels lists the functions of a module with their calls.
func (m *Module) kernels() []checked {
	byName := map[string]*emit.Func{}
	for _, f := range m.Funcs {
		byName[f.Name] = f
	}
	base := call{elem: gemm.ElemOf(m.Elem), vl: m.VL}
	var out []checked
	for _, t := range m.Of(kernel.Panel) {
		c := base
		c.mr, c.nv = t.MR, t.NV
		calls := microCalls(c, []int{m.VL})
		if inst.Stream(emit.Vector(base.elem, m.VL)) != nil {
			c.n, c.k, c.tiles, c.mode = m.VL, 3, 2, kernel.ModeStream
			calls = append(calls, c)
		}
		out = append(out, checked{byName[t.F], call.micro, calls})
		out = append(out, checked{byName[m.Tile(kernel.Tail, t.MR, t.NV)], call.micro, microCalls(c, edges(m.VL))})
	}
	for _, t := range m.Of(kernel.Half) {
		c := base
		c.mr, c.nv, c.vl = t.MR, t.NV, m.VL/2
		out = append(out, checked{byName[t.F], call.micro, microCalls(c, edges(c.vl))})
	}
	for _, t := range m.Of(kernel.Columns) {
		c := base
		c.mr, c.nv, c.n = t.MR, t.NV, m.VL
		k := checked{f: byName[t.F], check: call.byColumns}
		for _, c = range microCalls(c, []int{m.VL}) {
			c.k = c.k % 3 * m.VL // 0, 1 and 2 blocks
			k.calls = append(k.calls, c)
		}
		out = append(out, k)
	}
	for _, t := range m.Of(kernel.Axpy) {
		c := base
		c.mr, c.nv, c.n = t.MR, t.NV, m.VL
		out = append(out, checked{byName[t.F], call.axpy, microCalls(c, []int{m.VL})})
	}
	for _, t := range m.Of(kernel.Dot) {
		c := base
		c.mr, c.nv = t.MR, t.NV
		out = append(out, checked{byName[t.F], call.dot, dotCalls(c)})
	}
	for _, t := range m.Of(kernel.Join) {
		out = append(out, checked{byName[t.F], call.joined, joinCalls(base)})
	}
	for j, p := range m.Pack.Of(kernel.Panel) {
		c := base
		c.nv = j + 1
		k := checked{f: byName[p.F], check: call.packRows}
		for _, c.n = range edges(m.VL) {
			for _, c.k = range []int{0, 1, 2, 5} {
				k.calls = append(k.calls, c)
			}
		}
		out = append(out, k)
	}
	k := checked{f: byName[m.Pack.One(kernel.Columns)], check: call.packCols}
	c := base
	for _, c.n = range upTo(m.VL) {
		for _, c.k = range packDepths(m.VL, c.n) {
			k.calls = append(k.calls, c)
		}
	}
	return append(out, k)
}

type spec interface{ Describe() gemm.Description }

var stock = map[emit.Elem]spec{
	emit.F32: gemm.Spec[float32, float32, float32, float32]{Name: "SGEMM"},
	emit.F64: gemm.Spec[float64, float64, float64, float64]{Name: "DGEMM"},
}

func lower(t testing.TB, s spec, target emit.Target) *Module {
	t.Helper()
	m, err := Lower(s.Describe(), target, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every function of the stock modules against plain loops.
func TestLower(t *testing.T) {
	for e, s := range stock {
		for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
			t.Run(fmt.Sprintf("%v/%s", e, target.Name), func(t *testing.T) {
				t.Parallel()
				m := lower(t, s, target)
				ks := m.kernels()
				triangles, _ := m.triangles()   // which TestLowerTriangles runs
				listed := map[*emit.Func]bool{} // one that backs is in two places
				for _, k := range ks {
					listed[k.f] = true
				}
				if len(listed)+len(triangles) != len(m.Funcs) {
					t.Errorf("the module has %d functions, and %d are listed in its tables", len(m.Funcs), len(listed)+len(triangles))
				}
				for _, k := range ks {
					k.calls = some(k.calls)
					if err := k.run(k.f); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// What a module says about itself is what kernel.Kernels needs.
func TestModule(t *testing.T) {
	m := lower(t, gemm.Spec[float64, float64, float64, float64]{Name: "Mini", Tile: tiling.Micro{MR: 2, NV: 2}}, amd64.AVX2)
	have := struct {
		Name, Target string
		Elem         dtype.Type
		Tile         tiling.Micro
		VL           int
		Tiles        []kernel.Entry[string]
		Pack         []kernel.Entry[string]
	}{m.Name, m.Target.Name, m.Elem, tiling.Micro{MR: m.MR, NV: m.NV}, m.VL, m.Entries[:8], m.Pack.Entries}
	want := have
	want.Name, want.Target, want.Elem, want.Tile, want.VL = "Mini", "avx2", dtype.F64, tiling.Micro{MR: 2, NV: 2}, 4
	want.Tiles = nil
	for _, form := range []kernel.Form{kernel.Panel, kernel.Tail} {
		for i := range 4 {
			t := kernel.Entry[string]{Form: form, MR: 1 + i/2, NV: 1 + i%2}
			t.F = fmt.Sprintf("mini_avx2_%dx%d%s", t.MR, 4*t.NV, map[kernel.Form]string{kernel.Tail: "tail"}[form])
			want.Tiles = append(want.Tiles, t)
		}
	}
	want.Pack = []kernel.Entry[string]{{MR: 1, NV: 1, F: "mini_avx2_packrows4"}, {MR: 1, NV: 2, F: "mini_avx2_packrows8"},
		{Form: kernel.Columns, MR: 1, NV: 1, F: "mini_avx2_packcols"}}
	if d := cmp.Diff(want, have); d != "" {
		t.Errorf("-want +have:\n%s", d)
	}
}

func TestLowerRefuses(t *testing.T) {
	for _, c := range []struct {
		spec   spec
		target emit.Target
		want   string
	}{
		{gemm.Spec[float32, float32, float32, float32]{Name: "Wide", Tile: tiling.Micro{MR: 6, NV: 4}}, amd64.AVX2,
			"gemm: Wide: a tile of 6 rows and 4 vectors needs 29 registers (accumulators, a row of B, one broadcast), avx2 has 16"},
		{gemm.Spec[float64, float64, float64, float64]{Name: "Tall", Tile: tiling.Micro{MR: 31, NV: 1}}, amd64.AVX512,
			"gemm: Tall: a tile of 31 rows and 1 vectors needs 33 registers (accumulators, a row of B, one broadcast), avx512 has 32"},
		{gemm.Spec[float32, float32, float32, float32]{Name: "Flat", Tile: tiling.Micro{NV: 2}}, amd64.AVX512,
			"gemm: Flat: a tile of 0 rows and 2 vectors needs 3 registers (accumulators, a row of B, one broadcast), avx512 has 32"},
		{gemm.Spec[float32, float32, float32, float32]{Name: "Mixed", Operator: gemm.FMA{Elem: emit.F64}}, amd64.AVX2,
			"gemm: Mixed: operator fma.f64 is for f64, f64 and f64, the spec has f32, f32 and f32"},
		{gemm.Spec[float32, float32, float64, float64]{Name: "Widening"}, amd64.AVX2,
			"gemm: Widening: no operator multiplies f32 by f32 into f64; operands may be f32, bf16 or f16 with sums of f32, all f64, or i8, u8 and i16 with sums of i32"},
		{gemm.Spec[float32, float32, float32, float32]{Name: "Threads"}, ptx.SM80,
			"gemm: Threads: sm_80 is a GPU; package gemm/gpu lowers for it"},
		{gemm.Spec[float32, float32, float32, float32]{}, amd64.AVX2, `gemm: a spec is called ""; its name must be a Go identifier`},
	} {
		_, err := Lower(c.spec.Describe(), c.target, Options{})
		have := ""
		if err != nil {
			have = err.Error()
		}
		if have != c.want {
			t.Errorf("have %s\nwant %s", have, c.want)
		}
	}
}
