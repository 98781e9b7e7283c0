package lower

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// weights are one number an entry of testRows from place on.
func weights(place int) []float64 {
	_, indices, _ := testMatrix()
	w := make([]float64, len(indices)-place)
	for k := range w {
		w[k] = float64((k+place)*(k+place)%23 - 11)
	}
	return w
}

func checkShift(f *emit.Func, e emit.Elem) error {
	pointers, _, _ := testMatrix()
	for _, c := range [][2]int{{0, -1}, {5, -1}, {0, 0}, {0, 8}} { // first row, where the greatest is in each row
		first, most := c[0], c[1]
		place := int(pointers[first])
		w := weights(place)
		for i := range pointers[:len(pointers)-1] {
			if n := int(pointers[i+1] - pointers[i]); most >= 0 && most < n {
				w[int(pointers[i])+most-place] = 50
			}
		}
		c := out("C", e, len(w))
		if err := execute(f, map[string]emit.Word{
			"pointers": shift(numbers("pointers", pointers), 4*first), "rows": emit.IntWord(int64(len(pointers) - 1 - first)), "from": emit.IntWord(int64(place)),
			"a": emit.PtrTo(memory("A", e, w), 0), "c": emit.PtrTo(c, 0),
		}); err != nil {
			return err
		}
		for i := first; i < len(pointers)-1; i++ {
			top := math.Inf(-1)
			for k := pointers[i]; k < pointers[i+1]; k++ {
				top = max(top, w[int(k)-place])
			}
			for k := int(pointers[i]) - place; k < int(pointers[i+1])-place; k++ {
				if got := decode(c, e, k); got != w[k]-top {
					return fmt.Errorf("row %d: %v becomes %v with the greatest %v", i, w[k], got, top)
				}
			}
		}
	}
	return nil
}

func checkAttend(f *emit.Func, e emit.Elem, vl, nv int, masked bool) error {
	pointers, indices, _ := testMatrix()
	n := vl
	if masked {
		n = max(1, vl-1)
	}
	cols := (nv-1)*vl + n
	for _, c := range []struct {
		first int
		mode  int64
	}{{0, kernel.ModeScale}, {4, kernel.ModeScale}, {1, kernel.ModeStore}, {0, kernel.ModeStream}} {
		if c.mode == kernel.ModeStream && (masked || inst.Stream(emit.Vector(e, vl)) == nil) {
			continue
		}
		place := int(pointers[c.first])
		w := weights(place)
		if c.mode != kernel.ModeScale { // powers of two, so that division is exact
			for i := first(pointers, place); i < len(pointers)-1; i++ {
				for k := pointers[i]; k < pointers[i+1]; k++ {
					w[int(k)-place] = 8
					if k > pointers[i] && k+1 == pointers[i+1] {
						rest := int(pointers[i+1] - pointers[i] - 1)
						w[int(k)-place] = float64(nextPower(8*rest+1) - 8*rest)
					}
				}
			}
		}
		rows, ldc := len(pointers)-1-c.first, cols+2
		if c.mode == kernel.ModeStream {
			ldc = cols + vl // streams are aligned
		}
		sums := out("C", e, rows*ldc-2)
		if err := execute(f, map[string]emit.Word{
			"pointers": shift(numbers("pointers", pointers), 4*c.first), "rows": emit.IntWord(int64(rows)), "from": emit.IntWord(int64(place)),
			"indices": numbers("indices", indices), "values": emit.PtrTo(memory("values", e, w), 0), "ahead": emit.IntWord(0),
			"b": matrixOf("b", e, testCols, cols, cols+1), "ldb": emit.IntWord(int64((cols + 1) * e.Bytes())), "n": emit.IntWord(int64(n)),
			"c": emit.PtrTo(sums, 0), "ldc": emit.IntWord(int64(ldc * e.Bytes())), "mode": emit.IntWord(c.mode),
		}); err != nil {
			return err
		}
		for i := range rows {
			for x := range cols {
				want, total := 0.0, 0.0
				for k := pointers[c.first+i]; k < pointers[c.first+i+1]; k++ {
					want += w[int(k)-place] * small("b", int(indices[k]), x)
					total += w[int(k)-place]
				}
				if c.mode != kernel.ModeScale && total != 0 {
					want /= total
				}
				if got := decode(sums, e, i*ldc+x); got != want {
					return fmt.Errorf("mode %d: element (%d, %d) is %v, want %v", c.mode, i, x, got, want)
				}
			}
		}
	}
	return nil
}

func first(pointers []int32, place int) (i int) {
	for int(pointers[i]) < place {
		i++
	}
	return i
}

func nextPower(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}

func TestAttention(t *testing.T) {
	eachTarget(t, func(t *testing.T, target emit.Target, e emit.Elem) {
		fs, k, err := Attention{Name: "attention", Elem: e}.Lower(target)
		if err != nil {
			t.Fatal(err)
		}
		byName, vl := named(fs), target.Lanes(e)
		if err := checkShift(byName[k.Op("Shift").F], e); err != nil {
			t.Error(err)
		}
		for i, full := range k.Of(kernel.Panel) {
			tail := k.Of(kernel.Tail)[i]
			if err := checkAttend(byName[full.F], e, vl, i+1, false); err != nil {
				t.Errorf("%s: %v", full.F, err)
			}
			if err := checkAttend(byName[tail.F], e, vl, i+1, true); err != nil {
				t.Errorf("%s: %v", tail.F, err)
			}
		}
		for _, n := range []int{1, vl, 2*vl + 1} {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = -float64(i) / 3
			}
			c := memory("C", e, xs)
			c.ReadOnly = false
			if err := execute(byName[k.Op("Exp").F], map[string]emit.Word{"c": emit.PtrTo(c, 0), "k": emit.IntWord(int64(n / vl)), "n": emit.IntWord(int64(n % vl))}); err != nil {
				t.Fatal(err)
			}
			for i, x := range xs {
				if got, want := decode(c, e, i), math.Exp(x); math.Abs(got-want) > 1e-6 {
					t.Errorf("e^%v is %v, want %v", x, got, want)
				}
			}
		}
	})
}

// Every mutant of these kernels is caught, but for those that mean the same.
func TestSDDMMMutants(t *testing.T) {
	skipShort(t)
	e, target := emit.F32, amd64.AVX2
	var n tally
	try := func(f *emit.Func, check func(f *emit.Func) error, same ...string) {
		if err := check(f); err != nil {
			t.Fatalf("%s itself: %v", f.Name, err)
		}
	next:
		for m := range n.mutants(f, 15) {
			if m.f.Check() != nil || check(m.f) != nil {
				n.caught++
				continue
			}
			for _, s := range same {
				if strings.Contains(m.what, s) {
					n.same++
					continue next
				}
			}
			t.Errorf("%s survives: %s", f.Name, m.what)
		}
	}
	fs, k, err := SDDMM{Name: "dots", Op: NewSum(e), Vectors: 2}.Lower(target)
	if err != nil {
		t.Fatal(err)
	}
	byName, vl := named(fs), target.Lanes(e)
	// What is fetched early does not matter, nor a row more: it has no entry of the call.
	hints := []string{"%2 = addp", "%4 = addp", "= imin", "const : i64: one less"}
	try(byName[k.Of(kernel.FetchTail)[1].F], func(f *emit.Func) error { return checkDots(f, e, vl, 2, true, false) }, hints...)
	try(byName[k.One(kernel.More)], func(f *emit.Func) error { return checkDots(f, e, vl, 1, false, true) }, hints...)
	try(byName[k.One(kernel.Weigh)], func(f *emit.Func) error { return checkReduce(f, e, vl, true) })
	fs, b, err := Blocks{Name: "blocks", Elem: e, Tile: tiling.Micro{MR: 7, NV: 1}}.Lower(target)
	if err != nil {
		t.Fatal(err)
	}
	try(named(fs)[b.Tile(kernel.Tail, 7, 1)], func(f *emit.Func) error { return checkTile(f, e, vl, 7, 1, true) })
	try(named(fs)[b.One(kernel.Copy)], func(f *emit.Func) error { return checkPack(f, e, vl, 1) })
	fs, p, err := Pruned{Name: "pruned", Elem: e, Vectors: 1}.Lower(target)
	if err != nil {
		t.Fatal(err)
	}
	try(named(fs)[p.One(kernel.Tail)], func(f *emit.Func) error { return checkPruned(f, e, vl, 1, true) },
		"load %21 {off=16}", "load %21 {off=20}", "load %21 {off=24}", "load %21 {off=28}", "load %149 {off=4}", // the next group
		"yield %31, %32, %33, %34", "%143 = mul") // zeros, and a factor of 1
	fs, a, err := Attention{Name: "attention", Elem: e, Vectors: 1}.Lower(target)
	if err != nil {
		t.Fatal(err)
	}
	try(named(fs)[a.Op("Shift").F], func(f *emit.Func) error { return checkShift(f, e) }, "max %", "%5 = const") // the last row is empty
	try(named(fs)[a.One(kernel.Tail)], func(f *emit.Func) error { return checkAttend(f, e, vl, 1, true) }, hints...)
	if t.Log(n); n.made < 300 {
		t.Errorf("%d mutants, want at least 300", n.made)
	}
}
