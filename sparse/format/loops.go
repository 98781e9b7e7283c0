package format

// Loops spells the loops of a kernel for a format: its axes, outermost first. An axis has v
// if it owns pointers, s if it owns indices, and 1 if it always has one position. It has
// its parent if that is not the axis before. Words for a mask and an order follow. Two
// formats with the same loops have the same kernel, whatever their names:
//
//	csr     i j:vs                     ell     i j:s
//	sell    io p:v ii j:s1 order       srbcrs  io p:v ii j:s<p mask
//
// masked says that slots have a mask, ordered that rows are moved.
func Loops(axes []Axis, masked, ordered bool) string {
	return string(appendLoops(nil, axes, masked, ordered, false))
}

// Loops spells the loops of a kernel for p.
func (m stored) Loops() string {
	p := m.s.some()
	return Loops(p.axes, p.arrays.Mask != nil, p.arrays.Order != nil)
}

// HasLoops reports whether a kernel with these loops can run over p. It is for choosing
// among kernels, so it allocates nothing. The loops may be those of p, or have any number
// of positions where p always has one. They may also have a mask where p has none: then
// masked is true, and the kernel needs a mask of ones.
func (m stored) HasLoops(loops string) (ok, masked bool) {
	p := m.s
	if p == nil {
		return false, false
	}
	for i, text := range p.loops {
		if text == loops {
			return true, i%2 > 0
		}
	}
	return false, false
}

// loopTexts are the loops that can run over a matrix, spelled once, since each product
// asks for several. These are its own, those with a mask that it may not have, and both
// with any number of positions.
type loopTexts [4]string

func newLoopTexts(axes []Axis, masked, ordered bool) (t loopTexts) {
	for i := range t {
		t[i] = string(appendLoops(nil, axes, masked || i%2 > 0, ordered, i >= 2))
	}
	return t
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
