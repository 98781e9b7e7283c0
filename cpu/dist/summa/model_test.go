package summa_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/dist/summa"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// cluster is a machine of about this time: 2 us, 10 GB/s, 100 Gflop/s.
var cluster = cost.Machine{Link: cost.Link{Latency: 2e-6, Bandwidth: 10e9}, Flops: 100e9, Rates: [machine.Levels]float64{machine.Memory: 20e9}}

// TestPlanGEMM: which arrangement wins where one must.
func TestPlanGEMM(t *testing.T) {
	for _, c := range []struct {
		name           string
		m, n, k, ranks int
		on             func(*cost.Machine)
		want           string
	}{
		{"one rank", 1000, 1000, 1000, 1, nil, "1x1"},
		{"many rows", 1 << 20, 64, 64, 16, nil, "16x1"},
		{"many columns", 64, 1 << 20, 64, 16, nil, "1x16"},
		{"long sums", 64, 64, 1 << 20, 16, nil, "1x1x16"},
		{"slow network, cube", 4096, 4096, 4096, 8, func(m *cost.Machine) { m.Bandwidth = 1e8 }, "2x2x2"},
		{"slow network, little memory", 4096, 4096, 4096, 8, func(m *cost.Machine) {
			m.Bandwidth, m.Memory = 1e8, 100<<20
		}, "2x4"},
	} {
		on := cluster
		if c.on != nil {
			c.on(&on)
		}
		plans, err := summa.Plans(c.m, c.n, c.k, dtype.F64, c.ranks, on)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if have := plans[0].Plan.Grid.String(); have != c.want && !(c.want == "2x4" && have == "4x2") {
			t.Errorf("%s: %s; want %s", c.name, have, c.want)
		}
		for i, p := range plans {
			if i > 0 && plans[i-1].Seconds > cost.Total(p.Plan.Steps(), on) {
				t.Errorf("%s: %v is slower than %v", c.name, plans[i-1], p)
			}
			if cost := p.Plan.Cost(0); on.Memory > 0 && cost.Bytes > on.Memory {
				t.Errorf("%s: %v takes %d bytes", c.name, p, cost.Bytes)
			}
		}
	}
}

func TestPlanGEMMRefuses(t *testing.T) {
	small, wrong, idle, still := cluster, cluster, cluster, cluster
	idle.Flops, still.Rates = 0, [machine.Levels]float64{}
	small.Memory, wrong.Bandwidth = 1000, math.NaN()
	for _, c := range []struct {
		m, ranks int
		on       cost.Machine
		want     string
	}{
		{1000, 4, small, "takes at least"}, {1000, 0, cluster, "0 ranks"}, {-1, 2, cluster, "-1 x"}, {1000, 2, wrong, "NaN"},
		{math.MaxInt, 2, cluster, "too large"}, {1000, 2, idle, "a machine of 0 flop/s"}, {1000, 2, still, "and 0 bytes/s of memory"},
	} {
		if c.m == math.MaxInt32 {
			continue // an int of 32 bits holds no size that is
		}
		if _, err := summa.Plans(c.m, 1000, 1000, dtype.F32, c.ranks, c.on); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestGEMMBound: no plan receives less than any algorithm must, and those whose boxes are
// right for the sizes receive just that.
func TestGEMMBound(t *testing.T) {
	for _, s := range [][4]int{{64, 64, 64, 8}, {128, 128, 32, 16}, {1024, 8, 8, 4}, {48, 96, 24, 6}, {64, 64, 4096, 32}, {60, 60, 60, 27}} {
		bound, err := summa.Bound(s[0], s[1], s[2], s[3])
		if err != nil {
			t.Fatal(err)
		}
		plans, err := summa.Plans(s[0], s[1], s[2], dtype.F64, s[3], cluster)
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		for _, x := range plans {
			p, most := x.Plan, 0.
			for r := range p.Grid.Ranks() {
				most = max(most, float64(p.Cost(r).BytesReceived)/8)
			}
			if most < bound*(1-1e-12) {
				t.Errorf("%v: %v receives %v elements; the bound is %v", s, p.Grid, most, bound)
			}
			least = min(least, most)
		}
		if s[3] == 8 || s[3] == 4 || s[3] == 32 { // p, q and c divide and make cubes, or are one line
			if math.Abs(least-bound) > 1e-9*bound {
				t.Errorf("%v: the best plan receives %v elements; the bound is %v", s, least, bound)
			}
		}
	}
}
