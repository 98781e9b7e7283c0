package sparse

import "strings"

// Loops spells which loops a kernel for a format has: its axes, outermost first,
// with v for one that owns pointers and s for one that owns indices, 1 where it has
// always one position, the parent where it is not the axis before, and what else the matrix has. Two formats with
// the same loops have the same kernel, whatever they are called:
//
//	csr     i j:vs                     ell     i j:s
//	sell    io p:v ii j:s1 order       srbcrs  io p:v ii j:s<p mask
//
// masked says that slots have a mask, ordered that rows are moved.
func Loops(axes []Axis, masked, ordered bool) string {
	var words []string
	for _, ax := range axes {
		w := ax.Name
		if ax.Variable || ax.Sparse {
			w += ":"
		}
		if ax.Variable {
			w += "v"
		}
		if ax.Sparse {
			w += "s"
		}
		if ax.Size == 1 && ax.Sparse && !ax.Variable {
			w += "1"
		}
		if ax.Parent != "" {
			w += "<" + ax.Parent
		}
		words = append(words, w)
	}
	if masked {
		words = append(words, "mask")
	}
	if ordered {
		words = append(words, "order")
	}
	return strings.Join(words, " ")
}

// Loops spells the loops of a kernel for p.
func (p Packed[T]) Loops() string {
	return Loops(p.format.Axes, p.arrays.Mask != nil, p.arrays.Order != nil)
}
