package gpu

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Check runs every kernel of a case on the emulator, and on the GPU that open
// returns, if it returns one. open is driver.Open of cuda/driver. First small integers,
// for which every order of summation gives the same bits, then random numbers, which
// must lie where the roundings allow.
//
// TILESMITH_LONG=1 tries more shapes, and on the emulator more orders of execution.
func Check(t *testing.T, open func() (cuda.Device, error), c Case) {
	t.Run("device=emu", func(t *testing.T) {
		schedules := []emu.Options{{Seed: 1, Async: emu.Latest}}
		if testenv.Long() {
			schedules = []emu.Options{{}, {Seed: 1, Async: emu.Latest}, {Seed: 2, Async: emu.Random}}
		}
		for _, target := range c.Kernels.Targets {
			h, err := cuda.ReadHeader(target.PTX)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range schedules {
				o.Major, o.Minor = h.Major, h.Minor
				d, err := emu.Open(o)
				if err != nil {
					t.Fatal(err)
				}
				on(t, d, c, testenv.Long())
			}
		}
	})
	onDriver(t, open, c)
}

// onDriver runs every kernel of a case on the GPU, if there is one.
func onDriver(t *testing.T, open func() (cuda.Device, error), c Case) {
	t.Run("device=driver", func(t *testing.T) {
		d, err := open()
		if errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		on(t, d, c, true)
	})
}

// on runs a case on a device and closes it.
func on(t *testing.T, d cuda.Device, c Case, long bool) {
	defer d.Close()
	defer c.Kernels.Forget(d)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range Trials(c, d.Info(), long) {
		if err := tr.Run(s); err != nil {
			t.Errorf("%v: %v", tr, err)
			if errors.Is(err, cuda.ErrLaunch) {
				return // nothing works after a fault
			}
		}
	}
}

// Trial is one product by one kernel.
type Trial struct {
	check.Trial
	Case   Case
	Kernel string // "" leaves the choice
	Lie    Lie
	// Schedule is how CTAs share the product.
	Schedule run.Schedule
	Pad      bool // factors are copied for the kernel if it does not take them as they lie
	Batch    int  // products in one launch, with operands of their own; one if it is 0
	// Group are further products of one launch with this one, if it is not nil.
	Group []Trial
	// Keep, if not nil, is given what the call left in the memory of its outputs.
	Keep func(output string, memory []byte)
}

func (tr Trial) String() string {
	name := tr.Case.Name
	if tr.Kernel != "" {
		name += " " + tr.Kernel
	}
	if tr.Schedule != (run.Schedule{}) {
		name += " " + tr.Schedule.String()
	}
	if tr.Pad {
		name += " padded"
	}
	if tr.Batch > 1 {
		name += fmt.Sprintf(" %d products of", tr.Batch)
	}
	if tr.Group != nil {
		var others []string
		for _, x := range tr.Group {
			others = append(others, fmt.Sprintf("%dx%dx%d", x.Shape.M, x.Shape.N, x.Shape.K))
		}
		name += fmt.Sprintf(" in a group with %v", others)
	}
	return fmt.Sprintf("%s %v, %v", name, tr.Trial, tr.Lie)
}

// Run does the product on a stream's device and compares.
func (tr Trial) Run(s cuda.Stream) error {
	switch {
	case tr.Group != nil:
		return tr.runGroup(s)
	case tr.Batch > 1:
		return tr.runBatch(s)
	}
	p := tr.Case.Problem(tr.Trial)
	call := tr.call(s, p)
	if err := call.finish(tr.Case.Launch(call)); err != nil {
		return err
	}
	return tr.Case.Judge(tr.Trial, p)
}

// Trials are what a case is checked with on a device: each kernel at its edges, then
// products that choose their kernel.
func Trials(c Case, info cuda.Info, long bool) (list []Trial) {
	t := target(c.Kernels, info)
	if t == nil {
		t = &run.Target{} // the first product says why
	}
	for i := range t.Kernels {
		if k := &t.Kernels[i]; int64(k.Shared) <= info.SharedPerBlock {
			all := kernelTrials(c, k, long)
			switch {
			case !long && k.Grouped:
				all = all[i%2 : i%2+2]
			case !long:
				all = some(all, i)
			}
			list = append(list, all...)
		}
	}
	list = append(list, padTrials(c, t)...)
	add := func(c Case, lie Lie, exact bool, m, n, k int) {
		list = append(list, c.trial(Trial{Lie: lie}, check.Shape{M: m, N: n, K: k}, exact))
	}
	aligned := Lie{Off: 16}
	if long { // more tiles than are walked in one group
		add(c, aligned, true, 700, 200, 40)
	}
	if long && info.Kind != "emu" {
		add(c, Lie{Off: 1, Pad: 1}, false, 2083, 1543, 700)
		add(c, aligned, true, 4096, 4096, 4096)
	}
	for _, s := range []check.Shape{{M: 1, N: 1, K: 1}, {M: 3, N: 5, K: 0}, {M: 0, N: 3, K: 2}, {M: 3, N: 0, K: 2}} {
		add(c, aligned, true, s.M, s.N, s.K)
	}
	add(c, aligned, false, 70, 140, 50)
	add(c, Lie{BTrans: true, Off: 1, Pad: 1}, false, 33, 17, 130)
	if c.scales() {
		add(*c.scaled, aligned, true, 37, 70, 33)
		add(*c.scaled, Lie{ATrans: true, OutTrans: true, Off: 1}, true, 19, 9, 5)
	}
	return list
}

// some are the trials of kernel number i that are made in short mode: the ones with most
// in them, and the others in turn. The kernels of a set share a generator.
func some(all []Trial, i int) (list []Trial) {
	list = append(list, all[0], all[5], all[1+i%4])
	if len(all) > 8 && i%2 == 0 {
		list = append(list, all[8])
	} else {
		list = append(list, all[6+i/2%2])
	}
	return list
}

// scales reports whether the function has alpha and beta, and operands of any size.
func (c Case) scales() bool { return c.scaled != nil && c.fill == nil }

// halfSums reports whether sums are those of F16Sums, of which only small integers are exact.
func (c Case) halfSums() bool { return c.Sums != nil && c.A == dtype.TypeF16 }

// chained reports whether the sums of the function are known to the bit.
func (c Case) chained() bool {
	return c.Strict && c.Sums == nil && c.prune == nil && c.Kernels.Plain && c.A == dtype.F32 && c.Kernels.Slots[0].Type == dtype.F32
}

// bytes reports whether the function stores elements of a byte, 16 at a time.
func (c Case) bytes() bool {
	return slices.ContainsFunc(c.Kernels.Slots, func(s run.Slot) bool { return s.Kind == run.Output && s.Type.Size() == 1 })
}

// trial completes tr.
func (c Case) trial(tr Trial, s check.Shape, exact bool) Trial {
	if c.depth > 0 {
		s.K = min(s.K, c.depth)
	}
	tr.Case = c
	tr.Shape, tr.Exact, tr.Strict, tr.Sums = s, exact, c.Strict, c.Sums
	return tr
}

// sharing are the schedules of kernels whose CTAs share tiles. Parts divide the steps of K
// or do not, or are more than steps. CTAs have parts of one tile, of two, and tiles
// between. One schedule is chosen by the model.
var sharing = []run.Schedule{run.SplitK(2), run.StreamK(4), run.SplitK(100), run.StreamK(3), run.StreamK(5), run.StreamK(7), run.SplitK(3), {}}

// kernelTrials are what kernel k is called with by its name: products, or groups of them.
func kernelTrials(c Case, k *run.Kernel, long bool) []Trial {
	list := productTrials(c, k, long)
	if k.Grouped {
		return grouped(c, list)
	}
	return list
}

// productTrials are the products that kernel k is called with. Each is small
// and looks at several things at once. Together they have every residue of N by the 8 elements that are
// stored at a time, or 16 for bytes; edges in each part of a tile; and the ends of K in each stage of the
// pipeline. They have more rows of tiles than are walked in a group, batches, alpha and beta, NaN and
// infinities, and sums that are stored rounded.
func productTrials(c Case, k *run.Kernel, long bool) (list []Trial) {
	lie, g := lieFor(k, c.A.Size()), k.Tile
	lie.Tight = true
	add := func(c Case, m, n, depth int, set func(tr *Trial)) {
		tr := Trial{Kernel: k.Name, Lie: lie}
		tr.Wide = c.fill == nil && !c.halfSums()
		if k.Parts.Name != "" {
			tr.Schedule = sharing[len(list)%len(sharing)]
			depth += 2 * g.BK
		}
		if k.Unit == 0 && len(list)%2 > 0 { // elements are gathered along the smaller stride
			tr.Lie.ATrans, tr.Lie.BTrans = !lie.ATrans, !lie.BTrans
		}
		if set != nil {
			set(&tr)
		}
		list = append(list, c.trial(tr, check.Shape{M: m, N: n, K: depth}, true))
	}
	batched := func(tr *Trial) { tr.Batch = 2 }
	special := func(tr *Trial) { tr.Special, tr.Wide = true, false }
	scaled := c
	if c.scales() {
		scaled = *c.scaled
	}
	// By N mod 8. The last row, column and k are each in another eighth of a tile, as
	// each may be copied by instructions of its own.
	m, n, bk := g.BM/8, g.BN/8, g.BK
	add(scaled, 4*m+1, g.BN+8, bk-1, batched)
	add(scaled, 3, g.BN+n+1, 1, nil)
	add(c, g.BM+2*m+1, 8*n-6, g.Stages*bk, nil)
	add(c, g.BM-3, 4*n+3, bk+bk/4+3, nil)
	add(c, m+1, g.BN+2*n+4, (g.Stages-1)*bk+3, batched)
	add(scaled, tiling.GroupM*g.BM+3*m+1, g.BN+3*n+5, bk/2+2, func(tr *Trial) { // the last band of tiles is lower
		if k.Parts.Name != "" { // and has parts, which what ends them has to find there
			tr.Schedule = run.SplitK(2)
		}
	})
	add(c, 5*m+1, 5*n+6, (g.Stages+2)*bk+bk/2+1, nil)
	add(scaled, 6*m+3, 6*n+7, 2*bk, nil)
	// Among which are some that are none. Elements that are not stored do not meet them,
	// and the oracles do not know which these are.
	numbers := c.fill == nil && c.prune == nil && !c.Acc.Integer()
	if numbers {
		add(c, 9, 19, g.BK, special)
	}
	if c.chained() {
		chain := func(c Case, s check.Shape) {
			tr := c.trial(Trial{Kernel: k.Name, Lie: lie}, s, false)
			span := max(s.K, 1)
			if k.Parts.Name != "" {
				tr.Schedule, span = run.SplitK(3), ((s.K+g.BK-1)/g.BK+2)/3*g.BK
			}
			tr.Bitwise, tr.Sums = true, fmaChains(span)
			list = append(list, tr)
		}
		chain(c, check.Shape{M: g.BM, N: g.BN, K: g.Stages*g.BK + 3})
		chain(scaled, check.Shape{M: 7, N: g.BN - 1, K: 3})
		if k.Parts.Name != "" { // whose parts are ended by a kernel of their own
			chain(scaled, check.Shape{M: 7, N: g.BN - 1, K: 2*g.BK + 3})
		}
	}
	if c.scales() { // whole chunks and, at the end of a row, a part of one
		add(*c.grown, 7, n+7, 5, nil)
	}
	// The last tile of K is copied by itself: of one more than there are stages it has nearly all, or one k.
	add(c, g.BM-m-1, 2*n+3, (g.Stages+1)*bk-1, nil)
	// And whatever is copied beyond a row or column is outside.
	add(c, 1, 1, g.Stages*bk+1, nil)
	if c.prune != nil { // and of metadata there is some for half of a tile
		add(c, g.BM, 3, bk+bk/2, nil)
	}
	if numbers && (k.Parts.Name != "" || k.Grouped) { // where K = 0 does not come to the loop, sums of zeros show what they begin with
		zeros := c
		zeros.fill = zeroA
		add(zeros, g.BM, g.BN, bk+1, nil)
	}
	switch {
	case k.Parts.Name != "": // parts of one step more than there are stages, and of as many, and tiles that lie in one CTA with parts of others
		depth := 2 * g.Stages * bk // add does 2*bk
		// The second tile begins where a CTA does.
		add(c, g.BM+5, 9, depth-1, func(tr *Trial) { tr.Schedule = run.SplitK(2) })
		add(c, 5, 9, depth-2*bk, func(tr *Trial) { tr.Schedule = run.SplitK(2) })
		add(c, 2*g.BM+1, 9, 3, func(tr *Trial) { tr.Schedule = run.StreamK(2) })
	case !k.Grouped: // nothing to sum
		add(c, 5, 9, 0, nil)
	}
	if c.bytes() {
		for r, left := range []int{1, 2, 5, 6, 10, 11, 12, 15, 16} { // by N mod 16, of which those above are the rest
			add(c, 7+r, 16+left, 1+r, nil)
		}
	}
	if k.Parts.Name != "" { // the same, with tiles that the kernel ends itself
		for _, tr := range list {
			tr.Schedule = run.SplitK(1)
			if !tr.Bitwise {
				list = append(list, tr)
			}
		}
	}
	if !long {
		return list
	}
	list = append(list, c.trial(Trial{Kernel: k.Name, Lie: lie}, check.Shape{M: g.BM - 5, N: g.BN + 9, K: (g.Stages+1)*g.BK + 1}, false))
	group := tiling.GroupM*g.BM + 5
	for r := range 8 {
		add(scaled, 1+r*g.BM/8, 1+r*(g.BN/8+1), r*g.BK/2+r, nil)
		if k.Parts.Name != "" { // with tiles that the kernel ends itself
			add(scaled, 1+r*g.BM/8, 1+r*(g.BN/8+1), r, func(tr *Trial) { tr.Schedule = run.SplitK(1) })
		}
		add(c, group+r, g.BN+r, r, nil)
	}
	// K ends in each part of each copy: kernels copy four bytes of a line at least.
	parts := max(16, bk*c.A.Size()/4)
	for _, stage := range []int{0, 1, g.Stages} {
		for r := range parts {
			end := stage*bk + r*bk/parts + 1
			add(c, 1+r*g.BM/parts, 9+r*g.BN/parts, end, nil)
			if k.Parts.Name != "" && stage == g.Stages { // where a CTA has all steps, too
				add(c, 1+r*g.BM/parts, 9, end, func(tr *Trial) { tr.Schedule = run.SplitK(1) })
			}
		}
	}
	add(c, 2*g.BM+1, 2*g.BN+12, 3, func(tr *Trial) { tr.Batch = 3 })
	if numbers {
		add(scaled, g.BM+3, g.BN+5, g.BK+1, special)
		add(c, g.BM+3, g.BN-3, 2*g.BK+5, special)
	}
	return list
}

// zeroA makes every product 0.
func zeroA(p *check.Problem) {
	for i := range p.M {
		for k := range p.K {
			p.Store(check.A, i, k, 0)
		}
	}
}

// target is the first of a set's targets that a device can run, or nil.
func target(s *run.Set, info cuda.Info) *run.Target {
	for i := range s.Targets {
		h, err := cuda.ReadHeader(s.Targets[i].PTX)
		if err == nil && h.CheckDevice(info) == nil {
			return &s.Targets[i]
		}
	}
	return nil
}
