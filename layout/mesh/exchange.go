package mesh

import (
	"iter"
	"maps"
	"slices"
)

// A Run is N neighbouring indices of a dimension: from Src on in the sender's tile, from
// Dst on in the receiver's.
type Run struct{ Src, Dst, N int }

// A Piece is what one rank gives another, or itself, when an array goes from one sharding
// to another. It has the elements at one Run of each dimension, for all combinations of
// them. As a message it has them in the order of global indices, last index fastest.
type Piece struct {
	Src, Dst int // ranks
	Runs     [][]Run
}

// Elements returns how many elements the piece has.
func (p Piece) Elements() int64 {
	n := int64(1)
	for _, runs := range p.Runs {
		k := 0
		for _, r := range runs {
			k += r.N
		}
		n *= int64(k)
	}
	return n
}

// An Exchange takes an array from one sharding to another in one step. Each rank gets its
// new tile from ranks that hold it, from itself where it can. All steps of a plan are
// exchanges, and so is any redistribution at once, as by MPI_Alltoallv.
//
// If several ranks have a tile, the giver has the receiver's coordinates along all axes
// that repeat the array both before and after. So copies do not mix, and an exchange along
// one axis stays among its ranks. If that leaves a choice, ranks take turns in their order.
// So each gives about as much, and where whole tiles are permuted each gives at most one.
type Exchange struct {
	from, to Sharding
	choices  []int // axes that repeat the array before, and cut it after
	gathered []int // axes that cut it before, and repeat it after
}

// NewExchange returns the exchange between two shardings. It refuses different meshes and
// shapes.
func NewExchange(from, to Sharding) (Exchange, error) {
	if !from.mesh.Equal(to.mesh) {
		return Exchange{}, refuse("Exchange", "from a sharding on %v to one on %v; want one mesh", from.mesh, to.mesh)
	}
	if !slices.Equal(from.Shape(), to.Shape()) {
		return Exchange{}, refuse("Exchange", "from %v to %v, which is of another shape", from, to)
	}
	return newExchange(from, to), nil
}

func newExchange(from, to Sharding) Exchange {
	x := Exchange{from: from, to: to}
	before, after := from.cuts(), to.cuts()
	for a := range from.mesh.axes {
		switch {
		case !before[a] && after[a]:
			x.choices = append(x.choices, a)
		case before[a] && !after[a]:
			x.gathered = append(x.gathered, a)
		}
	}
	return x
}

// cuts returns for each axis whether it cuts a dimension.
func (s Sharding) cuts() []bool {
	cuts := make([]bool, len(s.mesh.axes))
	for _, d := range s.dims {
		for _, a := range d.axes {
			cuts[a] = true
		}
	}
	return cuts
}

// Receives returns the pieces of rank's new tile, that which it has itself among them.
// Each element is in exactly one. Pieces without elements are left out.
func (x Exchange) Receives(rank int) []Piece {
	at := x.from.mesh.Coordinates(rank)
	own := x.from.part(at)
	var list []Piece
	for part, runs := range meet(x.from, x.to, x.to.part(at)) {
		src := rank
		if !slices.Equal(part, own) {
			src = x.giver(part, at, rank)
		}
		list = append(list, Piece{Src: src, Dst: rank, Runs: runs})
	}
	return list
}

// Sends returns the pieces that rank gives, that for itself among them.
func (x Exchange) Sends(rank int) []Piece {
	at := x.from.mesh.Coordinates(rank)
	own := x.from.part(at)
	givers := x.givers(own, at)
	var list []Piece
	for part, runs := range meet(x.to, x.from, own) {
		for i := range runs {
			for k, r := range runs[i] {
				runs[i][k] = Run{r.Dst, r.Src, r.N}
			}
		}
		for dst := range x.holders(x.to, x.gathered, part, at) {
			if src, other := givers[dst]; dst == rank || other && src == rank {
				list = append(list, Piece{Src: rank, Dst: dst, Runs: runs})
			}
		}
	}
	return list
}

// giver returns who gives a rank at these coordinates a part that it does not hold.
func (x Exchange) giver(part, at []int, rank int) int {
	if len(x.choices) == 0 { // one holds it, however many need it
		for r := range x.holders(x.from, nil, part, at) {
			return r
		}
	}
	return x.givers(part, at)[rank]
}

// givers says for all ranks that need a part of the old sharding and do not hold it who
// gives it. A giver shares at's coordinates where it must.
func (x Exchange) givers(part, at []int) map[int]int {
	needs := map[int]bool{}
	for to := range x.parts(part) {
		for r := range x.holders(x.to, x.gathered, to, at) {
			needs[r] = true
		}
	}
	holders := slices.Collect(x.holders(x.from, x.choices, part, at))
	for _, r := range holders {
		delete(needs, r)
	}
	takers := slices.Sorted(maps.Keys(needs))
	givers := make(map[int]int, len(takers))
	for turn, r := range takers {
		givers[r] = holders[turn%len(holders)]
	}
	return givers
}

// parts yields the parts of the new sharding that have elements of one of the old.
func (x Exchange) parts(own []int) iter.Seq[[]int] {
	lists, n := make([][]int, len(own)), 1
	for i, d := range x.from.dims {
		lists[i] = d.meets(own[i], x.to.dims[i])
		n *= len(lists[i])
	}
	return func(yield func([]int) bool) {
		part := make([]int, len(own))
		for k := range n {
			for i := len(part) - 1; i >= 0; i-- {
				part[i] = lists[i][k%len(lists[i])]
				k /= len(lists[i])
			}
			if !yield(part) {
				return
			}
		}
	}
}

// holders yields the ranks that hold a part of s, in the order of ranks. They have at's
// coordinates along all axes that do not cut s, except those that are free.
func (x Exchange) holders(s Sharding, free, part, at []int) iter.Seq[int] {
	axes := s.mesh.axes
	c := slices.Clone(at)
	for i, d := range s.dims {
		left := part[i]
		for k := len(d.axes) - 1; k >= 0; k-- {
			c[d.axes[k]] = left % axes[d.axes[k]].Size
			left /= axes[d.axes[k]].Size
		}
	}
	for _, a := range free {
		c[a] = 0
	}
	return func(yield func(int) bool) {
		for yield(s.mesh.Rank(c...)) {
			k := len(free) - 1
			for ; k >= 0; k-- {
				if c[free[k]]++; c[free[k]] < axes[free[k]].Size {
					break
				}
				c[free[k]] = 0
			}
			if k < 0 {
				return
			}
		}
	}
}

// meet yields the parts of one sharding that have elements in common with a part of
// another, and those elements. Src counts in the tile of the former, Dst in that of the
// latter. Parts come in the order of their first elements.
func meet(of, with Sharding, part []int) iter.Seq2[[]int, [][]Run] {
	type slab struct {
		part int
		runs []Run
	}
	slabs := make([][]slab, len(of.dims))
	for i, d := range of.dims {
		at := map[int]int{} // part -> index in slabs
		dst := 0
		for lo, hi := range with.dims[i].runs(part[i]) {
			for lo < hi {
				c, src, n := d.owner(lo)
				n = min(n, hi-lo)
				k, seen := at[c]
				if !seen {
					k = len(slabs[i])
					at[c] = k
					slabs[i] = append(slabs[i], slab{part: c})
				}
				slabs[i][k].runs = join(slabs[i][k].runs, Run{src, dst, n})
				lo += n
				dst += n
			}
		}
	}
	return func(yield func([]int, [][]Run) bool) {
		n := 1
		for i := range slabs {
			n *= len(slabs[i])
		}
		for k := range n { // the last dimension is fastest
			part, runs := make([]int, len(slabs)), make([][]Run, len(slabs))
			for i := len(slabs) - 1; i >= 0; i-- {
				s := slabs[i][k%len(slabs[i])]
				k /= len(slabs[i])
				part[i], runs[i] = s.part, slices.Clone(s.runs)
			}
			if !yield(part, runs) {
				return
			}
		}
	}
}

// join appends r to runs, to the last one if it goes on there.
func join(runs []Run, r Run) []Run {
	if k := len(runs) - 1; k >= 0 && runs[k].Src+runs[k].N == r.Src && runs[k].Dst+runs[k].N == r.Dst {
		runs[k].N += r.N
		return runs
	}
	return append(runs, r)
}
