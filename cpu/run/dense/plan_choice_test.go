package dense

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// copying returns a machine on which copies cost next to nothing and everything that is
// not copied comes from far away.
func copying() *machine.Machine {
	m := *machine.Reference("avx512")
	m.Caches[machine.L2].Size = 64 << 10
	m.Caches[machine.L3].Size = 32 << 10
	for l := machine.L2; l < machine.Levels; l++ {
		x := &m.Caches[l]
		x.Write, x.Latency, x.Misses = 1e14, 1e-5, 1
	}
	m.Pages.Walk, m.Pages.Lookup = 1e-6, 1e-6
	return &m
}

// roomy returns a machine whose second cache holds everything and is as fast as the first,
// so that nothing is won by copies.
func roomy() *machine.Machine {
	m := *machine.Reference("avx512")
	for l := machine.L1; l < machine.Levels; l++ {
		x := &m.Caches[l]
		x.Size, x.Read, x.Write, x.Latency, x.Misses = 1<<30, 1e14, 1e14, 1e-12, 1000
	}
	m.Pages.Walk, m.Pages.Lookup = 0, 0
	return &m
}

// normals is a matrix whose sums have other bits if they are added in another order.
func normals[T dtype.Float](r *rand.Rand, order, rows, cols int) layout.Matrix[T] {
	return genericMatrix(order, rows, cols, func() T { return T(r.NormFloat64()) })
}

// TestMachinesAgree: machines that have next to nothing in common plan otherwise, and
// the results have the same bits.
func TestMachinesAgree(t *testing.T) {
	t.Run("f32", machinesAgree[float32])
	t.Run("f64", machinesAgree[float64])
}

func machinesAgree[T dtype.Float](t *testing.T) {
	many(t, 4)
	size := dtype.Of[T]().Size()
	kern := goKernels[T](3, 2, 4, nil)
	kern.ISA = "avx512" // whose units plans are made with
	differ, tried := 0, 0
	for at, s := range [][3]int{{150, 200, 170}, {40, 300, 1300}, {300, 40, 2 * tiling.KCMax}, {20, 21, 9*tiling.KCMax + 5}} {
		for orders := range 4 {
			if (at+orders)%level.Of(4, 2, 1) != 0 {
				continue
			}
			tried++
			r := rand.New(level.PCG(uint64(orders), 7))
			m, n, k := s[0], s[1], s[2]
			a, b := normals[T](r, orders&1*2, m, k), normals[T](r, orders&2, k, n)
			var plans []plan
			var results [][]T
			for i, on := range []*machine.Machine{roomy(), copying(), machine.Reference("avx512"), copying()} {
				out := layout.New[T](m, n)
				j := &job{}
				one := mem.BitsOf(T(1))
				j.product = product{
					kern: kern, size: size, a: mem.OperandOf(a), b: mem.OperandOf(b), c: mem.OperandOf(out), ta: dtype.Of[T](), tb: dtype.Of[T](),
					m: m, n: n, k: k, alpha: one, one: one, mode: kernel.ModeStore,
				}
				threads := 1 + i%3
				var pl plan
				j.product.plan(on, threads, &pl)
				j.memory.asked[0], j.memory.plans[0] = j.question(threads), pl // as if it had been planned on that machine
				j.compute(threads)
				if j.plan != pl {
					t.Fatalf("the plan is %+v, want the one that was there, %+v", j.plan, pl)
				}
				plans, results = append(plans, pl), append(results, out.Data)
			}
			if plans[0].packA != plans[1].packA || plans[0].packB != plans[1].packB {
				differ++
			}
			for i, x := range results {
				if !slices.Equal(x, results[0]) {
					t.Errorf("%d x %d x %d, a %s, b %s: other bits with\n%+v than with\n%+v", m, n, k,
						genericOrders[orders&1*2].name, genericOrders[orders&2].name, plans[i], plans[0])
				}
			}
		}
	}
	if differ < tried/4 {
		t.Errorf("%d of %d products are copied on one machine and not on the other, want at least a quarter: the test tests nothing", differ, tried)
	}
}

// open clears of a plan what neither the order of additions nor a result depends on: what
// a machine chooses, and threads.
func open(pl plan) plan {
	pl.threads, pl.skinny.chunk, pl.way = 0, 0, way{}
	return pl
}

// randomProduct is one of any shape whose operands lie by rows, by columns or with gaps,
// often a skinny one.
func randomProduct(r *rand.Rand, kern *kernel.Kernels, t dtype.Type) *product {
	length := func(most int) int { return 1 + r.IntN(1<<r.IntN(most)) }
	p := (&Planned{A: t, B: t, Acc: t, M: length(13), N: length(13), K: length(14), TransA: r.IntN(2) == 0, TransB: r.IntN(2) == 0}).product()
	switch r.IntN(4) {
	case 0:
		p.a.RS, p.a.CS = 2*p.a.RS, 2*p.a.CS
	case 1:
		p.b.RS *= 2
	}
	p.kern, p.fused.On = kern, r.IntN(4) == 0
	return p
}

// inWords makes it one of narrow elements, for kernels that take depth k a step.
func (p *product) inWords(r *rand.Rand, depth int) {
	deep, micro := *p.kern, *p.kern.Table
	micro.Depth, micro.Entries, micro.Head = depth, nil, r.IntN(2)
	deep.Table, p.kern = &micro, &deep
	narrow := map[int][]dtype.Type{2: {dtype.I16, dtype.TypeBF16, dtype.I8}, 4: {dtype.U8, dtype.I8}}[depth]
	*p = *(&Planned{Kernels: p.kern, A: narrow[r.IntN(len(narrow))], B: narrow[r.IntN(len(narrow))], Acc: dtype.I32, M: p.m, N: p.n, K: p.k,
		TransA: r.IntN(2) == 0, TransB: r.IntN(2) == 0, Fused: p.fused.On}).product()
}

// TestMachinesDecideNothing: what the order of additions follows from is the same on every
// machine and for any number of threads, and is what [product.order] says without one.
func TestMachinesDecideNothing(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	machines := append(machine.Known(), copying(), roomy())
	skinny, words := map[string]int{}, 0
	runs := level.Of(600, 1500, 3000)
	for range runs {
		size := 4 + 4*r.IntN(2)
		kern, elem := tiling.Outline([]string{"avx512", "avx2"}[r.IntN(2)], size), dtype.F32
		if size == 8 {
			elem = dtype.F64
		}
		p := randomProduct(r, kern, elem)
		if size == 4 && r.IntN(4) == 0 {
			p.inWords(r, 2+2*r.IntN(2))
			words++
		}
		var want plan
		p.order(1, &want)
		for _, on := range machines {
			for _, threads := range []int{1, 2, 7} {
				var pl plan
				if p.plan(on, threads, &pl); open(pl) != open(want) {
					t.Fatalf("%d x %d x %d, a %v, b %v, %s, %d threads:\n%+v, want but for copies and blocks\n%+v", p.m, p.n, p.k, p.a, p.b, on.Name, threads, pl, want)
				}
			}
		}
		switch s := want.skinny; {
		case s.dot:
			skinny["dot"]++
		case s.on:
			skinny["axpy"]++
		default:
			skinny["tiles"]++
		}
	}
	if words < runs/30 {
		t.Errorf("%d products of words of %d, want at least a thirtieth", words, runs)
	}
	for _, kind := range []string{"dot", "axpy", "tiles"} {
		if skinny[kind] < runs/150 {
			t.Errorf("%d products of kind %s of %d, want at least one in 150", skinny[kind], kind, runs)
		}
	}
}

// TestPlanned: a plan that a job remembers is the one that would be made, whichever part
// of the question changes, and also after more questions than it keeps.
func TestPlanned(t *testing.T) {
	if machine.This().Name == "" {
		t.Fatal("there is no machine")
	}
	r := rand.New(level.PCG(5, 6))
	kern := tiling.Outline("avx512", 4)
	other := tiling.Outline("avx2", 4)
	j := &job{}
	ask := func(p *product, threads int) plan {
		var want, have plan
		p.plan(machine.This(), threads, &want)
		j.product = *p
		if j.planned(threads, &have); have != want {
			t.Fatalf("%d x %d x %d, a %v, b %v, c %v, %d threads: planned\n%+v, want\n%+v", p.m, p.n, p.k, p.a, p.b, p.c, threads, have, want)
		}
		return want
	}
	changes := []struct {
		what   string
		change func(p *product, threads *int)
	}{
		{"kernels", func(p *product, _ *int) { p.kern = other }},
		{"a's type", func(p *product, _ *int) { p.ta = dtype.TypeBF16 }},
		{"b's type", func(p *product, _ *int) { p.tb = dtype.TypeBF16 }},
		{"m", func(p *product, _ *int) { p.m *= 3 }},
		{"n", func(p *product, _ *int) { p.n *= 3 }},
		{"k", func(p *product, _ *int) { p.k *= 3 }},
		{"threads", func(_ *product, threads *int) { *threads += 3 }},
		{"a's row stride", func(p *product, _ *int) { p.a.RS = 4 + p.a.RS/4096*4096 }},
		{"a's column stride", func(p *product, _ *int) { p.a.CS = 4096 }},
		{"b's row stride", func(p *product, _ *int) { p.b.RS = 4096 }},
		{"b's column stride", func(p *product, _ *int) { p.b.CS *= 2 }},
		{"c's row stride", func(p *product, _ *int) { p.c.RS += 4 }},
		{"an epilogue", func(p *product, _ *int) { p.fused.On = true }},
		{"reductions", func(p *product, _ *int) { p.fused.On, p.fused.Reduced = true, 1 }},
		{"a packed b", func(p *product, _ *int) { p.pre = &run.Packed{Size: 4} }},
		{"a packed b of narrow elements", func(p *product, _ *int) { p.pre = &run.Packed{Size: 2} }},
		{"an alpha with such a b", func(p *product, _ *int) { p.mode = kernel.ModeScale }},
		{"where c lies", func(p *product, _ *int) { p.c.P = unsafe.Add(p.c.P, 8) }},
		{"what becomes of c", func(p *product, _ *int) { p.mode = kernel.ModeUpdate }},
		{"the budget", func(*product, *int) { budget.Panel = 64 << 10 }},
	}
	room := make([]byte, 3*mem.Line)
	line := room[(mem.Line-mem.Misaligned(unsafe.Pointer(&room[0]), mem.Line))%mem.Line:]
	defer func(n int) { budget.Panel = n }(budget.Panel)
	usual := budget.Panel
	for _, c := range changes {
		told := 0
		for range level.Of(400, 800, 1500) {
			p, threads := randomProduct(r, kern, dtype.F32), 1+r.IntN(2)
			switch c.what {
			case "reductions":
				p.fused.On = true
			case "a packed b of narrow elements":
				p.tb, p.pre = dtype.TypeBF16, &run.Packed{Size: 4}
			case "an alpha with such a b":
				p.tb, p.pre = dtype.TypeBF16, &run.Packed{Size: 2}
			case "c's row stride", "where c lies", "what becomes of c": // they tell where c is larger than any cache
				p.m, p.n, p.k, p.c.RS, p.c.P, p.fused.On = 1<<15, 1<<15, 20+p.k%100, 1<<17, unsafe.Pointer(&line[0]), false
			}
			q, also := *p, threads
			first := ask(p, threads)
			c.change(&q, &also)
			if ask(&q, also) != first {
				told++
			}
			budget.Panel = usual
			ask(p, threads)
		}
		if told == 0 {
			t.Errorf("no plan changes with %s: nothing would be noticed if the question lacked it", c.what)
		}
	}
	// More questions than are kept, again and again.
	var all []*product
	for range 3 * len(j.memory.asked) {
		all = append(all, randomProduct(r, kern, dtype.F32))
	}
	for range 3 {
		for _, p := range all {
			ask(p, 1)
			ask(p, 1)
		}
	}
}

// TestAlternatives: what is chosen is among the alternatives, none of them is predicted to be
// faster, no two are the same, and all add in one order.
func TestAlternatives(t *testing.T) {
	r := rand.New(level.PCG(7, 8))
	machines := append(machine.Known(), copying(), roomy())
	several := 0
	for at := range 2000 {
		length := func(most int) int { return 1 + r.IntN(1<<r.IntN(most)) }
		m, n, k, ta, tb := length(12), length(12), length(13), r.IntN(2) == 0, r.IntN(2) == 0
		on := machines[at%len(machines)]
		opt := run.Options{Threads: 1 + r.IntN(2)}
		if r.IntN(2) == 0 {
			opt.Scaling = run.Scale(0, 1)
		}
		kern := tiling.Outline("avx2", 4)
		x := Planned{Kernels: kern, A: dtype.F32, B: dtype.F32, Acc: dtype.F32, M: m, N: n, K: k, TransA: ta, TransB: tb}
		chosen, all := x.Plan(on, opt), x.Alternatives(on, opt)
		if !slices.Contains(all, chosen) {
			t.Fatalf("%d x %d x %d, %v %v on %s: %+v is not among the %d alternatives", m, n, k, ta, tb, on.Name, chosen, len(all))
		}
		best := chosen.Seconds(on)
		for i, q := range all {
			switch {
			case q.Seconds(on) < best:
				t.Fatalf("%d x %d x %d, %v %v on %s: %v s are predicted for\n%+v, but chosen is, with %v s,\n%+v", m, n, k, ta, tb, on.Name, q.Seconds(on), q, best, chosen)
			case slices.Contains(all[:i], q):
				t.Fatalf("%d x %d x %d, %v %v on %s: twice there is %+v", m, n, k, ta, tb, on.Name, q)
			case q.KC != chosen.KC || q.Slab != chosen.Slab || q.Rows != chosen.Rows || q.Vecs != chosen.Vecs || q.Loop != chosen.Loop:
				t.Fatalf("%d x %d x %d: another order of additions in %+v than in %+v", m, n, k, q, chosen)
			}
		}
		if len(all) > 1 {
			several++
		}
		x.A, x.Fused, x.Out = dtype.TypeBF16, true, 2
		fused := x.Plan(on, opt)
		if list := x.Alternatives(on, opt); !slices.Contains(list, fused) {
			t.Fatalf("%d x %d x %d, %v %v on %s: %+v is not among the %d alternatives", m, n, k, ta, tb, on.Name, fused, len(list))
		}
	}
	if several < 100 {
		t.Errorf("%d products have alternatives, want at least 100", several)
	}
}
