package lower

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
)

// softmaxRows are scores of four rows in so many vectors: with -Inf, nothing but it, a NaN, and
// one that is greater than all before.
func softmaxRows(vl, k int) [][]float64 {
	rows := make([][]float64, 4)
	for i := range rows {
		for j := range k * vl {
			rows[i] = append(rows[i], float64((i*7+j*5)%13)/4-1)
		}
	}
	rows[1][0], rows[1][k*vl-1] = math.Inf(-1), 9
	for j := range rows[2] {
		rows[2][j] = math.Inf(-1)
	}
	rows[3][vl-1] = math.NaN()
	return rows
}

// flat lays rows out so many elements apart.
func flat(rows [][]float64, ld int) []float64 {
	x := make([]float64, ld*len(rows))
	for i, r := range rows {
		copy(x[i*ld:], r)
	}
	return x
}

func checkStep(f *emit.Func, e emit.Elem, vl int) error {
	const k, width = 2, 3
	for _, before := range []float64{math.Inf(-1), -2, 3} {
		rows := softmaxRows(vl, k)
		lda, ldc := k*vl+1, width*vl+2
		var state, c [][]float64
		for range rows {
			s, x := make([]float64, 2*vl), make([]float64, width*vl)
			for l := range vl {
				s[l], s[vl+l] = before, float64(l)
			}
			for j := range x {
				x[j] = float64(j + 1)
			}
			state, c = append(state, s), append(c, x)
		}
		a, b, sums := memory("A", e, flat(rows, lda)), memory("B", e, flat(state, 2*vl)), memory("C", e, flat(c, ldc))
		a.ReadOnly, b.ReadOnly, sums.ReadOnly = false, false, false
		if err := execute(f, map[string]emit.Word{
			"a": emit.PtrTo(a, 0), "lda": emit.IntWord(int64(lda * e.Bytes())), "rows": emit.IntWord(int64(len(rows))), "k": emit.IntWord(k),
			"b": emit.PtrTo(b, 0), "c": emit.PtrTo(sums, 0), "ldc": emit.IntWord(int64(ldc * e.Bytes())), "width": emit.IntWord(width),
		}); err != nil {
			return err
		}
		for i, row := range rows {
			top := before
			for _, x := range row {
				if x > top {
					top = x
				}
			}
			by := top
			if math.IsInf(by, -1) {
				by = 0
			}
			shrink := math.Exp(before - by)
			same := func(what string, at int, got, want float64) error {
				if got != want && !(math.Abs(got-want) <= 2e-6*math.Abs(want)) && !(math.IsNaN(got) && math.IsNaN(want)) {
					return fmt.Errorf("after %v: %s %d of row %d is %v, want %v", before, what, at, i, got, want)
				}
				return nil
			}
			for l := range vl {
				sum := float64(l) * shrink
				for n := range k {
					sum += math.Exp(row[n*vl+l] - by)
				}
				if err := same("top", l, decode(b, e, i*2*vl+l), top); err != nil {
					return err
				}
				if err := same("sum", l, decode(b, e, i*2*vl+vl+l), sum); err != nil {
					return err
				}
			}
			for j, x := range row {
				if err := same("weight", j, decode(a, e, i*lda+j), math.Exp(x-by)); err != nil {
					return err
				}
			}
			for j := range width * vl {
				if err := same("result", j, decode(sums, e, i*ldc+j), float64(j+1)*shrink); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func checkBack(f *emit.Func, e emit.Elem, vl int) error {
	const k = 2
	rows := softmaxRows(vl, k)[:3]
	ld := k*vl + 1
	var state, c [][]float64
	for i := range rows {
		s, x := make([]float64, 2*vl), make([]float64, k*vl)
		for l := range vl {
			s[l], s[vl+l] = float64(i)/2, float64(i-1)
		}
		for j := range x {
			x[j] = float64(j%5 - 2)
		}
		state, c = append(state, s), append(c, x)
	}
	a, b, g := memory("A", e, flat(rows, ld)), memory("B", e, flat(state, 2*vl)), memory("C", e, flat(c, ld))
	a.ReadOnly, g.ReadOnly = false, false
	if err := execute(f, map[string]emit.Word{
		"a": emit.PtrTo(a, 0), "lda": emit.IntWord(int64(ld * e.Bytes())), "rows": emit.IntWord(int64(len(rows))), "k": emit.IntWord(k),
		"b": emit.PtrTo(b, 0), "c": emit.PtrTo(g, 0), "ldc": emit.IntWord(int64(ld * e.Bytes())),
	}); err != nil {
		return err
	}
	for i, row := range rows {
		for j, x := range row {
			w := math.Exp(x - float64(i)/2)
			if got := decode(a, e, i*ld+j); math.Abs(got-w) > 2e-6*w {
				return fmt.Errorf("weight %d of row %d is %v, want %v", j, i, got, w)
			}
			if got, want := decode(g, e, i*ld+j), w*(float64(j%5-2)-float64(i-1)); math.Abs(got-want) > 2e-6*math.Abs(want) {
				return fmt.Errorf("gradient %d of row %d is %v, want %v", j, i, got, want)
			}
		}
	}
	return nil
}

func TestSoftmax(t *testing.T) {
	eachTarget(t, func(t *testing.T, target emit.Target, e emit.Elem) {
		fs, k, err := Softmax{Name: "softmax", Elem: e}.Lower(target)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkStep(named(fs)[k.Step], e, target.Lanes(e)); err != nil {
			t.Error(err)
		}
		if err := checkBack(named(fs)[k.Back], e, target.Lanes(e)); err != nil {
			t.Error(err)
		}
	})
}

// Mutants of the loops around the powers of e are caught.
func TestSoftmaxMutants(t *testing.T) {
	skipShort(t)
	e, target := emit.F32, amd64.AVX2
	fs, k, err := Softmax{Name: "softmax", Elem: e}.Lower(target)
	if err != nil {
		t.Fatal(err)
	}
	var n tally
	for name, check := range map[string]func(f *emit.Func) error{
		k.Step: func(f *emit.Func) error { return checkStep(f, e, target.Lanes(e)) },
		k.Back: func(f *emit.Func) error { return checkBack(f, e, target.Lanes(e)) },
	} {
		for m := range n.mutants(named(fs)[name], 30) {
			if m.f.Check() != nil || check(m.f) != nil {
				n.caught++
			} else {
				t.Logf("%s survives: %s", name, m.what)
			}
		}
	}
	// The polynomial of e and its special cases have tests of their own in vmath.
	if t.Log(n); n.caught*10 < n.tried*8 {
		t.Errorf("%d of %d mutants caught, want four fifths", n.caught, n.tried)
	}
}
