package tiling

import (
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// unit is a machine on which everything can be counted: a cycle is a second, a
// register 16 lanes, 2 multiply-adds, 2 loads and a store a cycle; L2 delivers a
// register a cycle, L3 a quarter of one, memory a sixteenth, and a line that nothing
// fetched ahead takes twice as long.
func unit() machine.Machine {
	level := func(size int, rate float64) machine.Level {
		return machine.Level{Size: size, Ways: 8, Read: rate, Write: rate, Latency: 1280 / rate, Misses: 10}
	}
	m := machine.Machine{
		Name: "unit", Clock: 1, Cores: 4, Together: 8, Stream: 4, Tail: 15,
		Pages: machine.Pages{Size: 4096, Near: 64, Far: 2048, Lookup: 7, Walk: 50},
		Units: []machine.Units{
			{ISA: "avx512", Vector: 64, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 1, Issue: 6, Gather: 1},
			{ISA: "go", Vector: 8, FMA: 2, Latency: 4, Loads: 2, Stores: 1, Shuffle: 1, Issue: 6, Gather: 1},
		},
	}
	m.Caches[machine.L1] = level(32<<10, 128)
	m.Caches[machine.L2] = level(1<<20, 64)
	m.Caches[machine.L3] = level(16<<20, 16)
	m.Caches[machine.Memory] = level(0, 4)
	return m
}

// whole is a plan with everything done at once, in place.
func whole(m, n, k int) Plan {
	rows := Cuts{Count: (m + 8) / 9, Size: 9, Tall: (m + 8) / 9}
	vecs := Cuts{Count: (n + 47) / 48, Size: 3, Tall: (n + 47) / 48}
	return Plan{
		ISA: "avx512", Loop: TileLoop, M: m, N: n, K: k, Size: 4, SizeA: 4, SizeB: 4, SizeC: 4, A: ByRows, B: ByRows, C: ByRows,
		StrideA: 4 * k, StrideB: 4 * n, StrideC: 4 * n, Threads: 1, VL: 16, Rows: rows, Vecs: vecs, KC: k, Slab: k,
		PanelsAtOnce: vecs.Count, TilesPerBlock: rows.Count, TilesPerCall: rows.Count,
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// TestPredictKernel counts by hand what one tile takes in L1.
func TestPredictKernel(t *testing.T) {
	h := unit()
	for _, c := range []struct {
		what                     string
		mr, nv, k                int
		fma, loads, latency, end float64
	}{
		{"27 sums: 13.5 cycles of multiply-adds a step", 9, 3, 100, 1350, 0, 0, 0},
		{"nine sums: five cycles of loads", 9, 1, 100, 450, 50, 0, 0},
		{"three sums: four cycles until one can be added to", 1, 3, 100, 150, 0, 250, 0},
		{"one step: 27 stores take longer", 9, 3, 1, 13.5, 0, 0, 13.5},
	} {
		p := whole(c.mr, c.nv*16, c.k)
		p.Rows, p.Vecs = Cuts{1, c.mr, 1}, Cuts{1, c.nv, 1}
		x := p.Predict(&h)
		if x.Spent[cost.FMA] != c.fma || !near(x.Spent[cost.Loads], c.loads) || !near(x.Spent[cost.Latency], c.latency) {
			t.Errorf("%s: fma %v, loads %v, latency %v; want %v, %v, %v", c.what, x.Spent[cost.FMA], x.Spent[cost.Loads], x.Spent[cost.Latency], c.fma, c.loads, c.latency)
		}
		if want := c.end + h.Tail + callCycles + productCycles; !near(x.Spent[cost.Overhead], want) {
			t.Errorf("%s: overhead %v, want %v", c.what, x.Spent[cost.Overhead], want)
		}
		if x.Spent[cost.L2]+x.Spent[cost.L3]+x.Spent[cost.Memory]+x.Spent[cost.Packing]+x.Spent[cost.Epilogue] != 0 {
			t.Errorf("%s: %+v; everything is in L1", c.what, x.Spent)
		}
	}
}

// TestPredictLaws holds what must be true of every prediction.
func TestPredictLaws(t *testing.T) {
	h := unit()
	for _, n := range []int{9, 48, 90, 480, 960, 1920} {
		for _, k := range []int{1, 16, 100, 1000} {
			for _, change := range []func(p *Plan){
				func(*Plan) {},
				func(p *Plan) { p.PackB = true },
				func(p *Plan) { p.PackA, p.PackB, p.A, p.B = true, true, ByColumns, ByColumns },
				func(p *Plan) { p.A = ByColumns },
				func(p *Plan) { p.KC = (k + 1) / 2 },
				func(p *Plan) { p.TilesPerBlock = 1 },
				func(p *Plan) { p.StrideB, p.StrideC = 8192, 8192 },
				func(p *Plan) { p.Threads = 2 },
				func(p *Plan) { p.Small = true },
				func(p *Plan) { p.EpilogueCycles = 10 },
				func(p *Plan) { p.Loop = GoLoop },
				func(p *Plan) { p.Loop, p.Long, p.Chunk, p.Tile = AxpyLoop, n, 1024, 4 },
				func(p *Plan) { p.Loop, p.Long, p.Chunk, p.Tile, p.Strip = DotLoop, n, 64, 3, 12 },
			} {
				p := whole(n, n, k)
				change(&p)
				x := p.Predict(&h)
				sum, most := 0.0, 0
				for i, part := range x.Spent {
					if !(part >= 0) {
						t.Fatalf("%+v: %v takes %v", p, cost.Resource(i), part)
					}
					sum += part
					if part > x.Spent[most] {
						most = i
					}
				}
				switch {
				case !near(sum, x.Seconds) || x.Bound() != cost.Resource(most):
					t.Errorf("%+v: %+v; the parts are %v, the longest %v", p, x, sum, cost.Resource(most))
				case !(x.Share() > 0 && x.Share() <= 1):
					t.Errorf("%+v: a share of %v", p, x.Share())
				case !near(x.Rate()/1e9, x.Share()*64/1e9*float64(p.Threads)):
					t.Errorf("%+v: %v GFLOP/s are not %v of the ceiling", p, x.Rate()/1e9, x.Share())
				}
				// A machine with everything twice as fast takes half as long.
				fast := h
				fast.Clock, fast.Together, fast.Pages.Lookup, fast.Pages.Walk = 2*h.Clock, 2*h.Together, h.Pages.Lookup/2, h.Pages.Walk/2
				for l := range fast.Caches {
					x := &fast.Caches[l]
					x.Read, x.Write, x.Latency = 2*x.Read, 2*x.Write, x.Latency/2
				}
				if y := p.Predict(&fast); p.Threads == 1 && !near(2*y.Seconds, x.Seconds) {
					t.Errorf("%+v: %v seconds, %v on a machine twice as fast", p, x.Seconds, y.Seconds)
				}
				// Larger caches never hurt.
				roomy := h
				for l := range roomy.Caches {
					roomy.Caches[l].Size *= 2
				}
				if y := p.Predict(&roomy); y.Seconds > x.Seconds*(1+1e-12) {
					t.Errorf("%+v: %v seconds, %v with twice the caches", p, x.Seconds, y.Seconds)
				}
			}
		}
	}
}

// TestPredictDot counts by hand what dot kernels take, and what shows of memory.
func TestPredictDot(t *testing.T) {
	h := unit()
	for l := range h.Caches {
		h.Caches[l].Read, h.Caches[l].Write = 1e9, 1e9
	}
	p := whole(8, 600, 1024)
	p.Loop, p.Rows, p.KC = DotLoop, Cuts{2, 4, 2}, 512
	p.Long, p.Chunk, p.Strip, p.Tile = 600, 60, 6, 6
	x := p.Predict(&h)
	// 100 tiles of the long side, two groups of the small one, two k-blocks of 32 steps,
	// 12 cycles each: 24 multiply-adds, two a cycle.
	const fma = 100 * 2 * 2 * 32 * 12
	const overhead = 400*15 + 100*2*callCycles + 8*600*joinShuffles + productCycles
	if !near(x.Spent[cost.FMA], fma) || !near(x.Spent[cost.Overhead], overhead) || math.Abs(x.Seconds-fma-overhead) > 1 {
		t.Errorf("%+v, want %d and %v", x, fma, overhead)
	}
	// One group: a call for each strip and k-block, and no stores to wait for.
	p.Rows, p.Tile, p.Strip = Cuts{1, 8, 1}, 3, 12
	if x = p.Predict(&h); !near(x.Spent[cost.FMA], fma) || !near(x.Spent[cost.Overhead], 400*15+50*2*callCycles+8*600*joinShuffles+productCycles) {
		t.Errorf("%+v", x)
	}
	// The big operand shows in part if it is faster than the kernels, else all of it does.
	h.Caches[machine.L3].Size = 1 << 10
	const kernels = fma + 400*15
	for _, rate := range []float64{100, 2} {
		h.Caches[machine.Memory].Read = rate
		big, want := 600*1024*4/rate, 0.0
		if want = big; big < kernels {
			want = shownFar * big
		}
		if x = p.Predict(&h); math.Abs(x.Spent[cost.Memory]/want-1) > .2 || (big < kernels) != near(x.Spent[cost.FMA], fma) {
			t.Errorf("%v bytes a cycle: %+v", rate, x)
		}
	}
}

// TestPredictBinding: what binds is what there is too little of.
func TestPredictBinding(t *testing.T) {
	for _, c := range []struct {
		plan   Plan
		change func(h *machine.Machine, p *Plan)
		want   cost.Resource
	}{
		{whole(900, 960, 900), func(*machine.Machine, *Plan) {}, cost.FMA},
		{whole(9, 48, 4), func(*machine.Machine, *Plan) {}, cost.Overhead},
		{whole(900, 960, 900), func(h *machine.Machine, _ *Plan) { h.Caches[machine.L2].Read = .5 }, cost.L2},
		{whole(900, 960, 900), func(h *machine.Machine, _ *Plan) { h.Caches[machine.L3].Read, h.Caches[machine.L3].Write = .1, .1 }, cost.L3},
		{whole(9000, 9600, 90), func(h *machine.Machine, _ *Plan) { h.Caches[machine.Memory].Write = .01 }, cost.Memory},
		{whole(900, 960, 900), func(h *machine.Machine, _ *Plan) { h.Units[0].Loads = .25 }, cost.Loads},
		{whole(900, 960, 900), func(_ *machine.Machine, p *Plan) { p.EpilogueCycles = 1e4 }, cost.Epilogue},
		{whole(9, 9600, 30), func(h *machine.Machine, p *Plan) {
			p.PackB, p.B = true, ByColumns
			for l := range h.Caches {
				h.Caches[l].Read, h.Caches[l].Write, h.Caches[l].Latency = 1e9, 1e9, 1e-9
			}
			h.Pages.Lookup, h.Pages.Walk = 0, 0
			h.Units[0].FMA, h.Units[0].Loads, h.Units[0].Issue, h.Units[0].Stores = 8, 8, 16, .05
		}, cost.Packing},
		{whole(1, 48, 100), func(_ *machine.Machine, p *Plan) { p.Rows = Cuts{1, 1, 1} }, cost.Overhead},
	} {
		h := unit()
		c.change(&h, &c.plan)
		if x := c.plan.Predict(&h); x.Bound() != c.want {
			t.Errorf("%d x %d x %d: bound by %s, want %s: %+v", c.plan.M, c.plan.N, c.plan.K, x.Bound(), c.want, x.Spent)
		}
	}
}

// TestPredictPatterns: rows a power of two apart share the sets of a cache and cost more
// than others where they are read again; a copy does not.
func TestPredictPatterns(t *testing.T) {
	h := unit()
	p := whole(2048, 2048, 64)
	p.StrideB = 8000
	plain := p.Predict(&h).Seconds
	p.StrideB = 8192
	aliased := p.Predict(&h).Seconds
	if plain >= aliased {
		t.Errorf("%v seconds, %v with rows of b a power of two apart", plain, aliased)
	}
	p.PackB = true
	copied := p.Predict(&h).Seconds
	if p.StrideB = 8000; copied >= aliased || p.Predict(&h).Seconds != copied {
		t.Errorf("%v seconds with a copy of b, %v in place; %v with rows 8000 bytes apart", copied, aliased, p.Predict(&h).Seconds)
	}
}

// TestPredictCrowded: rows of a that fill a set of L1 cost more than others, but not
// where they are fewer than it has places, or copied.
func TestPredictCrowded(t *testing.T) {
	h := unit()
	seconds := func(rows, stride int, copied bool) float64 {
		p := whole(rows, 2048, 64)
		p.StrideA, p.PackA, p.Rows = stride, copied, Cuts{Count: 1, Size: rows, Tall: 1}
		return p.Predict(&h).Seconds
	}
	for ways := h.Caches[machine.L1].Ways; ways < 9; h.Caches[machine.L1].Ways, ways = ways+1, ways+1 {
		for _, c := range []struct {
			rows, stride int
			copied, want bool
		}{{8, 8192, false, ways > 0 && ways <= 8}, {8, 8192, true, false}, {7, 8192, false, ways > 0 && ways <= 7}, {8, 8256, false, false}} {
			if have := seconds(c.rows, c.stride, c.copied) > seconds(c.rows, 8000, c.copied); have != c.want {
				t.Errorf("%d ways, %+v: costs more: %v", ways, c, have)
			}
		}
	}
}

// TestBeside: the longer of two shows whole, and a part of the other.
func TestBeside(t *testing.T) {
	c := cost.Spent{cost.FMA: 10}
	c.Beside(&cost.Spent{cost.L3: 4}, .5)
	if c[cost.FMA] != 10 || c[cost.L3] != 2 {
		t.Errorf("a short stream: %v", c)
	}
	c.Beside(&cost.Spent{cost.Memory: 100}, .5)
	if c[cost.FMA] != 5 || c[cost.L3] != 1 || c[cost.Memory] != 100 || c.Total() != 106 {
		t.Errorf("a long stream: %v", c)
	}
}

// TestHit: what is measured of caches that are too small, and the limits.
func TestHit(t *testing.T) {
	for _, c := range []struct{ size, want, off float64 }{{1, 1, 0}, {100, 1, 0}, {150, .417, .002}, {200, .203, .001}, {300, .0595, .001}, {1e4, 0, 1e-9}} {
		if have := hit(c.size, 100); math.Abs(have-c.want) > c.off {
			t.Errorf("%v bytes in a cache of 100: %v, want %v", c.size, have, c.want)
		}
	}
	for r := 1.0; r < 6; r += 1. / 32 { // the equation that it solves
		if h := hit(r, 1); r < 5.9 && math.Abs(h-math.Exp(-(1-h)*r)) > .01 {
			t.Errorf("%v times too small: %v, and exp(-(1-hit)*size/cache) is %v", r, h, math.Exp(-(1-h)*r))
		}
	}
	for x := 1.0; x < 1000; x++ {
		if hit(x+1, 100) > hit(x, 100) || kept(x+1, 100) > kept(x, 100) || hit(x, 100) < 0 {
			t.Fatalf("a cache of 100 serves more of %v bytes than of %v", x+1, x)
		}
	}
	h := unit()
	for _, ago := range []float64{0, 1e4, 1e5, 1e6, 1e7, 1e8, 1e12} {
		f := from(&h, ago, pattern{})
		if f.l2 < 0 || f.l3 < 0 || f.memory < 0 || f.l2+f.l3+f.memory > 1 {
			t.Errorf("used %v bytes ago: %+v", ago, f)
		}
	}
}

// TestOutline: there are outlines for the instruction sets that have kernels.
func TestOutline(t *testing.T) {
	for _, isa := range []string{"avx512", "avx2", "go"} {
		k := Outline(isa, 4)
		if (k == nil) != (isa == "go") {
			t.Fatalf("%s: the outline is %+v", isa, k)
		}
		if k != nil && (k.VL*4 != machine.Reference(isa).Of(isa).Vector || len(k.Of(kernel.Axpy)) != k.MR || !k.Joins() || k.DotMost() < 1) {
			t.Errorf("%s: the outline is %+v", isa, k)
		}
	}
}

// TestSets: how many sets of a cache the rows of a panel share.
func TestSets(t *testing.T) {
	for _, c := range []struct {
		how  pattern
		want float64
	}{
		{pattern{}, 1}, {pattern{piece: 192, stride: 4096}, 192. / 4096}, {pattern{piece: 192, stride: 8192}, 192. / 4096}, {pattern{piece: 192, stride: 2048}, 384. / 4096},
		{pattern{piece: 192, stride: 4096 + 64}, 1}, {pattern{piece: 192, stride: 4000}, 1}, {pattern{piece: 64, stride: 512}, 512. / 4096}, {pattern{piece: 4, stride: 1024}, 256. / 4096},
	} {
		if have := c.how.sets(); !near(have, c.want) {
			t.Errorf("%+v: %v of the sets, want %v", c.how, have, c.want)
		}
	}
}

// TestCutPredict: a kernel for one shape takes its cycles and a call.
func TestCutPredict(t *testing.T) {
	h := unit()
	s, c := Shape{9, 48, 100}, Blocking{16, 9, 3}
	x := c.Predict(s, 4, "avx512", &h)
	if x.Spent[cost.FMA] != 1350 || x.Bound() != cost.FMA || x.Seconds < 1350+fixedCycles || x.Seconds > 1600 {
		t.Errorf("%+v, want 1350 cycles of multiply-adds", x)
	}
}

// TestNarrowPredict: products of narrow elements take as long as their own instruction does,
// and what they read is not for free beside it.
func TestNarrowPredict(t *testing.T) {
	known := machine.Known()
	rapids := known[slices.IndexFunc(known, func(m *machine.Machine) bool { return m.Of("avx512").Tiles > 0 })]
	p := Plan{Loop: TileLoop, M: 1024, N: 1536, K: 256, Size: 4, SizeA: 4, SizeB: 4, SizeC: 4, A: ByRows, B: ByRows, C: ByRows, StrideA: 1024, StrideB: 6144, StrideC: 6144,
		Threads: 1, VL: 16, Rows: Cuts{32, 32, 32}, Vecs: Cuts{48, 2, 48}, KC: 256, Slab: 256, PanelsAtOnce: 48, TilesPerBlock: 32, TilesPerCall: 1, PackB: true}
	for _, c := range []struct {
		isa           string
		depth, atOnce int
		perCycle      float64 // products
	}{{"avx512", 0, 0, 32}, {"avx512vnni", 4, 0, 128}, {"avx512bf16", 2, 0, 8}, {"avx512", 2, 0, 32}, {"amxint8", 4, 16, 1024}, {"amxbf16", 2, 16, 512}} {
		q := p
		q.ISA, q.Depth, q.AtOnce = c.isa, c.depth, c.atOnce
		x := q.Predict(rapids)
		products := float64(q.M*q.N*q.K) * float64(max(1, c.depth))
		var kernels cost.Spent
		q.steps(rapids, rapids.Of(c.isa), &kernels, 32, 2, float64(q.Rows.Count*q.Vecs.Count*q.K))
		if have, want := kernels[cost.FMA]*rapids.Clock, products/c.perCycle; !near(have, want) {
			t.Errorf("%s, %d k a step: %v cycles of %s, want %v", c.isa, c.depth, have, q.Step(rapids).By, want)
		}
		if have, want := x.Rate()/1e9, 2*products/x.Seconds/1e9; !near(have, want) {
			t.Errorf("%s, %d k a step: %v GFLOP/s, want %v", c.isa, c.depth, have, want)
		}
		if have, want := x.Share(), x.Rate()/(2*c.perCycle*rapids.Clock); !near(have, want) || have > 1 {
			t.Errorf("%s, %d k a step: a share of %v, want %v", c.isa, c.depth, have, want)
		}
		if x.Spent[cost.Loads] < 0 || x.Spent[cost.Latency] < 0 {
			t.Errorf("%s, %d k a step: %+v", c.isa, c.depth, x.Spent)
		}
	}
	// One tile of sums waits for each product.
	p.ISA, p.Depth, p.AtOnce = "amxint8", 4, 16
	var one cost.Spent
	if p.steps(rapids, rapids.Of("amxint8"), &one, 16, 1, 1); one[cost.Latency] <= 2*one[cost.FMA] {
		t.Errorf("tiles one by one wait %v seconds, and take %v", one[cost.Latency], one[cost.FMA])
	}
}

// TestWidening: a packed b of narrow elements is widened by the kernels for one tile of rows,
// on every machine; for many tiles where that takes the place of multiply-adds, a widened copy is
// predicted to be faster, and where it takes none, it is not.
func TestWidening(t *testing.T) {
	for _, on := range machine.Known() {
		isa := on.Units[0].ISA
		kern := Outline(isa, 4)
		seconds := func(tiles int, bf16, pack bool) float64 {
			p := Plan{ISA: isa, Loop: TileLoop, M: tiles * kern.MR, N: 1024 * kern.VL * kern.NV / 16, K: 1024, Size: 4, SizeA: 2, SizeB: 2, SizeC: 4, A: ByRows, B: ByRows, C: ByRows,
				StrideA: 2048, StrideB: kern.VL * kern.NV * 2, StrideC: 4 * 1024, VL: kern.VL, Threads: 1, Rows: Cuts{tiles, kern.MR, tiles}, Vecs: Cuts{64, kern.NV, 64},
				KC: 1024, Slab: 1024, PanelsAtOnce: 64, TilesPerBlock: min(tiles, 30), TilesPerCall: 8, PackA: true, PackB: pack, Prepacked: true, Narrow: true, BF16: bf16}
			return p.Seconds(on)
		}
		for _, bf16 := range []bool{false, true} {
			if by, copied := seconds(1, bf16, false), seconds(1, bf16, true); by >= copied {
				t.Errorf("%s, one tile, bf16 %v: kernels that widen take %.3g s, a copy %.3g", on.Name, bf16, by, copied)
			}
			slots := on.Units[0].WidenF16
			if bf16 {
				slots = on.Units[0].WidenBF16
			}
			if by, copied := seconds(200, bf16, false), seconds(200, bf16, true); by < copied != (slots == 0) {
				t.Errorf("%s, 200 tiles, bf16 %v: kernels that widen, in place of %g multiply-adds, take %.3g s, a copy %.3g", on.Name, bf16, slots, by, copied)
			}
		}
	}
}
