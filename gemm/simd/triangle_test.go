package simd

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// triangleCall is a call of a kernel for a tile on a diagonal.
type triangleCall struct {
	call
	parts int
	solve bool
	up    bool // from the last row and column on
	apart bool // results are stored in a second place, too; multiplying, not over b's rows
	alone bool // of pairs: second parts on the diagonal do not count
}

func (c triangleCall) String() string {
	return fmt.Sprintf("mr=%d nv=%d k=%d solve=%v up=%v apart=%v", c.mr, c.nv, c.k, c.solve, c.up, c.apart)
}

// rows is n rows of numbers, row 0 being the last one in memory if they go up. So do columns, of
// which each is parts numbers, if both is set.
type rows struct {
	array
	n, cols, parts int
	up, both       bool
}

func (r rows) place(i, j int) (int, int) {
	if r.up {
		if i = r.n - 1 - i; r.both {
			j = (r.cols/r.parts-1-j/r.parts)*r.parts + j%r.parts
		}
	}
	return i, j
}

func (r rows) put(i, j int, x float64) { i, j = r.place(i, j); r.set(i, j, x) }

// from is a pointer to element (i, 0) and the strides of rows and columns.
func (r rows) from(i int) (p, rs, cs emit.Word) {
	at, j := r.place(i, 0)
	down, along := r.rs, int64(r.parts)*r.cs
	if r.up {
		if down = -down; r.both {
			along = -along
		}
	}
	return emit.PtrTo(r.mem, r.at(at, j)), emit.IntWord(down), emit.IntWord(along)
}

// below is an element of a triangle: 1 or -1 of float32, so that what grows from row to row
// stays exact.
func (c triangleCall) below(i, k int) float64 {
	x := number(4, i, k)
	if c.elem == emit.F32 {
		return math.Copysign(1, x)
	}
	return x
}

// run calls a kernel on memories of which only what it may read is defined.
func (c triangleCall) run(f *emit.Func) error {
	size, depth, numbers := c.size(), c.k+c.mr, c.nv*c.vl*c.parts
	block := func(name string, n, cols, gap int, both bool) rows {
		return rows{newArray(name, c.elem, 0, int64(n), int64(cols), int64(cols+gap)*size, size), n, cols, c.parts, c.up, both}
	}
	a := block("A", c.mr, depth*c.parts, 3, true)
	for i := range c.mr {
		for k := range (c.k + i + 1) * c.parts {
			if a.put(i, k, c.below(i, k)); k < c.k*c.parts {
				a.put(i, k, number(1, i, k))
			}
		}
	}
	height := c.k
	if !c.solve {
		height += c.mr
	}
	b, out, also := block("B", height, numbers, 2, false), block("C", c.mr, numbers, 5, false), block("Fetch", c.mr, numbers, 7, false)
	for k := range height {
		for j := range numbers {
			b.put(k, j, number(2, k, j))
		}
	}
	for i := range c.mr * numbers {
		if c.solve {
			out.put(i/numbers, i%numbers, number(3, i/numbers, i%numbers))
		}
	}
	m := c.machine(a.array, b.array, out.array)
	bind := func(r rows, i int, names ...string) {
		p, rs, cs := r.from(i)
		for at, w := range []emit.Word{p, rs, cs}[:len(names)] {
			m.Bind(names[at], w)
		}
	}
	bind(a, 0, "a", "rsa", "csa")
	if height > 0 {
		bind(b, 0, "b", "ldb")
	}
	switch {
	case c.apart || c.solve:
		bind(out, 0, "c", "ldc")
	default:
		bind(b, c.k, "c", "ldc")
	}
	if also = also.orElse(out, c.apart); c.solve {
		bind(also, 0, "fetch", "ldf")
	}
	var p kernel.Pair
	p.SetTriangle(c.elem == emit.F32, c.alone)
	m.Bind("pair", emit.PtrTo(pairMemory(&p), 0))
	if err := m.Run(f); err != nil {
		return err
	}
	want := c.results()
	results := func(r rows, first int) error {
		return r.compare(r.n, numbers, func(i, j int) float64 {
			if r.up {
				i = r.n - 1 - i
			}
			if i < first {
				return number(2, i, j)
			}
			return want[i-first][j]
		})
	}
	switch {
	case c.solve && c.apart:
		if err := results(also, 0); err != nil {
			return err
		}
	case !c.solve && !c.apart:
		return results(b, c.k)
	}
	return results(out, 0)
}

// orElse is r, or other unless apart is set.
func (r rows) orElse(other rows, apart bool) rows {
	if apart {
		return r
	}
	return other
}

// results are the numbers of the rows by plain loops.
func (c triangleCall) results() [][]float64 {
	cols := c.nv * c.vl
	element := func(f func(i, j int) float64, i, j int) complex128 {
		if c.parts == 1 {
			return complex(f(i, j), 0)
		}
		return complex(f(i, 2*j), f(i, 2*j+1))
	}
	seeded := func(seed int) func(i, j int) float64 {
		return func(i, j int) float64 { return number(seed, i, j) }
	}
	out, x := make([][]float64, c.mr), make([][]complex128, c.mr)
	for i := range out {
		x[i] = make([]complex128, cols)
		for j := range cols {
			var sum complex128
			for k := range c.k {
				sum += element(seeded(1), i, k) * element(seeded(2), k, j)
			}
			for k := range i {
				y := element(seeded(2), c.k+k, j)
				if c.solve {
					y = x[k][j]
				}
				sum += element(c.below, i, c.k+k) * y
			}
			on := element(c.below, i, c.k+i)
			if c.alone {
				on = complex(real(on), 0)
			}
			if x[i][j] = sum + on*element(seeded(2), c.k+i, j); c.solve {
				x[i][j] = (element(seeded(3), i, j) - sum) * on
			}
			if out[i] = append(out[i], real(x[i][j])); c.parts > 1 {
				out[i] = append(out[i], imag(x[i][j]))
			}
		}
	}
	return out
}

// triangles lists the kernels for triangles of a module, with what calls them.
func (m *Module) triangles() (list []*emit.Func, run []func(f *emit.Func) error) {
	byName := map[string]*emit.Func{}
	for _, f := range m.Funcs {
		byName[f.Name] = f
	}
	for nv := 1; nv <= m.NV; nv++ {
		for _, solve := range []bool{false, true} {
			form := kernel.Panel
			if solve {
				form = kernel.Solve
			}
			list = append(list, byName[m.Triangles.Of(form)[nv-1].F])
			run = append(run, func(f *emit.Func) error {
				for i, k := range []int{2, 0, 1, 7} {
					for way := range 4 {
						c := triangleCall{call{elem: gemm.ElemOf(m.Elem), vl: m.VL, mr: m.MR, nv: nv, k: k}, max(m.Parts, 1), solve, (i+way)%2 == 1, way/2 == 1, way%3 == 1}
						if err := c.run(f); err != nil {
							return fmt.Errorf("%v: %w", c, err)
						}
					}
				}
				return nil
			})
		}
	}
	return list, run
}

// Every kernel for triangles against plain loops.
func TestLowerTriangles(t *testing.T) {
	specs := []spec{stock[emit.F32], stock[emit.F64], gemm.Spec[complex64, complex64, complex64, complex64]{Name: "CGEMM"}, gemm.Spec[complex128, complex128, complex128, complex128]{Name: "ZGEMM"}}
	for _, s := range specs {
		for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
			t.Run(s.Describe().Name+"/"+target.Name, func(t *testing.T) {
				t.Parallel()
				m := lower(t, s, target)
				if m.Triangles == nil {
					t.Fatal("there are none")
				}
				list, run := m.triangles()
				for i, f := range list {
					if err := run[i](f); err != nil {
						t.Errorf("%s: %v", f.Name, err)
					}
				}
			})
		}
	}
	for _, s := range []spec{narrowSpecs[dtype.TypeBF16], gemm.Spec[float32, float32, float32, float32]{Name: "Fixed", Shape: gemm.Shape{N: 40, K: 8}}} {
		if m := lower(t, s, gemm.CPUTargets()[0]); m.Triangles != nil {
			t.Errorf("%s has kernels for triangles", m.Name)
		}
	}
}
