package gpu

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Check runs every kernel of a case on the emulator, and on the GPU that open
// returns if it returns one: open is driver.Open of cuda/driver. First small
// integers, for which every order of summation gives the same bits, then random
// numbers, which must lie where the roundings allow.
//
// TILESMITH_LONG=1 tries more shapes, and on the emulator more orders of execution.
func Check[A, B dtype.Elem](t *testing.T, open func() (cuda.Device, error), c Case[A, B]) {
	t.Run("device=emu", func(t *testing.T) {
		schedules := []emu.Options{{Seed: 1, Async: emu.Latest}}
		if check.Long() {
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
				on(t, d, c, check.Long())
			}
		}
	})
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
func on[A, B dtype.Elem](t *testing.T, d cuda.Device, c Case[A, B], long bool) {
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
type Trial[A, B dtype.Elem] struct {
	check.Trial[A, B]
	Case   Case[A, B]
	Kernel string // "" leaves the choice
	Lie    Lie
	// Keep, if not nil, is given what the call left in the memory of its outputs.
	Keep func(output string, memory []byte)
}

func (tr Trial[A, B]) String() string {
	name := tr.Case.Name
	if tr.Kernel != "" {
		name += " " + tr.Kernel
	}
	return fmt.Sprintf("%s %v, %v", name, tr.Trial, tr.Lie)
}

// Run does the product on a stream's device and compares.
func (tr Trial[A, B]) Run(s cuda.Stream) error {
	c := tr.Case.FusedCase
	var err error
	c.Call = func(p *check.FusedProblem[A, B]) {
		if tr.Case.fill != nil {
			tr.Case.fill(p)
		}
		call := &Call[A, B]{FusedProblem: p, Stream: s, Options: run.Options{Kernel: tr.Kernel}, lie: tr.Lie, keep: tr.Keep, placed: map[string]any{}}
		err = call.finish(tr.Case.Launch(call))
	}
	wrong := c.Try(tr.Trial)
	if err != nil {
		return err
	}
	return wrong
}

// Trials are what a case is checked with on a device: each kernel at its edges, then
// products that choose their kernel.
func Trials[A, B dtype.Elem](c Case[A, B], info cuda.Info, long bool) (list []Trial[A, B]) {
	add := func(c Case[A, B], kernel string, lie Lie, exact bool, m, n, k int) {
		if c.depth > 0 {
			k = min(k, c.depth)
		}
		list = append(list, Trial[A, B]{check.Trial[A, B]{Shape: check.Shape{M: m, N: n, K: k}, Exact: exact, Strict: c.Strict, Sums: c.Sums}, c, kernel, lie, nil})
	}
	t := target(c.Kernels, info)
	if t == nil {
		t = &run.Target{} // the first product says why
	}
	for i := range t.Kernels {
		k := &t.Kernels[i]
		if int64(k.Shared) > info.SharedPerBlock {
			continue
		}
		lie, g := lieFor(k, dtype.Of[A]().Size()), k.Tile
		if long {
			add(c, k.Name, lie, true, g.BM+3, g.BN-3, 2*g.BK+5)
			add(c, k.Name, lie, false, g.BM-5, g.BN+9, (g.Stages+1)*g.BK+1)
		} else {
			add(c, k.Name, lie, true, g.BM-3, g.BN-5, g.BK+5)
		}
	}
	aligned := Lie{Off: 16}
	if long { // more tiles than are walked in one group
		add(c, "", aligned, true, 700, 200, 40)
	}
	if long && info.Kind != "emu" {
		add(c, "", Lie{Off: 1, Pad: 1}, false, 2083, 1543, 700)
		add(c, "", aligned, true, 4096, 4096, 4096)
	}
	for _, s := range []check.Shape{{M: 1, N: 1, K: 1}, {M: 3, N: 5, K: 0}, {M: 0, N: 3, K: 2}, {M: 3, N: 0, K: 2}} {
		add(c, "", aligned, true, s.M, s.N, s.K)
	}
	add(c, "", aligned, false, 70, 140, 50)
	add(c, "", Lie{BTrans: true, Off: 1, Pad: 1}, false, 33, 17, 130)
	if c.scaled != nil && c.Sums == nil {
		add(*c.scaled, "", aligned, true, 37, 70, 33)
		add(*c.scaled, "", Lie{ATrans: true, OutTrans: true, Off: 1}, true, 19, 9, 5)
	}
	return list
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
