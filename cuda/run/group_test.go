package run_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Two warps, so that a product takes no time.
var groupTile = tiling.GPU{BM: 32, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 3}

var (
	groupedBF16 = cached(gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "GroupBF16", GPU: groupTile, Grouped: true}, nil)
	groupedF16  = cached(gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "GroupF16", GPU: groupTile, Grouped: true}, nil)
	groupedF32  = cached(gemm.Spec[float32, float32, float32, float32]{Name: "GroupF32", GPU: groupTile, Grouped: true}, nil)
	groupedF64  = cached(gemm.Spec[float64, float64, float64, float64]{Name: "GroupF64", GPU: groupTile, Grouped: true}, nil)
	groupedI8   = cached(gemm.Spec[int8, int8, int32, int32]{Name: "GroupI8", GPU: groupTile, Grouped: true}, nil)
)

// problem is what a generated type NAMEProblem is like.
type problem[T, O dtype.Elem] struct {
	Scaling run.Scaling
	Out     cuda.Matrix[O]
	A, B    cuda.Matrix[T]
}

// grouped is what a generated function NAMEGrouped is like.
func grouped[T, O dtype.Elem](set *run.Set, s cuda.Stream, opt run.Options, problems []problem[T, O]) error {
	return run.Grouped(opt, problems, func(opt run.Options, p *problem[T, O]) error {
		opt.Scaling = p.Scaling
		c := run.Begin(set, s, opt)
		run.Out(c, p.Out)
		run.A(c, p.A)
		run.B(c, p.B)
		return c.Launch()
	})
}

// member is one product of a group in a test.
type member struct {
	product
	alpha float32
}

// members are n products of all kinds of shapes; rows begin anywhere if odd is set.
func members(r *rand.Rand, n int, most int, odd, scaled bool) (list []member) {
	for range n {
		m := member{product{m: r.IntN(most), n: r.IntN(most), k: r.IntN(most)}, 1}
		switch r.IntN(6) {
		case 0:
			m.k = 0
		case 1:
			m.m = 0
		}
		m.aT, m.bT = r.IntN(2) == 0, r.IntN(2) == 0
		if odd {
			m.off, m.pad, m.cT = r.IntN(2), r.IntN(3), r.IntN(2) == 0
		} else {
			m.aT, m.bT = n%2 == 0, n%4 < 2 // all of a group lie one way
		}
		if scaled {
			m.alpha, m.beta = float32(r.IntN(3)-1), float32(r.IntN(3)-1)
		}
		list = append(list, m)
	}
	return list
}

// tryGroup does a group of products and compares each with a plain loop.
func tryGroup[T, O dtype.Elem](t testing.TB, s cuda.Stream, set *run.Set, opt run.Options, list []member, to func(float32) T, out func(float32) O) error {
	t.Helper()
	var ps []problem[T, O]
	for _, c := range list {
		o := c.off
		a := upload(t, s, c.m+o, c.k+o, c.aT, c.pad, func(i, j int) T { return to(small(1, i-o, j-o)) }).Slice(o, c.m+o, o, c.k+o)
		b := upload(t, s, c.k+o, c.n+o, c.bT, c.pad, func(i, j int) T { return to(small(2, i-o, j-o)) }).Slice(o, c.k+o, o, c.n+o)
		old := upload(t, s, c.m+o, c.n+o, c.cT, c.pad, func(i, j int) O { return out(small(3, i-o, j-o)) }).Slice(o, c.m+o, o, c.n+o)
		p := problem[T, O]{Out: old, A: a, B: b}
		if c.alpha != 1 || c.beta != 0 {
			p.Scaling = run.Scale(float64(c.alpha), float64(c.beta))
		}
		ps = append(ps, p)
		defer a.Free()
		defer b.Free()
		defer old.Free()
	}
	if err := grouped(set, s, opt, ps); err != nil {
		return err
	}
	if err := s.Synchronize(); err != nil {
		return err
	}
	for p, c := range list {
		have := download(t, s, ps[p].Out)
		for i := range c.m {
			for j := range c.n {
				w := c.alpha * c.sum(i, j)
				if c.beta != 0 {
					w += c.beta * small(3, i, j)
				}
				if check.Float64(have.At(i, j)) != check.Float64(out(w)) {
					return fmt.Errorf("problem %d of %d, %+v: out[%d, %d] = %v, want %v", p, len(list), c, i, j, have.At(i, j), w)
				}
			}
		}
	}
	return nil
}

// TestGroup: groups of one, of few and of many products, of any shapes, with empty ones among
// them, give what a plain loop gives.
func TestGroup(t *testing.T) {
	turn := 0
	sizes := level.Of([]int{2}, []int{1, 2, 30}, []int{1, 2, 5, 100})
	same := func(x float32) float32 { return x }
	f16 := func(x float32) dtype.F16 { return dtype.ToF16(x) }
	bf16 := func(x float32) dtype.BF16 { return dtype.ToBF16(x) }
	for i, o := range []emu.Options{{}, {Seed: 1, Async: emu.Latest}} {
		_, s := emulator(t, o)
		r := rand.New(level.PCG(uint64(i), 1))
		for at, n := range sizes {
			for _, odd := range []bool{false, true} {
				if (at%2 == i) == odd {
					continue
				}
				most := level.Of(40, 70, 100)
				if n >= 30 {
					most = 12
				}
				types := []struct {
					name string
					try  func() error
				}{
					{"bf16", func() error {
						return tryGroup(t, s, groupedBF16(), run.Options{}, members(r, n, most, odd, true), bf16, bf16)
					}},
					{"f16", func() error {
						return tryGroup(t, s, groupedF16(), run.Options{}, members(r, n, most, odd, true), f16, same)
					}},
					{"f32", func() error {
						return tryGroup(t, s, groupedF32(), run.Options{}, members(r, n, most, odd, true), same, same)
					}},
					{"f64", func() error {
						return tryGroup(t, s, groupedF64(), run.Options{}, members(r, n, most, odd, true), func(x float32) float64 { return float64(x) }, func(x float32) float64 { return float64(x) })
					}},
					{"i8", func() error {
						return tryGroup(t, s, groupedI8(), run.Options{}, members(r, n, most, odd, false), func(x float32) int8 { return int8(x) }, func(x float32) int32 { return int32(x) })
					}},
				}
				for of, x := range types {
					if !level.Long() && (x.name == "f16" || x.name == "f64") {
						continue // gemm/gpu interprets these
					}
					if turn++; level.Of(of > 0, turn%3 > 0 && (n > 1 || i > 0), false) {
						continue
					}
					if err := x.try(); err != nil {
						t.Errorf("%s, %d problems, odd %v: %v", x.name, n, odd, err)
					}
				}
			}
		}
	}
}

// TestGroupKernels: every kernel for groups, by its name, with operands that lie as it wants them.
func TestGroupKernels(t *testing.T) {
	_, s := emulator(t, emu.Options{Seed: 1, Async: emu.Latest})
	bf16 := func(x float32) dtype.BF16 { return dtype.ToBF16(x) }
	n := 0
	for _, k := range groupedBF16().Targets[0].Kernels {
		if !k.Grouped {
			continue
		}
		n++
		list := []member{{product{m: 33, n: 70, k: 40}, 1}, {product{m: 1, n: 1, k: 100}, 2}, {product{m: 64, n: 64, k: 0, beta: 1}, 1}, {product{m: 0, n: 5, k: 3}, 1}, {product{m: 7, n: 129, k: 31, beta: 1}, -1}}
		for i := range list {
			list[i].aT, list[i].bT = !k.AK, k.BK
		}
		if err := tryGroup(t, s, groupedBF16(), run.Options{Kernel: k.Name}, list, bf16, bf16); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
	if n < 9 {
		t.Errorf("%d kernels, want 4 and 4 and one", n)
	}
}

// TestGroupTwice: groups follow each other on one stream, and the second is larger than
// the workspace of the first, which is still queued.
func TestGroupTwice(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("waits for groups of which TestGroup has the first")
	}
	_, s := emulator(t, emu.Options{})
	d := s.Device()
	one := func(rows int) problem[float32, float32] {
		x := func(i, j int) float32 { return small(rows, i, j) }
		return problem[float32, float32]{Out: matrix[float32](t, d, rows, rows, 0), A: upload(t, s, rows, rows, false, 0, x), B: upload(t, s, rows, rows, false, 0, x)}
	}
	var all []problem[float32, float32]
	for n := range 4 {
		var ps []problem[float32, float32]
		for i := range 1 + 3*n*n {
			ps = append(ps, one(1+(i+n)%5))
		}
		if err := grouped(groupedF32(), s, run.Options{}, ps); err != nil {
			t.Fatal(err)
		}
		all = append(all, ps...)
	}
	for p, x := range all {
		have := download(t, s, x.Out)
		rows := x.Out.Rows
		for i := range rows {
			for j := range rows {
				w := float32(0)
				for l := range rows {
					w += small(rows, i, l) * small(rows, l, j)
				}
				if have.At(i, j) != w {
					t.Fatalf("problem %d: out[%d, %d] = %v, want %v", p, i, j, have.At(i, j), w)
				}
			}
		}
	}
}

// TestGroupLaunch: what is launched: one grid with the tiles of all problems, and nothing for
// problems without elements.
func TestGroupLaunch(t *testing.T) {
	d, s := device(t)
	one := func(m, n, k int) problem[float32, float32] {
		return problem[float32, float32]{Out: matrix[float32](t, d, m, n, 0), A: matrix[float32](t, d, m, k, 0), B: matrix[float32](t, d, k, n, 0)}
	}
	for _, ps := range [][]problem[float32, float32]{nil, {one(0, 4, 4), one(4, 0, 4)}} {
		if err := grouped(groupedF32(), s, run.Options{}, ps); err != nil || len(d.launches) != 0 {
			t.Errorf("%d problems without elements: %v, %d launches, want none", len(ps), err, len(d.launches))
		}
	}
	if err := grouped(groupedF32(), s, run.Options{}, []problem[float32, float32]{one(64, 64, 8), one(0, 4, 4), one(4, 128, 0), one(32, 68, 400)}); err != nil {
		t.Fatal(err)
	}
	if len(d.launches) != 1 || d.launches[0].grid.Blocks != [3]int{2 + 2 + 2, 1, 1} || !strings.HasSuffix(d.launches[0].name, "kn16group") {
		t.Errorf("%+v, want one launch of 6 tiles of kn16group", d.launches)
	}
}

// TestGroupRefused: what a group cannot be is refused before anything is queued.
func TestGroupRefused(t *testing.T) {
	d, s := device(t)
	type p = problem[float32, float32]
	one := func(m, n, k int) p {
		return p{Out: matrix[float32](t, d, m, n, 0), A: matrix[float32](t, d, m, k, 0), B: matrix[float32](t, d, k, n, 0)}
	}
	huge := func() p { // one row and one column that are repeated
		x := one(1, 1, 1)
		x.A.Rows, x.A.RowStride, x.B.Cols, x.B.ColStride = 1<<20, 0, 1<<17, 0
		x.Out = matrix[float32](t, d, 1<<20, 1<<17, 0)
		return x
	}
	plain := func() *run.Set { // as if its spec did not say Grouped
		set := groupedF32()
		target := set.Targets[0]
		target.Kernels = slices.DeleteFunc(slices.Clone(target.Kernels), func(k run.Kernel) bool { return k.Grouped })
		return &run.Set{Name: "test.Plain", A: set.A, B: set.B, Acc: set.Acc, Slots: set.Slots, Plain: set.Plain, Targets: []run.Target{target}}
	}
	base := one(8, 8, 8)
	parent := matrix[float32](t, d, 16, 16, 0)
	many := func(n int, one func() p) (list []p) {
		for range n {
			list = append(list, one())
		}
		return list
	}
	with := func(change func(x *p)) p { x := one(8, 8, 8); change(&x); return x }
	for name, c := range map[string]struct {
		set  *run.Set
		opt  run.Options
		list []p
		want string
	}{
		"shapes":           {groupedF32(), run.Options{}, []p{base, with(func(x *p) { x.B = matrix[float32](t, d, 9, 8, 0) })}, "problem 1 of 2: test.GroupF32: shapes: out is 8 x 8"},
		"no kernels":       {plain(), run.Options{}, []p{base}, "for groups: set Grouped in its spec"},
		"schedule":         {groupedF32(), run.Options{Schedule: run.SplitK(2)}, []p{base}, "CTAs of a group have a tile each"},
		"kernel of one":    {groupedF32(), run.Options{Kernel: groupedF32().Targets[0].Kernels[0].Name}, []p{base}, "is for one product"},
		"kernel":           {groupedF32(), run.Options{Kernel: "x"}, []p{base}, "is not one of its kernels"},
		"gathered":         {groupedF32(), run.Options{Gather: &run.Gather{}}, []p{base}, "cannot be gathered"},
		"one out":          {groupedF32(), run.Options{}, []p{base, one(4, 4, 4), with(func(x *p) { x.Out = base.Out })}, "out of problem 2: shares memory with out of problem 0"},
		"out is a":         {groupedF32(), run.Options{}, []p{with(func(x *p) { x.A = base.Out }), base}, "out of problem 1: shares memory with a of problem 0"},
		"out is b":         {groupedF32(), run.Options{}, []p{base, with(func(x *p) { x.B = base.Out })}, "out of problem 0: shares memory with b of problem 1"},
		"blocks that meet": {groupedF32(), run.Options{}, []p{with(func(x *p) { x.Out = parent.Slice(0, 8, 0, 8) }), with(func(x *p) { x.Out = parent.Slice(4, 12, 7, 15) })}, "shares memory"},
		"tiles":            {groupedF32(), run.Options{}, many(33, huge), "make two groups"},
	} {
		if math.MaxInt == math.MaxInt32 && name == "tiles" {
			continue // no matrix is as large there
		}
		d.launches = nil
		err := grouped(c.set, s, c.opt, c.list)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(d.launches) != 0 {
			t.Errorf("%s: %v, %d launches, want none and something about %q", name, err, len(d.launches), c.want)
		}
	}
	d.fail = errors.New("no memory")
	if err := grouped(groupedF32(), s, run.Options{}, []p{base}); err == nil || !strings.Contains(err.Error(), "no memory") {
		t.Errorf("without memory: %v", err)
	}
	d.fail = nil
	// Blocks side by side of one matrix, and one a for all, are no overlap.
	a := matrix[float32](t, d, 8, 8, 0)
	side := func(i, j int) p {
		return with(func(x *p) { x.Out, x.A = parent.Slice(i, i+8, j, j+8), a })
	}
	if err := grouped(groupedF32(), s, run.Options{}, []p{side(0, 0), side(0, 8), side(8, 8), side(8, 0)}); err != nil {
		t.Errorf("four blocks of one matrix: %v", err)
	}
	if err := (&run.Gather{}).Group(); err != nil {
		t.Errorf("a group of none: %v", err)
	}
}

// TestGroupChoice: the tile follows from the shapes of all problems, and the copies from how all
// of them lie.
func TestGroupChoice(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("makes all kernels for groups")
	}
	set := cached(gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "GroupAny", Grouped: true}, nil)()
	d, s := device(t)
	for _, c := range []struct {
		rows []int
		n, k int
		want string
	}{
		{[]int{4096, 4096, 8192}, 4096, 4096, "kn16group"},
		{[]int{16, 8, 24}, 64, 64, "kn16smallgroup"},
		{[]int{4096, 8}, 4098, 4096, "kn4group"},
		{[]int{16, 8, 24}, 63, 64, "anygroup"},
	} {
		var ps []problem[dtype.BF16, dtype.BF16]
		for _, m := range c.rows {
			ps = append(ps, problem[dtype.BF16, dtype.BF16]{Out: matrix[dtype.BF16](t, d, m, c.n, 0), A: matrix[dtype.BF16](t, d, m, c.k, 0), B: matrix[dtype.BF16](t, d, c.k, c.n, 0)})
		}
		d.launches = nil
		if err := grouped(set, s, run.Options{}, ps); err != nil || len(d.launches) != 1 || !strings.HasSuffix(d.launches[0].name, "_"+c.want) {
			t.Errorf("%v x %d x %d: %v, %d launches, want %s", c.rows, c.n, c.k, err, len(d.launches), c.want)
			for _, l := range d.launches {
				t.Log(l.name)
			}
		}
	}
}
