package run

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/device"
)

// view is what the model knows of a target's kernels, in their order, and of a device.
type view struct {
	kernels []device.Kernel
	device  *device.Device

	times sync.Map // timeKey -> float64
	count atomic.Int32
}

// mostTimes bounds what a view keeps: calls of a program are of few shapes, as a rule.
const mostTimes = 1 << 12

type timeKey struct {
	kernel, m, n, k, count int
	spans                  spans
}

type viewKey struct {
	target *Target
	info   cuda.Info
}

// view counts what stands in the text of t's kernels, once.
func (s *Set) view(t *Target, info *cuda.Info) (*view, error) {
	key := viewKey{t, *info}
	if v, ok := s.views.Load(key); ok {
		return v.(*view), nil
	}
	v := &view{device: device.Like(info.Name, info.Major, info.Minor, info.SMs, info.ClockKHz, info.L2, info.SharedPerBlock)}
	out := 4
	for i := range s.Slots {
		if s.Slots[i].Kind == Output {
			out = s.Slots[i].Type.Size()
			break
		}
	}
	for i := range t.Kernels {
		k := &t.Kernels[i]
		text, err := one(t.PTX, k.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		results := 1
		if k.Wide {
			results = 16 / out
		}
		x, err := device.Kernel{Name: k.Name, Tile: k.Tile, Size: s.A.Size(), Sum: max(4, s.Acc.Size()), Out: out, Shared: k.Shared,
			Parts: k.Parts.Name != "", Group: tiling.GroupM}.Counted(text, results)
		if err != nil {
			x = device.Kernel{Name: k.Name} // nothing is predicted of it, and it is the last to be taken
		}
		v.kernels = append(v.kernels, x)
	}
	s.views.Store(key, v)
	return v, nil
}

// split tells the model how CTAs share tiles.
func (p spans) split() device.Split {
	if p.steps == 0 {
		return device.Split{}
	}
	return device.Split{CTAs: p.ctas, Span: p.span, Parts: math.Ceil(float64(p.steps) / float64(p.span))}
}

// predict returns what the model says of the i'th kernel.
func (c *Call) predict(v *view, i int, p spans) (device.Prediction, error) {
	return v.device.Predict(&v.kernels[i], device.Product{M: c.m, N: c.n, K: c.depth(), Count: c.count}, p.split())
}

// seconds is the predicted time of the i'th kernel. A kernel comes last if the model cannot
// predict it, because the device has no room for it or its text has no main loop.
func (c *Call) seconds(v *view, i int, p spans) float64 {
	key := timeKey{i, c.m, c.n, c.depth(), c.count, p}
	if x, ok := v.times.Load(key); ok {
		return x.(float64)
	}
	x, err := c.predict(v, i, p)
	if err != nil {
		x.Seconds = math.Inf(1)
	}
	if v.count.Add(1) > mostTimes {
		v.times.Clear()
		v.count.Store(0)
	}
	v.times.Store(key, x.Seconds)
	return x.Seconds
}
