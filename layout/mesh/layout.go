package mesh

import (
	"slices"

	"github.com/tilesmith/tilesmith/layout"
)

// Layout returns s as a layout with two modes: the rank, and the element of its tile in
// the order in which tiles are stored. At(rank, i) is the offset of that element in the
// whole array, stored densely with the last index fastest. Axes that repeat the array have
// stride 0. So 4{x} x 6 on x=2,y=3 is
//
//	((3,2),(6,2)):((0,12),(1,6))
//
// A sharding is one more level of such a layout, above those of caches and registers, and
// a [layout.Fragment] draws both. It refuses sizes that the parts do not divide, which no
// layout can say, and arrays without elements.
func (s Sharding) Layout() (layout.Layout, error) {
	var ranks, tile, rankStrides, tileStrides []layout.Tuple
	stride := make([]int, len(s.mesh.axes)) // of an axis
	weight := 1                             // of an index of this dimension
	for i, d := range slices.Backward(s.dims) {
		n := d.parts * max(d.block, 1)
		if d.size == 0 || d.size%n != 0 {
			return layout.Layout{}, refuse("Layout", "dimension %d of %v has size %d, which is not a multiple of %d; uneven tiles have no layout", i, s, d.size, n)
		}
		next := d.size / d.parts * weight
		if d.block == 0 {
			tile, tileStrides = append(tile, layout.Int(d.size/d.parts)), append(tileStrides, layout.Int(weight))
		} else {
			next = d.block * weight
			tile, tileStrides = append(tile, layout.Ints(d.block, d.size/n)), append(tileStrides, layout.Ints(weight, n*weight))
		}
		for _, a := range slices.Backward(d.axes) {
			stride[a] = next
			next *= s.mesh.axes[a].Size
		}
		weight *= d.size
	}
	for a, axis := range slices.Backward(s.mesh.axes) {
		ranks, rankStrides = append(ranks, layout.Int(axis.Size)), append(rankStrides, layout.Int(stride[a]))
	}
	return layout.Make(
		layout.Nest(layout.Nest(ranks...), layout.Nest(tile...)),
		layout.Nest(layout.Nest(rankStrides...), layout.Nest(tileStrides...)))
}
