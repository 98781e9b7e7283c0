package mesh

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/layout"
)

// Bounds, far above what exists. Ranks times elements stay below maxWork, so that no sum
// over ranks overflows.
const (
	maxRanks    = 1 << 20
	maxAxes     = 32
	maxDims     = 8
	maxName     = 64
	maxElements = 1 << 48
	maxWork     = 1 << 62
)

// An Axis is one direction of a mesh.
type Axis struct {
	Name string // letters, digits, _ and ., not beginning with a digit
	Size int    // ranks along it, at least 1
}

// Mesh is a grid of ranks with named axes. Ranks are numbered with the last axis
// fastest, as MPI numbers processes in Cartesian grids. On x=2,y=4 rank 5 is at x = 1, y =
// 1. A Mesh is an immutable value, made by [New] or [ParseMesh]; the zero Mesh has one
// rank and no axes.
type Mesh struct {
	axes []Axis
}

// New returns the mesh of axes, slowest first. It refuses names that are not names or
// not distinct, sizes below 1, more than 32 axes and more than 2^20 ranks.
func New(axes ...Axis) (Mesh, error) {
	if len(axes) > maxAxes {
		return Mesh{}, refuse("New", "%d axes; want at most %d", len(axes), maxAxes)
	}
	size := 1
	for i, a := range axes {
		switch {
		case !isName(a.Name):
			return Mesh{}, refuse("New", "axis %d is called %.70q; want letters, digits, _ and ., at most %d, not a digit first", i, a.Name, maxName)
		case slices.ContainsFunc(axes[:i], func(b Axis) bool { return a.Name == b.Name }):
			return Mesh{}, refuse("New", "two axes are called %s", a.Name)
		case a.Size < 1:
			return Mesh{}, refuse("New", "axis %s has size %d; want at least 1", a.Name, a.Size)
		case a.Size > maxRanks/size:
			return Mesh{}, refuse("New", "more than %d ranks", maxRanks)
		}
		size *= a.Size
	}
	return Mesh{slices.Clone(axes)}, nil
}

func isName(s string) bool {
	if s == "" || len(s) > maxName || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool { return !isNameByte(r) }) < 0
}

func isNameByte(r rune) bool {
	return r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// Axes returns the axes, slowest first.
func (m Mesh) Axes() []Axis { return slices.Clone(m.axes) }

// Size returns how many ranks there are.
func (m Mesh) Size() int {
	n := 1
	for _, a := range m.axes {
		n *= a.Size
	}
	return n
}

// Coordinates returns where rank is along each axis. It panics with a
// [layout.ShapeError] if there is no such rank.
func (m Mesh) Coordinates(rank int) []int {
	if rank < 0 || rank >= m.Size() {
		panic(refuse("Mesh.Coordinates", "rank %d of %v, which has %d", rank, m, m.Size()))
	}
	c := make([]int, len(m.axes))
	for i := len(c) - 1; i >= 0; i-- {
		c[i] = rank % m.axes[i].Size
		rank /= m.axes[i].Size
	}
	return c
}

// Rank returns the rank at one coordinate for each axis: the inverse of Coordinates. It
// panics with a [layout.ShapeError] if there is none.
func (m Mesh) Rank(coordinates ...int) int {
	if len(coordinates) != len(m.axes) {
		panic(refuse("Mesh.Rank", "%d coordinates; %v has %d axes", len(coordinates), m, len(m.axes)))
	}
	r := 0
	for i, c := range coordinates {
		if c < 0 || c >= m.axes[i].Size {
			panic(refuse("Mesh.Rank", "%s = %d on %v", m.axes[i].Name, c, m))
		}
		r = r*m.axes[i].Size + c
	}
	return r
}

// Split returns the mesh with an axis replaced by several whose sizes multiply to its
// own, slowest first, called axis.0, axis.1 and so on. Ranks keep their numbers. It
// refuses an axis that is not there, other sizes, and names that are taken.
func (m Mesh) Split(axis string, sizes ...int) (Mesh, error) {
	at := m.index(axis)
	if at < 0 {
		return Mesh{}, refuse("Split", "%v has no axis %s", m, axis)
	}
	parts, n := make([]Axis, len(sizes)), 1
	for i, s := range sizes {
		if s < 1 || s > m.axes[at].Size/n {
			n = 0
			break
		}
		n *= s
		parts[i] = Axis{fmt.Sprintf("%s.%d", axis, i), s}
	}
	if n != m.axes[at].Size {
		return Mesh{}, refuse("Split", "axis %s of size %d into %d; want sizes whose product it is", axis, m.axes[at].Size, sizes)
	}
	return New(slices.Concat(m.axes[:at], parts, m.axes[at+1:])...)
}

// index returns which axis has this name, or -1.
func (m Mesh) index(name string) int {
	return slices.IndexFunc(m.axes, func(a Axis) bool { return a.Name == name })
}

// Equal reports whether m and n have the same axes in the same order.
func (m Mesh) Equal(n Mesh) bool { return slices.Equal(m.axes, n.axes) }

// String returns m as text, which [ParseMesh] reads: x=2,y=4.
func (m Mesh) String() string {
	var b strings.Builder
	for i, a := range m.axes {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s=%d", a.Name, a.Size)
	}
	return b.String()
}

// refuse is the error of what cannot be done.
func refuse(op, format string, args ...any) error {
	return layout.ShapeError{What: "mesh." + op, Why: fmt.Sprintf(format, args...)}
}
