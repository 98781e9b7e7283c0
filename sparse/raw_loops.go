package sparse

// Loops spells which loops a kernel for a format has: its axes, outermost first,
// with v for one that owns pointers and s for one that owns indices, 1 where it has
// always one position, the parent where it is not the axis before, and what else the
// matrix has. Two formats with the same loops have the same kernel, whatever they
// are called:
//
//	csr     i j:vs                     ell     i j:s
//	sell    io p:v ii j:s1 order       srbcrs  io p:v ii j:s<p mask
//
// masked says that slots have a mask, ordered that rows are moved.
func Loops(axes []Axis, masked, ordered bool) string {
	return string(appendLoops(nil, axes, masked, ordered, false))
}

// Loops spells the loops of a kernel for p.
func (p Packed[T]) Loops() string {
	return Loops(p.axes, p.arrays.Mask != nil, p.arrays.Order != nil)
}

// HasLoops reports whether a kernel with these loops can run over p; it is for
// choosing among kernels, so it allocates nothing. It can if they are those of p, or
// the same but with any number of positions where p has always one, or with a mask
// where p has none: then masked is true, and the kernel needs a mask of ones.
func (p Packed[T]) HasLoops(loops string) (ok, masked bool) {
	var buf [64]byte
	mask, order := p.arrays.Mask != nil, p.arrays.Order != nil
	for _, general := range []bool{false, true} {
		if string(appendLoops(buf[:0], p.axes, mask, order, general)) == loops {
			return true, false
		}
		if !mask && string(appendLoops(buf[:0], p.axes, true, order, general)) == loops {
			return true, true
		}
	}
	return false, false
}

func appendLoops(s []byte, axes []Axis, masked, ordered, general bool) []byte {
	for k, ax := range axes {
		if k > 0 {
			s = append(s, ' ')
		}
		s = append(s, ax.Name...)
		if ax.Variable || ax.Sparse {
			s = append(s, ':')
		}
		if ax.Variable {
			s = append(s, 'v')
		}
		if ax.Sparse {
			s = append(s, 's')
		}
		if ax.Size == 1 && ax.Sparse && !ax.Variable && !general {
			s = append(s, '1')
		}
		if ax.Parent != "" {
			s = append(append(s, '<'), ax.Parent...)
		}
	}
	if masked {
		s = append(s, " mask"...)
	}
	if ordered {
		s = append(s, " order"...)
	}
	return s
}
