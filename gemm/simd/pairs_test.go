package simd

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// pairCall is a call of a kernel that multiplies pairs.
type pairCall struct {
	call
	square       float64
	conjA, conjB bool
	alpha, beta  complex128
	update       bool
}

// memory is a kernel.Pair as kernels read it.
func pairMemory(p *kernel.Pair) *emit.Memory {
	var b []byte
	for _, f := range []kernel.Factor{p.Join, p.Keep, p.Scale, p.Turn, p.Old, p.OldTurn} {
		for _, x := range f {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	m := emit.NewMemory("Pair", emit.Generic, len(b))
	if err := m.Write(0, b); err != nil {
		panic(err)
	}
	return m
}

// of is element (i, j) of a matrix of pairs.
func pairOf(seed, i, j int) complex128 {
	return complex(number(seed, i, 2*j), number(seed, i, 2*j+1))
}

func (c pairCall) times(x, y complex128) complex128 {
	if c.conjA {
		x = complex(real(x), -imag(x))
	}
	if c.conjB {
		y = complex(real(y), -imag(y))
	}
	return complex(real(x)*real(y)+c.square*imag(x)*imag(y), real(x)*imag(y)+imag(x)*real(y))
}

// run calls a kernel on memories of which only what it may read is defined.
func (c pairCall) run(f *emit.Func) error {
	rows, cols, size := c.mr*c.tiles, (c.nv-1)*c.vl+c.n, c.size()
	var a array // of parts: (i, 2k+part), or (2i+part, k) if it lies by columns
	if ld := int64(2*c.k+3) * size; c.aByColumns {
		a = newArray("A", c.elem, size, int64(2*rows), int64(c.k), size, int64(2*rows+1)*size)
		a.fill(2*rows, c.k, func(i, k int) float64 { return number(1, i/2, 2*k+i%2) })
	} else {
		a = newArray("A", c.elem, size, int64(rows), int64(2*c.k), ld, size)
		a.fill(rows, 2*c.k, func(i, k int) float64 { return number(1, i, k) })
	}
	b := newArray("B", c.elem, 0, int64(c.k), int64(2*cols), int64(2*cols+1)*size, size)
	b.fill(c.k, 2*cols, func(k, j int) float64 { return number(2, k, j) })
	out := newArray("C", c.elem, 2*size, int64(rows), int64(2*cols), int64(2*cols+5)*size, size)
	var p kernel.Pair
	mode := p.Set(c.elem == emit.F32, c.square, c.conjA, c.conjB, c.alpha, c.beta, c.update)
	if c.mode == kernel.ModeStream { // whose rows lie at multiples of a vector
		mode = int64(c.mode)
		out = newArray("C", c.elem, 0, int64(rows), int64(2*cols), int64(2*(cols+c.vl))*size, size)
	}
	if c.update {
		out.fill(rows, 2*cols, func(i, j int) float64 { return number(3, i, j) })
	}
	c.mode = int(mode)
	m := c.machine(a, b, out)
	if rsa := a.rs; c.aByColumns {
		m.Bind("rsa", emit.IntWord(2*size))
	} else {
		m.Bind("rsa", emit.IntWord(rsa))
		m.Bind("csa", emit.IntWord(2*size))
	}
	m.Bind("pair", emit.PtrTo(pairMemory(&p), 0))
	if err := m.Run(f); err != nil {
		return err
	}
	other := complex(c.square, 0)
	scale := func(f, x complex128) complex128 { // as pairs multiply
		return complex(real(f)*real(x)+real(other)*imag(f)*imag(x), real(f)*imag(x)+imag(f)*real(x))
	}
	parts := make([]float64, 0, rows*2*cols)
	for i := range rows {
		for j := range cols {
			var sum complex128
			for k := range c.k {
				sum += c.times(pairOf(1, i, k), pairOf(2, k, j))
			}
			want := scale(c.alpha, sum)
			if c.update {
				want += scale(c.beta, pairOf(3, i, j))
			}
			for part, x := range []float64{real(want), imag(want)} {
				have, err := out.get(i, 2*j+part)
				if err != nil {
					return err
				}
				if have != x {
					return fmt.Errorf("part %d of (%d, %d) is %v, want %v", part, i, j, have, x)
				}
				parts = append(parts, have)
			}
		}
	}
	return out.compare(rows, 2*cols, func(i, j int) float64 { return parts[i*2*cols+j] })
}

// pairCalls crosses depths, factors and conjugates.
func pairCalls(base call, ns []int) (calls []pairCall) {
	factors := []complex128{1, complex(2, -1), 3, complex(0, 2), 0}
	for _, n := range ns {
		for i, k := range []int{2, 0, 1, 5} {
			for x := range 5 {
				c := pairCall{call: base, square: -1, conjA: (i+x)%2 == 1, conjB: (x+n)/2%2 == 1, alpha: factors[x%4], beta: factors[(x+i)%5], update: (x+i)%3 > 0}
				if c.n, c.k, c.tiles, c.aByColumns = n, k, 1+(i+x+n)%3, (i+x+n/3)%2 == 1; x == 4 {
					c.square, c.conjA, c.conjB, c.alpha, c.beta = 0, false, false, 1, 1
				}
				calls = append(calls, c)
			}
		}
	}
	return calls
}

var pairSpecs = map[emit.Elem]spec{
	emit.F32: gemm.Spec[complex64, complex64, complex64, complex64]{Name: "CGEMM"},
	emit.F64: gemm.Spec[complex128, complex128, complex128, complex128]{Name: "ZGEMM"},
}

// TestPairs runs every kernel of complex numbers, of every target, in the interpreter.
func TestPairs(t *testing.T) {
	for elem, s := range pairSpecs {
		for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
			m := lower(t, s, target)
			byName := map[string]*emit.Func{}
			for _, f := range m.Funcs {
				byName[f.Name] = f
			}
			check := func(name string, calls []pairCall) {
				for _, c := range some(calls) {
					if err := c.run(byName[name]); err != nil {
						t.Fatalf("%s %v square %v conj %v %v alpha %v beta %v update %v: %v", name, c.call, c.square, c.conjA, c.conjB, c.alpha, c.beta, c.update, err)
					}
				}
			}
			for _, tile := range m.Of(kernel.Panel) {
				c := call{elem: elem, vl: m.VL, mr: tile.MR, nv: tile.NV}
				calls := pairCalls(c, []int{m.VL})
				if inst.Stream(emit.Vector(elem, 2*m.VL)) != nil {
					s := pairCall{call: c, square: -1, alpha: 1, conjA: true}
					s.n, s.k, s.tiles, s.mode = m.VL, 3, 2, kernel.ModeStream
					calls = append(calls, s)
				}
				check(tile.F, calls)
				check(m.Tile(kernel.Tail, tile.MR, tile.NV), pairCalls(c, edges(m.VL)))
			}
			if len(m.Of(kernel.Axpy))+len(m.Of(kernel.Dot))+len(m.Of(kernel.Half)) > 0 {
				t.Errorf("%s has kernels that nothing here runs", target.Name)
			}
			for nv, p := range m.Pack.Of(kernel.Panel) {
				for _, n := range edges(m.VL) {
					for _, k := range []int{0, 1, 5} {
						if err := pairsPacked(byName[p.F], elem, m.VL, (nv+1)*m.VL, nv*m.VL+n, k, false); err != nil {
							t.Errorf("%s %d columns, k %d: %v", p.F, nv*m.VL+n, k, err)
						}
					}
				}
			}
			columns := m.Pack.One(kernel.Columns)
			for _, n := range upTo(m.VL) {
				for _, k := range packDepths(m.VL, n) {
					if err := pairsPacked(byName[columns], elem, m.VL, m.VL, n, k, true); err != nil {
						t.Errorf("%s %d columns, k %d: %v", columns, n, k, err)
					}
				}
			}
		}
	}
}

// pairsPacked packs n columns of k rows to rows of so many pairs: contiguous along k if byCols is set.
func pairsPacked(f *emit.Func, e emit.Elem, vl, wide, n, k int, byCols bool) error {
	size := int64(e.Bytes())
	b := newArray("B", e, size, int64(k), int64(2*n), int64(2*n+3)*size, size)
	rows, cols := k, 2*n
	if byCols { // row j of the array is column j of B
		b = newArray("B", e, size, int64(n), int64(2*k), int64(2*k+3)*size, size)
		rows, cols = n, 2*k
	}
	b.fill(rows, cols, label)
	out := newArray("C", e, 0, int64(k), int64(2*wide), int64(2*wide+1)*size, size)
	c := call{elem: e, vl: vl, n: n - (wide - vl), k: k}
	if err := c.machine(b, b, out).Run(f); err != nil {
		return err
	}
	for i := range k {
		for j := range 2 * wide {
			want := 0.0
			switch {
			case byCols && j >= 2*n:
				continue
			case byCols:
				want = label(j/2, 2*i+j%2)
			case j < 2*n:
				want = label(i, j)
			}
			if have, err := out.get(i, j); err != nil || have != want {
				return fmt.Errorf("(%d, %d) is %v, want %v: %w", i, j, have, want, err)
			}
		}
	}
	return nil
}

// TestPairsShared: a semiring of pairs has the kernels of complex numbers, and what there are no
// kernels for is refused.
func TestPairsShared(t *testing.T) {
	for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
		m := lower(t, gemm.Spec[complex128, complex128, complex128, complex128]{Name: "Duals", Operator: gemm.Over(semiring.Dual[complex128]())}, target)
		if own := m.Own(); len(own) > 0 || !m.Paired() {
			t.Errorf("%s: %d functions of its own", target.Name, len(own))
		}
	}
	refused := func(s spec) {
		t.Helper()
		if _, err := Lower(s.Describe(), gemm.CPUTargets()[1], Options{}); err == nil {
			t.Errorf("%+v is not refused", s.Describe())
		}
	}
	refused(gemm.Spec[complex128, complex128, complex128, complex128]{Name: "Fixed", Shape: gemm.Shape{M: 4}})
	refused(gemm.Spec[complex64, complex64, complex128, complex128]{Name: "Mixed"})
	refused(gemm.Spec[float64, float64, float64, float64]{Name: "Real", Operator: gemm.Pairs{Elem: emit.F64}})
	refused(gemm.Spec[complex128, complex128, complex128, complex128]{Name: "Sums", Operator: gemm.FMA{Elem: emit.F64}})
	other := semiring.Dual[complex128]()
	other.TimesBy = semiring.None
	refused(gemm.Spec[complex128, complex128, complex128, complex128]{Name: "Other", Operator: gemm.Over(other)})
	if dtype.C64.Part() != dtype.F32 || dtype.C128.Part() != dtype.F64 || dtype.I8.Part() != dtype.I8 {
		t.Error("parts of complex types")
	}
}
