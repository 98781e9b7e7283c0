package move_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run/move"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/verify/check/hostile"
)

// TestNothing: what has nothing to move takes no time, however many rows or columns there are and however far apart.
func TestNothing(t *testing.T) {
	e, bytes := hostile.Matrix[float32], hostile.Matrix[uint8]
	for _, n := range append(hostile.Huge[:], 0, 1, 3) {
		for _, s := range [][2]int{{n, 0}, {0, n}} {
			out, x := e(s[0], s[1]), e(s[0], s[1])
			at := hostile.Matrix[int32](s[0], s[1])
			mask := bytes(s[0], s[1]/8+min(s[1]%8, 1))
			for name, call := range map[string]func(){
				"Pad":             func() { move.Pad(out, x, 1) },
				"Pad of less":     func() { move.Pad(out, e(min(s[0], 2), 0), 1) },
				"Expand":          func() { move.Expand(out, mask, nil) },
				"Compress":        func() { move.Compress(nil, x, mask) },
				"Gather":          func() { move.Gather(e(0, s[1]), x, nil) },
				"Gather a row":    func() { move.Gather(e(1, 0), e(n, 0), []int32{0}) },
				"Scatter":         func() { move.Scatter(out, e(0, s[1]), nil) },
				"GatherColumns":   func() { move.GatherColumns(e(s[0], 0), x, nil) },
				"ScatterColumns":  func() { move.ScatterColumns(out, e(s[0], 0), nil) },
				"GatherElements":  func() { move.GatherElements(out, x, at) },
				"ScatterElements": func() { move.ScatterElements(out, x, at) },
				"Transpose":       func() { move.Transpose(e(s[1], s[0]), x) },
				"Interleave":      func() { move.Interleave(e(s[0]/2+s[0]%2, 2*min(s[1], math.MaxInt/2)), x, 2) },
				"Deinterleave":    func() { move.Deinterleave(x, e(s[0]/2+s[0]%2, 2*min(s[1], math.MaxInt/2)), 2) },
			} {
				hostile.AtOnce(t, fmt.Sprintf("%s of %d x %d", name, s[0], s[1]), call)
			}
		}
	}
	// Strides mean nothing where there is one row, and nothing at all where there are no columns.
	one := layout.Matrix[float32]{Data: make([]float32, 3), Rows: 1, Cols: 3, RowStride: math.MaxInt, ColStride: 1}
	if move.Pad(one, e(1, 0), 7); one.Data[0] != 7 || one.Data[2] != 7 {
		t.Errorf("padded with %v, want 7", one.Data)
	}
}
