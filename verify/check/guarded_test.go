package check

import (
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// faults reports whether f touches inaccessible memory.
func faults(f func()) bool {
	at, _ := faulted(f)
	return at != 0
}

func TestPutAndTakeAreInverse(t *testing.T) {
	var g guarded[float64]
	p := bare[float64](nil, nil).random(Shape{5, 7, 3}, fillsOf(dtype.F64, dtype.F64, false)[0], 1)
	for _, l := range arrangements {
		for _, at := range []position{middle, left, right} {
			if err := g.put(p.c, 5, 7, l, at, 3); err != nil {
				t.Fatal(err)
			}
			m := g.m
			if err := m.CheckOut("out"); err != nil {
				t.Errorf("%s: %v", l.Name, err)
			}
			if m.At(2, 3) != p.c[2*7+3] {
				t.Errorf("%s: element (2, 3) is %v, want %v", l.Name, m.At(2, 3), p.c[2*7+3])
			}
			have, err := g.take()
			if err != nil {
				t.Errorf("%s %v: %v", l.Name, at, err)
			}
			if !slices.Equal(p.c, have) {
				t.Errorf("%s %v: %v", l.Name, at, have)
			}
		}
	}
	if err := g.close(); err != nil {
		t.Error(err)
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
	if len(seen) != 9 || seen[[3]position{}] == 0 {
		t.Errorf("operands lie at %v", seen)
	}
}
