package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

func TestSplit(t *testing.T) {
	for n := 1; n <= 200; n++ {
		for most := 1; most <= 60; most++ {
			s := mem.SplitUp(n, most)
			if want := (n + most - 1) / most; s.Count != want {
				t.Fatalf("splitUp(%d, %d): %d pieces, want %d", n, most, s.Count, want)
			}
			if have := s.At(0); have != 0 {
				t.Fatalf("splitUp(%d, %d): the first piece begins at %d, want 0", n, most, have)
			}
			if have := s.At(s.Count); have != n {
				t.Fatalf("splitUp(%d, %d): the pieces end at %d, want %d", n, most, have, n)
			}
			for i := range s.Count {
				want := s.Size
				if i >= s.Tall {
					want--
				}
				if have := s.At(i+1) - s.At(i); have != want || have < 1 || have > most {
					t.Fatalf("splitUp(%d, %d): piece %d of %+v has size %d, want %d, at least 1 and at most %d", n, most, i, s, have, want, most)
				}
			}
		}
	}
}

// testTiles are the tiles of the stock kernels, with the bytes of an element.
var testTiles = []struct {
	mr, nv, vl, size int
	t                dtype.Type
}{{9, 3, 16, 4, dtype.F32}, {6, 2, 8, 4, dtype.F32}, {9, 3, 8, 8, dtype.F64}, {6, 2, 4, 8, dtype.F64}, {14, 2, 16, 4, dtype.F32}}

// TestPlan holds what every plan must keep to, over shapes that need not fit in
// memory.
func TestPlan(t *testing.T) {
	r := rand.New(level.PCG(11, 12))
	length := func(most int) int { return 1 + r.IntN(1<<r.IntN(most)) }
	shapes := [][3]int{
		{1, 1, 1}, {1 << 30, 1, 1}, {1, 1 << 30, 1}, {1, 1, 1 << 30}, {32768, 32768, 1}, {1 << 26, 48, 1}, {1 << 26, 48, 2}, {1 << 26, 48, 8},
		{16384, 16384, 2}, {4096, 4096, 8}, {1 << 24, 5, 64}, {1 << 20, 1 << 20, 1024}, {1 << 20, 1 << 20, 1025}, {1000, 1000, 8192},
		{1000, 1000, 8193}, {1000, 100000, 1 << 20},
	}
	for range level.Of(300, 1000, 3000) {
		shapes = append(shapes, [3]int{length(24), length(24), length(18)})
	}
	// 200 us at 100 GFLOP/s.
	const mostWork = 10_000_000
	largest, where := 0, ""
	machines := machine.Known()
	for i, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		for _, tile := range testTiles {
			kern := &kernel.Kernels{Table: &kernel.Table[kernel.Func[kernel.Args]]{MR: tile.mr, NV: tile.nv, VL: tile.vl}}
			var first plan
			for at := range 12 {
				// Layouts of a and b, threads, and machines.
				on := machines[(i+at)%len(machines)]
				p := product{kern: kern, size: tile.size, ta: tile.t, tb: tile.t, m: m, n: n, k: k}
				p.a = mem.Operand{P: nil, RS: k * tile.size, CS: tile.size}
				switch at % 3 {
				case 1:
					p.a = mem.Operand{P: nil, RS: tile.size, CS: m * tile.size}
				case 2:
					p.a = mem.Operand{P: nil, RS: 2 * k * tile.size, CS: 2 * tile.size}
				}
				p.b = mem.Operand{P: nil, RS: n * tile.size, CS: tile.size}
				if at%2 == 1 {
					p.b = mem.Operand{P: nil, RS: tile.size, CS: k * tile.size}
				}
				threads := []int{1, 2, 5, 16, work.MostThreads}[at%5]
				var pl plan
				p.plan(on, threads, &pl)
				at := func() string {
					return fmt.Sprintf("m=%d n=%d k=%d tile %v, a (%d, %d), b (%d, %d), threads %d: %+v", m, n, k, tile, p.a.RS, p.a.CS, p.b.RS, p.b.CS, threads, pl)
				}
				if first.kc == 0 {
					first = pl
				}
				switch {
				case pl.kc != first.kc || pl.slab != first.slab || pl.rows != first.rows || pl.vecs != first.vecs:
					t.Fatalf("%s: cuts differ from those with other threads, layouts or machines, %+v", at(), first)
				case pl.kc < 1 || pl.kc > tiling.KCMax || pl.kc > k:
					t.Fatalf("%s: kc = %d, want 1 to %d", at(), pl.kc, min(k, tiling.KCMax))
				case pl.slab < k && pl.slab%pl.kc != 0:
					t.Fatalf("%s: a slab of %d is not a multiple of kc", at(), pl.slab)
				case pl.rows.At(pl.rows.Count) != m || pl.rows.Size > tile.mr:
					t.Fatalf("%s: tiles cover %d rows with at most %d each, want %d and %d", at(), pl.rows.At(pl.rows.Count), pl.rows.Size, m, tile.mr)
				case pl.vecs.At(pl.vecs.Count) != mem.Ceil(n, tile.vl) || pl.vecs.Size > tile.nv:
					t.Fatalf("%s: panels cover %d vectors with at most %d each, want %d and %d", at(), pl.vecs.At(pl.vecs.Count), pl.vecs.Size, mem.Ceil(n, tile.vl), tile.nv)
				case pl.threads < 1 || pl.threads > threads:
					t.Fatalf("%s: %d threads", at(), pl.threads)
				case pl.panelsAtOnce < 1 || pl.panelsAtOnce > pl.vecs.Count || pl.tilesPerBlock < 1 || pl.tilesPerBlock > pl.rows.Count:
					t.Fatalf("%s: %d panels at once of %d, %d tiles a block of %d", at(), pl.panelsAtOnce, pl.vecs.Count, pl.tilesPerBlock, pl.rows.Count)
				case !pl.packB && p.b.CS != tile.size:
					t.Fatalf("%s: b is read in place, but its rows are not contiguous", at())
				}
				nr := pl.vecs.Size * tile.vl
				if bytes := min(k, pl.slab) * pl.panelsAtOnce * nr * tile.size; pl.packB && pl.panelsAtOnce > 1 && bytes > budget.Panel {
					t.Fatalf("%s: %d bytes of packed b, want at most %d", at(), bytes, budget.Panel)
				}
				if pl.packA {
					rows := pl.tilesPerBlock * pl.rows.Size
					if bytes := rows * p.copiedRow(pl.kc); pl.tilesPerBlock > 1 && bytes > on.Caches[machine.L2].Size {
						t.Fatalf("%s: %d bytes of copied a, want at most L2, %d", at(), bytes, on.Caches[machine.L2].Size)
					}
					// One call transposes a vector's length of k for all rows of a block.
					if work := rows * tile.vl; work > mostWork/16 {
						t.Fatalf("%s: one call transposes %d elements", at(), work)
					}
				}
				tiles := min(pl.tilesPerCall, pl.rows.Count)
				work := tiles * pl.rows.Size * nr * pl.kc
				if work > mostWork {
					t.Fatalf("%s: one call does %d multiply-adds, want at most %d", at(), work, mostWork)
				}
				if elems := tiles * pl.rows.Size * nr; elems > 1<<17 {
					t.Fatalf("%s: one call stores %d elements, want at most %d", at(), elems, 1<<17)
				}
				if work > largest {
					largest, where = work, fmt.Sprintf("m=%d n=%d k=%d tile %v", m, n, k, tile)
				}
			}
		}
	}
	t.Logf("the largest call of a micro-kernel does %d multiply-adds, %d us at 100 GFLOP/s: %s", largest, 2*largest/100_000, where)
}

// TestPlanThreads: a product too small for a second thread gets one.
func TestPlanThreads(t *testing.T) {
	for _, tc := range []struct{ m, n, k, threads, want int }{
		{10, 10, 10, 8, 1}, {1 << 7, 1 << 7, 1<<8 - 1, 8, 1}, {1 << 7, 1 << 7, 1 << 8, 8, 8}, {1 << 20, 1 << 20, 1 << 10, 1, 1}, {1 << 30, 1 << 30, 1 << 30, 3, 3},
	} {
		p := product{kern: &kernel.Kernels{Table: &kernel.Table[kernel.Func[kernel.Args]]{MR: 9, NV: 3, VL: 16}}, size: 4, ta: dtype.F32, tb: dtype.F32, m: tc.m, n: tc.n, k: tc.k, b: mem.Operand{P: nil, RS: 4 * tc.n, CS: 4}}
		var pl plan
		if p.plan(machine.Reference("avx512"), tc.threads, &pl); pl.threads != tc.want {
			t.Errorf("%d x %d x %d: %d threads of %d, want %d", tc.m, tc.n, tc.k, pl.threads, tc.threads, tc.want)
		}
	}
}

// TestCoverage counts what the calls of micro-kernels add up to: k multiply-adds
// for every element of out, once, in the order of k, with no call too large.
func TestCoverage(t *testing.T) {
	many(t, 8)
	r := rand.New(level.PCG(13, 14))
	const mr, nv, vl = 4, 2, 4
	shapes := [][3]int{{1, 1, 1}, {200, 300, 1}, {100, 3, 20000}, {3, 100, 20000}, {70, 70, 1025}, {2000, 7, 400}, {7, 2000, 400}, {9, 900, 8200}, {60000, 9, 2}, {3000, 33, 64}}
	for range 40 {
		shapes = append(shapes, [3]int{1 + r.IntN(90), 1 + r.IntN(90), 1 + r.IntN(1<<(4+r.IntN(10)))})
	}
	for at, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		out := layout.New[float32](m, n)
		var mu sync.Mutex
		done := make([]int, m*n) // how much of k, by element
		c0 := unsafe.Pointer(&out.Data[0])
		var bad string
		kern := goKernels[float32](mr, nv, vl, func(c call) {
			mu.Lock()
			defer mu.Unlock()
			off := int(uintptr(c.args.C)-uintptr(c0)) / 4
			i0, j0 := off/n, off%n
			for i := range int(c.args.Tiles) * c.rows {
				for j := range c.cols {
					if e := (i0+i)*n + j0 + j; e >= len(done) || j0+j >= n {
						bad = fmt.Sprintf("a call goes beyond out at (%d, %d)", i0+i, j0+j)
					} else {
						if update := c.args.Mode == kernel.ModeUpdate; update != (done[e] > 0) {
							bad = fmt.Sprintf("(%d, %d): mode %d after %d of k", i0+i, j0+j, c.args.Mode, done[e])
						}
						done[e] += int(c.args.K)
					}
				}
			}
			if work := int(c.args.Tiles*c.args.K) * c.rows * c.cols; work > callWork && c.args.Tiles > 1 {
				bad = fmt.Sprintf("a call does %d multiply-adds, want at most %d", work, callWork)
			}
			if c.args.K > tiling.KCMax {
				bad = fmt.Sprintf("a call has k = %d, want at most %d", c.args.K, tiling.KCMax)
			}
		})
		// The operands repeat one element: only out is of interest.
		a := layout.Matrix[float32]{Data: []float32{1}, Rows: m, Cols: k}
		b := layout.Matrix[float32]{Data: make([]float32, n), Rows: k, Cols: n, ColStride: 1}
		setOf[float32](kern).Gemm(run.Options{Threads: []int{1, 2, 5, work.MostThreads}[at%4]}, out, a, b)
		for e, have := range done {
			if have != k {
				bad = fmt.Sprintf("element (%d, %d) has %d multiply-adds, want %d", e/n, e%n, have, k)
			}
		}
		if bad != "" {
			t.Errorf("m=%d n=%d k=%d: %s", m, n, k, bad)
		}
	}
}

// TestNormalize: a stride that is never taken becomes what kernels like best.
func TestNormalize(t *testing.T) {
	for _, tc := range []struct{ rows, cols, rs, cs, wantRS, wantCS int }{
		{3, 4, 4, 1, 4, 1}, {3, 4, 1, 3, 1, 3}, {3, 4, 9, 2, 9, 2}, {3, 1, 7, 7, 7, 1}, {3, 1, 1, 1 << 30, 1, 1}, {1, 4, 9, 2, 1, 2}, {1, 4, 9, 1, 9, 1}, {1, 1, 9, 9, 9, 1},
	} {
		m := layout.Matrix[float32]{Rows: tc.rows, Cols: tc.cols, RowStride: tc.rs, ColStride: tc.cs}
		if mem.Normalize(&m); m.RowStride != tc.wantRS || m.ColStride != tc.wantCS {
			t.Errorf("%d x %d with strides (%d, %d) gets (%d, %d), want (%d, %d)", tc.rows, tc.cols, tc.rs, tc.cs, m.RowStride, m.ColStride, tc.wantRS, tc.wantCS)
		}
	}
}

// TestPlanHuge: whatever the sizes, no arithmetic of a plan overflows and what it packs
// is bounded. A stride of 0 makes operands of any depth.
func TestPlanHuge(t *testing.T) {
	var sizes []int
	for i := 0; i < 62; i += 3 {
		for d := -1; d <= 1; d++ {
			if n := int64(1)<<i + int64(d); n > 0 && n <= mostDepth {
				sizes = append(sizes, int(n))
			}
		}
	}
	sizes = append(sizes, mostDepth, mostDepth-1)
	machines := machine.Known()
	r := rand.New(level.PCG(1, 2))
	for range level.Of(3000, 10000, 30000) {
		tile := testTiles[r.IntN(len(testTiles))]
		side := func() int { return min(sizes[r.IntN(len(sizes))], math.MaxInt/1024) }
		stride := func() int {
			return []int{0, tile.size, tile.size * sizes[r.IntN(len(sizes)/2)]}[r.IntN(3)]
		}
		p := product{kern: &kernel.Kernels{Table: &kernel.Table[kernel.Func[kernel.Args]]{MR: tile.mr, NV: tile.nv, VL: tile.vl}}, size: tile.size, ta: tile.t, tb: tile.t,
			m: side(), n: side(), k: sizes[r.IntN(len(sizes))], a: mem.Operand{P: nil, RS: stride(), CS: stride()}, b: mem.Operand{P: nil, RS: stride(), CS: stride()}}
		p.fused.On = r.IntN(2) == 0
		threads := []int{1, 2, 16, work.MostThreads}[r.IntN(4)]
		var pl plan
		p.plan(machines[r.IntN(len(machines))], threads, &pl)
		nr := pl.vecs.Size * tile.vl
		switch bytes := mem.Volume(min(p.k, pl.slab), pl.panelsAtOnce, nr, tile.size); {
		case pl.kc < 1 || pl.kc > tiling.KCMax || pl.slab < 1 || pl.panelsAtOnce < 1 || pl.tilesPerBlock < 1 || pl.tilesPerCall < 1:
			t.Fatalf("%d x %d x %d: plan %+v", p.m, p.n, p.k, pl)
		case pl.packB && !pl.deepB && bytes > budget.Panel:
			t.Fatalf("%d x %d x %d: %d bytes of packed b: %+v", p.m, p.n, p.k, bytes, pl)
		case pl.packA && p.fused.On && !pl.deepA && mem.Volume(pl.tilesPerBlock, pl.rows.Size, p.k, p.size) > budget.Kept/2:
			t.Fatalf("%d x %d x %d: a block of a takes %d rows over all of k: %+v", p.m, p.n, p.k, pl.tilesPerBlock*pl.rows.Size, pl)
		}
	}
}
