package dist

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A GEMMPlan says how the ranks of a Grid compute out = a*b, of M x K by K x N. It predicts
// the cost before a byte is sent. All ranks use the same value, which [PlanGEMM] chooses or
// you write as a literal.
//
// Every element of the three matrices is on one rank. A grid of p x q x c cuts the
// matrices with [Span.Part]. It cuts the rows of a into p, its columns into c and these
// into q; the rows of b into c and these into p, its columns into q; the rows of out into
// p and these into c, its columns into q. With one layer all three are cut into p x q
// blocks.
//
// Within a layer, panels of a travel along the rows of the grid and panels of b along its
// columns. Each goes around a ring while the previous ones are multiplied. Then the layers
// add their sums in the order of layers, each for its share of the rows.
type GEMMPlan struct {
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

// gemmDepth is the Depth of plans that leave it open.
const gemmDepth = 3

// maxSummaSteps bounds what a plan lists.
const maxSummaSteps = 1 << 20

// Check says what is wrong with p, if anything is.
func (p GEMMPlan) Check() error {
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
	if p.Panel > 0 && p.K/g.Layers/p.Panel > maxSummaSteps {
		return fmt.Errorf("panels of %d of k = %d are more than %d; want panels of at least %d", p.Panel, p.K, maxSummaSteps, p.K/g.Layers/maxSummaSteps+1)
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
func (p GEMMPlan) facts() []comm.Fact {
	return []comm.Fact{comm.NewFact("M", p.M), comm.NewFact("N", p.N), comm.NewFact("K", p.K), comm.NewFact("Type", p.Type),
		comm.NewFact("Grid", p.Grid), comm.NewFact("Panel", p.Panel), comm.NewFact("Copies", p.Copies), comm.NewFact("Depth", p.Depth)}
}

// layer returns the part of k that a layer multiplies.
func (p GEMMPlan) layer(l int) Span { return Span{0, p.K}.Part(l, p.Grid.Layers) }

// box returns the rows and columns of out that a rank computes, all or, with layers, a
// share of the sum of each.
func (p GEMMPlan) box(rank int) (rows, cols Span) {
	_, i, j := p.Grid.place(rank)
	return Span{0, p.M}.Part(i, p.Grid.Rows), Span{0, p.N}.Part(j, p.Grid.Cols)
}

// A returns the part of a that a rank has.
func (p GEMMPlan) A(rank int) Rect {
	l, _, j := p.Grid.place(rank)
	rows, _ := p.box(rank)
	if p.Copies {
		return Rect{rows, Span{0, p.K}.Part(j, p.Grid.Cols)}
	}
	return Rect{rows, p.colsA(l, j)}
}

// B returns the part of b that a rank has.
func (p GEMMPlan) B(rank int) Rect {
	l, i, _ := p.Grid.place(rank)
	_, cols := p.box(rank)
	if p.Copies {
		return Rect{Span{0, p.K}.Part(i, p.Grid.Rows), cols}
	}
	return Rect{p.rowsB(l, i), cols}
}

// C returns the part of out that a rank has.
func (p GEMMPlan) C(rank int) Rect {
	l, i, _ := p.Grid.place(rank)
	_, cols := p.box(rank)
	return Rect{p.rowsC(l, i), cols}
}

// colsA and rowsB are the parts of k that a layer multiplies, cut among the ranks that share
// a side of their boxes. rowsC is what the layers share.
func (p GEMMPlan) colsA(l, j int) Span { return p.inner(l, j, p.Grid.Cols) }
func (p GEMMPlan) rowsB(l, i int) Span { return p.inner(l, i, p.Grid.Rows) }
func (p GEMMPlan) rowsC(l, i int) Span {
	return Span{0, p.M}.Part(i*p.Grid.Layers+l, p.Grid.Rows*p.Grid.Layers)
}

func (p GEMMPlan) inner(l, i, n int) Span {
	if !p.Copies {
		return Span{0, p.K}.Part(l*n+i, n*p.Grid.Layers)
	}
	mine, all := Span{0, p.K}.Part(i, n), p.layer(l)
	return Span{max(all.Lo, min(mine.Lo, all.Hi)), min(all.Hi, max(mine.Hi, all.Lo))}
}

// slots is how many panels of each operand there is room for.
func (p GEMMPlan) slots(steps []summaStep) int {
	depth, most := p.Depth, 1
	if depth == 0 {
		depth = gemmDepth
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
func (p GEMMPlan) groups(steps []summaStep) []Span {
	var list []Span
	for i, s := range steps {
		if n := len(list); n > 0 && s.k.Hi-steps[list[n-1].Lo].k.Lo <= p.Panel {
			list[n-1].Hi = i + 1
			continue
		}
		list = append(list, Span{i, i + 1})
	}
	return list
}

// A summaStep is a part of k that is sent at a time. It says which column and row of the
// grid have it in a and b.
type summaStep struct {
	k    Span
	a, b int
}

// steps returns the parts of k of a layer, in order. Each is as long as Panel at most, and
// in one block of a and in one of b.
func (p GEMMPlan) steps(l int) []summaStep {
	g := p.Grid
	var steps []summaStep
	for i, j := 0, 0; i < g.Rows && j < g.Cols; {
		b, a := p.rowsB(l, i), p.colsA(l, j)
		both := Span{max(a.Lo, b.Lo), min(a.Hi, b.Hi)}
		if n := both.Len(); n > 0 {
			parts := 1
			if p.Panel > 0 {
				parts = (n-1)/p.Panel + 1
			}
			for x := range parts {
				steps = append(steps, summaStep{both.Part(x, parts), j, i})
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

// GEMMCost is what one rank, or all of them, send, receive and hold in a product.
type GEMMCost struct {
	Sent, Received           int64 // messages
	BytesSent, BytesReceived int64
	// Bytes is the most memory at one time: the parts of the three matrices and all
	// buffers, without what the local product packs for itself.
	Bytes int64
}

// Cost returns what a rank sends, receives and holds: not about as much, but exactly, in
// every call of [SUMMA.Mul].
func (p GEMMPlan) Cost(rank int) GEMMCost {
	l, i, j := p.Grid.place(rank)
	steps := p.steps(l)
	rows, cols := p.box(rank)
	m, n, size := int64(rows.Len()), int64(cols.Len()), int64(p.Type.Size())
	var c GEMMCost
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
		a.count(&c, s.a, m*w*size)
		b.count(&c, s.b, n*w*size)
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
			c.send(int64(p.rowsC(x, i).Len()) * n * size)
			c.receive(mine.Elems() * size)
		}
	}
	return c
}

// Total returns the sum of what all ranks send and receive, and the most that one holds.
func (p GEMMPlan) Total() GEMMCost {
	var sum GEMMCost
	for r := range p.Grid.Ranks() {
		c := p.Cost(r)
		sum.add(c)
		sum.Bytes = max(sum.Bytes, c.Bytes)
	}
	return sum
}

// send and receive count a message. An empty one is not sent.
func (c *GEMMCost) send(bytes int64) {
	if bytes > 0 {
		c.Sent++
		c.BytesSent += bytes
	}
}

func (c *GEMMCost) receive(bytes int64) {
	if bytes > 0 {
		c.Received++
		c.BytesReceived += bytes
	}
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

func (r ring) count(c *GEMMCost, owner int, bytes int64) {
	if r.sends(owner) {
		c.send(bytes)
	}
	if owner != r.me {
		c.receive(bytes)
	}
}
