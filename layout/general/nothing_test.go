package general_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/general"
	"github.com/tilesmith/tilesmith/layout/sparse24"
	"github.com/tilesmith/tilesmith/verify/check/hostile"
)

// TestNothing: a matrix without elements takes no time, however many rows or columns it has.
func TestNothing(t *testing.T) {
	long := layout.MustParse(fmt.Sprintf("(%d,4):(0,1)", min(1<<30, math.MaxInt/64))) // every row lies in one place
	for _, n := range append(hostile.Huge[:], 0, 1, 3) {
		for _, s := range [][2]int{{n, 0}, {0, n}} {
			m := hostile.Matrix[float32](s[0], s[1])
			for name, call := range map[string]func(){
				"Arrange":  func() { layout.Arrange(long, m) },
				"Restore":  func() { layout.Restore(m, long, make([]float32, 4)) },
				"New":      func() { layout.New[float32](s[0], s[1]) },
				"RowMajor": func() { layout.RowMajor[float32](nil, s[0], s[1]) },
				"ColMajor": func() { layout.ColMajor[float32](nil, s[0], s[1]) },
				"Slice":    func() { m.Slice(s[0]/2, s[0], s[1]/2, s[1]) },
				"String":   func() { _ = m.String() },
				"T":        func() { _ = m.T().String() },
				"To32": func() {
					if g, err := general.To32(m); err == nil {
						general.From32(g)
					}
				},
				"sparse24.Prune": func() { sparse24.Prune(m) },
				"sparse24.Pack": func() {
					if p, err := sparse24.Pack(m); err == nil {
						p.Unpack()
					}
				},
				"sparse24.New": func() {
					if p, err := sparse24.New[float32](s[0], s[1], nil, nil); err == nil {
						p.Unpack()
					}
				},
			} {
				hostile.AtOnce(t, fmt.Sprintf("%s of %d x %d", name, s[0], s[1]), call)
			}
		}
	}
}
