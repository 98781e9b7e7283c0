package epi

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
)

// Outputs may be beside each other, and beside operands, in one matrix; where one element is shared they are refused.
func TestBeside(t *testing.T) {
	const rows, all = 3, 10
	whole := layout.New[float32](rows, all)
	for _, c := range []struct{ from, cols, other, others int }{
		{0, 5, 5, 5}, {5, 5, 0, 5}, {0, 2, 8, 2}, {0, 5, 4, 5}, {0, 6, 5, 5}, {3, 4, 0, 3}, {3, 4, 0, 4}, {2, 3, 4, 6}, {0, 10, 9, 1},
	} {
		shared := c.from < c.other+c.others && c.other < c.from+c.cols
		for _, turned := range []bool{false, true} {
			x, y := whole.Slice(0, rows, c.from, c.from+c.cols), whole.Slice(0, rows, c.other, c.other+c.others)
			if turned {
				x, y = x.T(), y.T()
			}
			for _, written := range []bool{false, true} {
				t.Run(fmt.Sprintf("%+v turned=%v written=%v", c, turned, written), func(t *testing.T) {
					a, b := MemoryOf("a", x), MemoryOf("b", y)
					a.written, a.full, b.written, b.full = true, true, written, true
					e := New("f", rows, all)
					e.N, e.spans[0], e.spans[1] = 2, a, b
					defer func() {
						if refused := recover() != nil; refused != shared {
							t.Errorf("refused: %v, shared: %v", refused, shared)
						}
					}()
					e.CheckOverlap(Memory{}, Memory{})
				})
			}
		}
	}
}
