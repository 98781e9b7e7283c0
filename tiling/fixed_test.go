package tiling

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

var machines = []Machine{
	{Regs: 32, Lanes: 16, Least: 4, OnePort: true}, {Regs: 32, Lanes: 8, Least: 2, OnePort: true},
	{Regs: 16, Lanes: 8, Least: 4, SlowMask: true}, {Regs: 16, Lanes: 4, Least: 2, SlowMask: true},
}

// Every element of C belongs to a tile, every tile lies in C and fits the registers.
func TestFixedCut(t *testing.T) {
	for _, m := range machines {
		for _, s := range []Shape{{1, 1, 1}, {5, 3, 3}, {8, 8, 8}, {13, 13, 13}, {6, 32, 10}, {23, 23, 23}, {64, 64, 64}, {1, 250, 7}, {97, 2, 3}, {61, 250, 67}} {
			c := m.FixedCut(s)
			rows := 0
			for _, g := range c.Groups(s.M) {
				rows += g.Rows * g.Tiles
				if g.Rows < 1 || g.Rows > c.MR || g.Tiles < 1 {
					t.Errorf("%+v %v: group %v of %v", m, s, g, c)
				}
			}
			if rows != s.M {
				t.Errorf("%+v %v: %v has %d rows", m, s, c, rows)
			}
			covered := make([]bool, s.N)
			for _, p := range c.Panels(s.N) {
				if len(p.Cols) > c.NV || p.Masked != (s.N < c.VL) {
					t.Errorf("%+v %v: panel %v of %v", m, s, p, c)
				}
				for i := range p.Count {
					for _, col := range p.Cols {
						for lane := range min(c.VL, s.N) {
							covered[col+i*len(p.Cols)*c.VL+lane] = true // panics beyond the last column
						}
					}
				}
				need := m.need(c.MR, len(p.Cols), p.Masked) + m.BlockRows(c.VL, c.MR, len(p.Cols))
				if need > m.Regs {
					t.Errorf("%+v %v: %v needs %d registers", m, s, c, need)
				}
			}
			for j, ok := range covered {
				if !ok {
					t.Errorf("%+v %v: column %d is in no panel of %v", m, s, j, c)
				}
			}
			if bound, cycles := c.Bound(s), m.Cycles(s, c); bound > cycles {
				t.Errorf("%+v %v: %v cycles are predicted, below the bound of %v", m, s, cycles, bound)
			}
		}
	}
}

// What is known of some shapes: narrow vectors where they do, one vector of columns
// for 13, and blocks of A for tiles of one vector.
func TestFixedCutChoice(t *testing.T) {
	f32 := machines[0]
	for _, c := range []struct {
		n    int
		want Blocking
		rows int
	}{{4, Blocking{4, 4, 1}, 0}, {8, Blocking{8, 8, 1}, 4}, {13, Blocking{16, 13, 1}, 5}, {16, Blocking{16, 16, 1}, 6}, {32, Blocking{16, 8, 2}, 0}} {
		have := f32.FixedCut(Shape{c.n, c.n, c.n})
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("n = %d (-want +have):\n%s", c.n, diff)
		}
		if rows := f32.BlockRows(have.VL, have.MR, have.NV); rows != c.rows {
			t.Errorf("n = %d: %d rows by blocks, want %d", c.n, rows, c.rows)
		}
	}
}

func TestPanels(t *testing.T) {
	for _, c := range []struct {
		cut  Blocking
		n    int
		want []Panel
	}{
		{Blocking{16, 1, 2}, 64, []Panel{{[]int{0, 16}, 2, false}}},
		{Blocking{16, 1, 2}, 40, []Panel{{[]int{0, 16}, 1, false}, {[]int{24}, 1, false}}},
		{Blocking{16, 1, 2}, 60, []Panel{{[]int{0, 16}, 1, false}, {[]int{32, 44}, 1, false}}},
		{Blocking{16, 1, 2}, 13, []Panel{{[]int{0}, 1, true}}},
		{Blocking{16, 1, 2}, 80, []Panel{{[]int{0, 16}, 2, false}, {[]int{64}, 1, false}}},
	} {
		if diff := cmp.Diff(c.want, c.cut.Panels(c.n)); diff != "" {
			t.Errorf("%v, %d columns (-want +have):\n%s", c.cut, c.n, diff)
		}
	}
}

// The tile for a shape: what nothing is known of has the usual one.
func TestShapeTile(t *testing.T) {
	m := machines[0]
	for _, c := range []struct {
		shape Shape
		want  Micro
	}{{Shape{}, Registers(32)}, {Shape{K: 7}, Registers(32)}, {Shape{6, 64, 0}, Micro{6, 4}}, {Shape{0, 16, 0}, Micro{14, 1}}, {Shape{1, 64, 64}, Micro{1, 4}}} {
		if have := m.Tile(c.shape); have != c.want {
			t.Errorf("%v: tile %v, want %v", c.shape, have, c.want)
		}
	}
}

func TestShapeString(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		want  string
	}{{Shape{8, 8, 8}, "8 x 8 x 8"}, {Shape{0, 40, 32}, "m x 40 x 32"}, {Shape{}, "m x n x k"}} {
		if have := c.shape.String(); have != c.want {
			t.Errorf("have %q, want %q", have, c.want)
		}
	}
}
