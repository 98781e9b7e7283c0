package layout

import "fmt"

// Layout is a function from the coordinates of a shape to offsets, written
// shape:stride. Shape and stride have the same nesting; a coordinate goes to the
// sum of its parts times their strides. An integer is a coordinate too: it counts
// through the shape with the leftmost mode fastest. So (4,8):(8,1) is a row-major
// matrix of 4 rows, and its element 5 is in row 1 of column 1, at offset 9.
//
// Offsets count whatever the user says: elements, bytes, lanes. Strides are not
// negative; a stride of 0 repeats. Layouts are immutable values, made by [Make],
// [Parse], [Columns] and [Rows], and by the operations on them. The zero Layout
// is ():(), which has one element, at 0.
//
// The notions and the names are those of NVIDIA's CuTe; J. Shah, "A note on the
// algebra of CuTe layouts" (2023), is the theory.
type Layout struct {
	shape, stride Tuple
}

// Map is what [Layout] and [Swizzled] have in common: a function from a shape to
// offsets, which can be evaluated and drawn.
type Map interface {
	Shape() Tuple
	At(c ...int) int
	String() string
}

// Make returns shape:stride. It refuses tuples of different nesting, sizes below
// 1, negative strides, and more than 2^48 elements or a larger offset.
func Make(shape, stride Tuple) (Layout, error) {
	l := Layout{shape, stride}
	if shape.Depth() > maxDepth || stride.Depth() > maxDepth {
		return Layout{}, refuse("Make", "nested deeper than %d", maxDepth)
	}
	if n := len(shape.Leaves()); n > maxLeaves {
		return Layout{}, refuse("Make", "%d sizes, more than %d", n, maxLeaves)
	}
	if !shape.Congruent(stride) {
		return Layout{}, refuse("Make", "shape %v and stride %v are not nested alike", shape, stride)
	}
	last := 0
	for i, m := range l.leaves() {
		switch {
		case m.n < 1:
			return Layout{}, refuse("Make", "size %d of %v is %d, not at least 1", i, l, m.n)
		case m.d < 0:
			return Layout{}, refuse("Make", "stride %d of %v is %d, not at least 0", i, l, m.d)
		case m.n > maxSize || m.d > maxSize || m.n > 1 && m.d > (maxSize-1-last)/(m.n-1):
			return Layout{}, refuse("Make", "%v reaches beyond offset %d", l, maxSize-1)
		}
		last += (m.n - 1) * m.d
	}
	if _, ok := shape.size(); !ok {
		return Layout{}, refuse("Make", "%v has more than %d elements", l, maxSize)
	}
	return l, nil
}

// Columns returns the compact layout of shape whose leftmost mode is contiguous:
// the column-major one of a matrix. It refuses what [Make] does.
func Columns(shape Tuple) (Layout, error) {
	at := 1
	return compact(shape, &at, func(i, _ int) int { return i })
}

// Rows returns the compact layout of shape whose rightmost mode is contiguous: the
// row-major one of a matrix. It refuses what [Make] does.
func Rows(shape Tuple) (Layout, error) {
	at := 1
	return compact(shape, &at, func(i, rank int) int { return rank - 1 - i })
}

// compact walks the leaves of shape in the order that nth gives for each tuple.
func compact(shape Tuple, at *int, nth func(i, rank int) int) (Layout, error) {
	if _, ok := shape.size(); !ok {
		return Layout{}, refuse("Make", "shape %v has a size below 1 or more than %d elements", shape, maxSize)
	}
	var walk func(Tuple) Tuple
	walk = func(t Tuple) Tuple {
		if t.leaf {
			d := *at
			*at *= t.n
			return Int(d)
		}
		s := Tuple{modes: make([]Tuple, len(t.modes))}
		for i := range t.modes {
			k := nth(i, len(t.modes))
			s.modes[k] = walk(t.modes[k])
		}
		return s
	}
	return Make(shape, walk(shape))
}

// Join returns the layout whose modes are ls; a coordinate of it is one of each.
// It panics with a [ShapeError] if together they exceed the bounds of [Make].
func Join(ls ...Layout) Layout {
	l := join(ls)
	if _, err := Make(l.shape, l.stride); err != nil {
		panic(ShapeError{"layout.Join", err.(ShapeError).Why})
	}
	return l
}

func join(ls []Layout) Layout {
	var l Layout
	for _, m := range ls {
		l.shape.modes = append(l.shape.modes, m.shape)
		l.stride.modes = append(l.stride.modes, m.stride)
	}
	return l
}

// Shape returns the sizes.
func (l Layout) Shape() Tuple { return l.shape }

// Stride returns the strides, nested as the shape.
func (l Layout) Stride() Tuple { return l.stride }

// Rank returns how many modes l has; n:d has one.
func (l Layout) Rank() int { return l.shape.Rank() }

// Depth returns how deep the shape is nested; 0 for n:d.
func (l Layout) Depth() int { return l.shape.Depth() }

// Mode returns mode i as a layout. It panics with a [ShapeError] if there is none.
func (l Layout) Mode(i int) Layout { return Layout{l.shape.Mode(i), l.stride.Mode(i)} }

// Modes returns all modes.
func (l Layout) Modes() []Layout {
	ms := make([]Layout, l.Rank())
	for i := range ms {
		ms[i] = l.Mode(i)
	}
	return ms
}

// Size returns how many coordinates l has.
func (l Layout) Size() int {
	n, _ := l.shape.size()
	return n
}

// Cosize returns one more than the largest offset.
func (l Layout) Cosize() int {
	last := 0
	for _, m := range l.leaves() {
		last += (m.n - 1) * m.d
	}
	return last + 1
}

// At returns the offset of a coordinate: one integer counts through the whole
// layout, otherwise there is one for each mode. It panics with a [ShapeError] if
// their number is another or one is outside the layout.
func (l Layout) At(c ...int) int {
	if len(c) == 1 {
		return inside(l, l, c[0])
	}
	if len(c) != l.Rank() {
		panic(ShapeError{"layout.At", fmt.Sprintf("%d integers for %v, which takes 1 or %d", len(c), l, l.Rank())})
	}
	at := 0
	for i, c := range c {
		at += inside(l, l.Mode(i), c)
	}
	return at
}

// inside returns the offset of c in a part of l.
func inside(l, part Layout, c int) int {
	if c < 0 || c >= part.Size() {
		panic(ShapeError{"layout.At", fmt.Sprintf("coordinate %d of %v, a part of %v that ends at %d", c, part.shape, l, part.Size())})
	}
	at, _ := offset(part.shape, part.stride, c)
	return at
}

// offset takes from i the part that belongs to this shape, and returns the offset
// and the rest of i.
func offset(shape, stride Tuple, i int) (at, rest int) {
	if shape.leaf {
		return i % shape.n * stride.n, i / shape.n
	}
	for k, s := range shape.modes {
		var d int
		d, i = offset(s, stride.modes[k], i)
		at += d
	}
	return at, i
}

// AtTuple is At for a nested coordinate: an integer in c counts through the part
// of the shape that it faces. It panics as At does.
func (l Layout) AtTuple(c Tuple) int {
	if c.leaf {
		return inside(l, l, c.n)
	}
	if l.shape.leaf || c.Rank() != l.Rank() {
		panic(ShapeError{"layout.AtTuple", fmt.Sprintf("coordinate %v does not fit shape %v", c, l.shape)})
	}
	at := 0
	for i, c := range c.modes {
		at += l.Mode(i).AtTuple(c)
	}
	return at
}

// Coordinate returns coordinate i nested as the shape is. It panics with a
// [ShapeError] if i is outside the layout.
func (l Layout) Coordinate(i int) Tuple {
	inside(l, l, i)
	c, _ := coordinate(l.shape, i)
	return c
}

func coordinate(shape Tuple, i int) (c Tuple, rest int) {
	if shape.leaf {
		return Int(i % shape.n), i / shape.n
	}
	c.modes = make([]Tuple, len(shape.modes))
	for k, s := range shape.modes {
		c.modes[k], i = coordinate(s, i)
	}
	return c, i
}

// Equal reports whether l and m are written alike. Layouts that are written
// differently can be the same function of an integer: see [Coalesce].
func (l Layout) Equal(m Layout) bool { return l.shape.Equal(m.shape) && l.stride.Equal(m.stride) }

// String returns l as text, which [Parse] reads.
func (l Layout) String() string {
	return string(l.stride.appendText(append(l.shape.appendText(nil), ':')))
}

// mode is a leaf of a layout: n elements, d apart.
type mode struct{ n, d int }

func (m mode) String() string { return fmt.Sprintf("%d:%d", m.n, m.d) }

// leaves returns the leaves of l from left to right.
func (l Layout) leaves() []mode {
	n, d := l.shape.Leaves(), l.stride.Leaves()
	ms := make([]mode, len(n))
	for i := range ms {
		ms[i] = mode{n[i], d[i]}
	}
	return ms
}

// flat returns the layout of ms, not deeper than it need be: 1:0 for none.
func flat(ms []mode) Layout {
	switch len(ms) {
	case 0:
		return Layout{Int(1), Int(0)}
	case 1:
		return Layout{Int(ms[0].n), Int(ms[0].d)}
	}
	var l Layout
	for _, m := range ms {
		l.shape.modes = append(l.shape.modes, Int(m.n))
		l.stride.modes = append(l.stride.modes, Int(m.d))
	}
	return l
}

// refuse is the error of an operation that cannot be done.
func refuse(op, format string, args ...any) error {
	return ShapeError{"layout." + op, fmt.Sprintf(format, args...)}
}

// within says that the refusal of a part was met while doing op.
func within(op string, err error) error { return fmt.Errorf("layout.%s: %w", op, err) }
