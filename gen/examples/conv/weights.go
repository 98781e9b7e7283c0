package conv

import "github.com/tilesmith/tilesmith/layout/pages"

// Weights are those of a convolution in the order in which its kernels read them. They are blocks of rows for
// the elements that a tap, or neighbouring taps, see. Each block is as wide as a panel of channels of the
// result, and the last panel is filled up with zeros. They are for one direction of one [Conv], and hold a
// copy: who changes weights packs them again.
type Weights[T Elem] struct {
	of     *window
	data   []T
	passes []int // where those of a pass begin
	panel  []int // how many elements a panel of a pass has
}

// pack packs weights, of which at says where one is for a tap, a channel of the source and one of the result.
func pack[T Elem](w *window, width, pairs int, weights []T, at func(t tap, src, dst int) int) *Weights[T] {
	x := &Weights[T]{of: w}
	panels := (w.dst[2] + width - 1) / width
	size := 0
	for _, p := range w.passes {
		x.passes = append(x.passes, size)
		x.panel = append(x.panel, len(p.taps)*w.channels*width)
		size += panels * len(p.taps) * w.channels * width
	}
	x.data = pages.Make[T](size)
	for i, p := range w.passes {
		for panel := range panels {
			to := x.data[x.passes[i]+panel*x.panel[i]:][:x.panel[i]]
			for n, t := range p.taps {
				for c := range w.src[2] {
					k := n*w.channels + c // row of all blocks one under another
					for j := range min(width, w.dst[2]-panel*width) {
						to[k/pairs*pairs*width+pairs*j+k%pairs] = weights[at(t, c, panel*width+j)]
					}
				}
			}
		}
	}
	return x
}
