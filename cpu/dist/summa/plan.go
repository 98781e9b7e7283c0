package summa

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Plan says how the ranks of a Grid compute out = a*b, of M x K by K x N. It predicts
// the cost before a byte is sent. All ranks use the same value, which [Plans] chooses or
// you write as a literal.
//
// Every element of the three matrices is on one rank. A grid of p x q x c cuts the
// matrices with [dist.Span.Part]. It cuts the rows of a into p, its columns into c and these
// into q; the rows of b into c and these into p, its columns into q; the rows of out into
// p and these into c, its columns into q. With one layer all three are cut into p x q
// blocks.
//
// Within a layer, panels of a travel along the rows of the grid and panels of b along its
// columns. Each goes around a ring while the previous ones are multiplied. Then the layers
// add their sums in the order of layers, each for its share of the rows.
type Plan struct {
	M, N, K int
	Type    dtype.Type // of the elements
	Grid    Grid
	// Panel is the most columns of a and rows of b that are sent, and multiplied, at a time.
	// Narrow panels of several ranks are joined first. 0 means all that one rank has.
	Panel int
	// Copies says that all layers have all of a and b. Each is cut into p x q blocks, of
	// which the ranks of a layer use those that belong to its part of k. Nothing more or
	// less is sent. It is for operands that lie so already (the replication of 2.5-D).
	Copies bool
	// Depth is for how many products a rank has room for panels: those in use and those on
	// the way. 0 means 3, with which a rank receives some, hands some on and multiplies by
	// some.
	Depth int
}

// usualDepth is the Depth of plans that leave it open.
const usualDepth = 3

// maxSteps bounds what a plan lists.
const maxSteps = 1 << 20

// Check says what is wrong with p, if anything is.
func (p Plan) Check() error {
	g := p.Grid
	if p.M < 0 || p.N < 0 || p.K < 0 {
		return fmt.Errorf("a product of %d x %d x %d; sizes are not negative", p.M, p.N, p.K)
	}
	if g.Rows < 1 || g.Cols < 1 || g.Layers < 1 {
		return fmt.Errorf("a grid of %d x %d x %d ranks; each is at least 1", g.Rows, g.Cols, g.Layers)
	}
	if hi, n := bits.Mul64(uint64(g.Rows), uint64(g.Cols)); hi != 0 || n > math.MaxInt32 || uint64(g.Layers) > math.MaxInt32/n {
		return fmt.Errorf("a grid of %d x %d x %d ranks is more than there can be", g.Rows, g.Cols, g.Layers)
	}
	if p.Type != dtype.F32 && p.Type != dtype.F64 {
		return fmt.Errorf("elements of type %v; want float32 or float64", p.Type)
	}
	if p.Panel < 0 || p.Depth < 0 {
		return fmt.Errorf("panels of %d and room for %d; neither is negative", p.Panel, p.Depth)
	}
	if p.Panel > 0 && p.K/g.Layers/p.Panel > maxSteps {
		return fmt.Errorf("panels of %d of k = %d are more than %d; want panels of at least %d", p.Panel, p.K, maxSteps, p.K/g.Layers/maxSteps+1)
	}
	for _, x := range [][2]int{{p.M, p.K}, {p.K, p.N}, {p.M, p.N}} {
		// Three operands and the buffers of a rank are counted in an int64, and a rank's
		// part in an int.
		if hi, n := bits.Mul64(uint64(x[0]), uint64(x[1])); hi != 0 || n > math.MaxInt64/256 {
			return fmt.Errorf("a matrix of %d x %d is too large to count its bytes", x[0], x[1])
		}
	}
	return nil
}

// facts are what must be the same on all ranks.
func (p Plan) facts() []comm.Fact {
	return []comm.Fact{comm.NewFact("M", p.M), comm.NewFact("N", p.N), comm.NewFact("K", p.K), comm.NewFact("Type", p.Type),
		comm.NewFact("Grid", p.Grid), comm.NewFact("Panel", p.Panel), comm.NewFact("Copies", p.Copies), comm.NewFact("Depth", p.Depth)}
}

// layer returns the part of k that a layer multiplies.
func (p Plan) layer(l int) dist.Span { return dist.Upto(p.K).Part(l, p.Grid.Layers) }

// box returns the rows and columns of out that a rank computes, all or, with layers, a
// share of the sum of each.
func (p Plan) box(rank int) (rows, cols dist.Span) {
	_, i, j := p.Grid.place(rank)
	return dist.Upto(p.M).Part(i, p.Grid.Rows), dist.Upto(p.N).Part(j, p.Grid.Cols)
}

// A returns the part of a that a rank has.
func (p Plan) A(rank int) dist.Rect {
	l, _, j := p.Grid.place(rank)
	rows, _ := p.box(rank)
	if p.Copies {
		return dist.Rect{Rows: rows, Cols: dist.Upto(p.K).Part(j, p.Grid.Cols)}
	}
	return dist.Rect{Rows: rows, Cols: p.colsA(l, j)}
}

// B returns the part of b that a rank has.
func (p Plan) B(rank int) dist.Rect {
	l, i, _ := p.Grid.place(rank)
	_, cols := p.box(rank)
	if p.Copies {
		return dist.Rect{Rows: dist.Upto(p.K).Part(i, p.Grid.Rows), Cols: cols}
	}
	return dist.Rect{Rows: p.rowsB(l, i), Cols: cols}
}

// C returns the part of out that a rank has.
func (p Plan) C(rank int) dist.Rect {
	l, i, _ := p.Grid.place(rank)
	_, cols := p.box(rank)
	return dist.Rect{Rows: p.rowsC(l, i), Cols: cols}
}

// colsA and rowsB are the parts of k that a layer multiplies, cut among the ranks that share
// a side of their boxes. rowsC is what the layers share.
func (p Plan) colsA(l, j int) dist.Span { return p.inner(l, j, p.Grid.Cols) }
func (p Plan) rowsB(l, i int) dist.Span { return p.inner(l, i, p.Grid.Rows) }
func (p Plan) rowsC(l, i int) dist.Span {
	return dist.Upto(p.M).Part(i*p.Grid.Layers+l, p.Grid.Rows*p.Grid.Layers)
}

func (p Plan) inner(l, i, n int) dist.Span {
	if !p.Copies {
		return dist.Upto(p.K).Part(l*n+i, n*p.Grid.Layers)
	}
	mine, all := dist.Upto(p.K).Part(i, n), p.layer(l)
	return dist.Span{Lo: max(all.Lo, min(mine.Lo, all.Hi)), Hi: min(all.Hi, max(mine.Hi, all.Lo))}
}

// slots is how many panels of each operand there is room for.
func (p Plan) slots(steps []step) int {
	depth, most := p.Depth, 1
	if depth == 0 {
		depth = usualDepth
	}
	for _, g := range p.groups(steps) {
		most = max(most, g.Len())
	}
	if depth > len(steps)/most {
		return len(steps)
	}
	return depth * most
}

// groups returns which steps are multiplied at once: as many as Panel allows.
func (p Plan) groups(steps []step) []dist.Span {
	var list []dist.Span
	for i, s := range steps {
		if n := len(list); n > 0 && s.k.Hi-steps[list[n-1].Lo].k.Lo <= p.Panel {
			list[n-1].Hi = i + 1
			continue
		}
		list = append(list, dist.Span{Lo: i, Hi: i + 1})
	}
	return list
}

// A step is a part of k that is sent at a time. It says which column and row of the
// grid have it in a and b.
type step struct {
	k    dist.Span
	a, b int
}

// steps returns the parts of k of a layer, in order. Each is as long as Panel at most, and
// in one block of a and in one of b.
func (p Plan) steps(l int) []step {
	g := p.Grid
	var steps []step
	for i, j := 0, 0; i < g.Rows && j < g.Cols; {
		b, a := p.rowsB(l, i), p.colsA(l, j)
		both := dist.Span{Lo: max(a.Lo, b.Lo), Hi: min(a.Hi, b.Hi)}
		if n := both.Len(); n > 0 {
			parts := 1
			if p.Panel > 0 {
				parts = (n-1)/p.Panel + 1
			}
			for x := range parts {
				steps = append(steps, step{both.Part(x, parts), j, i})
			}
		}
		if a.Hi <= b.Hi {
			j++
		}
		if b.Hi <= a.Hi {
			i++
		}
	}
	return steps
}

// Cost is what one rank, or all of them, send, receive and hold in a product.
type Cost struct {
	comm.Count
	// Bytes is the most memory at one time: the parts of the three matrices and all
	// buffers, without what the local product packs for itself.
	Bytes int64
}

// Cost returns what a rank sends, receives and holds: not about as much, but exactly, in
// every call of [Product.Mul].
func (p Plan) Cost(rank int) Cost {
	l, i, j := p.Grid.place(rank)
	steps := p.steps(l)
	rows, cols := p.box(rank)
	m, n, size := int64(rows.Len()), int64(cols.Len()), int64(p.Type.Size())
	var c Cost
	a := ring{size: p.Grid.Cols, me: j}
	b := ring{size: p.Grid.Rows, me: i}
	var width, joined int64 // of the widest panel, and of the widest that are put together
	for _, g := range p.groups(steps) {
		if g.Len() > 1 {
			joined = max(joined, int64(steps[g.Hi-1].k.Hi-steps[g.Lo].k.Lo))
		}
	}
	for _, s := range steps {
		w := int64(s.k.Len())
		width = max(width, w)
		a.count(&c.Count, s.a, m*w*size)
		b.count(&c.Count, s.b, n*w*size)
	}
	mine := p.C(rank)
	c.Bytes = (p.A(rank).Elems() + p.B(rank).Elems() + mine.Elems()) * size
	room := int64(p.slots(steps))*width + joined
	if a.size > 1 {
		c.Bytes += room * m * size
	}
	if b.size > 1 {
		c.Bytes += room * n * size
	}
	if layers := p.Grid.Layers; layers > 1 {
		c.Bytes += (m*n + int64(layers-1)*mine.Elems()) * size
		for x := range layers {
			if x == l {
				continue
			}
			c.Send(int64(p.rowsC(x, i).Len()) * n * size)
			c.Receive(mine.Elems() * size)
		}
	}
	return c
}

// Total returns the sum of what all ranks send and receive, and the most that one holds.
func (p Plan) Total() Cost {
	var sum Cost
	for r := range p.Grid.Ranks() {
		c := p.Cost(r)
		sum.Add(c.Count)
		sum.Bytes = max(sum.Bytes, c.Bytes)
	}
	return sum
}

// A ring is ranks that hand panels on, from each to the next, until the panel has been
// everywhere. Over all panels each rank sends as many bytes as the next rank to the right
// lacks, as any way of bringing them there does on the whole. No rank ever sends the same
// panel twice, as the root of a broadcast does.
type ring struct{ size, me int }

// right is the place to which panels are handed on.
func (r ring) right() int { return (r.me + 1) % r.size }

// left is the place from which panels come.
func (r ring) left() int { return (r.me + r.size - 1) % r.size }

// sends reports whether a panel of owner's is handed on from here.
func (r ring) sends(owner int) bool { return r.size > 1 && r.right() != owner }

func (r ring) count(c *comm.Count, owner int, bytes int64) {
	if r.sends(owner) {
		c.Send(bytes)
	}
	if owner != r.me {
		c.Receive(bytes)
	}
}
