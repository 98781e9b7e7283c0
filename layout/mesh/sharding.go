package mesh

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// A Dim says how one dimension of an array is cut.
//
// Axes, from the outermost in, cut the dimension into as many parts as the product of
// their sizes. Part number c belongs to the ranks whose coordinates along the axes, read
// as one number with the last axis fastest, are c. (Papers that list the innermost axis
// first mean the same with the list turned round.)
//
// With Block = 0 each part is one block: part c of P begins at ceil(c*Size/P). So sizes
// differ by at most 1 whatever the sizes of the axes, and rank 0 has one of the largest.
// Blocks nest: those of axes {x,y} are cuts of those of {x}. A plan can therefore slice
// and gather uneven blocks in place.
//
// With Block = b > 0, blocks of b indices are dealt to the parts in turn, as in
// ScaLAPACK's block-cyclic arrays (source rank 0). The last block may be short.
type Dim struct {
	Size  int
	Axes  []string
	Block int
}

// Sharding says which rank of a mesh holds which part of an array: dimensions are cut
// along axes, and axes that cut none repeat it. It is an immutable value, made by
// [Mesh.Shard] or [Mesh.Parse]; the zero Sharding is a number on one rank.
//
// A local tile is stored densely with the last index fastest, in the order of global
// indices.
type Sharding struct {
	mesh Mesh
	dims []dim
}

type dim struct {
	size  int
	axes  []int // of the mesh
	parts int   // the product of their sizes
	block int   // 0: one for each part
}

// Shard returns the sharding of an array with these dimensions. It refuses unknown axes,
// axes that are used twice, negative sizes, more than 8 dimensions and more than 2^48
// elements. The elements times the ranks must not exceed 2^62.
func (m Mesh) Shard(dims ...Dim) (Sharding, error) {
	if len(dims) > maxDims {
		return Sharding{}, refuse("Shard", "%d dimensions; want at most %d", len(dims), maxDims)
	}
	s := Sharding{mesh: m, dims: make([]dim, len(dims))}
	used := map[string]int{}
	elements := int64(1)
	for i, d := range dims {
		if d.Size < 0 || d.Block < 0 {
			return Sharding{}, refuse("Shard", "dimension %d has size %d and block %d; want at least 0", i, d.Size, d.Block)
		}
		if n := int64(max(d.Size, 1)); n > maxElements/elements {
			return Sharding{}, refuse("Shard", "more than %d elements", int64(maxElements))
		} else {
			elements *= n
		}
		s.dims[i] = dim{size: d.Size, parts: 1, block: d.Block}
		for _, name := range d.Axes {
			at := m.index(name)
			if at < 0 {
				return Sharding{}, refuse("Shard", "dimension %d is cut along %.70s, which is not an axis of %v", i, name, m)
			}
			if before, twice := used[name]; twice {
				return Sharding{}, refuse("Shard", "axis %s cuts dimension %d and dimension %d; want one", name, before, i)
			}
			used[name] = i
			s.dims[i].axes = append(s.dims[i].axes, at)
			s.dims[i].parts *= m.axes[at].Size
		}
		if s.dims[i].parts == 1 {
			s.dims[i].block = 0
		}
	}
	if elements > maxWork/int64(m.Size()) {
		return Sharding{}, refuse("Shard", "%d elements on %d ranks are more than 2^62 in all", elements, m.Size())
	}
	return s, nil
}

// Mesh returns the mesh.
func (s Sharding) Mesh() Mesh { return s.mesh }

// Dims returns how the dimensions are cut.
func (s Sharding) Dims() []Dim {
	list := make([]Dim, len(s.dims))
	for i, d := range s.dims {
		list[i] = Dim{Size: d.size, Block: d.block}
		for _, a := range d.axes {
			list[i].Axes = append(list[i].Axes, s.mesh.axes[a].Name)
		}
	}
	return list
}

// Shape returns the sizes of the whole array.
func (s Sharding) Shape() []int {
	n := make([]int, len(s.dims))
	for i, d := range s.dims {
		n[i] = d.size
	}
	return n
}

// Parts returns into how many parts each dimension is cut.
func (s Sharding) Parts() []int {
	n := make([]int, len(s.dims))
	for i, d := range s.dims {
		n[i] = d.parts
	}
	return n
}

// Part returns which part of each dimension rank holds. It panics with a
// [layout.ShapeError] if there is no such rank, as everything that takes a rank does.
func (s Sharding) Part(rank int) []int { return s.part(s.mesh.Coordinates(rank)) }

func (s Sharding) part(coordinates []int) []int {
	c := make([]int, len(s.dims))
	for i, d := range s.dims {
		for _, a := range d.axes {
			c[i] = c[i]*s.mesh.axes[a].Size + coordinates[a]
		}
	}
	return c
}

// Local returns the shape of rank's tile. Sizes may be 0.
func (s Sharding) Local(rank int) []int {
	n := s.Part(rank)
	for i, c := range n {
		n[i] = s.dims[i].length(c)
	}
	return n
}

// Offset returns where rank's tile begins in the array. In a cyclic dimension that is the
// first of its blocks, see [Sharding.Runs]. For a tile without elements it is where the
// tile would begin.
func (s Sharding) Offset(rank int) []int {
	n := s.Part(rank)
	for i, c := range n {
		n[i] = s.dims[i].first(c)
	}
	return n
}

// Runs yields what rank holds of a dimension as intervals of global indices, from low to
// high: one, or several if the dimension is cyclic. It panics with a [layout.ShapeError]
// if there is no such dimension.
func (s Sharding) Runs(rank, dimension int) iter.Seq2[int, int] {
	if dimension < 0 || dimension >= len(s.dims) {
		panic(refuse("Sharding.Runs", "dimension %d of %v", dimension, s))
	}
	return s.dims[dimension].runs(s.Part(rank)[dimension])
}

// Replicas returns how many ranks hold the same tile.
func (s Sharding) Replicas() int {
	n := s.mesh.Size()
	for _, d := range s.dims {
		n /= d.parts
	}
	return n
}

// Tile returns how many elements the largest local tile has.
func (s Sharding) Tile() int64 {
	n := int64(1)
	for _, d := range s.dims {
		n *= int64(d.most())
	}
	return n
}

// Elements returns how many elements the whole array has.
func (s Sharding) Elements() int64 {
	n := int64(1)
	for _, d := range s.dims {
		n *= int64(d.size)
	}
	return n
}

// Equal reports whether s and t are written alike, on equal meshes. Axes of size 1 may
// make two that are not hold the same.
func (s Sharding) Equal(t Sharding) bool {
	return s.mesh.Equal(t.mesh) && slices.EqualFunc(s.dims, t.dims, func(a, b dim) bool {
		return a.size == b.size && a.block == b.block && slices.Equal(a.axes, b.axes)
	})
}

// String returns s as text, which [Mesh.Parse] reads: 12{x1,x2} x 12{y1}, and 100{x:8}
// with blocks of 8 dealt along x.
func (s Sharding) String() string {
	var b strings.Builder
	for i, d := range s.dims {
		if i > 0 {
			b.WriteString(" x ")
		}
		fmt.Fprint(&b, d.size)
		for k, a := range d.axes {
			if k == 0 {
				b.WriteByte('{')
			} else {
				b.WriteByte(',')
			}
			b.WriteString(s.mesh.axes[a].Name)
		}
		if d.block > 0 {
			fmt.Fprintf(&b, ":%d", d.block)
		}
		if len(d.axes) > 0 {
			b.WriteByte('}')
		}
	}
	return b.String()
}

// Cut returns ceil(c*size/parts), where block c begins of size indices in parts blocks.
func Cut(size, parts, c int) int {
	q, r := size/parts, size%parts
	return c*q + int((uint64(c)*uint64(r)+uint64(parts)-1)/uint64(parts))
}

// first returns the first index of part c.
func (d dim) first(c int) int {
	if d.block == 0 {
		return Cut(d.size, d.parts, c)
	}
	if c > d.size/d.block {
		return d.size
	}
	return min(c*d.block, d.size)
}

// length returns how many indices part c has.
func (d dim) length(c int) int {
	if d.block == 0 {
		return Cut(d.size, d.parts, c+1) - Cut(d.size, d.parts, c)
	}
	whole := d.size / d.block
	n := whole / d.parts * d.block
	switch left := whole % d.parts; {
	case c < left:
		n += d.block
	case c == left:
		n += d.size % d.block
	}
	return n
}

// most returns the length of the longest part: that of the first.
func (d dim) most() int { return d.length(0) }

// runs yields the indices of part c as intervals.
func (d dim) runs(c int) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		if d.block == 0 {
			if lo, hi := d.first(c), d.first(c+1); lo < hi {
				yield(lo, hi)
			}
			return
		}
		blocks := d.size/d.block + min(1, d.size%d.block)
		for k := c; k < blocks; k += d.parts {
			lo := k * d.block
			if !yield(lo, lo+min(d.block, d.size-lo)) || blocks-k <= d.parts {
				return
			}
		}
	}
}

// owner returns which part has index i, how far into the part that is, and how many
// indices from i on lie there in one piece.
func (d dim) owner(i int) (part, at, run int) {
	if d.block == 0 {
		// The last c with ceil(c*size/parts) <= i is floor(i*parts/size).
		part = mulDiv(i, d.parts, d.size)
		return part, i - d.first(part), d.first(part+1) - i
	}
	k, o := i/d.block, i%d.block
	return k % d.parts, k/d.parts*d.block + o, min(d.block-o, d.size-i)
}

// mulDiv returns floor(a*b/c), whose value fits, without overflow on the way.
func mulDiv(a, b, c int) int {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int(q)
}
