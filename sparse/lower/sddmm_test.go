package lower

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// execute runs a kernel on an argument block.
func execute(f *emit.Func, words map[string]emit.Word) error {
	return binder(kernel.Fields[kernel.SparseArgs](), words).Run(f)
}

func numbers(name string, s []int32) emit.Word {
	m := emit.MemoryOf(name, emit.Generic, s)
	m.ReadOnly = true
	return emit.PtrTo(m, 0)
}

// out is memory for results, NaN until they are written.
func out(name string, e emit.Elem, n int) *emit.Memory {
	nans := make([]float64, n)
	for i := range nans {
		nans[i] = math.NaN()
	}
	m := memory(name, e, nans)
	m.ReadOnly = false
	return m
}

func scalar(e emit.Elem, x float64) emit.Word { return emit.Word{Lane: []uint64{e.Encode(x)}} }

// matrixOf is a dense matrix of small integers, NaN between rows and in row 0, which
// no entry of testRows looks at.
func matrixOf(name string, e emit.Elem, rows, cols, ld int) emit.Word {
	var xs []float64
	for j := range rows {
		for c := range ld {
			x := math.NaN()
			if c < cols && (j > 0 || name == "A") {
				x = small(name, j, c)
			}
			xs = append(xs, x)
		}
	}
	return emit.PtrTo(memory(name, e, xs[:len(xs)-(ld-cols)]), 0)
}

func small(name string, j, c int) float64 { return float64((j*7+c*3+len(name))%9 - 4) }

// dotsKernel interprets a dots kernel on the entries from place to limit-1 and sums
// what it leaves.
func dotsKernel(f *emit.Func, e emit.Elem, vl, nv, n, place, limit, ahead int, more bool) error {
	pointers, indices, _ := testMatrix()
	cols := (nv-1)*vl + n
	sums := out("C", e, (limit-place)*vl)
	first, last := 0, len(pointers)-1
	for int(pointers[first+1]) <= place {
		first++
	}
	for int(pointers[last-1]) >= limit {
		last--
	}
	if more {
		old := make([]float64, (limit-place)*vl)
		for i := range old {
			old[i] = float64(i % 5)
		}
		sums = memory("C", e, old)
		sums.ReadOnly = false
	}
	a := matrixOf("A", e, len(testRows), cols, cols+2)
	a.Lane[0] += uint64(first * (cols + 2) * e.Bytes())
	if err := execute(f, map[string]emit.Word{
		"pointers": shift(numbers("pointers", pointers), 4*first), "indices": numbers("indices", indices),
		"a": a, "b": matrixOf("BB", e, testCols, cols, cols+1), "c": emit.PtrTo(sums, 0),
		"lda": emit.IntWord(int64((cols + 2) * e.Bytes())), "ldb": emit.IntWord(int64((cols + 1) * e.Bytes())),
		"rows": emit.IntWord(int64(last - first)), "n": emit.IntWord(int64(n)), "from": emit.IntWord(int64(place)), "limit": emit.IntWord(int64(limit)),
		"ahead": emit.IntWord(int64(4 * ahead)),
	}); err != nil {
		return err
	}
	for k := place; k < limit; k++ {
		row := first
		for int(pointers[row+1]) <= k {
			row++
		}
		got, want := 0.0, 0.0
		for l := range vl {
			got += decode(sums, e, (k-place)*vl+l)
			if more {
				want += float64(((k-place)*vl + l) % 5)
			}
		}
		for c := range cols {
			want += small("A", row, c) * small("BB", int(indices[k]), c)
		}
		if got != want {
			return fmt.Errorf("entries %d to %d, n=%d: entry %d is %v, want %v", place, limit, n, k, got, want)
		}
	}
	return nil
}

// shift moves a pointer by n bytes.
func shift(w emit.Word, n int) emit.Word {
	w.Lane = []uint64{w.Lane[0] + uint64(n)}
	return w
}

// reduceCall interprets a reduce kernel on k groups and n more.
func reduceCall(f *emit.Func, e emit.Elem, vl, k, n int, mode int64, weigh bool) error {
	count := k*vl + n
	groups := make([]float64, (count+vl-1)/vl*vl*vl)
	for i := range groups {
		groups[i] = float64(i*i*i%97 - 40)
		if i >= count*vl {
			groups[i] = math.NaN() // of no entry
		}
	}
	values, old := make([]float64, count), make([]float64, count)
	for i := range values {
		values[i], old[i] = float64(i%5+1), float64(i%3+1)
	}
	c := out("C", e, count)
	if mode == kernel.ModeUpdate {
		c = memory("C", e, old)
		c.ReadOnly = false
	}
	alpha, beta := -3.0, 2.0
	if err := execute(f, map[string]emit.Word{
		"a": emit.PtrTo(memory("A", e, groups), 0), "c": emit.PtrTo(c, 0), "values": emit.PtrTo(memory("values", e, values), 0),
		"k": emit.IntWord(int64(k)), "n": emit.IntWord(int64(n)), "mode": emit.IntWord(mode), "alpha": scalar(e, alpha), "beta": scalar(e, beta),
	}); err != nil {
		return err
	}
	for i := range count {
		want := 0.0
		for l := range vl {
			want += groups[i*vl+l]
		}
		if weigh {
			want *= values[i]
		}
		switch mode {
		case kernel.ModeScale:
			want *= alpha
		case kernel.ModeUpdate:
			want = want*alpha + old[i]*beta
		}
		if got := decode(c, e, i); got != want {
			return fmt.Errorf("k=%d n=%d mode=%d: value %d is %v, want %v", k, n, mode, i, got, want)
		}
	}
	return nil
}

// checkReduce calls a reduce kernel in all ways.
func checkReduce(f *emit.Func, e emit.Elem, vl int, weigh bool) error {
	for _, c := range []struct {
		k, n int
		mode int64
	}{{2, 0, kernel.ModeStore}, {0, vl - 1, kernel.ModeScale}, {1, 1, kernel.ModeUpdate}, {3, 1, kernel.ModeScale}, {0, 1, kernel.ModeStore}} {
		if err := reduceCall(f, e, vl, c.k, c.n, c.mode, weigh); err != nil {
			return err
		}
	}
	return nil
}

// checkDots calls a dots kernel in all ways.
func checkDots(f *emit.Func, e emit.Elem, vl, nv int, masked, more bool) error {
	_, indices, _ := testMatrix()
	n := vl
	if masked {
		n = max(1, vl-1)
	}
	for _, c := range [][3]int{{0, len(indices), 0}, {2, 17, 3}, {5, 6, 0}, {9, 30, 2}} {
		if err := dotsKernel(f, e, vl, nv, n, c[0], min(c[1], len(indices)), c[2], more); err != nil {
			return err
		}
	}
	return nil
}

func TestSDDMM(t *testing.T) {
	eachTarget(t, func(t *testing.T, target emit.Target, e emit.Elem) {
		fs, k, err := SDDMM{Name: "dots", Op: NewSum(e), Vectors: 5}.Lower(target)
		if err != nil {
			t.Fatal(err)
		}
		byName := named(fs)
		vl := target.Lanes(e)
		for i := range 5 {
			for _, c := range []struct {
				form         kernel.Form
				masked, more bool
			}{{kernel.Fetch, false, false}, {kernel.FetchTail, true, false}, {kernel.Panel, false, false}, {kernel.Tail, true, false}, {kernel.More, false, true}, {kernel.MoreTail, true, true}} {
				list := k.Of(c.form)
				if i >= len(list) {
					continue
				}
				if err := checkDots(byName[list[i].F], e, vl, i+1, c.masked, c.more); err != nil {
					t.Errorf("%s: %v", list[i].F, err)
				}
			}
		}
		if err := checkReduce(byName[k.One(kernel.Join)], e, vl, false); err != nil {
			t.Error(err)
		}
		if err := checkReduce(byName[k.One(kernel.Weigh)], e, vl, true); err != nil {
			t.Error(err)
		}
	})
}

// Another semiring: what a masked lane holds is not neutral for it.
func TestSDDMMSemiring(t *testing.T) {
	fs, k, err := SDDMM{Name: "dots", Op: gemm.MaxPlus, Vectors: 1}.Lower(amd64.AVX2)
	if err != nil {
		t.Fatal(err)
	}
	sums := out("C", emit.F32, 8)
	if err := execute(named(fs)[k.One(kernel.FetchTail)], map[string]emit.Word{
		"pointers": numbers("pointers", []int32{0, 1}), "indices": numbers("indices", []int32{0}),
		"a": emit.PtrTo(memory("A", emit.F32, []float64{-5, -7}), 0), "b": emit.PtrTo(memory("B", emit.F32, []float64{-1, -2}), 0), "c": emit.PtrTo(sums, 0),
		"rows": emit.IntWord(1), "n": emit.IntWord(2), "from": emit.IntWord(0), "limit": emit.IntWord(1), "ahead": emit.IntWord(0), "lda": emit.IntWord(8), "ldb": emit.IntWord(8),
	}); err != nil {
		t.Fatal(err)
	}
	for l, want := range []float64{-6, -9, math.Inf(-1)} {
		if got := decode(sums, emit.F32, l); got != want {
			t.Errorf("lane %d is %v, want %v", l, got, want)
		}
	}
}

func eachTarget(t *testing.T, f func(t *testing.T, target emit.Target, e emit.Elem)) {
	for i, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			if shortOmits(i + e.Bytes()/4) {
				continue
			}
			t.Run(target.Name+"/"+e.String(), func(t *testing.T) { f(t, target, e) })
		}
	}
}

func named(fs []*emit.Func) map[string]*emit.Func {
	m := map[string]*emit.Func{}
	for _, f := range fs {
		m[f.Name] = f
	}
	return m
}
