package run

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/device"
)

// Choice is a kernel that a call could take, and how its CTAs share tiles: "", "SplitK(4)" or
// "StreamK(132)". Pad names the operands that are copied first, "a", "b" or "ab", so that their rows or
// columns begin at multiples of 16 bytes. Padding is the predicted seconds that this takes.
type Choice struct {
	Kernel   string
	Tile     tiling.GPU
	Schedule string
	Pad      string
	Padding  float64
	device.Prediction
}

// Plan returns what a call would choose between on a device that info describes; it needs no
// device. The one that a call takes is first, then the others by their predicted times. Operands
// are dense and row-major, or the transposes of such, and begin at multiples of 256 bytes. It is
// an error if the device runs none of the set's kernels, or a launch cannot have the sizes.
func Plan(s *Set, info cuda.Info, p device.Product, transA, transB bool) ([]Choice, error) {
	t, err := s.newest(info)
	if err != nil {
		return nil, err
	}
	if p.M < 1 || p.N < 1 || p.K < 0 || p.Count < 1 {
		return nil, fmt.Errorf("%s: %d products of %d x %d x %d; want one or more, of at least one row and column", s.Name, p.Count, p.M, p.N, p.K)
	}
	c := &Call{set: s, m: p.M, n: p.N, k: p.K, count: p.Count}
	for _, o := range []struct {
		o          *operand
		rows, cols int
		trans      bool
		t          dtype.Type
	}{{&c.a, p.M, p.K, transA, s.A}, {&c.b, p.K, p.N, transB, s.B}} {
		if *o.o, err = dense(o.rows, o.cols, p.Count, o.trans, o.t); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	for i := range s.Slots {
		if kind := s.Slots[i].Kind; kind == Output || kind == Full {
			if c.slots[i], err = dense(p.M, p.N, p.Count, false, s.Slots[i].Type); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	best, err := c.choose(t, &info)
	if err == nil {
		err = c.fits(best.k)
	}
	if err != nil {
		return nil, err
	}
	v, err := s.view(t, &info)
	if err != nil {
		return nil, err
	}
	var first, others []Choice
	add := func(i int, w way) {
		if w.k.Parts.Name != "" && w.how == (spans{}) {
			var ok bool
			if w.how, ok = c.share(w.k, &info); !ok {
				return
			}
		}
		x, err := c.predict(v, i, w.how)
		if err != nil {
			return
		}
		o := Choice{Kernel: w.k.Name, Tile: w.k.Tile, Schedule: w.how.name()}
		for i, copied := range w.pad {
			if copied {
				o.Pad += "ab"[i : i+1]
			}
		}
		copies := c.padding(v, w.pad)
		o.Padding, o.Prediction = copies.Seconds, x.After(copies)
		if w.k == best.k {
			first = append(first, o)
		} else {
			others = append(others, o)
		}
	}
	unit := best.k.Unit
	if best.copies() {
		unit = 0
	}
	for i := range t.Kernels {
		k := &t.Kernels[i]
		if int64(k.Shared) > info.SharedPerBlock {
			continue
		}
		w := way{k: k}
		if k == best.k {
			w = best
		} else if k.Unit != unit || !c.suits(k) {
			if w.pad, _ = c.padded(t, k); unit > 0 || !w.copies() {
				continue
			}
		}
		add(i, w)
	}
	cost.SortBy(others, func(c Choice) float64 { return c.Seconds })
	return append(first, others...), nil
}

// dense is an operand at an address that suits all kernels.
func dense(rows, cols, count int, trans bool, t dtype.Type) (operand, error) {
	size := int64(t.Size())
	lines, along := int64(rows), int64(cols)
	if trans {
		lines, along = along, lines
	}
	const most = 1 << 62
	if along > most/size || lines > most/max(1, along*size) || int64(count) > most/max(1, lines*along*size) {
		return operand{}, fmt.Errorf("%d of %d x %d %v are more than the 2^62 bytes that are counted", count, rows, cols, t)
	}
	o := operand{rows: rows, cols: cols, count: count, size: size, rs: along * size, cs: size, bs: lines * along * size}
	if trans {
		o.rs, o.cs = o.cs, o.rs
	}
	return o, nil
}

// name is p as the schedule that makes it.
func (p spans) name() string {
	switch {
	case p.steps == 0:
		return ""
	case p.steps%p.span == 0:
		return SplitK(int(p.steps / p.span)).String()
	}
	return StreamK(int(p.ctas)).String()
}
