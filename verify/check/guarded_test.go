package check

import (
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// faults reports whether f touches inaccessible memory.
func faults(f func()) bool {
	at, _ := faulted(f)
	return at != 0
}

func TestPutAndTakeAreInverse(t *testing.T) {
	op, c := bare[float64](nil, nil)
	v := random(c, Shape{5, 7, 3}, fillsOf(dtype.F64, dtype.F64, false)[0], 1)
	for _, l := range arrangements {
		for _, at := range []position{middle, left, right} {
			p := op.of(c, v, call{la: l, lb: l, lo: l, beta: 1, at: at, shift: 3})
			m := Get[layout.Matrix[float64]](p, 0)
			if err := m.CheckOut("out"); err != nil {
				t.Errorf("%s: %v", l.Name, err)
			}
			if m.At(2, 3) != v.c[2*7+3] {
				t.Errorf("%s: element (2, 3) is %v, want %v", l.Name, m.At(2, 3), v.c[2*7+3])
			}
			if err := p.untouched(); err != nil {
				t.Errorf("%s %v: %v", l.Name, at, err)
			}
			var have []float64
			for e := range v.c {
				have = append(have, p.Load(0, e/7, e%7))
			}
			if !slices.Equal(v.c, have) {
				t.Errorf("%s %v: %v", l.Name, at, have)
			}
			p.close()
		}
	}
}

// Operands of problems lie at all ends of their memory, each of two beside each of the other's, and between canaries.
func TestRoomIsAtAllEnds(t *testing.T) {
	if !guard.Pages {
		t.Skip("there are no pages")
	}
	where := func(x []float32) position {
		switch {
		case faults(func() { sink = float64(*tail(&x[0], -1)) }):
			return left
		case faults(func() { sink = float64(*tail(&x[len(x)-1], 1)) }):
			return right
		}
		return middle
	}
	seen := map[[3]position]int{}
	for turn := range 16 {
		p := (&Case{}).problem(Shape{}, 1, true)
		p.guarded, p.turn = true, turn
		seen[[3]position{where(room[float32](p, 7)), where(room[float32](p, 7)), where(room[float32](p, 7))}]++
		p.close()
	}
	if len(seen) != 9 || seen[[3]position{middle, middle, middle}] == 0 {
		t.Errorf("operands lie at %v", seen)
	}
}
