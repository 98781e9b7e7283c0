package lower

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// checkTile interprets a tile kernel on blocks of 5 x 5, the last block column of
// which has 3 columns; the tile has the last mr rows of a block of mr+1.
func checkTile(f *emit.Func, e emit.Elem, vl, mr, nv int, masked bool) error {
	const b, cols = 5, 13
	n := vl
	if masked {
		n = max(1, vl-1)
	}
	width := (nv-1)*vl + n
	columns := []int32{1, 0, 2, 0, 2, 1}
	height := mr + 1
	values := make([]float64, len(columns)*height*b)
	for i := range values {
		values[i] = float64(i*i%7 - 3)
	}
	for p, jo := range columns { // what is beyond the matrix is never multiplied
		for i := range height * b {
			if jo == 2 && i%b >= cols-2*b {
				values[p*height*b+i] = math.NaN()
			}
		}
	}
	for _, c := range []struct {
		place, limit int
		mode         int64
	}{{0, 6, kernel.ModeStore}, {1, 4, kernel.ModeScale}, {2, 5, kernel.ModeUpdate}, {3, 3, kernel.ModeStore}, {2, 3, kernel.ModeStore}} {
		ldc := width + 2
		old := make([]float64, mr*ldc)
		for i := range old {
			old[i] = float64(i%5 - 2)
		}
		to := out("C", e, mr*ldc-2)
		if c.mode == kernel.ModeUpdate {
			to = memory("C", e, old[:mr*ldc-2])
			to.ReadOnly = false
		}
		var dense []float64
		for j := range cols {
			for x := range width + 1 {
				v := small("b", j, x)
				if x == width {
					v = math.NaN()
				}
				dense = append(dense, v)
			}
		}
		alpha, beta := -2.0, 3.0
		word := func(n int) emit.Word { return emit.IntWord(int64(n)) }
		from := min(c.place, len(columns)-1)
		if err := execute(f, map[string]emit.Word{
			"indices": numbers("indices", columns), "b": emit.PtrTo(memory("B", e, dense[:len(dense)-1]), 0),
			"values": emit.PtrTo(memory("values", e, values), int64((from*height+1)*b*e.Bytes())), "c": emit.PtrTo(to, 0),
			"ldb": word((width + 1) * e.Bytes()), "ldc": word(ldc * e.Bytes()), "n": word(n), "from": word(c.place), "limit": word(c.limit),
			"k": word(b), "stride": word(b * e.Bytes()), "width": word(height * b * e.Bytes()), "ahead": word(2), "rows": word(cols - 2*b),
			"mode": emit.IntWord(c.mode), "alpha": scalar(e, alpha), "beta": scalar(e, beta),
		}); err != nil {
			return err
		}
		for i := range mr {
			for x := range width {
				want := 0.0
				for p := c.place; p < c.limit; p++ {
					for k := range min(b, cols-int(columns[p])*b) {
						want += values[(p*height+1+i)*b+k] * small("b", int(columns[p])*b+k, x)
					}
				}
				switch c.mode {
				case kernel.ModeScale:
					want *= alpha
				case kernel.ModeUpdate:
					want = want*alpha + old[i*ldc+x]*beta
				}
				if got := decode(to, e, i*ldc+x); got != want {
					return fmt.Errorf("blocks %d to %d, mode %d: element (%d, %d) is %v, want %v", c.place, c.limit, c.mode, i, x, got, want)
				}
			}
		}
	}
	return nil
}

func TestBlocks(t *testing.T) {
	eachTarget(t, func(t *testing.T, target emit.Target, e emit.Elem) {
		fs, k, err := Blocks{Name: "blocks", Elem: e}.Lower(target)
		if err != nil {
			t.Fatal(err)
		}
		byName, vl := named(fs), target.Lanes(e)
		for mr := 1; mr <= k.MR; mr++ {
			for nv := 1; nv <= k.NV; nv++ {
				if err := checkTile(byName[k.Tile(kernel.Panel, mr, nv)], e, vl, mr, nv, false); err != nil {
					t.Errorf("%d x %d: %v", mr, nv, err)
				}
				if err := checkTile(byName[k.Tile(kernel.Tail, mr, nv)], e, vl, mr, nv, true); err != nil {
					t.Errorf("%d x %d, masked: %v", mr, nv, err)
				}
			}
		}
		for nv := 1; nv <= k.NV; nv++ {
			if err := checkPack(byName[k.Of(kernel.Copy)[nv-1].F], e, vl, nv); err != nil {
				t.Errorf("pack %d: %v", nv, err)
			}
		}
	})
}

// checkPack copies a panel, finite or not.
func checkPack(f *emit.Func, e emit.Elem, vl, nv int) error {
	const rows = 3
	n := max(1, vl-1)
	cols, ld := (nv-1)*vl+n, nv*vl+3
	for _, odd := range []float64{1, math.Inf(-1), math.NaN(), math.MaxFloat32} {
		from := make([]float64, rows*ld)
		for i := range from {
			from[i] = float64(i%7) + 1
			if i%ld >= cols {
				from[i] = math.NaN() // not of the panel
			}
		}
		from[ld+cols-1] = odd
		to, flag := out("C", e, rows*nv*vl), out("A", e, vl)
		if err := execute(f, map[string]emit.Word{
			"b": emit.PtrTo(memory("B", e, from[:len(from)-ld+cols]), 0), "c": emit.PtrTo(to, 0), "a": emit.PtrTo(flag, 0),
			"ldb": emit.IntWord(int64(ld * e.Bytes())), "k": emit.IntWord(rows), "n": emit.IntWord(int64(n)),
		}); err != nil {
			return err
		}
		finite := true
		for l := range vl {
			finite = finite && decode(flag, e, l) == 0
		}
		if want := odd == 1 || odd == math.MaxFloat32; finite != want {
			return fmt.Errorf("with %v, finite is %v", odd, finite)
		}
		for i := range rows {
			for c := range nv * vl {
				got, want := decode(to, e, i*nv*vl+c), 0.0
				if c < cols {
					want = from[i*ld+c]
				}
				if got != want && want == want {
					return fmt.Errorf("element (%d, %d) is %v, want %v", i, c, got, want)
				}
			}
		}
	}
	return nil
}

// checkPruned interprets a kernel on three groups and three single rows.
func checkPruned(f *emit.Func, e emit.Elem, vl, nv int, masked bool) error {
	const slab = 6 // rows of it
	n := vl
	if masked {
		n = max(1, vl-1)
	}
	width, pitch := (nv-1)*vl+n, nv*vl+1
	runs := []int32{3, 2, 0, 1, 2, 1, 1, 2} // two groups of 3 entries a row, one of none; a single row of 2, two of 1
	order := []int32{5, 0, 9, 3, 10, 14, 13, 11, 1, 2, 4, 6, 8, 7, 12, 0, 0, 0, 0}
	var rows [15][]int // the entries of each row of C
	at := 0
	for g, n := range []int{3, 3, 0} {
		for k := range n * tiling.PrunedGroup {
			i := order[g*tiling.PrunedGroup+k%tiling.PrunedGroup]
			rows[i] = append(rows[i], at+k)
		}
		at += n * tiling.PrunedGroup
	}
	rows[8], rows[7], rows[12] = []int{at, at + 1}, []int{at + 2}, []int{at + 3}
	values, offsets := make([]float64, at+4), make([]int32, at+4)
	for i := range values {
		values[i], offsets[i] = float64(i*i%11)-4.5, int32(i*5%slab*pitch*e.Bytes())
	}
	for _, mode := range []int64{kernel.ModeStore, kernel.ModeUpdate} {
		ld := width + 2
		old := make([]float64, len(rows)*ld)
		for i := range old {
			old[i] = float64(i%5 - 2)
		}
		sums, from := out("C", e, len(rows)*ld-2), memory("A", e, old[:len(rows)*ld-2])
		if err := execute(f, map[string]emit.Word{
			"pointers": numbers("runs", runs), "map": numbers("order", order), "indices": numbers("offsets", offsets),
			"values": emit.PtrTo(memory("values", e, values), 0), "b": matrixOf("A", e, slab, nv*vl, pitch),
			"a": emit.PtrTo(from, 0), "lda": emit.IntWord(int64(ld * e.Bytes())), "c": emit.PtrTo(sums, 0), "ldc": emit.IntWord(int64(ld * e.Bytes())),
			"width": emit.IntWord(2), "k": emit.IntWord(2), "n": emit.IntWord(int64(n)), "mode": emit.IntWord(mode),
		}); err != nil {
			return err
		}
		for i, entries := range rows {
			for x := range width {
				want := 0.0
				if mode == kernel.ModeUpdate {
					want = old[i*ld+x]
				}
				for _, k := range entries {
					want += values[k] * small("A", k*5%slab, x)
				}
				if got := decode(sums, e, i*ld+x); got != want {
					return fmt.Errorf("mode %d: element (%d, %d) is %v, want %v", mode, i, x, got, want)
				}
			}
		}
	}
	return nil
}

func TestPruned(t *testing.T) {
	eachTarget(t, func(t *testing.T, target emit.Target, e emit.Elem) {
		fs, k, err := Pruned{Name: "pruned", Elem: e, Vectors: 4}.Lower(target)
		if err != nil {
			t.Fatal(err)
		}
		byName, vl := named(fs), target.Lanes(e)
		for nv := 1; nv <= 4; nv++ {
			if err := checkPruned(byName[k.Tile(kernel.Panel, 1, nv)], e, vl, nv, false); err != nil {
				t.Errorf("%d: %v", nv, err)
			}
			if err := checkPruned(byName[k.Tile(kernel.Tail, 1, nv)], e, vl, nv, true); err != nil {
				t.Errorf("%d, masked: %v", nv, err)
			}
		}
	})
}
